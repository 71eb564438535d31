"""Example sets: labelled submissions read from any supported file, with every fault reported."""

import re
import warnings
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import accumulate, pairwise, starmap
from pathlib import Path
from sys import intern
from typing import Any, Final, Literal, NamedTuple, SupportsIndex, TypeAlias, get_args, overload

from markscheme.errors import Fault, RatingError, RatingWarning, refuse_lines
from markscheme.numerals import finite
from markscheme.parts import as_written, in_cell, parted_text
from markscheme.phrases import few_of
from markscheme.plain_data import (
    ANOTHER_LENGTH,
    Form,
    json_in_line,
    json_value,
    plain_data,
    raw_lines,
    read_text,
    shown,
    table_rows,
)
from markscheme.ratings.cell_labels import label_in_cells, number_or_text
from markscheme.ratings.codes import RatingCodes, RatingLines, RatingView, load_ratings
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.pair_sides import (
    PairSide,
    faults_of_groups,
    group_of_inputs,
    responses_of_pair,
    sides_of_pair,
    systems_of,
)
from markscheme.ratings.program_rows import example_cells, refuse_frame
from markscheme.ratings.rating import EMPTY_MAPPING, Rating, is_asked, is_stale, text_of
from markscheme.ratings.row_form import RowForm, form_of_rows
from markscheme.rubrics.rubric import Rubric
from markscheme.submission import IS_PAIR, PAIR_NAMES, Submission, as_text, has_pair_alone, plain_metadata

Split = Literal["dev", "test"]
DrawnBy = Literal["random", "by-verdict", "chosen"]
SPLITS: tuple[str, ...] = get_args(Split)
DRAWN: tuple[str, ...] = get_args(DrawnBy)
RATINGS_FOLDER = "ratings"
"""The folder next to the examples with a file for each rater."""
RATES_FOLDER = "rates"
"""The folder next to the examples with a folder for each stream of responses that is watched."""
AUDITS_FILE = "audits.jsonl"
"""The file of a stream with the responses that people label, drawn at random."""
MOST_WARNED = 5
"""Duplicate responses that get a warning each, with their lines; further ones are only counted."""
LEAKING = 40
"""Characters from which a passage in an anchor gives its response away; shorter ones occur by chance."""
SUFFIXES = (".jsonl", ".json", ".yaml", ".yml", ".csv")
NO_EXAMPLES_AS_TEXT = (
    "is a workbook or packed; `markscheme import FILE --rubric NAME --to ratings.jsonl --examples examples.jsonl` "
    "writes examples of it"
)

_ABOUT = ("id", "group", "system", "split", "drawn", "weight", "stratum", "draw")
_OWN_KEYS = frozenset(
    (*_ABOUT, "response", "output", "inputs", "labels", "metadata", "input", "expectedScore", "expectedFeedback")
)


@dataclass(frozen=True, slots=True)
class Example:
    """A submission that annotators have labelled, or may label.

    Attributes:
        submission: What is judged; its id is the example's.
        labels: Ratings written in place or in `ratings/`.
        group: What it shares with others, such as its task; "" if nothing.
        system: What wrote the response; "" where unknown.
        split: Whether it may be looked at while tuning (dev) or is held out (test); None without splits.
        drawn: How it was chosen for labelling; None where unknown.
        weight: Inverse of the probability with which it was drawn; 1 where unknown.
        line: Its line in the file.
        stratum: The stratum of the pool it was drawn from, in a stratified draw; "" where unknown.
        draw: The draw it came in, the same for all examples of one `--next`; "" where unknown.
        metadata: What else is known of it before it is graded, such as its language: texts, numbers and yes or no.
        sides: Of a pair: who wrote the first and the second response; None for a single response.
    """

    submission: Submission
    labels: Sequence[Rating] = ()
    group: str = ""
    system: str = ""
    split: Split | None = None
    drawn: DrawnBy | None = None
    weight: float = 1.0
    line: int | None = None
    stratum: str = ""
    draw: str = ""
    metadata: Mapping[str, str] = field(default_factory=lambda: EMPTY_MAPPING)
    sides: tuple[PairSide, PairSide] | None = None

    @property
    def id(self) -> str:
        """The submission's id."""
        return self.submission.id

    @property
    def responses(self) -> tuple[str, ...]:
        """Its response, or the two of a pair."""
        return self.submission.responses

    @property
    def response_length(self) -> int:
        """The number of letters of its response, of a pair of the first one."""
        return len(self.submission.response)

    @property
    def has_content(self) -> bool:
        """Whether it can be read and labelled: it has a text, or a query that was answered with nothing."""
        return bool(self.submission.inputs or any(response.strip() for response in self.submission.responses))

    @property
    def is_held_out(self) -> bool:
        """Whether its texts stay unread, so that new words can be proved on it; it counts in every figure."""
        return self.split == "test"

    @property
    def has_chance(self) -> bool:
        """Whether it was drawn with a chance that is recorded, other than at random."""
        return self.weight != 1 or bool(self.stratum)

    @property
    def is_picked_by_hand(self) -> bool:
        """Whether it was picked by hand, so that it says nothing about other responses."""
        return self.drawn == "chosen" and not self.has_chance

    def to_json(self, folder: Path | None = None) -> dict[str, Any]:
        """Return one line of a file of examples, without labels, which are ratings of their own.

        Args:
            folder: Where the file lies, so that it names what isn't text; None keeps the marks of such parts.
        """
        inputs, responses = self.submission.inputs, (self.submission.response, self.submission.second)
        if folder is not None:
            inputs = {name: as_written(text, folder) for name, text in inputs.items()}
            responses = (as_written(responses[0], folder), as_written(responses[1] or "", folder))
        line: dict[str, Any] = {"id": self.id, "inputs": dict(inputs)}
        if self.sides is None or self.submission.second is None:
            line["response"] = responses[0]
        else:
            line |= {
                name: side.to_json(text) for name, side, text in zip(PAIR_NAMES, self.sides, responses, strict=True)
            }
        line |= {
            key: value
            for key in ("group", *([] if self.sides else ["system"]), "split", "drawn", "stratum", "draw")
            if (value := getattr(self, key))
        }
        if self.weight != 1:
            line["weight"] = self.weight
        return {**line, "metadata": dict(self.metadata)} if self.metadata else line


_NO_TEXT: Final = Submission("", {}, "")
_PLAIN: Final = Example(_NO_TEXT)
"""An example of which nothing is known but its text."""
_MADE_OF: Final[Mapping[str, Collection[str]]] = {
    "is_held_out": ("split",),
    "has_chance": ("weight", "stratum"),
    "is_picked_by_hand": ("drawn", "weight", "stratum"),
}
"""The attributes that decide on others."""


class ExampleRows(Sequence[Example]):
    """Examples in the rows of a table or a file, of which each is made when it is asked for.

    Attributes:
        ids: The id of each row.
        known: By attribute, the value in each row; an attribute that says nothing of any row isn't there.
        labels: The labels of all rows.
    """

    def __init__(
        self,
        ids: Sequence[str],
        known: Mapping[str, Sequence[Any]],
        responses: Callable[[int], tuple[str, ...]],
        submission: Callable[[int], Submission],
        labels: RatingCodes,
        ends: Sequence[int],
    ) -> None:
        """Take over the columns.

        Args:
            ids: As above.
            known: As above; `response_length` may be among them.
            responses: Returns the response of a row, or the two of a pair.
            submission: Makes the submission of a row.
            labels: As above, by row.
            ends: The number of labels up to each row and with it.
        """
        self.ids = ids
        self.known = known
        self.labels = labels
        self._responses = responses
        self._submission = submission
        self._ends = array("q", ends)
        self._rows: Sequence[int] = range(len(ids))

    @classmethod
    def of(cls, examples: Sequence[Example]) -> "ExampleRows":
        """Return examples as rows; rows as they are."""
        if isinstance(examples, ExampleRows):
            return examples
        submissions = [example.submission for example in examples]
        known = {name: [getattr(example, name) for example in examples] for name in _OF_ROWS}
        ends = accumulate(len(example.labels) for example in examples)
        ids = [example.id for example in examples]
        return cls(
            ids,
            _telling(known),
            lambda row: submissions[row].responses,
            submissions.__getitem__,
            labels_of(examples),
            list(ends),
        )

    @classmethod
    def without_texts(cls, ids: Sequence[str], **known: Sequence[Any]) -> "ExampleRows":
        """Return examples of which no text is known."""
        none = array("q", [0]) * len(ids)
        return cls(ids, _telling(known), lambda _: ("",), lambda row: Submission("", {}, ids[row]), RatingCodes(), none)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> "tuple[Example, ...]": ...
    def __getitem__(self, index: SupportsIndex | slice) -> "Example | tuple[Example, ...]":
        if isinstance(index, slice):
            return tuple(map(self.__getitem__, range(len(self))[index]))
        row = self._rows[index.__index__()]
        labels = self._labels_of(row)
        return self._made(row, self._submission(row), RatingView(self.labels, labels) if labels else ())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Sequence) and not isinstance(other, str):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} examples>"

    def _made(self, row: int, submission: Submission, labels: Sequence[Rating] = ()) -> Example:
        """Make the example of a row."""
        known = {name: values[row] for name, values in self.known.items() if name in _OF_ROWS}
        return Example(submission, labels, **known)

    def _labels_of(self, row: int) -> range:
        return range(self._ends[row - 1] if row else 0, self._ends[row])

    def each(self, name: str) -> Sequence[Any]:
        """Return an attribute of each example."""
        if name == "id":
            return self.ids if self.is_whole else [self.ids[row] for row in self._rows]
        if name in self.known:
            values = self.known[name]
            return values if self.is_whole else [values[row] for row in self._rows]
        if name == "response_length":
            return [len(self._responses(row)[0]) for row in self._rows]
        if name == "responses":
            return [self._responses(row) for row in self._rows]
        if any(decisive in self.known for decisive in _MADE_OF.get(name, ())):
            return [getattr(self._made(row, _NO_TEXT), name) for row in self._rows]
        return [getattr(_PLAIN, name)] * len(self)

    @property
    def label_counts(self) -> list[int]:
        """The number of labels of each example."""
        return [len(self._labels_of(row)) for row in self._rows]

    def taken(self, indices: Iterable[int]) -> "ExampleRows":
        """Return some of the examples, by their indices."""
        part = ExampleRows(self.ids, self.known, self._responses, self._submission, self.labels, self._ends)
        part._rows = [self._rows[index] for index in indices]
        return part

    def labelled_again(self, labels: RatingCodes, indices: Iterable[Iterable[int]]) -> "ExampleRows":
        """Return the examples with other labels.

        Args:
            labels: Those of all examples, and maybe more.
            indices: For each example, the indices of its labels.
        """
        whole = self if self.is_whole else self._alone
        ends: list[int] = []
        order: list[int] = []
        for own in indices:
            order += own
            ends.append(len(order))
        return ExampleRows(whole.ids, whole.known, whole._responses, whole._submission, labels.taken(order), ends)

    def under(self, ids: Sequence[str], **known: Sequence[Any]) -> "ExampleRows":
        """Return the examples without labels, under other ids and with other attributes."""
        rows = self._alone
        return ExampleRows(
            ids,
            _telling({**rows.known, **known}),
            rows._responses,
            lambda row: replace(rows._submission(row), id=ids[row]),
            rows.labels,
            rows._ends,
        )

    @property
    def _alone(self) -> "ExampleRows":
        """The chosen examples as rows of their own."""
        rows = self._rows
        return ExampleRows(
            self.each("id"),
            {name: self.each(name) for name in self.known},
            lambda row: self._responses(rows[row]),
            lambda row: self._submission(rows[row]),
            RatingCodes(),
            [0] * len(rows),
        )

    @property
    def is_whole(self) -> bool:
        """Whether it has every row of its table."""
        return isinstance(self._rows, range)

    @property
    def label_indices(self) -> Iterator[int]:
        """The indices of the examples' labels among all labels."""
        return (index for row in self._rows for index in self._labels_of(row))


_OF_ROWS: Final = tuple(of.name for of in fields(Example) if of.name not in ("submission", "labels"))
"""What is known of an example besides its texts and its labels."""


def _telling(known: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return the attributes that say something of a row."""
    usual = {name: getattr(_PLAIN, name) for name in known}
    return {name: values for name, values in known.items() if any(value != usual[name] for value in values)}


def each(examples: Sequence[Example], name: str) -> Sequence[Any]:
    """Return an attribute of each of some examples; of rows without making one."""
    if isinstance(examples, ExampleRows):
        return examples.each(name)
    return [getattr(example, name) for example in examples]


def taken(examples: Sequence[Example], indices: Sequence[int]) -> Sequence[Example]:
    """Return some of the examples, by their indices; all of them as they are."""
    if len(indices) == len(examples) and all(index == row for row, index in enumerate(indices)):
        return examples
    return examples.taken(indices) if isinstance(examples, ExampleRows) else tuple(examples[index] for index in indices)


def _where(examples: Sequence[Example], says: Iterable[object]) -> Sequence[Example]:
    """Return the examples of which something is said."""
    return taken(examples, [index for index, is_said in enumerate(says) if is_said])


@dataclass(frozen=True)
class ExampleSet:
    """Examples of one rubric, in the order of their file, ids unique.

    Attributes:
        examples: All of them.
        path: The file they came from; None without one.
        stale: Number of labels given with another wording of the rubric.
        ratings: The folder that was searched for more labels; None without one.
    """

    examples: Sequence[Example]
    path: Path | None = None
    stale: int = 0
    ratings: Path | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The examples' ids, in order."""
        return tuple(each(self.examples, "id"))

    @cached_property
    def labels(self) -> RatingCodes:
        """All labels of all examples."""
        return labels_of(self.examples)

    @property
    def by_people(self) -> int:
        """How many of the examples people have labelled."""
        return len(set(self.labels.of_kinds(PEOPLE).ids))

    @property
    def has_splits(self) -> bool:
        """Whether any example says which split it belongs to."""
        return any(each(self.examples, "split"))

    @property
    def labelled(self) -> "ExampleSet":
        """The examples that have a label."""
        return replace(self, examples=_where(self.examples, _label_counts(self.examples)))

    @property
    def searched(self) -> str:
        """The places searched for labels, as the end of a message; "" for examples without a file."""
        places = [str(self.path)] if self.path is not None else []
        places += [str(self.ratings / "*.jsonl")] if self.ratings is not None else []
        return f"; searched {' and '.join(places)}" if places else ""

    def with_labels(self, labels: Iterable[Rating]) -> "ExampleSet":
        """Return the same with more labels, each of the example that it names."""
        before = len(self.labels)
        every = self.labels.joined(labels)
        more: dict[str, list[int]] = {}
        for index in range(before, len(every)):
            more.setdefault(every.ids[index], []).append(index)
        own = ((*range(*span), *more.get(unit, ())) for unit, span in self._spans)
        return replace(self, examples=ExampleRows.of(self.examples).labelled_again(every, own))

    def without_labels_of(self, ids: Collection[str]) -> "ExampleSet":
        """Return the same without the labels of some examples."""
        own = (() if unit in ids else range(*span) for unit, span in self._spans)
        return replace(self, examples=ExampleRows.of(self.examples).labelled_again(self.labels, own))

    @property
    def _spans(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """The id of each example, and where its labels begin and end among all labels."""
        return zip(self.ids, pairwise(accumulate(_label_counts(self.examples), initial=0)), strict=True)

    def where(self, **values: str) -> "ExampleSet":
        """The examples with these values, for example of `system`."""
        columns = [[str(found) == value for found in each(self.examples, key)] for key, value in values.items()]
        return replace(self, examples=_where(self.examples, map(all, zip(*columns, strict=True)))) if values else self

    def part(self, split: str | None) -> "ExampleSet":
        """The examples of one split; all of them for "all"; for None those of "dev", if the set has splits."""
        if split == "all" or (split is None and not self.has_splits):
            return self
        splits = each(self.examples, "split")
        return replace(self, examples=_where(self.examples, ((of or "dev") == (split or "dev") for of in splits)))


def _label_counts(examples: Sequence[Example]) -> list[int]:
    """Return the number of labels of each example."""
    return examples.label_counts if isinstance(examples, ExampleRows) else [len(one.labels) for one in examples]


def labels_of(examples: Sequence[Example]) -> RatingCodes:
    """Return all labels of some examples, in their order."""
    if isinstance(examples, ExampleRows):
        return examples.labels if examples.is_whole else examples.labels.taken(list(examples.label_indices))
    views = [example.labels for example in examples if example.labels]
    first = views[0] if views else ()
    if not isinstance(first, RatingView):
        return RatingCodes.of(label for labels in views for label in labels)
    if not all(isinstance(labels, RatingView) and labels.codes is first.codes for labels in views):
        return RatingCodes.of(label for labels in views for label in labels)
    indices = [index for labels in views if isinstance(labels, RatingView) for index in labels.indices]
    return first.codes if indices == list(range(len(first.codes))) else first.codes.taken(indices)


def examples_file(folder: Path) -> Path:
    """The single file of examples in a calibration folder.

    Raises:
        RatingError: There is none, or more than one.
    """
    files = examples_files(folder)
    if len(files) != 1:
        names = ", ".join(file.name for file in files)
        problem = f"holds several files of examples: {names}; keep one" if files else "holds no examples.jsonl"
        raise RatingError(problem, path=folder)
    return files[0]


def examples_files(folder: Path) -> list[Path]:
    """The files of examples in a calibration folder; one that can be used has a single one."""
    return [folder / f"examples{suffix}" for suffix in SUFFIXES if (folder / f"examples{suffix}").is_file()]


def load_examples(path: Path, rubric: Rubric, *, ratings: Path | None = None) -> ExampleSet:
    """The examples in a file, with their labels.

    Args:
        path: A .jsonl, .json, .yaml or .csv file, in the long form or the short one.
        rubric: Its criteria and scales decide which labels are valid.
        ratings: A folder whose .jsonl files have more labels.

    Raises:
        RatingError: All that is wrong with the files, each fault with its line.

    Warns:
        RatingWarning: A response under two ids, a response that the rubric's anchors show, whole or a passage of it,
            labels given under another wording, ratings of unknown examples.
    """
    reading = _Reading(path, rubric)
    read = ExampleSet(reading.examples(reading.rows(path)))
    files = sorted(ratings.glob("*.jsonl")) if ratings is not None and ratings.is_dir() else ()
    more = RatingCodes().joined(*(load_ratings(file, rubric, kind="human") for file in files))
    warn_unknown(more.ids, read.ids, ratings)
    labelled = read.with_labels(more) if more else read
    _warn_twice(labelled.examples, reading.digests, path)
    labelled = _without_leaks(labelled, rubric, path)
    return ExampleSet(labelled.examples, path, _warn_stale(labelled.examples, rubric, path), ratings)


def load_responses(path: Path, rubric: Rubric) -> ExampleSet:
    """The examples in a file without their labels, which may be by any rubric.

    Args:
        path: As for `load_examples`.
        rubric: Says whether they are pairs.

    Raises:
        RatingError: All that is wrong with the file apart from labels, each fault with its line.
    """
    reading = _Reading(path, rubric, with_labels=False)
    return ExampleSet(reading.examples(reading.rows(path)), path)


def examples_from(rows: Iterable[Example | Mapping[str, Any]], rubric: Rubric) -> ExampleSet:
    """Examples that a program has, with their labels.

    Args:
        rows: Examples, or objects as the lines of a file of examples have them.
        rubric: Its criteria and scales decide which labels are valid.

    Raises:
        RatingError: All that is wrong with them, each fault with its place from 1.
        UsageError: A data frame in place of its rows.

    Warns:
        RatingWarning: As for `load_examples`.
    """
    refuse_frame(rows)
    reading = _Reading("examples", rubric)
    given = (_Row(ordinal, example_cells(row)) for ordinal, row in enumerate(rows, start=1))
    read = ExampleSet(reading.examples(given))
    _warn_twice(read.examples, reading.digests, None)
    examples = _without_leaks(read, rubric, None).examples
    return ExampleSet(examples, None, _warn_stale(examples, rubric, None))


_Texts: TypeAlias = tuple[tuple[str, ...], Mapping[str, str]]
"""Responses, and inputs by name."""


class _Row(NamedTuple):
    """An example as it was given.

    Attributes:
        line: Its line in a file, or its place from 1.
        data: An Example, or the value of a line or a row.
        labels: The letters of each of its labels, where they are left out of `data`.
        new_labels: The values of those that no example before had, by their letters.
        text: The letters of `data`, where it is from a line of a file.
    """

    line: int | None
    data: Any
    labels: Sequence[bytes] = ()
    new_labels: Mapping[bytes, Any] = {}
    text: bytes | None = None


@dataclass
class _Reading:
    """One reading of examples; faults are collected and reported together.

    Attributes:
        faults: What is wrong with them.
        ids: The examples' ids.
        sources: The submission of each example, or the line of which it is made.
        digests: For each example a number, equal where texts are equal; None where there is no response.
    """

    path: Path | str
    rubric: Rubric
    with_labels: bool = True
    faults: list[Fault] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    sources: list[Submission | bytes] = field(default_factory=list)
    digests: list[int | None] = field(default_factory=list)

    @cached_property
    def _is_of_pairs(self) -> bool:
        return self.rubric.is_of_pairs

    @cached_property
    def lines(self) -> RatingLines:
        """The labels."""
        return RatingLines(self.rubric)

    def examples(self, rows: Iterable[_Row]) -> ExampleRows:
        known: dict[str, list[Any]] = {name: [] for name in _OF_ROWS}
        lengths: list[int] = []
        line_of: dict[str, int | None] = {}
        ends: list[int] = []
        codes = self.lines.codes
        for row in rows:
            unit = ""
            try:
                unit, source, texts, of_row = self._example(row, len(line_of) + 1)
                if unit in line_of:
                    raise ValueError(f"id {unit!r} is on line {line_of[unit]} already; ids are unique")
            except ValueError as error:
                self.faults.append(Fault(str(error), row.line))
                codes.cut(ends[-1] if ends else 0)
                continue
            line_of[unit] = of_row["line"]
            self.sources.append(source)
            self.digests.append(_digest(*texts))
            lengths.append(len(texts[0][0]))
            for name, values in known.items():
                values.append(of_row[name])
            ends.append(len(codes))
        self.ids += line_of
        self.faults += faults_of_groups(
            of_pair
            for of_pair in zip(self.ids, known["group"], known["sides"], known["line"], strict=True)
            if of_pair[2]
        )
        if self.faults:
            refuse_lines(RatingError(self.faults, path=self.path))
        if not line_of:
            raise RatingError("holds no examples", path=self.path)
        telling = {**_telling(known), "response_length": lengths}
        return ExampleRows(self.ids, telling, self._responses, self._submission, codes, ends)

    def rows(self, path: Path) -> Iterator[_Row]:
        """The examples in a file as plain data."""
        form = form_of_rows(path)
        if form == "lines":
            for line_number, raw in raw_lines(path, RatingError):
                row = self._without_labels(raw, line_number) if self.with_labels else None
                if row is None:
                    values = json_in_line(raw, path, line_number, RatingError)
                    yield from (_Row(line_number, data, text=raw) for data in values)
                else:
                    yield row
        elif form == "packed":
            raise RatingError(NO_EXAMPLES_AS_TEXT, path=path)
        elif form == "json" or form == "yaml":
            yield from starmap(_Row, self._document(path, form))
        else:
            yield from starmap(_Row, self._table(_rows(path, form)))

    def _without_labels(self, raw: bytes, line_number: int) -> _Row | None:
        """Read a line that has plain labels, apart from them; None of any other."""
        key = raw.find(_KEY)
        begin = _LIST.match(raw, key + len(_KEY))
        if key < 1 or raw[key - 1] == _ESCAPE or begin is None or raw.find(_KEY, begin.end()) >= 0:
            return None
        labels: list[bytes] = []
        end = begin.end()
        while label := _LABEL.match(raw, end):
            labels.append(label[1])
            end = label.end()
            if label[2]:
                break
        else:
            return None
        text = raw[: begin.end()] + raw[end - 1 :]
        try:
            new_labels = {label: json_value(label) for label in labels if not self.lines.knows(label)}
            data = json_value(text)
        except (ValueError, RecursionError):
            return None
        has_them = isinstance(data, Mapping) and data.get("labels") == []
        return _Row(line_number, data, labels, new_labels, text) if has_them else None

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
            raise RatingError("is a list of examples, or {rubric, examples: [...]}", path=self.path)
        for index, raw in enumerate(data):
            yield lines.get((*at, index)), raw

    def _table(self, rows: Iterable[tuple[int, dict[str, str] | None]]) -> Iterator[tuple[int | None, Any]]:
        """Rows with the same id are one example labelled by several raters."""
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

    def _example(self, row: _Row, ordinal: int) -> tuple[str, Submission | bytes, _Texts, Mapping[str, Any]]:
        """Return an example's id, its submission or the line of which it is made, its texts, and all else of it."""
        data = row.data
        if isinstance(data, Example):
            self.lines.codes.extend(data.labels)
            texts = data.submission.responses, data.submission.inputs
            return data.id, data.submission, texts, {name: getattr(data, name) for name in _OF_ROWS}
        if not isinstance(data, Mapping):
            raise ValueError(f"an example is an object, found {shown(data)}")
        sides = sides_of_pair(data) if self._is_of_pairs else None
        unit = text_of(data.get("id")) or f"ex-{ordinal}"
        first, second, inputs = self._given_texts(data)
        source: Submission | bytes
        if row.text is not None and second is None and all(type(text) is str for text in inputs.values()):
            source, texts = row.text, ((first,), inputs)
        else:
            source = Submission(first, inputs, unit, second=second, folder=self._folder)
            texts = source.responses, source.inputs
        if self.with_labels:
            self._add_labels(row, unit)
        metadata = data.get("metadata")
        return (
            unit,
            source,
            texts,
            {
                "group": intern(text_of(data.get("group")) or ("" if sides is None else group_of_inputs(texts[1]))),
                "system": intern(text_of(data.get("system")) if sides is None else systems_of(sides)),
                "split": _one_of(data.get("split"), SPLITS, "split"),
                "drawn": _one_of(data.get("drawn"), DRAWN, "drawn"),
                "weight": _weight(data["weight"]) if "weight" in data else 1.0,
                "line": row.line,
                "stratum": intern(text_of(data.get("stratum"))),
                "draw": intern(text_of(data.get("draw"))),
                "metadata": plain_metadata(metadata) if metadata else EMPTY_MAPPING,
                "sides": sides,
            },
        )

    def _responses(self, row: int) -> tuple[str, ...]:
        """Return the response of a row, or the two of a pair."""
        source = self.sources[row]
        if isinstance(source, Submission):
            return source.responses
        data = json_value(source)
        return (_response_of(data, self._is_short(data), None),)

    def _submission(self, row: int) -> Submission:
        """Return the submission of a row, made of its line where it has plain texts alone."""
        source = self.sources[row]
        if isinstance(source, Submission):
            return source
        response, _, inputs = self._given_texts(json_value(source))
        return Submission(response, inputs, self.ids[row])

    @cached_property
    def _folder(self) -> Path | None:
        return self.path.parent if isinstance(self.path, Path) else None

    def _is_short(self, data: Mapping[str, Any]) -> bool:
        return not self._is_of_pairs and "expectedScore" in data

    def _given_texts(self, data: Mapping[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the response, the second one of a pair, and the inputs, as they are given."""
        if self._is_of_pairs:
            return (*responses_of_pair(data), self._inputs(data))
        return _response_of(data, self._is_short(data), self._folder), None, self._inputs(data)

    def _inputs(self, data: Mapping[str, Any]) -> dict[str, Any]:
        short = self._is_short(data)
        not_inputs = _OWN_KEYS if short or "response" in data or "output" in data else _OWN_KEYS - {"input"}
        if self._is_of_pairs:
            not_inputs |= set(PAIR_NAMES)
        rest = {key: value for key, value in data.items() if key not in not_inputs and value is not None}
        if short and "response" in data and "input" in data:
            rest["query"] = data["input"]
        named = data.get("inputs") or {}
        if not isinstance(named, Mapping):
            raise ValueError(f"`inputs` is an object of named inputs, found {shown(named)}")
        return rest | dict(named)

    def _add_labels(self, row: _Row, unit: str) -> None:
        for text in row.labels:
            if self.lines.add_known(unit, text) is None:
                label = row.new_labels[text]
                index = self.lines.add(label, id=unit)
                if "id" not in label:
                    self.lines.remember(text, index)
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
_ESCAPE: Final = ord("\\")
_LIST = re.compile(rb": ?\[")
_LABEL = re.compile(rb"(\{[^{}\[\]\\]*(?:\{[^{}\[\]\\]*\}[^{}\[\]\\]*)*\})(?:, ?|(\]))")
"""A label without a list and an escaped letter in it, and what is after it: a comma, or the end of the list."""


def _digest(responses: tuple[str, ...], inputs: Mapping[str, str]) -> int | None:
    """Return a number that is equal for equal texts; None where there is no response."""
    return hash((responses, frozenset(inputs.items()))) if responses[0] else None


def _response_of(raw: Mapping[str, Any], short: bool, folder: Path | None) -> str:
    """The response in a line of single responses.

    Raises:
        ValueError: It has a pair, or no text.
    """
    response = raw.get("response", raw.get("output", raw.get("input") if short else None))
    if response is None and has_pair_alone(raw):
        raise ValueError(IS_PAIR)
    if isinstance(response, str):
        return response
    parted = parted_text(response, folder, "the response")
    if parted is None:
        raise ValueError(f"an example has a response, a text; found {shown(response)}")
    return parted


def draws_of(examples: Sequence[Example]) -> list[str]:
    """The draw that each example came in; one of its own for those at random, and for those that name none.

    Example:
        >>> chosen = Example(Submission("x", {}, "a"), weight=2.5, draw="3f9a1c22")
        >>> draws_of([chosen, replace(chosen, draw=""), Example(Submission("y", {}, "b"))])
        ['drawn 3f9a1c22', 'drawn', 'random']
    """
    named = zip(each(examples, "draw"), each(examples, "has_chance"), strict=True)
    return [f"drawn {draw}".rstrip() if has_chance else "random" for draw, has_chance in named]


def _rows(path: Path, form: RowForm) -> Iterator[tuple[int, dict[str, str] | None]]:
    """The rows of a table as text, with their lines."""
    if form == "table":
        return table_rows(path, RatingError)
    from markscheme.grading.graded_table import parquet_rows

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


def warn_unknown(rated: Iterable[str], ids: Iterable[str], path: Path | None) -> None:
    """Warn of rated ids that aren't among the examples': their ratings are ignored."""
    unknown = set(rated).difference(ids)
    if unknown:
        belong = "rating belongs" if len(unknown) == 1 else "ratings belong"
        ignored = f"{len(unknown)} {belong} to no labelled example and {'is' if len(unknown) == 1 else 'are'} ignored"
        warn(f"{ignored}: {few_of(sorted(unknown))}", path)


def _warn_twice(examples: Sequence[Example], digests: Iterable[int | None], path: Path | None) -> None:
    first: dict[int, int] = {}
    twice: list[str] = []
    for index, digest in enumerate(digests):
        if digest is None or (earlier := first.setdefault(digest, index)) == index:
            continue  # a table of labels alone has no responses
        example, first_with_text = examples[index], examples[earlier]
        if not _are_same(example.submission, first_with_text.submission):
            continue
        twice.append(example.id)
        if len(twice) <= MOST_WARNED:
            warn(
                f"{example.id!r} and {first_with_text.id!r} hold the same response; it counts twice", path, example.line
            )
    more = twice[MOST_WARNED:]
    if more:
        warn(f"{len(more)} more examples repeat a response from above; it counts twice: {few_of(sorted(more))}", path)


def _are_same(a: Submission, b: Submission) -> bool:
    return a.responses == b.responses and a.inputs == b.inputs


def anchors_in(rubric: Rubric) -> list[str]:
    """The responses that a rubric shows as examples."""
    texts = [text for c in rubric.criteria for text in (c.good, c.bad, *(level.example for level in c.scale.levels))]
    return [text for text in texts if text]


def _without_leaks(read: ExampleSet, rubric: Rubric, path: Path | None) -> ExampleSet:
    """The examples, those that lend a passage to the rubric's anchors without their labels; warns of each.

    A judge that reads an anchor knows the answer for the response it is from, so that counts in no figure.
    """
    anchors = [_squeezed(text) for text in anchors_in(rubric)]
    passages = [anchor for anchor, text in zip(anchors, anchors_in(rubric), strict=True) if len(text) >= LEAKING]
    leaked: set[str] = set()
    for example in read.examples if anchors else ():
        texts = [_squeezed(text) for text in example.submission.responses]
        is_whole = any(text in anchors for text in texts)
        if is_whole or any(passage in text for passage in passages for text in texts):
            lent = "the response" if is_whole else "a passage"
            consequence = "; its labels count in no figure" if example.labels else ""
            warn(f"{lent} of {example.id!r} is in the rubric's own anchors (leak){consequence}", path, example.line)
            leaked.add(example.id)
    return read.without_labels_of(leaked) if leaked else read


def stale_labels(examples: Sequence[Example], rubric: Rubric) -> Iterator[tuple[int, Rating, str]]:
    """Labels given under another wording: the example's place, the label, and the criterion."""
    if not has_stale(labels_of(examples), rubric):
        return
    current = {criterion.name: criterion for criterion in rubric.criteria}
    for index, example in enumerate(examples):
        for label in example.labels:
            for name in label.criteria:
                if is_stale(label, current[name], rubric):
                    yield index, label, name


def has_stale(labels: RatingCodes, rubric: Rubric) -> bool:
    """Return True if a label may have been given under another wording: a header or an answer says so."""
    if not all(is_asked(header.under, rubric) for header in labels.headers):
        return True
    criteria = {criterion.name: criterion for criterion in rubric.criteria}
    return any(
        answer.under and not (name in criteria and criteria[name].is_worded(answer.under))
        for name in labels.names
        for answer in labels.answers_on(name)
    )


def _warn_stale(examples: Sequence[Example], rubric: Rubric, path: Path | None) -> int:
    """Return how many labels were given under another wording. What follows for people's labels, the caller says."""
    stale = [label for _, label, _ in stale_labels(examples, rubric)]
    others = sum(label.kind not in PEOPLE for label in stale)
    if others:
        warn(f"{others} labels were given under another wording of the rubric (stale)", path)
    return len(stale)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def warn(problem: str, path: Path | None, line: int | None = None) -> None:
    """Warn of something in a file, at the line that called the caller."""
    warnings.warn(str(RatingError(problem, path=path, line=line)), RatingWarning, stacklevel=3)
