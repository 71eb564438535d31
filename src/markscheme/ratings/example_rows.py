"""Many examples as columns of values; an Example object is made when one is accessed."""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate, chain
from operator import sub
from pathlib import Path
from typing import Any, Final, Literal, SupportsIndex, get_args, overload

from markscheme.fingerprint import fingerprints, fingerprints_of
from markscheme.prompts.parts import as_written
from markscheme.prompts.submission import PAIR_NAMES, Submission
from markscheme.ratings.codes import EqualSequence, RatingCodes, RatingView
from markscheme.ratings.pair_sides import PairSide
from markscheme.ratings.rating import EMPTY_MAPPING, Rating

Split = Literal["dev", "test"]
DrawnBy = Literal["random", "by-verdict", "chosen"]
SPLITS: tuple[str, ...] = get_args(Split)
DRAWN: tuple[str, ...] = get_args(DrawnBy)


@dataclass(frozen=True, slots=True)
class Example:
    """A submission with the labels that annotators gave it, and how it was drawn.

    Attributes:
        submission: The submission that is judged; its id is the example's.
        labels: The ratings in its line of the file, or in files of the folder `ratings/`.
        group: Name of its group, such as a task that it shares with other examples; "" if it has none.
        system: Name of the system that wrote the response; "" if unknown.
        split: Its split: "dev" if it may be looked at while tuning, "test" if it is held out; None without splits.
        drawn: How it was chosen for labelling; None if unknown.
        weight: Inverse of the probability with which it was drawn; 1 if unknown.
        line: Number of its line in the file; None if it isn't from a file.
        stratum: The stratum of the pool that it was drawn from, in a stratified draw; "" if unknown.
        draw: Name of the draw that it came in, equal for all examples of one `label --next`; "" if unknown.
        metadata: Further facts that are known before it is graded, such as its language, by name.
        sides: For a pair, id and system of the first and of the second response; None for a single response.
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
        """The id of the submission."""
        return self.submission.id

    @property
    def responses(self) -> tuple[str, ...]:
        """The response in a tuple, or the two responses of a pair."""
        return self.submission.responses

    @property
    def response_length(self) -> int:
        """Number of characters of the response; for a pair, of the first response."""
        return len(self.submission.response)

    @property
    def has_content(self) -> bool:
        """True if the example can be read and labelled: it has no fault, and either inputs or a response with text."""
        texts = (*self.submission.inputs, *map(str.strip, self.submission.responses))
        return not self.submission.fault and any(texts)

    @property
    def is_held_out(self) -> bool:
        """True if the example is kept from people who edit the rubric, so that it can test their edits."""
        return self.split == "test"

    @property
    def has_chance(self) -> bool:
        """True if the example wasn't simply drawn at random: a weight, a stratum or a draw by verdict is recorded."""
        return self.weight != 1 or bool(self.stratum) or self.drawn == "by-verdict"

    @property
    def is_picked_by_hand(self) -> bool:
        """True if somebody chose the example instead of drawing it at random, so that it represents no others."""
        return self.drawn == "chosen" and not self.has_chance

    def to_json(self, folder: Path | None = None) -> dict[str, Any]:
        """Return the example as a line of a file of examples, without its labels.

        Args:
            folder: Folder of the file, for relative paths to images and other files; None to write their content.
        """
        inputs = {name: as_written(text, folder) for name, text in self.submission.inputs.items()}
        responses = [as_written(text or "", folder) for text in (self.submission.response, self.submission.second)]
        line: dict[str, Any] = {"id": self.id, "inputs": inputs}
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
"""An example of which only the text is known."""
_MADE_OF: Final[Mapping[str, Collection[str]]] = {
    "is_held_out": ("split",),
    "has_chance": ("drawn", "weight", "stratum"),
    "is_picked_by_hand": ("drawn", "weight", "stratum"),
}
"""Attributes that are derived from others, with the attributes that each is derived from."""


class ExampleRows(EqualSequence[Example]):
    """A sequence of examples, stored as columns; an Example object is made when one is accessed.

    Attributes:
        ids: The id of each row.
        attributes: The values of each attribute by row; an attribute that has its default value in all rows is left
            out.
        labels: The labels of all rows.
    """

    def __init__(
        self,
        ids: Sequence[str],
        attributes: Mapping[str, Sequence[Any]],
        responses: Callable[[int], tuple[str, ...]],
        submission: Callable[[int], Submission],
        labels: RatingCodes,
        ends: Sequence[int],
    ) -> None:
        """Store the columns of the examples.

        Args:
            ids: The id of each row.
            attributes: The values of each attribute by row; `response_length` may be among them, and
                `response_fingerprint`, the response's fingerprint as a whole number.
            responses: Function that returns the response of a row, or the two of a pair, as a tuple.
            submission: Function that makes the submission of a row.
            labels: The labels of all rows, in the order of the rows.
            ends: For each row, the number of labels of all rows up to and including it.
        """
        self.ids = ids
        self.attributes = attributes
        self.labels = labels
        self._responses = responses
        self._submission = submission
        self._ends = array("q", ends)
        self._rows: Sequence[int] = range(len(ids))

    @classmethod
    def of(cls, examples: Sequence[Example]) -> "ExampleRows":
        """Convert examples to ExampleRows; an ExampleRows is returned unchanged."""
        if isinstance(examples, ExampleRows):
            return examples
        submissions = [example.submission for example in examples]
        columns = {name: [getattr(example, name) for example in examples] for name in OF_ROWS}
        ends = accumulate(len(example.labels) for example in examples)
        ids = [example.id for example in examples]
        return cls(
            ids,
            telling(columns),
            lambda row: submissions[row].responses,
            submissions.__getitem__,
            labels_of(examples),
            list(ends),
        )

    @classmethod
    def without_texts(cls, ids: Sequence[str], **attributes: Sequence[Any]) -> "ExampleRows":
        """Make examples without texts, from their ids and from other attributes, such as their groups."""
        none = array("q", [0]) * len(ids)
        return cls(
            ids, telling(attributes), lambda _: ("",), lambda row: Submission("", {}, ids[row]), RatingCodes(), none
        )

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

    def __repr__(self) -> str:
        return f"<{len(self)} examples>"

    def __reduce__(self) -> tuple[Callable[[Sequence[Example]], "ExampleRows"], tuple[list[Example]]]:
        """Return what a pickle keeps: the examples themselves, since their texts may be read from a file."""
        return ExampleRows.of, (list(self),)

    def _made(self, row: int, submission: Submission, labels: Sequence[Rating] = ()) -> Example:
        """Make the Example of a row from its submission, its labels and the columns."""
        attributes = {name: values[row] for name, values in self.attributes.items() if name in OF_ROWS}
        return Example(submission, labels, **attributes)

    def _labels_of(self, row: int) -> range:
        return range(self._ends[row - 1] if row else 0, self._ends[row])

    def values(self, name: str) -> Sequence[Any]:
        """Return the values of an attribute, such as the group, one per example."""
        if name == "id":
            return self.ids if self.is_whole else [self.ids[row] for row in self._rows]
        if name in self.attributes:
            values = self.attributes[name]
            return values if self.is_whole else [values[row] for row in self._rows]
        if name == "response_length":
            return [len(self._responses(row)[0]) for row in self._rows]
        if name == "responses":
            return [self._responses(row) for row in self._rows]
        if any(decisive in self.attributes for decisive in _MADE_OF.get(name, ())):
            return [getattr(self._made(row, _NO_TEXT), name) for row in self._rows]
        return [getattr(_PLAIN, name)] * len(self)

    @property
    def label_counts(self) -> list[int]:
        """The number of labels of each example."""
        counts = list(map(sub, self._ends, chain([0], self._ends)))
        return counts if self.is_whole else [counts[row] for row in self._rows]

    def taken(self, indices: Iterable[int]) -> "ExampleRows":
        """Return the examples at these indices."""
        part = ExampleRows(self.ids, self.attributes, self._responses, self._submission, self.labels, self._ends)
        part._rows = [self._rows[index] for index in indices]
        return part

    def labelled_again(self, labels: RatingCodes, indices: Iterable[Iterable[int]]) -> "ExampleRows":
        """Return the examples with their labels replaced by the given ones.

        Args:
            labels: Ratings that include the new labels.
            indices: For each example, the indices of its new labels in `labels`.
        """
        whole = self if self.is_whole else self._alone
        ends: list[int] = []
        order: list[int] = []
        for label_indices in indices:
            order += label_indices
            ends.append(len(order))
        return ExampleRows(whole.ids, whole.attributes, whole._responses, whole._submission, labels.taken(order), ends)

    def under(self, ids: Sequence[str], **attributes: Sequence[Any]) -> "ExampleRows":
        """Return the examples with other ids, with some attributes replaced, and without labels."""
        rows = self._alone
        return ExampleRows(
            ids,
            telling({**rows.attributes, **attributes}),
            rows._responses,
            lambda row: replace(rows._submission(row), id=ids[row]),
            rows.labels,
            rows._ends,
        )

    @property
    def _alone(self) -> "ExampleRows":
        """A copy that stores the selected rows only, without their labels."""
        rows = self._rows
        return ExampleRows(
            self.values("id"),
            {name: self.values(name) for name in self.attributes},
            lambda row: self._responses(rows[row]),
            lambda row: self._submission(rows[row]),
            RatingCodes(),
            [0] * len(rows),
        )

    @property
    def is_whole(self) -> bool:
        """True if this is the whole table and not a selection of its rows."""
        return isinstance(self._rows, range)

    @property
    def label_indices(self) -> Iterator[int]:
        """The indices in `labels` of each example's labels, one example after the other."""
        return (index for row in self._rows for index in self._labels_of(row))


OF_ROWS: Final[Mapping[str, Any]] = {
    of.name: getattr(_PLAIN, of.name) for of in fields(Example) if of.name not in ("submission", "labels")
}
"""Default of each attribute of an example, except its texts and labels."""


def telling(attributes: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return only the attributes that differ from their default on at least one example."""
    return {name: values for name, values in attributes.items() if any(value != OF_ROWS.get(name) for value in values)}


def values_of(examples: Sequence[Example], name: str) -> Sequence[Any]:
    """Return the attribute `name` of each example, read from stored columns where possible, which is faster."""
    if isinstance(examples, ExampleRows):
        return examples.values(name)
    return [getattr(example, name) for example in examples]


def response_fingerprints(examples: Sequence[Example]) -> list[str]:
    """Return the fingerprint of each example's response, or of the two responses of a pair."""
    if isinstance(examples, ExampleRows) and "response_fingerprint" in examples.attributes:
        return fingerprints_of(examples.values("response_fingerprint"))
    return list(fingerprints(values_of(examples, "responses")))


def may_say(examples: Sequence[Example], *names: str) -> bool:
    """Return True if examples may have any of the named attributes; False if it is certain that none does.

    That is certain only if the examples are stored as columns, and none of the columns has one of the names.
    """
    return not isinstance(examples, ExampleRows) or not examples.attributes.keys().isdisjoint(names)


def taken(examples: Sequence[Example], indices: Sequence[int]) -> Sequence[Example]:
    """Return the examples at these indices; `examples` itself if these are all, in order."""
    if list(indices) == list(range(len(examples))):
        return examples
    return examples.taken(indices) if isinstance(examples, ExampleRows) else tuple(examples[index] for index in indices)


def label_counts(examples: Sequence[Example]) -> list[int]:
    """Return the number of labels of each example."""
    return examples.label_counts if isinstance(examples, ExampleRows) else [len(one.labels) for one in examples]


def labels_of(examples: Sequence[Example]) -> RatingCodes:
    """Return all labels of the given examples, in the order of the examples."""
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
