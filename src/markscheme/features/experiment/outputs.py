"""Outputs from files (lines, tables, Promptfoo's results), and the file that stores the outputs of a run."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from markscheme.errors import Fault, RatingError, writing
from markscheme.features.experiment.cells import ExperimentCase, Output
from markscheme.files import append_lines
from markscheme.json_text import parse_json
from markscheme.judges.judge import Reply
from markscheme.plain_data import ANOTHER_LENGTH, json_lines, shown
from markscheme.promptfoo.results import Row, read_results
from markscheme.prompts.parts import as_written
from markscheme.prompts.submission import as_text
from markscheme.readers.imported import RESPONSES_ALONE
from markscheme.readers.peek import Peek
from markscheme.readers.rated import are_of_tool, has_results, open_rated
from markscheme.row_files import table_rows

TEXT_KEYS = ("output", "response", "answer")
"""Keys that may hold an output, in order of preference; all other keys are inputs."""
OWN_KEYS = frozenset(["id", "case", "variant", "inputs", "expected", "error", "output", "response"])
AT = " @ "


@dataclass(frozen=True, slots=True)
class GivenOutput:
    """An output in a file, with its case, the case's inputs, and its variant, "" if the file doesn't name one."""

    variant: str
    case: str
    output: Output
    inputs: Mapping[str, str] = field(default_factory=dict)


def read_outputs(path: Path) -> list[GivenOutput]:
    """Read the outputs in a file of lines, a table, Promptfoo's results or an export of another tool.

    Raises:
        RatingError: Lines have no output, or a second output of the same variant and case; the error lists all of them.
    """
    outputs: dict[tuple[str, str], GivenOutput] = {}
    faults: list[Fault] = []
    entries = _entries(path)
    for ordinal, (line, record) in enumerate(entries, start=1):
        try:
            output = record if isinstance(record, GivenOutput) else _read_output(record, ordinal, path.parent)
            if (output.variant, output.case) in outputs:
                raise ValueError(f"a second output of {output.variant or 'the variant'} for case {output.case!r}")
            outputs[output.variant, output.case] = output
        except ValueError as error:
            faults.append(Fault(str(error), line))
    if faults or not outputs:
        raise RatingError(faults or "holds no outputs", path=path)
    return list(outputs.values())


def _entries(path: Path) -> Iterator[tuple[int | None, Any]]:
    """Return the outputs in a file, each with its line number; None if the format has no lines.

    Files of another tool give GivenOutput objects; any other files give records that are still to be read.
    """
    if has_results(path):
        return _of_results(read_results(path, unjudged=True).rows)
    has_records = Peek(path).shape in OF_RECORDS and not are_of_tool([path])
    return records(path) if has_records else _of_rated(path)


def _of_rated(path: Path) -> Iterator[tuple[None, GivenOutput]]:
    """Yield each response in a file of ratings as an output, after None in place of the number of a line.

    The response's system becomes the variant, and its group, or else its id, becomes the case.
    """
    for file in open_rated([path], expected="examples", columns=RESPONSES_ALONE).files:
        for example in file.examples if file.has_responses else ():
            if example.submission.second is not None:
                raise RatingError("holds pairs of responses; a variant has one output for a case", path=path)
            inputs = {name: as_text(value) for name, value in example.submission.inputs.items()}
            case = example.group or example.id
            yield None, GivenOutput(example.system, case, Output(example.submission.response), inputs)


OF_RECORDS: Final = ("lines", "table", "sheet", "parquet")
"""Shapes of files that hold an object for each case or output."""


def records(path: Path) -> Iterator[tuple[int | None, Any]]:
    """Yield the objects in a file of lines or the rows of a table, each with its line, or None if it isn't known.

    Empty cells are left out, except those of outputs, which may be empty texts.

    Raises:
        RatingError: The file has neither format, or cannot be read.
    """
    peek = Peek(path)
    if peek.shape not in OF_RECORDS:
        raise RatingError("expected lines of JSON, a table, or an export with responses", path=path)
    if peek.shape == "lines":
        yield from json_lines(path, RatingError)
        return
    if peek.shape != "table":
        yield from ((None, row) for _, row in peek.parts())
        return
    for line, row in table_rows(path, RatingError):
        if row is None:
            raise RatingError(ANOTHER_LENGTH, path=path, line=line)
        yield line, {key: cell for key, cell in row.items() if cell or key in TEXT_KEYS}


def case_of(record: Any, folder: Path) -> ExperimentCase:
    """Build a case from a mapping with `id`, `inputs` and `expected`; file names in it are relative to the folder.

    Raises:
        ValueError: The record isn't a case.
    """
    if not isinstance(record, Mapping):
        raise ValueError(f"a case is a mapping with id, inputs and expected; found {shown(record)}")
    return ExperimentCase(_named(record, "id"), _texts(record, "inputs", folder), _texts(record, "expected", folder))


def _read_output(record: Any, index: int, folder: Path) -> GivenOutput:
    """Build an output from a record; its case is what the record names, else the record's number in the file.

    Args:
        record: The record, as data.
        index: Number of the record in the file, from 1.
        folder: The folder that paths in the record are relative to.
    """
    if not isinstance(record, Mapping):
        raise ValueError(f"an output is an object with case and output; found {shown(record)}")
    key = next((key for key in ("case", "id") if key in record), None)
    case = str(index) if key is None else _named(record, key)
    text_key = next((key for key in TEXT_KEYS if record.get(key) is not None), None)
    text = None if text_key is None else record[text_key]
    if text is None and not record.get("error"):
        raise ValueError("`output` is missing; where there is none, `error` says why")
    own_keys = {*OWN_KEYS, text_key}
    rest = {key: value for key, value in record.items() if key not in own_keys and value is not None}
    inputs = {key: as_text(value, f"input {key!r}", folder=folder) for key, value in rest.items()}
    output = Output(as_text(text, folder=folder)) if text is not None else Output(None, as_text(record["error"]))
    return GivenOutput(as_text(record.get("variant") or ""), case, output, inputs | _texts(record, "inputs", folder))


def _named(record: Mapping[str, Any], key: str) -> str:
    name = record.get(key)
    if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
        missing = f"`{key}` is missing: a name, as in {key}: refund"
        raise ValueError(missing if name is None else f"`{key}` must be a name, got {shown(name)}")
    return str(name)


def _texts(record: Mapping[str, Any], key: str, folder: Path) -> dict[str, str]:
    texts = record.get(key)
    if texts is not None and not isinstance(texts, Mapping):
        raise ValueError(f"`{key}` is texts by name, as in {key}: {{query: …}}; found {shown(texts)}")
    known_texts = {str(name): value for name, value in (texts or {}).items() if value is not None}
    return {name: as_text(value, f"input {name!r}", folder=folder) for name, value in known_texts.items()}


def _of_results(rows: Sequence[Row]) -> Iterator[tuple[None, GivenOutput]]:
    """Yield each output in Promptfoo's results, with None for the line number that it doesn't have.

    A prompt is a variant, a test a case. If there are several providers, a variant is a prompt with a provider.
    """
    providers = {row.system.rpartition(" / ")[2] for row in rows}
    one_provider = len(providers) == 1 and all(" / " in row.system for row in rows)
    cases: dict[int, str] = {}
    for row in rows:
        if row.test not in cases:
            name = row.id.partition(f"{AT}{row.system}")[0]
            cases[row.test] = name if name not in cases.values() else f"{name} #{row.test}"
        variant = row.system.rpartition(" / ")[0] if one_provider else row.system
        failed = not row.response and row.ungraded is not None
        output = Output(None, row.ungraded or "") if failed else Output(row.response)
        inputs = {name: as_text(value) for name, value in row.inputs.items() if value is not None}
        yield None, GivenOutput(variant, cases[row.test], output, inputs)


@dataclass
class OutputsFile:
    """File of the outputs of earlier runs, one a line, which are reused and can be labelled with `markscheme label`.

    Attributes:
        path: The file; None to store nothing.
    """

    path: Path | None

    def __post_init__(self) -> None:
        lines = self._read()
        self._texts = {line["under"]: Output(line["response"], None, line["under"], line["cut_off"]) for line in lines}

    def find(self, under: str) -> Output | None:
        """Return the output stored for a prompt and model; None if there is none.

        Args:
            under: Digest of the prompt and the model.
        """
        return self._texts.get(under)

    def _written(self, text: str) -> Any:
        return as_written(text, None if self.path is None else self.path.parent)

    def keep(self, reply: Reply, under: str, variant: str, case: ExperimentCase) -> Output:
        """Write a model's reply to the file as an output, and return that output; it is on disk when this returns.

        Args:
            reply: The model's reply.
            under: Key by which a later run finds the output again.
            variant: Name of the variant.
            case: The case.
        """
        output = Output(reply.text, None, under, reply.stop == "length")
        line = {
            "id": output_id(variant, case.id, under),
            "group": case.id,
            "system": variant,
            "inputs": {name: self._written(text) for name, text in {**case.inputs, **case.expected}.items()},
            "response": reply.text,
            "under": under,
            "cut_off": output.cut_off,
            "model": reply.model or "",
            "at": datetime.date.today().isoformat(),
        }
        if self.path is not None and under not in self._texts:
            with writing(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                append_lines(self.path, [line])
        return self._texts.setdefault(under, output)

    def _read(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of stored outputs, without unreadable ones, such as one that a power failure cut off."""
        if self.path is None or not self.path.is_file():
            return
        for text in self.path.read_bytes().split(b"\n"):
            try:
                line = parse_json(text.decode())
                if isinstance(line["response"], str) and isinstance(line["under"], str):
                    yield {"cut_off": False, **line}
            except (ValueError, TypeError, KeyError):
                continue


def output_id(variant: str, case: str, under: str | None) -> str:
    """Return the id that an output has in files of examples and labels.

    Args:
        variant: Name of the prompt variant.
        case: Id of the case.
        under: Digest of the prompt and the model that made the output. It is part of the id, so that labels of an
            output don't count for the output of another prompt or model. None for an output from a file.
    """
    return f"{case}{AT}{variant}" + (f" ({under[:8]})" if under else "")
