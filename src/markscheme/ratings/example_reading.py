"""Reading of examples from a file or from rows in memory, with all faults reported together."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate, chain, islice, repeat, starmap
from pathlib import Path
from sys import intern
from typing import Any, Final, NamedTuple, TypeAlias

from markscheme.errors import Fault, RatingError, refuse_lines
from markscheme.fingerprint import fingerprint_numbers
from markscheme.json_text import json_value, json_values
from markscheme.numerals import finite
from markscheme.plain_data import (
    ANOTHER_LENGTH,
    Form,
    json_in_line,
    line_batches,
    plain_data,
    read_text,
    refusing_unreadable,
    shown,
)
from markscheme.prompts.parts import PART_SUFFIXES, in_cell, parted_text
from markscheme.prompts.submission import IS_PAIR, PAIR_NAMES, Submission, as_text, has_pair_alone, plain_metadata
from markscheme.ratings.cell_labels import label_in_cells, number_or_text
from markscheme.ratings.codes import CodedRating, RatingLines
from markscheme.ratings.example_rows import DRAWN, OF_ROWS, SPLITS, Example, ExampleRows, telling
from markscheme.ratings.file_lines import line_reader
from markscheme.ratings.pair_sides import (
    faults_of_groups,
    group_of_inputs,
    responses_of_pair,
    sides_of_pair,
    systems_of,
)
from markscheme.ratings.parquet_rows import parquet_rows
from markscheme.ratings.program_rows import example_cells
from markscheme.ratings.rating import EMPTY_MAPPING, text_of
from markscheme.ratings.row_form import RowForm, form_of_rows
from markscheme.row_files import table_rows
from markscheme.rubrics.rubric import Rubric

NO_EXAMPLES_AS_TEXT = (
    "is a workbook or packed; `markscheme import FILE --rubric NAME --to ratings.jsonl --examples examples.jsonl` "
    "writes examples of it"
)
_ABOUT = ("id", "group", "system", "split", "drawn", "weight", "stratum", "draw")
_OWN_KEYS = frozenset(
    (*_ABOUT, "response", "output", "inputs", "labels", "metadata", "input", "expectedScore", "expectedFeedback")
)
_KEYS_BESIDE_INPUT: Final = _OWN_KEYS - {"input"}
_KEYS_OF_PLAIN_ROWS: Final = frozenset(["id", "response", "labels"])
_TEXT_ALONE: Final = frozenset([str])
Digests: TypeAlias = Sequence[int | None]
"""A number for each example, equal for examples with equal texts; None for an example without a response."""


def read_examples(
    path: Path, rubric: Rubric, *, with_labels: bool = True, with_fingerprints: bool = False
) -> tuple[ExampleRows, Digests]:
    """Read the examples in a file; return them, and for each one a digest of its texts.

    Args:
        path: The file.
        rubric: The rubric, whose criteria and scales decide which labels are valid.
        with_labels: True to read the examples' labels too.
        with_fingerprints: True to compute the responses' fingerprints while the texts are in memory; if they are needed
            later, the texts are read again.

    Raises:
        RatingError: Examples are invalid; the error lists all faults, each with its line.
    """
    reading = _Reading(path, rubric, with_labels, with_fingerprints)
    return reading.examples(reading.rows(path)), reading.digests


def examples_in_rows(rows: Iterable[Example | Mapping[str, Any]], rubric: Rubric) -> tuple[ExampleRows, Digests]:
    """Read examples from objects in memory; return them and a digest of each one's texts.

    Raises:
        RatingError: Examples are invalid; the error lists all faults, each with the example's position from 1.
    """
    reading = _Reading("examples", rubric)
    numbered = (_Row(ordinal, example_cells(row)) for ordinal, row in enumerate(rows, start=1))
    return reading.examples(numbered), reading.digests


_Texts: TypeAlias = tuple[tuple[str, ...], Mapping[str, str]]
"""The responses of an example, and its inputs by name."""
_Source: TypeAlias = Submission | tuple[str, ...]
"""The submission of an example, or the texts that it can be made from: the response, then the inputs."""
_CHANGED = "was changed while its examples were in use; run the command again"


class _Row(NamedTuple):
    """An example before it is checked: an Example, or plain data from a line of a file or from a row in memory.

    Attributes:
        line: Number of its line in a file, or its position in memory, from 1.
        data: An Example, or the value of a line or a row.
        labels: Its labels, if they were cut out of `data`.
        is_line: True if `data` is from a line of a file.
    """

    line: int | None
    data: Any
    labels: Sequence[CodedRating] = ()
    is_line: bool = False


@dataclass
class _Reading:
    """Reader of a set of examples, which collects all faults and reports them together at the end.

    Attributes:
        faults: The faults of the examples so far.
        ids: The ids of the examples.
        sources: The source of each example's submission; None if it is read again from the file when needed.
        input_names: The names of each example's inputs.
        digests: The digest of each example's texts.
        columns: The values of each other field of the examples, by the field's name.
        lengths: The length of each response.
        fingerprints: The fingerprint of each example's response, as a whole number; none unless they are wanted.
        line_of: The line of each example, by its id; None for an example in memory.
        ends: For each example, the number of labels of all examples up to and including it.
        names: The different names of inputs, each mapped to itself, so that equal names share one object.
        line: Function that reads a line of the file once more, given its number; None if the file can't be read twice.
    """

    path: Path | str
    rubric: Rubric
    with_labels: bool = True
    with_fingerprints: bool = False
    faults: list[Fault] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    sources: list[_Source | None] = field(default_factory=list)
    input_names: list[tuple[str, ...]] = field(default_factory=list)
    digests: list[int | None] = field(default_factory=list)
    columns: dict[str, list[Any]] = field(default_factory=dict)
    lengths: "array[int]" = field(default_factory=partial(array, "q"))
    fingerprints: "array[int]" = field(default_factory=partial(array, "Q"))
    line_of: dict[str, int | None] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)
    names: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    line: Callable[[int], bytes] | None = None

    @cached_property
    def _is_of_pairs(self) -> bool:
        return self.rubric.is_of_pairs

    @cached_property
    def lines(self) -> RatingLines:
        """Reader of the examples' labels, which also stores the labels read so far."""
        return RatingLines(self.rubric)

    def examples(self, rows: Iterable[_Row]) -> ExampleRows:
        for row in rows:
            self._add(row)
        self.ids += self.line_of
        if "sides" in self.columns:
            of_rows = (self._column(name) for name in ("group", "sides", "line"))
            self.faults += faults_of_groups(
                of_pair for of_pair in zip(self.line_of, *of_rows, strict=True) if of_pair[2]
            )
        if self.faults:
            refuse_lines(RatingError(self.faults, path=self.path))
        if not self.line_of:
            raise RatingError("holds no examples", path=self.path)
        attributes = {**telling(self.columns), "response_length": self.lengths}
        if self.with_fingerprints:
            attributes["response_fingerprint"] = self.fingerprints
        if "line" in attributes and None not in attributes["line"]:
            attributes["line"] = array("q", attributes["line"])
        source_of = self._source_of(attributes.get("line", ()))
        ids = self.ids  # the rest needn't stay in memory
        input_names = self.input_names

        def responses(row: int) -> tuple[str, ...]:
            """Return the response of the example at an index, or the two responses of a pair."""
            source = source_of(row)
            return source.responses if isinstance(source, Submission) else source[:1]

        def submission(row: int) -> Submission:
            """Return the submission of the example at an index; if only its texts are stored, make it from these."""
            source = source_of(row)
            if isinstance(source, Submission):
                return source
            return Submission(source[0], dict(zip(input_names[row], source[1:], strict=True)), ids[row])

        return ExampleRows(ids, attributes, responses, submission, self.lines.codes, self.ends)

    def _source_of(self, line_numbers: Sequence[int]) -> Callable[[int], _Source]:
        """Return a function from an example's index to its submission, or to the texts to make it from.

        Submissions that aren't in memory are read from the file again.

        Args:
            line_numbers: Number of each example's line in the file.
        """
        path, sources, names, line = self.path, self.sources, self.input_names, self.line
        digests = array("q", [digest or 0 for digest in self.digests])

        def source_of(row: int) -> _Source:
            source = sources[row]
            if source is not None or line is None:
                return source or ()
            with suppress(ValueError, LookupError, TypeError, OSError):
                raw = line(line_numbers[row])
                data = json_value((_labels_apart(raw) or [raw])[0])
                texts = data["response"], *map(data.__getitem__, names[row])
                (digest,) = _digests([texts[:1]], {name: [data[name]] for name in names[row]})
                if digests[row] == (digest or 0):
                    return texts
            raise RatingError(_CHANGED, path=path)

        return source_of

    def _add(self, row: _Row) -> None:
        """Check an example and add it; if it is faulty, add a fault instead."""
        try:
            unit, source, texts, about = self._example(row, len(self.line_of) + 1)
            if unit in self.line_of:
                raise ValueError(f"id {unit!r} is on line {self.line_of[unit]} already; ids are unique")
        except ValueError as error:
            self.faults.append(Fault(str(error), row.line))
            self.lines.codes.cut(self.ends[-1] if self.ends else 0)
            return
        self._open_columns(about)
        for name, values in self.columns.items():
            values.append(about.get(name, OF_ROWS[name]))
        self.line_of[unit] = about.get("line")
        self.sources.append(source)
        self.input_names.append(self.names.setdefault((*texts[1],), (*texts[1],)))
        self.digests += _digests([texts[0]], {name: [text] for name, text in texts[1].items()})
        self.lengths.append(len(texts[0][0]))
        if self.with_fingerprints:
            self.fingerprints.extend(fingerprint_numbers(texts[:1]))
        self.ends.append(len(self.lines.codes))

    def _open_columns(self, names: Iterable[str]) -> None:
        """Add a column for each named field that no earlier example has."""
        for name in names:
            if name not in self.columns:
                self.columns[name] = self._column(name)

    def _column(self, name: str) -> list[Any]:
        """Return the value of the field `name` for each example read so far; its default if none of them has it."""
        return self.columns.get(name, [OF_ROWS[name]] * len(self.line_of))

    def rows(self, path: Path) -> Iterator[_Row]:
        """Yield a file's examples as plain data, to be checked one by one.

        Lines of JSON that are checked many at a time, which is faster, are added to the examples instead of yielded.
        """
        form = form_of_rows(path)
        if form == "lines":
            with refusing_unreadable(path, RatingError):
                self.line = line_reader(path)
            for lines in line_batches(path, RatingError):
                yield from self._rows_of_lines(lines, path)
        elif form == "packed":
            raise RatingError(NO_EXAMPLES_AS_TEXT, path=path)
        elif form == "json" or form == "yaml":
            yield from starmap(_Row, self._document(path, form))
        else:
            yield from starmap(_Row, self._table(_rows(path, form)))

    def _rows_of_lines(self, lines: Sequence[tuple[int, bytes]], path: Path) -> Iterator[_Row]:
        """Add the examples in some lines all at once; if that isn't possible, yield them to be checked singly.

        Args:
            lines: The lines, each with its number in the file.
            path: The file, for messages.
        """
        parts = [_labels_apart(raw) if self.with_labels else None for _, raw in lines]
        rows = json_values([part[0] for part in parts if part])
        ratings = None if rows is None else self.lines.coded([text for part in parts if part for text in part[1]])
        if rows is None or ratings is None:
            parts, rows, ratings = [None] * len(lines), [], []
        counts = [len(part[1]) if part else 0 for part in parts]
        if rows and len(rows) == len(lines) and self._add_plain([line for line, _ in lines], rows, counts, ratings):
            return
        parsed, rated = iter(rows), iter(ratings)
        for (line_number, raw), part, n_labels in zip(lines, parts, counts, strict=True):
            row = next(parsed) if part else {}
            labels_of_row = list(islice(rated, n_labels))
            if part and row.get("labels") == []:
                yield _Row(line_number, row, labels_of_row, True)
                continue
            for data in json_in_line(raw, path, line_number, RatingError):
                yield _Row(line_number, data, is_line=True)

    def _add_plain(
        self,
        line_numbers: list[int],
        rows: Sequence[Mapping[str, Any]],
        counts: Sequence[int],
        labels: Sequence[CodedRating],
    ) -> bool:
        """Add the examples on some lines all at once; if one needs a check by itself, add none and return False.

        All lines must have equal keys and a new id, and a text as id, response and each input.

        Args:
            line_numbers: The number of each line.
            rows: The parsed lines, without labels.
            counts: The number of each line's labels.
            labels: The labels of all lines.

        Returns:
            True if the examples were added.
        """
        keys = tuple(rows[0])
        names = tuple(key for key in keys if key not in _OWN_KEYS)
        if self._is_of_pairs or {*keys} - {*names} - _READ_AS.keys() != _KEYS_OF_PLAIN_ROWS:
            return False
        if any(tuple(row) != keys or row["labels"] for row in rows):
            return False
        ids, responses, *inputs = ([row[key] for row in rows] for key in ("id", "response", *names))
        if not _TEXT_ALONE.issuperset(map(type, chain(ids, responses, *inputs))) or "" in ids:
            return False
        if any(text.endswith(PART_SUFFIXES) for text in chain(responses, *inputs)):
            return False
        if len({*ids}) < len(ids) or not self.line_of.keys().isdisjoint(ids):
            return False
        try:
            about = {key: _read_all(key, [row[key] for row in rows]) for key in keys if key in _READ_AS}
        except ValueError:
            return False
        about["line"] = line_numbers
        self._open_columns(about)
        for name, values in self.columns.items():
            values += about.get(name) or [OF_ROWS[name]] * len(rows)
        self.line_of.update(zip(ids, line_numbers, strict=True))
        self.sources += zip(responses, *inputs, strict=True) if self.line is None else [None] * len(rows)
        self.input_names += [self.names.setdefault(names, names)] * len(rows)
        self.digests += _digests(zip(responses, strict=True), dict(zip(names, inputs, strict=True)))
        self.lengths.extend(map(len, responses))
        if self.with_fingerprints:
            self.fingerprints.extend(fingerprint_numbers(zip(responses, strict=True)))
        self.ends += islice(accumulate(counts, initial=len(self.lines.codes)), 1, None)
        self.lines.codes.extend_coded(chain.from_iterable(map(repeat, ids, counts)), labels)
        return True

    def _document(self, path: Path, form: Form) -> Iterator[tuple[int | None, Any]]:
        text = read_text(path, RatingError)
        data, lines = plain_data(text, form, RatingError, path=path)
        at: tuple[str | int, ...] = ()
        if isinstance(data, Mapping):
            rubric_name = data.get("rubric", self.rubric.name)
            if self.with_labels and rubric_name != self.rubric.name:
                raise RatingError(
                    f"holds examples of rubric {rubric_name!r}, not of {self.rubric.name!r}", path=self.path
                )
            data = data.get("examples")
            at = ("examples",)
        if not isinstance(data, list):
            raise RatingError("contains no examples: expected a list, or {rubric, examples: [...]}", path=self.path)
        for index, raw in enumerate(data):
            yield lines.get((*at, index)), raw

    def _table(self, rows: Iterable[tuple[int, dict[str, str] | None]]) -> Iterator[tuple[int | None, Any]]:
        """Yield the examples in a table's rows, each with its line; rows with one id are merged to one example.

        The merged example has the labels of all its rows, and the line of the first.

        Args:
            rows: The rows, each with its line, by column name; None in place of a row of another length than the
                header, for which a fault is recorded.
        """
        criteria = {criterion.name: criterion for criterion in self.rubric.criteria}
        of_labels = criteria.keys() | {"rater", "kind", "overall"}
        merged: dict[str, tuple[int, dict[str, Any]]] = {}
        for ordinal, (line, row) in enumerate(rows, start=1):
            if row is None:
                self.faults.append(Fault(ANOTHER_LENGTH, line))
                continue
            cells = {key: value for key, value in row.items() if value != ""}
            key = cells.get("id", f"ex-{ordinal}")
            label = label_in_cells(cells, criteria)
            rest: dict[str, Any] = {name: in_cell(value) for name, value in cells.items() if name not in of_labels}
            if "weight" in rest:
                rest["weight"] = number_or_text(rest["weight"])
            _, example = merged.setdefault(key, (line, {**rest, "id": key, "labels": []}))
            if example.get("response", rest.get("response")) != rest.get("response", example.get("response")):
                self.faults.append(Fault(f"id {key!r} occurs above with another response", line))
                continue
            example["labels"] += [label] if label else []
        yield from merged.values()

    def _example(self, row: _Row, ordinal: int) -> tuple[str, _Source, _Texts, Mapping[str, Any]]:
        """Check an example; return its id, its submission (or plain texts), the texts to digest, and other fields.

        Args:
            row: The example, as it was read from its file or given in memory.
            ordinal: Number of the example, from which its id is made if it has none.
        """
        data = row.data
        if isinstance(data, Example):
            self.lines.codes.extend(data.labels)
            texts = data.submission.responses, data.submission.inputs
            return data.id, data.submission, texts, {name: getattr(data, name) for name in OF_ROWS}
        if type(data) is not dict and not isinstance(data, Mapping):
            raise ValueError(f"an example is an object, found {shown(data)}")
        sides = sides_of_pair(data) if self._is_of_pairs else None
        unit = text_of(data.get("id")) or f"ex-{ordinal}"
        first, second, inputs = self._given_texts(data)
        source: _Source
        source, texts = (first, *inputs.values()), ((first,), inputs)
        is_plain = row.is_line and second is None and _TEXT_ALONE.issuperset(map(type, source))
        if not is_plain or any(text.endswith(PART_SUFFIXES) for text in source):
            source = Submission(first, inputs, unit, second=second, folder=self._folder)
            texts = source.responses, source.inputs
        if self.with_labels:
            self._add_labels(row, unit)
        about: dict[str, Any] = {} if row.line is None else {"line": row.line}
        about |= {name: read(data[name]) for name, read in _READ_AS.items() if name in data}
        if sides is not None:
            group = about.get("group") or group_of_inputs(texts[1])
            about |= {"group": group, "system": systems_of(sides), "sides": sides}
        return unit, source, texts, about

    @cached_property
    def _folder(self) -> Path | None:
        return self.path.parent if isinstance(self.path, Path) else None

    def _is_short(self, data: Mapping[str, Any]) -> bool:
        return not self._is_of_pairs and "expectedScore" in data

    def _given_texts(self, data: Mapping[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return an example's texts as written: response, second response (None unless it is a pair) and inputs."""
        if self._is_of_pairs:
            return (*responses_of_pair(data), self._inputs(data))
        return _response_of(data, self._is_short(data), self._folder), None, self._inputs(data)

    def _inputs(self, data: Mapping[str, Any]) -> dict[str, Any]:
        short = self._is_short(data)
        not_inputs = _OWN_KEYS if short or "response" in data or "output" in data else _KEYS_BESIDE_INPUT
        if self._is_of_pairs:
            not_inputs |= set(PAIR_NAMES)
        rest = {key: value for key, value in data.items() if key not in not_inputs and value is not None}
        if short and "response" in data and "input" in data:
            rest["query"] = data["input"]
        named = data.get("inputs") or {}
        if not isinstance(named, Mapping):
            raise ValueError(f"`inputs` is an object of named inputs, found {shown(named)}")
        return rest | dict(named) if named else rest

    def _add_labels(self, row: _Row, unit: str) -> None:
        self.lines.codes.extend_coded([unit] * len(row.labels), row.labels)
        labels = row.data.get("labels") or []
        if not isinstance(labels, list):
            raise ValueError(f"`labels` is a list of ratings, found {shown(labels)}")
        for label in labels:
            self.lines.add(label, id=unit)
        if self._is_short(row.data):
            feedback = row.data.get("expectedFeedback") or []
            note = "; ".join(map(str, feedback)) if isinstance(feedback, list) else str(feedback)
            whole = {"rater": "author", "kind": "human", "overall": row.data["expectedScore"], "note": note}
            self.lines.add(whole, id=unit)


_KEY: Final = b'"labels"'
_LIST: Final = (b": [", b":[")
_ESCAPE: Final = ord("\\")


def _labels_apart(raw: bytes) -> tuple[bytes, Sequence[bytes]] | None:
    """Cut an example's line into its JSON without labels, and the JSON inside the braces of each label.

    The line is cut without parsing it, by bytes that usually separate labels. If one of the pieces isn't JSON, these
    bytes occurred inside a text, and the caller has to parse the line as a whole.

    Returns:
        The JSON without labels, and the labels; None if the line has no list of labels, or one with another list in it.
    """
    key = raw.find(_KEY)
    begin = raw.find(b"[", key) + 1
    end = raw.find(b"]", begin)
    if key < 1 or raw[key - 1] == _ESCAPE or raw[key + len(_KEY) : begin] not in _LIST or raw.find(_KEY, begin) >= 0:
        return None
    labels = raw[begin:end]
    if not labels.startswith(b"{") or not labels.endswith(b"}") or b"[" in labels:
        return None
    return raw[:begin] + raw[end:], labels[1:-1].split(b"}, {" if b"}, {" in labels else b"},{")


def _digests(responses: Iterable[tuple[str, ...]], inputs: Mapping[str, Sequence[str]]) -> list[int | None]:
    """Return a hash of each example's response and inputs, to find duplicates; None if the response is empty."""
    names = sorted(inputs)
    texts = zip(responses, repeat(tuple(names)), *map(inputs.__getitem__, names))
    return [hash(of_one) if of_one[0][0] else None for of_one in texts]


def _response_of(raw: Mapping[str, Any], short: bool, folder: Path | None) -> str:
    """Return the response of an example that isn't a pair.

    Args:
        raw: The example's data.
        short: True if the example is in the short form, in which the key `input` may hold the response.
        folder: The folder that paths of images or documents are relative to; None if it may name none.

    Raises:
        ValueError: The example is a pair, or its response isn't text.
    """
    response = raw.get("response", raw.get("output", raw.get("input") if short else None))
    if response is None and has_pair_alone(raw):
        raise ValueError(IS_PAIR)
    if isinstance(response, str):
        return response
    parted = parted_text(response, folder, "the response")
    if parted is None:
        problem = "`response` is missing" if response is None else f"found {shown(response)}"
        raise ValueError(f"an example has a response, a text; {problem}")
    return parted


def _rows(path: Path, form: RowForm) -> Iterator[tuple[int, dict[str, str] | None]]:
    """Yield the rows of a CSV or Parquet file with their line numbers; None for a row that is too long or too short.

    Args:
        path: The file.
        form: Form of the file: "table" for CSV, else Parquet.
    """
    if form == "table":
        return table_rows(path, RatingError)
    return (
        (line, {name: as_text(value, folder=path.parent) for name, value in row.items() if value is not None})
        for line, row in parquet_rows(path)
    )


def _one_of(value: Any, allowed: Sequence[str], name: str) -> Any:
    if value is not None and value not in allowed:
        raise ValueError(f"{name} is one of {', '.join(allowed)}; found {shown(value)}")
    return value


def _weight(value: Any) -> float:
    weight = finite(value)
    if weight is None or weight <= 0:
        raise ValueError(f"weight is a number above 0, found {shown(value)}")
    return weight


def _read_all(name: str, values: Sequence[Any]) -> list[Any]:
    """Convert all examples' values of one key; raise ValueError if a value is invalid."""
    read = _READ_AS[name]
    are_names = read is _name and _TEXT_ALONE.issuperset(map(type, values))
    return list(map(intern if are_names else read, values))


def _name(value: Any) -> str:
    return intern(text_of(value))


_READ_AS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "group": _name,
    "system": _name,
    "split": partial(_one_of, allowed=SPLITS, name="split"),
    "drawn": partial(_one_of, allowed=DRAWN, name="drawn"),
    "weight": _weight,
    "stratum": _name,
    "draw": _name,
    "metadata": lambda value: plain_metadata(value) if value else EMPTY_MAPPING,
}
"""Function that reads the value of each key of an example, except its texts and labels."""
