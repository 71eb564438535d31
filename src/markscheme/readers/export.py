"""The content of an export's files: responses, and the values raters gave them; everything dropped is counted."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from markscheme.errors import RatingError
from markscheme.phrases import few_of
from markscheme.plain_data import shown
from markscheme.ratings.examples import Example
from markscheme.ratings.rating import PEOPLE, Kind, Rated, Rating
from markscheme.readers.imported import Import, Reading, number, plain, taken_out
from markscheme.readers.infer_rubric import scale_between
from markscheme.rubrics.rubric import YES_NO, Criterion, Rubric, Scale
from markscheme.submission import Submission, as_text
from markscheme.trajectory import STEPPED

QUERY = ("query", "question", "input", "prompt")
NOT_APPLICABLE = ("na", "n/a", "not applicable", "not_applicable")
WHOLE = {"pass": "passed", "overall": "overall"}
"""Names to map a metric to that rates the whole response, with the field of a rating that holds it."""
SHOWN_IDS = 3


@dataclass(frozen=True, slots=True)
class RawRating:
    """One value that one rater gave to one response under one name.

    Attributes:
        unit: The response's id.
        metric: The name of what was rated.
        value: As in the file; None if the rater gave none.
        rater: The rater; "" if the file doesn't say.
        kind: The kind of rater that the file states; None if it doesn't.
        reason: The rater's comment, or why there is no value.
        at: When it was given, as written.
        blind: False if it corrected another rater's verdict.
        note: Further comments of the rater.
    """

    unit: str
    metric: str
    value: Any
    rater: str
    kind: Kind | None
    reason: str = ""
    at: str = ""
    blind: bool = True
    note: str = ""


class Fields:
    """One record of a file, which counts every field as lost that the reader didn't take.

    Args:
        record: The record.
        export: The export that counts.
        what: The kind of record, in the singular.
        skipped: Fields without information on a response or a rating, such as the tool's own ids.
    """

    def __init__(self, record: Any, export: "Export", what: str, skipped: Iterable[str] = ()) -> None:
        self.export, self.what = export, what
        self.is_record = isinstance(record, Mapping)
        if not self.is_record:
            export.lose(f"{what}s that are no objects, such as {shown(record)}")
        self._left = {key: value for key, value in record.items() if key not in set(skipped)} if self.is_record else {}

    def take(self, path: str) -> Any:
        """The value at a path, `outer.inner`; None if there is none."""
        if path in self._left or "." not in path:
            return self._left.pop(path, None)
        self._left, value = taken_out(self._left, path)
        return value

    def text(self, *paths: str) -> str:
        """The first non-empty value at these paths, as text; "" without one, or for a list or object."""
        single = [path for path in paths if not isinstance(self._left.get(path), Mapping | list)]
        found = [str(value) for path in single if str(value := self.take(path) or "").strip()]
        return found[0] if found else ""

    def items(self, path: str) -> list[Any]:
        """The list at a path; anything else there counts as lost."""
        value = self.take(path)
        if isinstance(value, list):
            return value
        if value is not None:
            self.export.lose(f"{path!r} of a {self.what} that is no list")
        return []

    def skip(self, *paths: str) -> None:
        """Take values without information on a response or a rating, so that they don't count as lost."""
        for path in paths:
            self.take(path)

    def has(self, key: str) -> bool:
        """Whether there is a value at a key that hasn't been taken."""
        return self._left.get(key) not in (None, "", {}, [])

    def close(self) -> None:
        """Count what is left as lost."""
        for path in _leaves(self._left):
            self.export.lose(f"{path!r} of a {self.what}")


def _leaves(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif value is not None and value not in ("", "{}", "[]") and value != []:
        yield path


@dataclass
class Export(Import):
    """The files of one export as they are read.

    Attributes:
        rubric: The rubric that the metrics belong to; None infers one.
        raw_ratings: The values that raters gave.
        responses: By id; a later response with the same id counts as lost.
        scales: Lowest and highest value by metric, if the files state them.
    """

    rubric: Rubric | None = None
    raw_ratings: list[RawRating] = field(default_factory=list)
    responses: dict[str, Example] = field(default_factory=dict)
    scales: dict[str, tuple[float, float]] = field(default_factory=dict)

    def respond(self, unit: str, response: Any, given: Any = None, group: str = "", **more: Any) -> None:
        """Add a response.

        Args:
            unit: Its id.
            response: As in the file; an object with one key counts as the value of that key.
            given: The query, as a text, or an object of inputs.
            group: Its group, shared with other responses.
            more: Further inputs by name.
        """
        if isinstance(response, Mapping) and len(response) == 1:
            response = next(iter(response.values()))
        if not unit or response is None:
            self.lose("responses without an id" if not unit else "records without a response")
        elif unit in self.responses:
            self.lose("second responses of the same id")
        else:
            self.responses[unit] = Example(Submission(as_text(response), {**_inputs(given), **more}, unit), group=group)

    def steps(self, name: str, given: Any, *, beyond: int) -> dict[str, Any]:
        """An agent's steps, under the input of steps that the rubric declares; empty if there is only an answer.

        Args:
            name: The input's name for a rubric that declares none.
            given: Messages or spans.
            beyond: How many of them a response without an agent has.
        """
        declared = [one for one in (self.rubric.inputs or () if self.rubric else ()) if one in STEPPED]
        if given is not None and not isinstance(given, list):
            self.lose(f"{name} that aren't a list")
        is_more = isinstance(given, list) and len(given) > beyond
        return {declared[0] if declared else name: given} if given and (declared or is_more) else {}

    def rate(self, raw: RawRating) -> None:
        """Add a value that a rater gave; each entry of an object gets its own name."""
        if not raw.unit or not raw.metric:
            self.lose("ratings that name no response or no metric")
        elif isinstance(raw.value, Mapping) and raw.value:
            for key, inner in raw.value.items():
                self.rate(replace(raw, metric=f"{raw.metric}.{key}", value=inner))
        else:
            self.raw_ratings.append(raw)

    def either(self, metric: str, value: Any, word: Any) -> Any:
        """The word of a rating given as number and word, if its meaning is known, else the number."""
        if word in (None, "") or value in (None, ""):
            return value if word in (None, "") else word
        known = str(word).strip().casefold() in self.words or self.decision(word) is not None
        if not known:
            self.note(f"{metric!r} has words and numbers; the numbers are its levels (--levels WORD=LEVEL uses words)")
        return word if known else value

    def rate_metadata(self, unit: str, fields: Fields) -> None:
        """Add the labels in a record's metadata that the caller maps (`--map metadata.KEY=METRIC`)."""
        mapped = {path: meaning for path, meaning in self.columns.fields.items() if path.startswith("metadata.")}
        rater = fields.text(*(path for path, meaning in mapped.items() if meaning == "rater"))
        comment = fields.text("comments") if mapped else ""
        for path, meaning in mapped.items():
            if meaning != "rater" and (value := fields.take(path)) is not None:
                self.rate(RawRating(unit, meaning, value, rater, None, comment))
        if not mapped and fields.has("metadata"):
            self.note("responses have metadata: `--map metadata.KEY=METRIC --kind human` reads labels there")

    # --- from raw ratings to ratings ----------------------------------------------------------------------------------

    def inferred_rubric(self) -> Rubric:
        """A rubric whose criteria are the metrics.

        Raises:
            RatingError: There is no metric with levels.
        """
        said: dict[str, list[Any]] = {}
        for raw in self.raw_ratings:
            said.setdefault(self._criterion_of(raw.metric), []).append(raw.value)
        criteria: list[Criterion] = []
        for name, values in said.items():
            scale = _scale(values, self, self.scales.get(name))
            if scale is None:
                words = ", ".join(sorted({shown(value) for value in values if value is not None})[:SHOWN_IDS])
                self.note(f"{name!r} has no levels ({words or 'no values'}); --levels WORD=LEVEL gives words theirs")
            else:
                criteria.append(Criterion(1.0, name, name, scale))
        if not criteria:
            raise RatingError(f"rates nothing on levels{_found(self.lost)}", path=self.path)
        became = ", ".join(f"{criterion.name} ({_ends(criterion.scale)})" for criterion in criteria)
        self.note(f"metrics became criteria, on the scales of their values: {became}; a rubric states its own")
        return Rubric(tuple(criteria), name=self.path.stem)

    def reading(self, taken_for: str) -> Reading:
        """The examples, and each rater's raw ratings of a response as one rating by the rubric, given or inferred.

        Raises:
            RatingError: Neither the files nor the caller say who rated, or the files have no id in common.
        """
        raw_ratings = [self._attributed(raw) for raw in self.raw_ratings]
        self._refuse_unknown(raw_ratings)
        self._compare_ids()
        rubric = self.rubric or self.inferred_rubric()
        found = Reading(
            self.path, rubric, taken_for, self.responses, words=self.words, lost=self.lost, notes=self.notes
        )
        ratings: dict[tuple[str, str, Kind, int], Rating] = {}
        for raw in sorted(raw_ratings, key=lambda raw: raw.at):
            self._put(ratings, raw, found)
        found.ratings += ratings.values()
        return found

    def _criterion_of(self, metric: str) -> str:
        return self.columns.fields.get(metric, metric)

    def _attributed(self, raw: RawRating) -> RawRating:
        rater = raw.rater or self.columns.rater or ""
        kind = "model" if rater in self.columns.judges else raw.kind or self.columns.kind
        return replace(raw, rater=rater or ("judge" if kind == "model" else kind or ""), kind=kind)

    def _refuse_unknown(self, raw_ratings: Sequence[RawRating]) -> None:
        unknown = Counter((raw.rater, raw.metric) for raw in raw_ratings if raw.kind is None)
        if unknown:
            found = "; ".join(
                f"{count} of {metric!r} by {rater or 'no named rater'}" for (rater, metric), count in unknown.items()
            )
            raise RatingError(
                f"doesn't say whether a person, a judge or code gave these ratings: {found}. Pass `--kind human`, "
                "model or code; name judges with `--judge-names`",
                path=self.path,
            )

    def _compare_ids(self) -> None:
        """Note ids that only one side has; refuse if they have none in common."""
        rated = dict.fromkeys(raw.unit for raw in self.raw_ratings)
        if not self.responses:
            self.note("the files contain no responses: pass the export that does, too, to write examples")
        if not self.responses or not rated:
            return
        alone = [unit for unit in rated if unit not in self.responses]
        unrated = [unit for unit in self.responses if unit not in rated]
        said = [
            f"{len(ids)} {what}: {few_of(ids, SHOWN_IDS)}"
            for what, ids in (("rated ids without a response", alone), ("responses without a rating", unrated))
            if ids
        ]
        if len(alone) == len(rated):
            raise RatingError(f"no rating joins a response. There are {'; '.join(said)}", path=self.path)
        for sentence in said:
            self.note(sentence)

    def _put(self, ratings: dict[tuple[str, str, Kind, int], Rating], raw: RawRating, reading: Reading) -> None:
        """Add a raw rating to its rater's; a repeat replaces that of an annotator, and is another run of a judge."""
        name = self._criterion_of(raw.metric)
        criterion = reading.criterion(name)
        if raw.kind is None or (criterion is None and name not in WHOLE):
            known = ", ".join(one.name for one in reading.rubric.criteria)
            self.lose(f"ratings of {name!r}, which is no criterion of {known}")
            return
        sample = 0
        if raw.kind not in PEOPLE:
            while _says(ratings.get((raw.unit, raw.rater, raw.kind, sample)), name, criterion):
                sample += 1
            if sample:
                self.note(
                    f"{raw.rater} rated a response more than once for {name!r}, read as runs of one judge; if it is "
                    "several judges under one name, import them one by one"
                )
        key = (raw.unit, raw.rater, raw.kind, sample)
        before = ratings.get(key) or Rating(raw.unit, raw.rater, raw.kind, sample=sample)
        if criterion is None:
            after = _with_whole(before, name, raw, reading)
        else:
            rated = _rated(raw, criterion, reading)
            after = replace(before, criteria={**before.criteria, criterion.name: rated}) if rated else None
        if after is None:
            return
        if _says(before, name, criterion):
            self.lose("ratings that the same annotator replaced by a later one")
        notes = dict.fromkeys(text for text in (before.note, raw.note, "" if criterion else raw.reason) if text)
        ratings[key] = replace(
            after, at=max(before.at, raw.at), blind=before.blind and raw.blind, note="\n".join(notes)
        )


def _scale(values: Iterable[Any], export: Export, stated: tuple[float, float] | None) -> Scale | None:
    """The scale that values imply: yes/no, whole numbers, or 0 to 1; None if no value is a level."""
    if stated is not None:
        return scale_between(*stated)
    there = [value for value in values if value not in (None, "")]
    decisions = [value for value in there if export.decision(value) is not None]
    numbers = [level for value in there if (level := number(export.meant(value))) is not None]
    if decisions and all(level in (0.0, 1.0) for level in numbers):
        return YES_NO
    if not numbers:
        return None
    low, high = min(numbers), max(numbers)
    return scale_between(0, 1) if low >= 0 and high <= 1 else scale_between(low, high)


def _ends(scale: Scale) -> str:
    return "yes/no" if scale.is_yes_no else f"{scale.choices[0]} to {scale.choices[-1]}"


def _says(rating: Rating | None, name: str, criterion: Criterion | None) -> bool:
    """Whether a rating has a value for a criterion, or for the whole."""
    if rating is None:
        return False
    return criterion.name in rating.criteria if criterion else getattr(rating, WHOLE[name]) is not None


def _with_whole(rating: Rating, name: str, raw: RawRating, reading: Reading) -> Rating | None:
    """A rating with an overall decision or score from 0 to 1 added; None, and counted, if it is neither."""
    decision, score = reading.decision(raw.value), number(reading.meant(raw.value))
    if name == "pass" and decision is not None:
        return replace(rating, passed=decision)
    if name == "overall" and score is not None and 0 <= score <= 1:
        return replace(rating, overall=score)
    reading.lose(f"values {shown(raw.value)} of {raw.metric!r}, which are no {name}")
    return None


def _rated(raw: RawRating, criterion: Criterion, reading: Reading) -> Rated | None:
    """A raw rating as a level of a criterion, or as why there is none; None, and counted, if it isn't a level."""
    value = raw.value
    if value is None or value == "" or (isinstance(value, float) and not math.isfinite(value)):
        declined = "abstained" if raw.kind in PEOPLE else "unread"
        return Rated(None, raw.reason or "no value", declined=declined)
    if isinstance(value, str) and value.strip().casefold() in NOT_APPLICABLE:
        return Rated(None, raw.reason, declined="not applicable")
    return reading.level(criterion, value, reason=raw.reason)


def _found(lost: Mapping[str, int]) -> str:
    return "; found " + "; ".join(f"{count} {what}" for what, count in [*lost.items()][:5]) if lost else ""


def _inputs(given: Any) -> dict[str, Any]:
    """Inputs by name; the one that holds the question becomes `query`."""
    if given is None or given == "":
        return {}
    if not isinstance(given, Mapping):
        return {"query": given}
    asks = next((key for name in QUERY for key in given if plain(str(key)) == name), None)
    return {("query" if key == asks else str(key)): value for key, value in given.items()}
