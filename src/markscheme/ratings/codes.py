"""A compact store of many ratings, in which equal raters and equal answers are kept only once.

Most of a million ratings repeat the rater and the levels of thousands of others. Each distinct header (a rating without
its id and its answers) and each distinct answer is kept once, and a rating is stored as the number of its header and a
code for its answer to each criterion.
"""

import warnings
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, Self, SupportsIndex, TypeAlias, TypeVar, overload

from markscheme.errors import Fault, RatingError, RatingWarning, refuse_lines
from markscheme.json_text import id_and_rest, json_values
from markscheme.phrases import counted, few_of
from markscheme.plain_data import json_in_line, line_batches
from markscheme.ratings.kinds import PEOPLE, Kind
from markscheme.ratings.rating import PLAIN, Rated, Rating, RatingReader, corrected
from markscheme.rubrics.rubric import Rubric

_Item = TypeVar("_Item")
NO_ANSWER: Final = -1
"""Code for a criterion that a rating doesn't answer; as an index it selects the last item of a list of answers, which
is reserved for it."""
MOST_KEPT: Final = 4096
"""Largest number of beginnings of lines whose headers are cached; if there are more, each line probably has its own
words."""
RATINGS_REMEMBERED: Final = 16_384
"""Largest number of different ratings whose text is cached; if there are more, the cache is emptied."""
CodedRating: TypeAlias = tuple[int, "array[int]"]
"""The number of a rating's header, and the codes of its answers."""
_searched = attrgetter("rater", "kind", "overall", "passed", "sample", "error", "at", "under", "blind", "note",
                       "confidence", "seconds", "shown", "asked_without", "whole_under")  # fmt: skip
"""Attributes by which equal headers are found; a rating with `superseded` answers, which is rare, always gets a header
of its own."""


class EqualSequence(Sequence[_Item]):
    """A sequence that equals any sequence, except a text, with equal items in the same order."""

    __slots__ = ()

    def __eq__(self, compared: object) -> bool:
        if isinstance(compared, Sequence) and not isinstance(compared, str):
            return len(self) == len(compared) and all(a == b for a, b in zip(self, compared, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]


class RatingCodes(EqualSequence[Rating]):
    """A compact sequence of ratings: each distinct answer is stored once, and Rating objects are made on access.

    Attributes:
        names: The criteria that ratings may answer.
        ids: The id of each rating's example.
        headers: Each distinct header, as a Rating without id and answers.
        answers: The distinct answers to each criterion, by the criterion's name.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = tuple(names)
        self.ids: list[str] = []
        self.headers: list[Rating] = []
        self.answers: list[list[Rated]] = [[] for _ in self.names]
        self._orders: list[tuple[str, ...] | None] = []
        self._header_of = array("i")
        self._codes = array("i")
        self._header_numbers: dict[tuple[Any, ...], int] = {}
        self._answer_codes: list[dict[Rated, int]] = [{} for _ in self.names]
        self._counted: tuple[int, Counter[int]] = (0, Counter())

    @classmethod
    def of(cls, ratings: Iterable[Rating]) -> "RatingCodes":
        """Convert ratings to RatingCodes; a RatingCodes is returned unchanged."""
        if isinstance(ratings, RatingCodes):
            return ratings
        if isinstance(ratings, RatingView):
            return ratings.codes.taken(ratings.indices)
        codes = cls()
        for rating in ratings:
            codes.append(rating)
        return codes

    # --- as a sequence of ratings

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Rating: ...
    @overload
    def __getitem__(self, index: slice) -> "RatingCodes": ...
    def __getitem__(self, index: SupportsIndex | slice) -> "Rating | RatingCodes":
        if isinstance(index, slice):
            return self.taken(range(len(self))[index])
        position = range(len(self))[index]
        number = self._header_of[position]
        return replace(self.headers[number], id=self.ids[position], criteria=self.criteria_at(position))

    def __repr__(self) -> str:
        return f"<{len(self)} ratings>"

    def criteria_at(self, position: int) -> dict[str, Rated]:
        """Return the answers of the rating at an index, by criterion, in the order in which the rater gave them."""
        width = len(self.names)
        row = self._codes[position * width : (position + 1) * width]
        answered = {
            name: answers[code]
            for name, answers, code in zip(self.names, self.answers, row, strict=True)
            if code != NO_ANSWER
        }
        order = self._orders[self._header_of[position]]
        return answered if order is None else {name: answered[name] for name in order if name in answered}

    # --- as numbers

    @property
    def header_numbers(self) -> "array[int]":
        """Index in `headers` of each rating's header (its rater, kind, day, …)."""
        return self._header_of

    def codes_on(self, name: str) -> "array[int]":
        """Return, for each rating, the index of its answer among a criterion's distinct answers, or -1 without one."""
        if name not in self.names:
            return array("i", [NO_ANSWER]) * len(self)
        return self._codes[self.names.index(name) :: len(self.names)]

    def answers_on(self, name: str) -> Sequence[Rated]:
        """Return the distinct answers to a criterion, in the order of their codes."""
        return self.answers[self.names.index(name)] if name in self.names else ()

    def answer_counts(self) -> Iterator[tuple[str, Rated, int]]:
        """Yield each distinct answer with its criterion and the number of ratings that have it."""
        for name, answers in zip(self.names, self.answers, strict=True):
            counts = Counter(self.codes_on(name))
            for code, answer in enumerate(answers):
                if counts[code]:
                    yield name, answer, counts[code]

    def header_counts(self) -> Iterator[tuple[Rating, int]]:
        """Yield each distinct header (rater, kind, day, …) with its number of ratings, in order of first use."""
        if self._counted[0] != len(self):
            self._counted = (len(self), Counter(self._header_of))
        for number, count in self._counted[1].items():
            yield self.headers[number], count

    @property
    def raters(self) -> list[str]:
        """Names of the raters, in the order of their first ratings."""
        return list(dict.fromkeys(header.rater for header, _ in self.header_counts()))

    # --- parts, and more

    def where(self, of_header: Callable[[Rating], object]) -> "RatingCodes":
        """Return the ratings for whose header a function returns True; if these are all ratings, return this object.

        The header is a Rating without answers: rater, kind, day and the like.
        """
        keeps = list(map(bool, map(of_header, self.headers)))
        if all(keeps):
            return self
        if not any(keeps):
            return self._emptied()
        return self.taken(list(compress(range(len(self)), map(keeps.__getitem__, self._header_of))))

    def of_kinds(self, kinds: Collection[str]) -> "RatingCodes":
        """Return the ratings whose rater is of one of these kinds, such as "human" or "model"."""
        return self.where(lambda header: header.kind in kinds)

    def by_rater(self) -> "dict[str, RatingCodes]":
        """Map the name of each rater to the rater's ratings, in the order in which raters first appear."""
        return {name: self.of_rater(name) for name in self.raters}

    def of_rater(self, name: str) -> "RatingCodes":
        """Return the ratings of one rater."""
        return self.where(lambda header: header.rater == name)

    def of_ids(self, ids: Collection[str]) -> "RatingCodes":
        """Return the ratings of the examples with these ids."""
        return self.taken([index for index, unit in enumerate(self.ids) if unit in ids])

    def taken(self, indices: Sequence[int]) -> "RatingCodes":
        """Return the ratings at the given indices, in that order."""
        width = len(self.names)
        part = self._emptied()
        part.ids = list(map(self.ids.__getitem__, indices))
        part._header_of = array("i", map(self._header_of.__getitem__, indices))
        part._codes = array("i", [NO_ANSWER]) * (width * len(indices))
        for column in range(width):
            codes = self._codes[column::width]
            part._codes[column::width] = array("i", map(codes.__getitem__, indices))
        return part

    def _emptied(self) -> "RatingCodes":
        """Return an empty copy that numbers headers and answers in the same way."""
        part = RatingCodes(self.names)
        part.headers = list(self.headers)
        part._orders = list(self._orders)
        part.answers = list(map(list, self.answers))
        part._header_numbers = dict(self._header_numbers)
        part._answer_codes = list(map(dict, self._answer_codes))
        return part

    def _copied(self) -> "RatingCodes":
        part = self._emptied()
        part.ids = list(self.ids)
        part._header_of = self._header_of[:]
        part._codes = self._codes[:]
        return part

    def with_ids(self, names: Mapping[str, str]) -> "RatingCodes":
        """Return the ratings with examples renamed by a mapping of old ids to new ones."""
        part = self._copied()
        part.ids = [names.get(unit, unit) for unit in self.ids]
        return part

    def share_ids(self, ids: Iterable[str]) -> None:
        """Replace ids by equal ones among the given objects, so that each id is in memory only once."""
        same = {unit: unit for unit in ids}
        self.ids = [same.get(unit, unit) for unit in self.ids]

    def joined(self, *others: Iterable[Rating]) -> "RatingCodes":
        """Return these ratings followed by those of other sequences."""
        whole = self._copied()
        for ratings in others:
            whole.extend(ratings)
        return whole

    def extend(self, ratings: Iterable[Rating]) -> None:
        """Append other ratings to this sequence of ratings."""
        if not isinstance(ratings, RatingCodes):
            for rating in ratings:
                self.append(rating)
            return
        for name in ratings.names:
            self._column_of(name)
        width = len(self.names)
        places = [self.names.index(name) for name in ratings.names]
        usual = None if places == sorted(places) else ratings.names
        headers = [
            self.header_number(header, order or usual)
            for header, order in zip(ratings.headers, ratings._orders, strict=True)
        ]
        added = array("i", [NO_ANSWER]) * (width * len(ratings))
        for name, answers in zip(ratings.names, ratings.answers, strict=True):
            column = self._column_of(name)
            new_codes = [*(self.code_of(column, answer) for answer in answers), NO_ANSWER]
            added[column::width] = array("i", [new_codes[code] for code in ratings.codes_on(name)])
        self._header_of.extend([headers[number] for number in ratings.header_numbers])
        self.ids += ratings.ids
        self._codes += added

    def __iadd__(self, ratings: Iterable[Rating]) -> Self:
        self.extend(ratings)
        return self

    def append(self, rating: Rating) -> int:
        """Append a rating to this sequence of ratings; return its index."""
        return self.append_codes(rating.id, *self.coded(rating))

    def coded(self, rating: Rating) -> CodedRating:
        """Return a rating as numbers, without storing it: one for its header, and one for each of its answers.

        Equal headers, and equal answers to a criterion, have equal numbers. The header is everything but the id and the
        answers.
        """
        columns = [self._column_of(name) for name in rating.criteria]
        row = array("i", [NO_ANSWER]) * len(self.names)
        for column, answer in zip(columns, rating.criteria.values(), strict=True):
            row[column] = self.code_of(column, answer)
        order = None if columns == sorted(columns) else tuple(rating.criteria)
        return self.header_number(rating, order), row

    def extend_coded(self, units: Iterable[str], ratings: Sequence[CodedRating]) -> None:
        """Append ratings that are given as numbers: of their headers and of their answers.

        Args:
            units: The example id of each rating.
            ratings: For each rating, the index of its header (rater, kind and all else but the answers) in `headers`,
                and the codes of its answers.
        """
        self.ids += units
        self._header_of.extend([header for header, _ in ratings])
        self._codes.frombytes(b"".join([row for _, row in ratings]))

    def append_codes(self, unit: str, header: int, row: Iterable[int]) -> int:
        """Append a rating that is given as numbers, of its header and of its answers; return its index.

        Args:
            unit: Id of the rated example.
            header: Index in `headers` of the rating's header (rater, kind, …).
            row: Code of the answer to each criterion.
        """
        self.ids.append(unit)
        self._header_of.append(header)
        self._codes.extend(row)
        return len(self.ids) - 1

    def codes_at(self, index: int) -> CodedRating:
        """Return the rating at an index as numbers: the index of its header in `headers`, and one for each answer."""
        width = len(self.names)
        return self._header_of[index], self._codes[index * width : (index + 1) * width]

    def cut(self, length: int) -> None:
        """Remove all ratings after the first `length`."""
        del self.ids[length:]
        del self._header_of[length:]
        self._counted = (0, Counter())
        del self._codes[length * len(self.names) :]

    def header_number(self, rating: Rating, order: tuple[str, ...] | None) -> int:
        """Return the index in `headers` of a rating's header, which is all but id and answers; add the header if new.

        Args:
            rating: The rating.
            order: Names of the criteria in the order of the rating's answers; None for the usual order.
        """
        if rating.superseded:
            return self._new_header(rating, order)
        key = (order, *_searched(rating))
        number = self._header_numbers.get(key)
        if number is None:
            number = self._header_numbers[key] = self._new_header(rating, order)
        return number

    def _new_header(self, rating: Rating, order: tuple[str, ...] | None) -> int:
        self.headers.append(replace(rating, id="", criteria={}))
        self._orders.append(order)
        return len(self.headers) - 1

    def code_of(self, column: int, answer: Rated) -> int:
        """Return the code of an answer to a criterion; an answer with a reason always gets a new code.

        Args:
            column: Index of the criterion among those that were rated.
            answer: The answer.
        """
        codes = self._answer_codes[column]
        code = None if answer.reason else codes.get(answer)
        if code is None:
            code = len(self.answers[column])
            self.answers[column].append(answer)
            if not answer.reason:
                codes[answer] = code
        return code

    def _column_of(self, name: str) -> int:
        """Return the index of the column with the codes for a criterion, adding a column for a new criterion."""
        try:
            return self.names.index(name)
        except ValueError:
            before = self._codes
            width = len(self.names)
            self.names = (*self.names, name)
            self.answers.append([])
            self._answer_codes.append({})
            self._codes = array("i", [NO_ANSWER]) * ((width + 1) * len(self))
            for column in range(width):
                self._codes[column :: width + 1] = before[column::width]
            return len(self.names) - 1


class RatingView(EqualSequence[Rating]):
    """Some of many ratings, such as the labels of one example; a Rating object is made on access.

    Attributes:
        codes: All ratings.
        indices: Indices of the selected ratings.
    """

    __slots__ = ("codes", "indices")

    def __init__(self, codes: RatingCodes, indices: Sequence[int]) -> None:
        self.codes = codes
        self.indices = indices

    def __len__(self) -> int:
        return len(self.indices)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Rating: ...
    @overload
    def __getitem__(self, index: slice) -> "RatingView": ...
    def __getitem__(self, index: SupportsIndex | slice) -> "Rating | RatingView":
        if isinstance(index, slice):
            return RatingView(self.codes, self.indices[index])
        return self.codes[self.indices[index.__index__()]]

    def __repr__(self) -> str:
        return repr(tuple(self))

    @property
    def headers(self) -> Iterator[Rating]:
        """The header of each selected rating, which names its rater and the rater's kind."""
        return (self.codes.headers[self.codes.header_numbers[index]] for index in self.indices)


class RatingLines:
    """Reader of JSON lines into RatingCodes; of lines that are equal but for the id, only the first is parsed.

    Attributes:
        codes: The ratings read so far.
    """

    def __init__(self, rubric: Rubric, *, keep_unread: bool = False) -> None:
        self._reader = RatingReader(rubric, keep_unread)
        self.codes = RatingCodes(criterion.name for criterion in rubric.criteria)
        self._width = len(self.codes.names)
        self._column = {name: column for column, name in enumerate(self.codes.names)}
        self._headers: dict[Any, int] = {}
        self._plain: dict[tuple[str, type, Any], int] = {}
        self._known: dict[bytes, CodedRating] = {}

    def coded(
        self, texts: Sequence[bytes], *, kind: Kind = "human", interpreted: Callable[[Any], Any] = lambda line: line
    ) -> list[CodedRating] | None:
        """Read ratings from lines without their leading id; equal lines are read only once.

        Args:
            texts: The lines, without the id at their beginning.
            kind: The kind of rater for lines that don't state it.
            interpreted: Function that converts a line's data to a rating's data; it raises ValueError if the line isn't
                a rating.

        Returns:
            For each rating, the index of its header (rater, kind, …) and the codes of its answers, for `extend_coded`;
            None if a line still has an id, or isn't a rating.
        """
        new = list(dict.fromkeys([text for text in texts if text not in self._known]))
        parsed = json_values([b"{%b}" % text for text in new])
        if parsed is None or any("id" in line for line in parsed):
            return None
        try:
            for text, line in zip(new, parsed, strict=True):
                _, header, row = self._coded(interpreted(line), kind, "example")
                self._known[text] = header, array("i", row)
        except ValueError:
            return None
        ratings = list(map(self._known.__getitem__, texts))
        if len(self._known) > RATINGS_REMEMBERED:
            self._known.clear()
        return ratings

    def add(self, line: Any, *, kind: Kind = "human", id: str | None = None) -> int:
        """Read a rating from a JSON object and append it; return its index.

        Args:
            line: The JSON object.
            kind: Kind of the rater, if the object doesn't state it.
            id: Id of the example, if the object doesn't state it.

        Raises:
            ValueError: The object isn't a rating.
        """
        return self.codes.append_codes(*self._coded(line, kind, id))

    def _coded(self, line: Any, kind: Kind, id: str | None) -> tuple[str, int, Sequence[int]]:
        """Read a rating; return its example's id, the number of its header (rater, kind, …) and those of its answers.

        Args:
            line: The rating as plain data.
            kind: Kind of the rater, if the rating doesn't state it.
            id: Id of the example, if the rating doesn't state it.
        """
        try:
            unit = line.get("id", id)
            header = self._headers[kind, *((key, type(raw), raw) for key, raw in line.items() if key not in _OWN_KEYS)]
            criteria = line["criteria"]
            plain = self._plain
            row = [plain[name, type(raw), raw] for name, raw in criteria.items()]
        except (KeyError, TypeError, AttributeError):
            return self._coded_slowly(line, kind, id)
        if unit is None or unit == "" or tuple(criteria) != self.codes.names:
            return self._coded_slowly(line, kind, id)
        return str(unit), header, row

    def _coded_slowly(self, line: Any, kind: Kind, id: str | None) -> tuple[str, int, Sequence[int]]:
        """Read a rating whose header (rater, kind, …) or answers are new; cache header and answers for later lines."""
        rating = self._reader.rating(line, kind=kind, id=id)
        header, row = self.codes.coded(rating)
        for name, raw in (line.get("criteria") or {}).items():
            answer = rating.criteria.get(name)
            if type(raw) in PLAIN and answer is not None and answer.declined != "unread":
                self._plain[name, type(raw), raw] = self.codes.code_of(self._column[name], answer)
        if len(self._headers) < MOST_KEPT and tuple(rating.criteria) == self.codes.names:
            beginning = (kind, *((key, type(raw), raw) for key, raw in line.items() if key not in _OWN_KEYS))
            with suppress(TypeError):  # a list in it
                self._headers[beginning] = self.codes.header_number(rating, None)
        return rating.id, header, row


_OWN_KEYS: Final = frozenset(["id", "criteria"])
"""Keys of a line that aren't part of the rating's header."""


def load_ratings(
    path: Path,
    rubric: Rubric,
    *,
    kind: Kind = "model",
    keep_unread: bool = False,
    interpreted: Callable[[Any], Any] = lambda line: line,
) -> RatingCodes:
    """Return the ratings in a file, one per line.

    If an annotator rates a submission again in a later line with the same sample number, the later answers replace the
    earlier ones, criterion by criterion. Earlier answers that were given under another wording are kept in
    `Rating.superseded`. A later line that is `withdrawn` removes the rating.

    Args:
        path: A .jsonl file.
        rubric: The rubric, whose criteria and scales decide which ratings are valid.
        kind: The kind of rater for lines that don't state it.
        keep_unread: True to keep a judge's answer off the scale as an unreadable verdict, so that it is counted.
        interpreted: Function that turns the data of a line into a rating's; it raises ValueError if they aren't one.

    Raises:
        RatingError: Lines are unreadable, have unknown criteria, or levels off the scale; the error lists all of them.

    Warns:
        RatingWarning: Lines contradict each other, or their own probabilities.
    """
    lines = RatingLines(rubric, keep_unread=keep_unread)
    codes = lines.codes
    latest: dict[tuple[str | int, ...], int] = {}
    replaced: set[int] = set()
    faults: list[Fault] = []
    for line_number, raw, unit, rating in _lines_to_check(path, lines, kind, interpreted):
        index = None if unit is None or rating is None else codes.append_codes(unit, *rating)
        is_by_name, is_withdrawn = True, False
        if index is None:
            for line in json_in_line(raw, path, line_number, RatingError):
                try:
                    index = lines.add(interpreted(line), kind=kind)
                except ValueError as error:
                    faults.append(Fault(str(error), line_number))
                    continue
                is_by_name = bool(line.get("rater"))
                is_withdrawn = line.get("withdrawn") is True
            if index is None:
                continue
        header = codes.headers[codes.header_numbers[index]]
        if header.kind in PEOPLE and is_by_name:
            key = (codes.ids[index], header.rater, header.kind, header.sample)
            earlier = latest.pop(key, None)
            if earlier is not None:
                replaced.add(earlier)
            if earlier is not None and not is_withdrawn:
                replaced.add(index)
                index = codes.append(corrected(codes[earlier], codes[index]))
            if not is_withdrawn:
                latest[key] = index
        if is_withdrawn:
            replaced.add(index)
    if faults:
        refuse_lines(RatingError(faults, path=path))
    ratings = codes.taken([index for index in range(len(codes)) if index not in replaced]) if replaced else codes
    for contradiction in (*_said_twice(ratings), *_improbable(ratings, rubric)):
        warnings.warn(f"{path}: {contradiction}", RatingWarning, stacklevel=2)
    return ratings


def _lines_to_check(
    path: Path, lines: RatingLines, kind: Kind, interpreted: Callable[[Any], Any]
) -> Iterator[tuple[int, bytes, str | None, CodedRating | None]]:
    """Add the ratings in a file to `lines.codes`, except those on lines that must be checked singly; yield these.

    Args:
        path: The file.
        lines: Reader of the lines of ratings, which also stores what it read.
        kind: The kind of rater for lines that name none.
        interpreted: Function that converts a line's data to those of a rating.

    Yields:
        Of each line that must be checked: its number and its text, then the id of its example and the codes of its
        rating, each of them None if it couldn't be read together with many other lines.
    """

    def lasting(line: Mapping[str, Any]) -> Any:
        if not line.get("rater") or line.get("withdrawn") is True:
            raise ValueError
        return interpreted(line)

    codes = lines.codes
    for batch in line_batches(path, RatingError):
        parts = [id_and_rest(raw) for _, raw in batch]
        units = [unit for unit, _ in parts if unit is not None]
        coded = lines.coded([rest for unit, rest in parts if unit is not None], kind=kind, interpreted=lasting) or []
        is_whole = len(coded) == len(batch)
        if is_whole and all(codes.headers[header].kind not in PEOPLE for header in {header for header, _ in coded}):
            codes.extend_coded(units, coded)
            continue
        ratings = iter(coded)
        for (line_number, raw), (unit, _) in zip(batch, parts, strict=True):
            yield line_number, raw, unit, None if unit is None else next(ratings, None)


def _said_twice(ratings: RatingCodes) -> Iterator[str]:
    """Yield a warning if a rater gave an example two different levels at one time and in one sample."""
    if len(set(ratings.ids)) == len(ratings):
        return
    keys = [(of.rater, of.kind, of.sample, of.at, of.shown, of.under) for of in ratings.headers]
    number_of = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    numbers = [number_of[key] for key in keys]
    first: dict[tuple[str, int], int] = {}
    differ: dict[str, None] = {}
    for index, (unit, header) in enumerate(zip(ratings.ids, ratings.header_numbers, strict=True)):
        earlier = first.setdefault((unit, numbers[header]), index)
        if earlier != index and stated_answers(ratings[earlier]) != stated_answers(ratings[index]):
            differ[unit] = None
    if differ:
        yield (
            f"rates {counted(len(differ), 'example')} twice in one sample, with different levels "
            f"({few_of([*differ])}); each counts as a sample of its own"
        )


def stated_answers(rating: Rating) -> tuple[Any, ...]:
    """Return a rating's levels by criterion, its score and its decision, to compare ratings."""
    return {name: rated.level for name, rated in rating.criteria.items()}, rating.overall, rating.passed


def _improbable(ratings: RatingCodes, rubric: Rubric) -> Iterator[str]:
    """Yield a warning if ratings give a level other than the most probable one by their own probabilities."""
    differ: dict[int, None] = {}
    for criterion in rubric.criteria:
        choices = dict(zip(criterion.scale.values, criterion.scale.choices, strict=True))
        unlikely = {
            code
            for code, rated in enumerate(ratings.answers_on(criterion.name))
            if rated.probabilities and rated.level in choices
            if (likely := dict(rated.probabilities)).get(choices[rated.level], 0.0) < max(likely.values())
        }
        if unlikely:
            codes = ratings.codes_on(criterion.name)
            differ |= {index: None for index, code in enumerate(codes) if code in unlikely}
    if differ:
        ids = dict.fromkeys(ratings.ids[index] for index in sorted(differ))
        yield (
            f"gives {counted(len(ids), 'example')} a level that another is likelier than, by the probabilities next "
            f"to it ({few_of([*ids])}); the level counts"
        )
