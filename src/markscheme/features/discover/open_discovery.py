"""Open a discovery by name: its folder, the outputs to read, people's notes, and the modes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from markscheme.errors import UsageError
from markscheme.features.discover.figures import ReadOutputs
from markscheme.features.discover.modes import Codebook, Mode
from markscheme.features.discover.order import ReadingOrder
from markscheme.features.discover.pool import OutputPool, read_outputs
from markscheme.features.discover.result import Discovery
from markscheme.features.discover.store import DiscoveryFolder, digest_of
from markscheme.features.discover.unread import kept_unread, reading_plan
from markscheme.features.discover.unseen import LARGE_SHARE, SURE
from markscheme.fingerprint import fingerprint
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.readers.table_outputs import reads_as_table
from markscheme.readers.tabular.columns import output_roles
from markscheme.readers.tabular.source import open_sheet
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibration_folder, find_rubric
from markscheme.text import path_component

BY_RUBRIC = "rubric"
"""Author recorded for modes that come from the criteria of an existing rubric."""


@dataclass(frozen=True)
class OpenedDiscovery:
    """A discovery with the contents of its files: outputs to read, readings so far, and settings.

    Attributes:
        folder: The discovery's folder with its files.
        pool: The outputs, as far as they are known.
        seed: Random seed of the reading order.
        drawn: Ids of outputs that, as the user said, are a random draw.
        pool_path: Path of the pool's file; None if there is none.
        pool_name: Name of the pool's file as in a command; None if there is none.
        rubric: The rubric with the discovery's name; None if there is none yet.
        reads_all: True if no output is to stay unread, as the user chose.
    """

    folder: DiscoveryFolder
    pool: OutputPool
    seed: int
    drawn: tuple[str, ...]
    pool_path: Path | None = None
    pool_name: str | None = None
    rubric: Rubric | None = None
    reads_all: bool = False

    @property
    def unread(self) -> tuple[str, ...]:
        """Ids of the outputs that nobody reads, so that the finished rubric can be tested on them, in reading order."""
        if self.reads_all or not self.pool_name:
            return ()
        read = {reading.id for reading in self.folder.readings() if reading.is_finished or reading.notes}
        return kept_unread(self.order.ids, self.tasks, read)

    @property
    def reading_plan(self) -> str:
        """A phrase on how many outputs to read, and how many stay unread to test the rubric on."""
        return reading_plan(len(self.order.ids), len(self.unread))

    @cached_property
    def tasks(self) -> dict[str, str]:
        """Name of the task of each output: its group, or else a digest of its inputs."""
        inputs = {id: dict(example.submission.inputs) for id, example in self.pool.examples.items()}
        return {id: fingerprint(theirs) for id, theirs in inputs.items() if theirs} | self.pool.groups

    @cached_property
    def order(self) -> ReadingOrder:
        """All outputs, in the order in which every reader sees them."""
        ids = self.pool.examples if self.pool_name else ()
        return ReadingOrder.of(ids, self.drawn, seed=self.seed)

    def codebook(self) -> Codebook:
        """Return the codebook, in which each criterion of an existing rubric is a failure mode too."""
        book = self.folder.codebook()
        names = {name for mode in book.modes for name in mode.names}
        criteria = self.rubric.criteria if self.rubric is not None else ()
        for criterion in criteria:
            if criterion.name not in names:
                severity = max(1, min(3, round(abs(criterion.weight)))) if not criterion.required else 3
                requirement = " ".join(criterion.requirement.split())
                mode = Mode(criterion.name, requirement, severity, by=BY_RUBRIC, is_turned=criterion.weight > 0)
                book = book.name_mode(mode)
        return book

    def outputs(self) -> ReadOutputs:
        """Return the outputs read so far, with their readings and failure modes, to compute figures from."""
        return ReadOutputs(self.folder.readings(), self.codebook(), self.order, self.pool.groups)

    def discovery(self, share: float = LARGE_SHARE, sure: float = SURE) -> Discovery:
        """Compute the result of what people have read so far.

        Args:
            share: Share of outputs above which a failure mode shouldn't go unseen.
            sure: Confidence that no such mode goes unseen, 0 to 1.
        """
        return Discovery(self.folder.name, self.outputs(), self.pool.texts, share, sure, self.pool_name, self.unread)


def open_discovery(
    name: str,
    here: Path,
    *,
    pool: Path | None = None,
    columns: ColumnOptions = ColumnOptions(),
    seed: int | None = None,
    drawn: tuple[str, ...] = (),
    more: Mapping[str, Example] | None = None,
    reads_all: bool = False,
) -> OpenedDiscovery:
    """Open a discovery by its rubric's name; a given file of outputs to read is remembered for the next time.

    Args:
        name: Name of the rubric to be.
        here: The working directory.
        pool: File of outputs; None for the file that was named in an earlier call.
        columns: What the columns and values of a table of outputs mean. If no option on them is given, those given
            earlier for the same file apply.
        seed: Random seed of the reading order, used if no output has been read yet.
        drawn: Ids of further outputs that the user declared to be a random draw.
        more: Outputs that were imported with notes, by id.
        reads_all: True if no output is to stay unread.

    Raises:
        UsageError: The name can't be that of a folder, or the pool has moved.
        RatingError: A file can't be read, or the pool on record is outside the project.
    """
    folder = DiscoveryFolder(calibration_folder(path_component(name, "the rubric's name"), here))
    path = pool if pool is not None else folder.pool_file()
    record = folder.pool_record()
    is_known = pool is None or (pool.is_file() and record.fingerprint == digest_of(pool))
    of_pool = record.column_options if is_known and not columns.stated else columns
    outputs = read_outputs(path, of_pool) if path is not None else OutputPool()
    if pool is not None or drawn or reads_all or (seed is not None and not folder.path.is_dir()):
        record = folder.keep_pool(pool, seed=seed, drawn=drawn, reads_all=reads_all, columns=of_pool)
    outputs = outputs.with_examples({**_kept_examples(folder), **(more or {})})
    shown = None if path is None else _from_here(path, here)
    rubric = rubric_of(name, here)
    return OpenedDiscovery(folder, outputs, record.seed, record.drawn, path, shown, rubric, record.reads_all)


def has_outputs_alone(path: Path, columns: ColumnOptions) -> bool:
    """Return True if a file is a table of outputs without a column of ratings.

    Args:
        path: The file of outputs.
        columns: What its columns mean.
    """
    if not reads_as_table(path, columns):
        return False
    return {"judge", "human"}.isdisjoint(output_roles(open_sheet(path, columns).columns, columns).values())


def rubric_of(name: str, here: Path) -> Rubric | None:
    """Load the rubric with this name from the project, not from the package; None if the project has none yet."""
    try:
        path = find_rubric(name, here)
    except UsageError:
        return None
    if path.parent.resolve() not in {(folder / "rubrics").resolve() for folder in (here, *here.parents)}:
        return None
    return replace(load_rubric(path), source=path)


OUTPUTS_FILE = "outputs.jsonl"
"""Name of the file in a discovery's folder with the outputs that were imported with notes."""


def _kept_examples(folder: DiscoveryFolder) -> dict[str, Example]:
    """Read the outputs that were imported with notes; {} if there are none."""
    file = folder.path / OUTPUTS_FILE
    return dict(read_outputs(file).examples) if file.is_file() else {}


def _from_here(path: Path, here: Path) -> str:
    try:
        return str(path.resolve().relative_to(here.resolve()))
    except ValueError:
        return str(path)
