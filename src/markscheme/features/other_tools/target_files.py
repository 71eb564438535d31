"""The files that an import adds ratings and examples to, one process at a time."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from markscheme.errors import UsageError, writing
from markscheme.files import append_text, end_of_link, exclusive, is_no_file, json_text, refuse_unmakeable
from markscheme.ratings.additions import Additions, additions_to, new_examples, responses_in
from markscheme.ratings.codes import RATINGS_REMEMBERED, RatingCodes
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.ratings.first_splits import keep_parts_by_place, with_parts
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True)
class TargetFiles:
    """The files to which an import writes ratings and examples.

    Attributes:
        ratings: The file of ratings; None to write none.
        examples: The file of examples; None to write none.
        append: True if the files may exist already.

    Raises:
        UsageError: A file can't be written, or exists although `append` is False; or both are the same file.
    """

    ratings: Path | None = None
    examples: Path | None = None
    append: bool = False

    def __post_init__(self) -> None:
        for path in self.paths:
            with writing(path):
                is_there = path.exists() and not (path.is_file() and not path.stat().st_size)
            if is_there and not self.append:
                raise UsageError(f"{path} exists; --append adds to it")
            refuse_unmakeable(path)
        if len(set(map(os.path.realpath, self.paths))) < len(self.paths):
            raise UsageError("--examples and --to must be two files: examples aren't ratings")

    @property
    def paths(self) -> list[Path]:
        """Paths of the files that are written."""
        return [path for path in (self.examples, self.ratings) if path is not None]

    @property
    def calibration_folder(self) -> Path | None:
        """Calibration folder that holds the file of ratings; None if that file isn't in a `ratings` folder."""
        if self.ratings is None or self.ratings.parent.name != RATINGS_FOLDER:
            return None
        return self.ratings.parent.parent

    @contextmanager
    def turn_to_add(self) -> Iterator[None]:
        """Lock the target files' folders while the context lasts, so that other imports and labelling pages wait.

        Raises:
            UsageError: A folder can't be made.
        """
        with ExitStack() as turns:
            for folder in sorted({_shared_folder(path) for path in self.paths}):
                with writing(folder):
                    folder.mkdir(parents=True, exist_ok=True)
                    turns.enter_context(exclusive(folder, is_folder=True, busy=lambda: None))
            yield

    def additions(self, ratings: Iterable[Rating], rubric: Rubric) -> Additions | None:
        """Return which ratings the file of ratings doesn't have yet; None if that file doesn't exist.

        Raises:
            RatingError: The file has a line that isn't JSON.
        """
        if self.ratings is None or not self.ratings.is_file():
            return None
        return additions_to(self.ratings, ratings, rubric)

    def new_examples(self, examples: Iterable[Example], where: str) -> list[Example]:
        """Return the examples that the target file of examples lacks; an empty list if no such file is to be written.

        Args:
            examples: The examples to add.
            where: Name of their source, for messages.

        Raises:
            RatingError: The file has other responses under these ids, or a line that isn't JSON.
        """
        if self.examples is None:
            return []
        return new_examples(self.examples, examples, responses_in(self.examples), where)

    def parted(self, new: Sequence[Example], rubric: Rubric) -> tuple[Example, ...]:
        """Return new examples, each assigned to a part such as dev; call within `turn_to_add`.

        Args:
            new: The examples.
            rubric: Their rubric, which says whether they are pairs.

        Raises:
            RatingError: The file of examples can't be read or written.
        """
        if self.examples is None or not new:
            return ()
        return with_parts(new, keep_parts_by_place(self.examples, rubric))

    def add(self, ratings: Iterable[Rating], examples: Iterable[Example]) -> None:
        """Append ratings and examples to the files, which are made if missing; call within `turn_to_add`.

        Raises:
            UsageError: A file can't be written.
        """
        if self.examples is not None:
            lines = (json_text(example.to_json(self.examples.parent)) for example in examples)
            _add_lines(lines, self.examples)
        if self.ratings is not None:
            _add_lines(_json_lines(RatingCodes.of(ratings)), self.ratings)


def _json_lines(ratings: RatingCodes) -> Iterator[str]:
    """Yield each rating as a line of a file of ratings; ratings equal but for the id are converted to JSON once."""
    rests: dict[tuple[int, bytes], str] = {}
    for index, unit in enumerate(ratings.ids):
        header, row = ratings.codes_at(index)
        begin = f'{{"id": {json.dumps(unit, ensure_ascii=False)}'
        key = (header, row.tobytes())
        rest = rests.get(key)
        if rest is None:
            rest = json_text(ratings[index].to_json())[len(begin) :]
            if len(rests) < RATINGS_REMEMBERED:
                rests[key] = rest
        yield begin + rest


def _shared_folder(target: Path) -> Path:
    """Return the folder to lock while `target` is written: its folder or, if that has one, the subfolder `ratings`.

    Labelling pages lock the same folder.
    """
    folder = end_of_link(target).resolve().parent
    return folder / RATINGS_FOLDER if (folder / RATINGS_FOLDER).is_dir() else folder


def _add_lines(lines: Iterable[str], path: Path) -> None:
    """Append lines to a file, which is made if missing.

    A link to another file isn't followed; a link to something like a terminal is.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        append_text(path, "".join(lines), follow=is_no_file(path))
