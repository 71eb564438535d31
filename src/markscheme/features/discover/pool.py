"""The outputs to read: examples, Promptfoo's results, a table, an export of another tool; no rubric is needed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from markscheme.errors import Fault, RatingError, refuse_lines
from markscheme.numerals import finite
from markscheme.plain_data import plain_data, read_text, shown
from markscheme.promptfoo.results import read_results
from markscheme.prompts.material import Material
from markscheme.prompts.submission import NO_RESPONSE, RESPONSE, RESPONSE_KEYS, Submission, submission_of
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.readers.formats import LIST, PLAIN_LINES, PROMPTFOO_RESULTS, TABLE, format_of
from markscheme.readers.peek import Peek
from markscheme.readers.table_outputs import outputs_in, reads_as_table

_ABOUT = ("group", "system", "split", "drawn", "weight", "stratum", "labels", "metadata", "score")
"""Keys of a row that describe the output and so aren't inputs."""


@dataclass(frozen=True)
class OutputPool:
    """Outputs to read in a discovery, with what is needed to show and group them.

    Attributes:
        examples: The outputs, by id, in the order of their file.
        scores: Score of each output by a judge's verdicts in the file, by id; empty if the file has no verdicts.
            `--also low-score` uses these scores.
    """

    examples: Mapping[str, Example] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The outputs' responses, by id."""
        return {id: example.submission.response for id, example in self.examples.items()}

    @cached_property
    def materials(self) -> dict[str, Material]:
        """All texts of each output, by the output's id, in which a note's passage is looked up."""
        return {
            id: Material({**example.submission.inputs, RESPONSE: example.submission.response})
            for id, example in self.examples.items()
        }

    @cached_property
    def groups(self) -> dict[str, str]:
        """The names of outputs' groups, by the output's id; outputs without a group are left out."""
        return {id: example.group for id, example in self.examples.items() if example.group}

    @cached_property
    def inputs(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the inputs that every output has, and names of the inputs that only some have."""
        names = dict.fromkeys(name for example in self.examples.values() for name in example.submission.inputs)
        always = [name for name in names if all(name in e.submission.inputs for e in self.examples.values())]
        return tuple(always), tuple(name for name in names if name not in always)

    def with_examples(self, more: Mapping[str, Example]) -> "OutputPool":
        """Return the pool after adding those of the given outputs that it lacks."""
        return OutputPool({**more, **self.examples}, self.scores)


def read_outputs(path: Path, columns: ColumnOptions = ColumnOptions()) -> OutputPool:
    """Read the outputs in a file, of any supported format.

    Args:
        path: The file.
        columns: What the columns and values of a table mean; ratings in it are ignored.

    Raises:
        RatingError: The file has no outputs, an output has no response, or an id occurs twice.
        UsageError: The file is a table, and no column is recognized as responses.
    """
    peek = Peek(path, columns)
    if reads_as_table(path, columns) or _lacks_responses(peek):
        return OutputPool({example.id: example for example in outputs_in(path, columns)})
    file_format = format_of(peek, "anything")
    if file_format is PROMPTFOO_RESULTS:
        pool = _of_results(path)
    elif file_format is not None and file_format.read_remarks is not None:
        _, responses, *_ = file_format.read_remarks([peek])
        pool = OutputPool(responses)
    else:
        pool = _of_rows(peek)
    with_content = {id: example for id, example in pool.examples.items() if example.has_content}
    if not with_content:
        raise RatingError("holds no output with a text in it; a row has `id` and `response` or `output`", path=path)
    return OutputPool(with_content, pool.scores)


def _lacks_responses(peek: Peek) -> bool:
    """Return True if a file holds rows or records, and none of the first few has a field for a response."""
    is_plain = format_of(peek, "anything") in (LIST, PLAIN_LINES, TABLE)
    return (
        is_plain and bool(peek.records) and not any(key in record for record in peek.records for key in RESPONSE_KEYS)
    )


def _of_results(path: Path) -> OutputPool:
    rows = read_results(path, unjudged=True).rows
    examples = {
        row.id: Example(Submission(row.response, row.inputs, row.id), group=row.task, system=row.system)
        for row in rows
        if row.response
    }
    return OutputPool(examples, {row.id: row.score for row in rows if row.score is not None})


def _of_rows(peek: Peek) -> OutputPool:
    examples: dict[str, Example] = {}
    scores: dict[str, float] = {}
    faults: list[Fault] = []
    for ordinal, (line, record) in enumerate(_records(peek), start=1):
        try:
            example = _example(record, ordinal, peek.path.parent)
        except ValueError as error:
            faults.append(Fault(str(error), line, row=ordinal))
            continue
        if example is None:
            continue
        if example.id in examples:
            faults.append(Fault(f"id {example.id!r} occurs above already; ids are unique", line, row=ordinal))
            continue
        examples[example.id] = example
        score = finite(record.get("score")) if isinstance(record, Mapping) else None
        if score is not None:
            scores[example.id] = score
    if faults:
        refuse_lines(RatingError(faults, path=peek.path))
    return OutputPool(examples, scores)


def _records(peek: Peek) -> Iterator[tuple[int | None, Any]]:
    """Yield each record of a file with its line; None if the line isn't known."""
    if peek.shape == "yaml":
        data, _ = plain_data(read_text(peek.path, RatingError), "yaml", RatingError, path=peek.path)
        records = data.get("examples") if isinstance(data, Mapping) else data
        yield from ((None, record) for record in records or [])
        return
    for line, (key, record) in peek.parts_on_lines():
        if key in ("", "examples") and not isinstance(record, list):
            yield line, record


def _example(record: Any, ordinal: int, folder: Path) -> Example | None:
    """Make an example of the output in a row; return None for a row whose output is empty.

    Args:
        record: The row.
        ordinal: Number of the row, which is the output's id if the row has none.
        folder: The folder that paths in the row are relative to.

    Raises:
        ValueError: The row has no key for an output.
    """
    if not isinstance(record, Mapping) or not any(key in record for key in RESPONSE_KEYS):
        has_keys = isinstance(record, Mapping) and record
        keys_or_value = ", ".join(f"`{key}`" for key in record) if has_keys else shown(record)
        raise ValueError(f"a row of outputs has `response` or `output`; found {keys_or_value}")
    row = {key: value for key, value in record.items() if key not in _ABOUT}
    submission = submission_of(row, ordinal, folder)
    if submission.fault == NO_RESPONSE:
        return None
    return Example(submission, group=str(record.get("group") or ""), system=str(record.get("system") or ""))
