"""The responses to label, from examples or Promptfoo's results, and the file that labelled examples are added to."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

from markscheme.calibration.findings.commands import Commands
from markscheme.errors import RatingError, UsageError
from markscheme.files import append_lines, exclusive
from markscheme.plain_data import id_of, json_lines
from markscheme.ratings.additions import new_examples
from markscheme.ratings.audits import audits_in
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import (
    RATES_FOLDER,
    RATINGS_FOLDER,
    SUFFIXES,
    examples_file,
    examples_from,
    load_examples,
)
from markscheme.ratings.first_splits import keep_parts_by_place, with_parts
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.rating import Rating
from markscheme.ratings.row_form import takes_lines
from markscheme.readers.rated import columns_from_options, open_rated
from markscheme.readers.table_outputs import names_responses_otherwise, outputs_in, reads_as_table
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import typed_name


@dataclass(frozen=True)
class ResponsePool:
    """Responses to label, with the verdicts and labels that their file has.

    Attributes:
        examples: Examples with unique ids. Each has a response, which may be an empty text if the example has an input.
        verdicts: Judges' ratings of these responses, which are used to draw some and never shown.
        labels: Annotators' ratings in the file itself.
    """

    examples: tuple[Example, ...]
    verdicts: tuple[Rating, ...]
    labels: tuple[Rating, ...]

    def those_in(self, ids: Collection[str], source: Path) -> "ResponsePool":
        """Return a pool with only the responses that have these ids.

        Args:
            ids: Ids of responses.
            source: The file that the ids are from, for the error.

        Raises:
            RatingError: No response has one of these ids.
        """
        examples = tuple(example for example in self.examples if example.id in ids)
        if not examples:
            problem = "asks about no response of the pool: name the file that was graded by --pool"
            raise RatingError(problem, path=source)
        return replace(self, examples=examples)


def ids_to_ask(path: Path) -> frozenset[str]:
    """Read, from the output of `grade --json`, the ids of the responses that no judge decided and a person must.

    Raises:
        RatingError: The file holds no grades, or none that asks a person.
    """
    decisions = {}
    for number, line in json_lines(path, RatingError):
        if not isinstance(line, dict) or "decision" not in line or "id" not in line:
            raise RatingError("isn't a grade of `grade --json`", path=path, line=number)
        decisions[str(line["id"])] = line["decision"]
    undecided = frozenset(unit for unit, decision in decisions.items() if decision == "ask")
    if not undecided:
        raise RatingError("asks about nothing: every response is decided, or not graded", path=path)
    return undecided


def read_pool(path: Path, rubric: Rubric, columns: ColumnOptions = ColumnOptions()) -> ResponsePool:
    """Read the responses in a file: examples in any form, a table, or Promptfoo's results.

    Args:
        path: The file.
        rubric: The rubric by which they are labelled.
        columns: What the columns and values of a table mean; ratings in a table are ignored.

    Raises:
        RatingError: The file is none of these, or holds ids without responses.
        UsageError: The file is a table, and no column is recognized as responses; or it holds single responses, and the
            rubric compares pairs.
    """
    if reads_as_table(path, columns) or names_responses_otherwise(path, columns):
        return ResponsePool(tuple(outputs_in(path, columns)), (), ())
    if rubric.is_of_pairs and _holds_single_responses(path):
        named = Commands(quote(typed_name(rubric))).label_pool(f"--pairs --pool {quote(str(path))} --to pairs.jsonl")
        raise UsageError(f"{path} holds single responses, and {rubric.name} compares two; make pairs of them: {named}")
    rated = open_rated([path], rubric, expected="examples", columns=columns_from_options(columns))
    examples = tuple(example for example in rated.labelled.examples if example.has_content)
    if not examples:
        raise RatingError("holds no response with a text in it", path=path)
    return ResponsePool(
        examples,
        tuple(rating for rating in rated.ratings if rating.kind in JUDGES),
        tuple(rating for rating in rated.ratings if rating.kind not in JUDGES),
    )


def _holds_single_responses(path: Path) -> bool:
    """Return True if every line of a file is a JSON object with a response of its own."""
    with suppress(RatingError):
        return all(isinstance(line, dict) and "response" in line for _, line in json_lines(path, RatingError))
    return False


def read_audits(folder: Path, rubric: Rubric) -> ResponsePool:
    """Read the responses that `pass-rate --track` drew for labelling, of all streams, in the order of weeks and draws.

    Args:
        folder: The rubric's calibration folder.
        rubric: The rubric.

    Raises:
        RatingError: No responses are drawn, or a line isn't an example.
    """
    audits = audits_in(folder)
    if not audits:
        problem = "has no audits: `markscheme pass-rate FILE --rubric NAME --track` draws them"
        raise RatingError(problem, path=folder / RATES_FOLDER)
    return ResponsePool(tuple(examples_from(audits, rubric).examples), (), ())


@dataclass(frozen=True)
class SetFile:
    """The file of examples in a rubric's calibration folder, to which labelled responses are added.

    Attributes:
        path: The file.
        rubric: The rubric that the file's labels are checked against.
    """

    path: Path
    rubric: Rubric

    @classmethod
    def within(cls, folder: Path, rubric: Rubric) -> "SetFile":
        """Return the file of examples in a calibration folder; if there is none yet, a new examples.jsonl.

        Raises:
            RatingError: The folder holds several files of examples.
        """
        is_there = any((folder / f"examples{suffix}").is_file() for suffix in SUFFIXES)
        return cls(examples_file(folder) if is_there else folder / "examples.jsonl", rubric)

    def read(self) -> tuple[Example, ...]:
        """Read all examples in the file; return an empty tuple if the file doesn't exist yet."""
        if not self.path.is_file() or not self.path.stat().st_size:
            return ()
        return tuple(load_examples(self.path, self.rubric).examples)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the file while the context lasts; other processes wait."""
        with exclusive(self.path.parent / RATINGS_FOLDER, is_folder=True, busy=lambda: None):
            yield

    def check(self, pool: Sequence[Example]) -> None:
        """Raise an error if responses can't be added to the file, or if the file has another response with the same id.

        Raises:
            RatingError: The responses can't be added, or an id is that of another response; the message names the ids,
                or says what to do.
        """
        responses = {example.id: example.submission.responses for example in self.read()}
        if new_examples(self.path, pool, responses, "the pool") and not takes_lines(self.path):
            raise RatingError(
                "cannot be added to; make it an examples.jsonl, or label it by itself with --pool", path=self.path
            )

    def keep_parts(self) -> tuple[Example, ...]:
        """Assign to dev or test each example that the file leaves unassigned; return all. Call within `locked`."""
        return keep_parts_by_place(self.path, self.rubric)

    def parted(self, new: Iterable[Example]) -> tuple[Example, ...]:
        """Return new examples, each assigned to dev or test; to be called while `locked` locks the file."""
        return with_parts(new, self.keep_parts())

    def add(self, lines: Sequence[dict[str, Any]]) -> None:
        """Append the lines whose examples the file lacks; they are on disk when this returns. Call within `locked`."""
        ids = set(self._ids())
        new = [line for line in lines if line["id"] not in ids]
        if new:
            append_lines(self.path, new, follow=False)

    def _ids(self) -> Iterator[str]:
        if self.path.is_file():
            for line_number, (_, line) in enumerate(json_lines(self.path, RatingError), start=1):
                yield id_of(line.get("id"), f"ex-{line_number}")
