"""The content of an export's files: responses, and the values that raters gave; everything dropped is counted."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, UsageError, suggestion
from markscheme.features.other_tools.metric_values import (
    NOT_COMPARABLE,
    RawRating,
    has_marks_against_numbers,
    has_two_sides,
    has_words,
    refuse_unnamed,
    scale_and_levels,
    with_one_form,
)
from markscheme.json_text import json_or
from markscheme.options.settings import find_settings
from markscheme.phrases import few_of
from markscheme.plain_data import shown
from markscheme.prompts.submission import Submission, is_missing, text_in_file
from markscheme.ratings.column_options import SCALE_SIDES, Span
from markscheme.ratings.example_rows import Example
from markscheme.ratings.kinds import JUDGES, PEOPLE, Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.readers.imported import Columns, Import, ImportedFile, number, plain, taken_out
from markscheme.readers.infer_rubric import scale_between
from markscheme.readers.remarks import QUERY, Remark
from markscheme.readers.tables import FIELDS
from markscheme.readers.tabular.words import NOT_APPLICABLE, folded
from markscheme.readers.value_kinds import scale_options, scales_that_differ
from markscheme.rubrics.inputs import STEPPED
from markscheme.rubrics.rubric import YES_NO, Criterion, Rubric, Scale

WHOLE_RESPONSE = {"pass": "passed", "overall": "overall"}
"""Names to which the user may map a metric that rates the whole response, each with the field of a rating that stores
the metric's values."""
SHOWN_IDS = 3
"""Largest number of ids or values that a note lists."""


class Fields:
    """A record of another tool's export, which counts the fields that the code reading it doesn't take as lost.

    Args:
        record: The record.
        content: The collector that counts lost fields.
        name: The kind of record, in the singular.
        skipped: Fields without information on a response or a rating, such as the tool's own ids.
    """

    def __init__(self, record: Any, content: "ToolContent", name: str, skipped: Iterable[str] = ()) -> None:
        self.content = content
        self.of_record = f"of {'an' if name[0] in 'aeiou' else 'a'} {name}"
        self.is_record = isinstance(record, Mapping)
        if not self.is_record:
            content.lose(f"{name}s that aren't objects, such as {shown(record)}")
        self._left = {key: value for key, value in record.items() if key not in set(skipped)} if self.is_record else {}

    def take(self, path: str) -> Any:
        """Take the value at a path such as `outer.inner`, which then isn't counted as lost; None if there is none."""
        if path in self._left or "." not in path:
            return self._left.pop(path, None)
        self._left, value = taken_out(self._left, path)
        return value

    def text(self, *paths: str) -> str:
        """Take the first single value at these paths, as text; "" if there is none.

        Lists and objects aren't single values; empty texts are passed over.
        """
        single = [path for path in paths if not isinstance(self._left.get(path), Mapping | list)]
        texts = [str(value) for path in single if (value := self.take(path)) is not None and str(value).strip()]
        return texts[0] if texts else ""

    def items(self, path: str) -> list[Any]:
        """Take the list at a path; if there is something else, count it as lost and return []."""
        value = self.take(path)
        if isinstance(value, list):
            return value
        if value is not None:
            self.content.lose(f"{path!r} {self.of_record} that isn't a list")
        return []

    def skip(self, *paths: str) -> None:
        """Mark values as taken, so that they don't count as lost: they say nothing about a response or a rating.

        Args:
            paths: The paths of the values.
        """
        for path in paths:
            self.take(path)

    def has(self, key: str) -> bool:
        """Return True if a key has a non-empty value that the reader hasn't taken yet."""
        return self._left.get(key) not in (None, "", {}, [])

    def close(self) -> None:
        """Count as lost all fields that the reader hasn't taken."""
        for path in _leaves(self._left):
            self.content.lose(f"{path!r} {self.of_record}")


def _leaves(value: Any, path: str | None = None) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif value is not None and value not in ("", "{}", "[]") and value != []:
        yield path or ""


@dataclass
class ToolContent(Import):
    """Collector of responses, ratings and comments while the files of another tool's export are read.

    Attributes:
        rubric: The rubric that the metrics belong to; None to infer one.
        raw_ratings: The values that raters gave.
        responses: The responses, by id; a later response with the same id counts as lost.
        scales: Lowest and highest value of each metric for which the files state them, by the metric's name.
        remarks: Comments that don't belong to a rating.
        for_remarks: True if only remarks are wanted, so that an export without ratings is accepted.
        for_responses: True if only responses are wanted, so that an export without ratings is accepted.
        not_rated: Counts of contents that were read as remarks, and that count as lost if only ratings are kept.
    """

    rubric: Rubric | None = None
    raw_ratings: list[RawRating] = field(default_factory=list)
    responses: dict[str, Example] = field(default_factory=dict)
    scales: dict[str, tuple[float, float]] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    for_remarks: bool = False
    for_responses: bool = False
    not_rated: Counter[str] = field(default_factory=Counter)

    @property
    def needs_ratings(self) -> bool:
        """True if the caller wants ratings, so that an export without ratings is an error."""
        return not (self.for_remarks or self.for_responses)

    def remark(self, remark: Remark, *, lost: str | None = None) -> None:
        """Add a comment that belongs to no rating.

        Args:
            remark: The comment.
            lost: Name under which the comment counts as lost if the command stores only ratings; None if it doesn't
                count as lost.
        """
        self.remarks.append(remark)
        if lost is not None:
            self.lose(lost)
            self.not_rated[lost] += 1

    @property
    def every_remark(self) -> list[Remark]:
        """All comments: those that belong to no rating, then those that came with ratings."""
        of_ratings = (Remark(raw.unit, raw.comment, raw.rater, raw.kind, raw.at) for raw in self.raw_ratings)
        return [*self.remarks, *of_ratings]

    @property
    def lost_as_remarks(self) -> Counter[str]:
        """Counts, by description, of the file's contents that are lost even if its comments are kept as remarks."""
        return self.lost - self.not_rated

    def respond(self, unit: str, response: Any, inputs: Any = None, **more: Any) -> None:
        """Add a response under its id, with its inputs.

        Args:
            unit: The response's id.
            response: The response as it is in the file; an object with one key counts as the value of that key.
            inputs: The query, as a text, or an object of inputs.
            more: Further inputs by name.
        """
        if isinstance(response, Mapping) and len(response) == 1:
            response = next(iter(response.values()))
        if not unit or is_missing(response):
            self.lose("responses without an id" if not unit else "records without a response")
        elif unit in self.responses:
            self.lose("second responses of the same id")
        else:
            values = {**_inputs(inputs), **more}
            texts = {
                name: self._judged(value, f"input {name!r}") for name, value in values.items() if not is_missing(value)
            }
            self.responses[unit] = Example(Submission(self._judged(response), texts, unit))

    def _judged(self, value: Any, name: str = "the response") -> str:
        """Return a response or an input as text, with its images and documents loaded from files.

        The files may be named in the export or lie next to it.
        """
        return text_in_file(value, name, self.path.parent, self.lost.update)

    def steps(self, name: str, recorded: Any, *, beyond: int) -> dict[str, Any]:
        """Return an agent's steps under the name of the input that takes them; {} without any.

        If the rubric declares an input for steps, it takes them. Otherwise they are returned only if they are more than
        `beyond`, since a few messages are no agent's steps.

        Args:
            name: Name of the input if the rubric declares none for steps, such as "messages".
            recorded: Messages or spans.
            beyond: Largest number of messages or spans of a response that no agent made.
        """
        declared = [
            name_of_input
            for name_of_input in ((*(self.rubric.inputs or ()), *self.rubric.optional_inputs) if self.rubric else ())
            if name_of_input in STEPPED
        ]
        if recorded is not None and not isinstance(recorded, list):
            self.lose(f"{name} that aren't a list")
        is_more = isinstance(recorded, list) and len(recorded) > beyond
        taken_by = next((candidate for candidate in (name, *declared) if candidate in declared), name)
        return {taken_by: recorded} if recorded and (declared or is_more) else {}

    def rate(self, raw: RawRating) -> None:
        """Add a rater's value as a raw rating; if the value is an object, add each entry as a metric of its own."""
        if not raw.unit or not raw.metric:
            self.lose("ratings that name no response or no metric")
        elif isinstance(raw.value, Mapping) and raw.value:
            for key, inner in raw.value.items():
                self.rate(replace(raw, metric=f"{raw.metric}.{key}", value=inner))
        else:
            self.raw_ratings.append(raw)

    def rate_metadata(self, unit: str, fields: Fields) -> None:
        """Add the values in a record's metadata as raw ratings, for each key that the caller maps to a metric.

        Args:
            unit: Id of the response that the record is about.
            fields: The record's fields.
        """
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
        """Make a rubric with a criterion for each metric of the export, whose values become its levels.

        Raises:
            UsageError: The words of a metric may mean several things.
            RatingError: No metric has levels.
        """
        criteria: list[Criterion] = []
        read: list[RawRating] = []
        for name, metric in self._by_metric(self.raw_ratings).items():
            scale, metric = self._scale_of(name, metric)
            read += metric
            if scale is None:
                words = ", ".join(sorted({shown(raw.value) for raw in metric if raw.value is not None})[:SHOWN_IDS])
                self.note(f"{name!r} has no levels ({words or 'no values'}); --levels WORD=LEVEL gives words theirs")
            else:
                criteria.append(Criterion(1.0, name, name, scale))
        if not criteria:
            raise RatingError(f"rates nothing on levels{_counts_of_lost(self.lost)}", path=self.path)
        self.raw_ratings = read
        became = ", ".join(f"{criterion.name} ({_ends(criterion.scale)})" for criterion in criteria)
        self.note(f"metrics became criteria, on the scales of their values: {became}; a rubric states its own")
        return Rubric(tuple(criteria), name=self.path.stem)

    def _by_metric(self, raw_ratings: Iterable[RawRating]) -> dict[str, list[RawRating]]:
        """Group raw ratings by the criterion to which their metric is mapped."""
        by_metric: dict[str, list[RawRating]] = {}
        for raw in raw_ratings:
            by_metric.setdefault(self._criterion_of(raw.metric), []).append(raw)
        return by_metric

    def _scale_of(self, name: str, metric: Sequence[RawRating]) -> tuple[Scale | None, list[RawRating]]:
        """Return a metric's scale (None if no value is a level), and its ratings with words replaced by their levels.

        Args:
            name: Name of the metric.
            metric: Its ratings.

        Raises:
            UsageError: The metric's words may mean several things, and both people and judges rated it.
        """
        values = [self.meant(raw.value) for raw in metric]
        if name in self.scales or (not has_words(values) and not has_marks_against_numbers(metric)):
            return _scale([raw.value for raw in metric], self, self.scales.get(name)), list(metric)
        meant = [replace(raw, value=value) for raw, value in zip(metric, values, strict=True)]
        try:
            return scale_and_levels(meant, self.columns.meaning)
        except UsageError as problem:
            if problem.code not in NOT_COMPARABLE and has_two_sides(metric):
                raise
            return None, list(metric)

    def reading(self) -> ImportedFile:
        """Return the examples, and each rater's ratings by the given rubric or an inferred one.

        Raises:
            RatingError: Neither the files nor the caller say who rated, or the files have no id in common.
            UsageError: People without names rated one response differently, or values may mean several things.
        """
        if self.columns.rater is None:
            refuse_unnamed(replace(raw, kind=raw.kind or self.columns.kind) for raw in self.raw_ratings)
        raw_ratings = [self._attributed(raw) for raw in self.raw_ratings]
        self._refuse_unknown(raw_ratings)
        self._refuse_unknown_metrics()
        self._compare_ids()
        raw_ratings = self._in_one_form(raw_ratings)
        self.raw_ratings = self._on_one_scale(raw_ratings)
        rubric = self.rubric or self.inferred_rubric()
        columns = Columns(words=self.columns.words)
        reading = ImportedFile(self.path, rubric, self.responses, columns=columns, lost=self.lost, notes=self.notes)
        ratings: dict[tuple[str, str, Kind, int], Rating] = {}
        for raw in sorted(self.raw_ratings, key=lambda raw: raw.at or ""):
            self._put(ratings, raw, reading)
        reading.ratings += ratings.values()
        return reading

    def _refuse_unknown_metrics(self) -> None:
        """Refuse a `--map` of a metric that no rating has; fields and `metadata.KEY` aren't metrics.

        Raises:
            RatingError: No rating has the metric; the message names it and the nearest one.
        """
        metrics = dict.fromkeys(raw.metric for raw in self.raw_ratings)
        in_file = find_settings(Path.cwd()).texts("map")  # of every export of the project
        for column, meaning in self.columns.fields.items():
            is_of_response = meaning in FIELDS or column.startswith("metadata.")
            is_said_of_it = not is_of_response and f"{column}={meaning}" not in in_file
            if metrics and column not in metrics and is_said_of_it:
                hint = suggestion(column, metrics, mark="`") or f"; there are {', '.join(metrics)}"
                raise RatingError(f"`--map {column}={meaning}`: there is no metric {column!r}{hint}", path=self.path)

    def _in_one_form(self, raw_ratings: Sequence[RawRating]) -> list[RawRating]:
        """Convert each metric's ratings to a common form: all numbers, or all words."""
        scales = {} if self.rubric is None else {criterion.name: criterion.scale for criterion in self.rubric.criteria}
        in_form: list[RawRating] = []
        for name, metric in self._by_metric(raw_ratings).items():
            scale = scales.get(name)
            named = [] if scale is None else [raw.word for raw in metric if raw.word and scale.named(raw.word)]
            in_form += with_one_form(metric, [*self.columns.words, *named])
        return in_form

    def _criterion_of(self, metric: str) -> str:
        return self.columns.fields.get(metric, metric)

    def _attributed(self, raw: RawRating) -> RawRating:
        rater = raw.rater or self.columns.rater or ""
        kind = "model" if rater in self.columns.judges else raw.kind or self.columns.kind
        return replace(raw, rater=rater or ("judge" if kind == "model" else kind or ""), kind=kind)

    def _on_one_scale(self, raw_ratings: Sequence[RawRating]) -> list[RawRating]:
        """Convert judges' and people's numbers for a metric to one scale where their scales differ.

        Raises:
            UsageError: A judge's numbers and people's can't be on one scale, and no scale is named.
        """
        numbers: dict[str, dict[str, list[float]]] = {}
        for raw in raw_ratings:
            level = number(self.meant(raw.value))
            if level is not None:
                side = "judge" if raw.kind in JUDGES else "human"
                numbers.setdefault(self._criterion_of(raw.metric), {}).setdefault(side, []).append(level)
        differ = [name for name, sides in numbers.items() if len(sides) == len(SCALE_SIDES) and _differ(sides)]
        for name in differ:
            sides = {side: numbers[name][side] for side in SCALE_SIDES}
            if not set(SCALE_SIDES) <= self.columns.scales.keys():
                ranges = " against ".join(f"{min(values):g} to {max(values):g}" for values in sides.values())
                raise UsageError(
                    f"{name!r}: judge and people are on different scales, {ranges}; name both: {scale_options(sides)}"
                )
            by_name = {} if self.rubric is None else {rated.name: rated for rated in self.rubric.criteria}
            criterion = by_name.get(name)
            if criterion is None:
                self.scales[name] = (0.0, 1.0)
            ends = criterion.scale.ends if criterion is not None else (0.0, 1.0)
            raw_ratings = [
                self._rescaled(raw, ends) if self._criterion_of(raw.metric) == name else raw for raw in raw_ratings
            ]
        return list(raw_ratings)

    def _rescaled(self, raw: RawRating, ends: Span) -> RawRating:
        """Convert a rating's number from its rater's scale to the same relative position between two given ends."""
        level = number(self.meant(raw.value))
        if level is None:
            return raw
        low, high = self.columns.scales["judge" if raw.kind in JUDGES else "human"]
        if not low <= level <= high:
            raise UsageError(
                f"{raw.metric!r} of {raw.unit}: {level:g} isn't on the scale {low:g} to {high:g} of --scale"
            )
        return replace(raw, value=ends[0] + (level - low) / (high - low) * (ends[1] - ends[0]))

    def _refuse_unknown(self, raw_ratings: Sequence[RawRating]) -> None:
        unknown = Counter((raw.rater, raw.metric) for raw in raw_ratings if raw.kind is None)
        if unknown:
            unknown_raters = "; ".join(
                f"{count} of {metric!r} by {rater or 'no named rater'}" for (rater, metric), count in unknown.items()
            )
            raise RatingError(
                f"doesn't say whether a person, a judge or code gave these ratings: {unknown_raters}. "
                "Pass `--kind human`, model or code; name judges with `--judge-names`",
                path=self.path,
            )

    def _compare_ids(self) -> None:
        """Note rated ids without a response, and responses without a rating; refuse the export if no id has both."""
        rated = dict.fromkeys(raw.unit for raw in self.raw_ratings)
        if not self.responses:
            self.note("the files contain no responses: pass the export that does, too, to write examples")
        if not self.responses or not rated:
            return
        alone = [unit for unit in rated if unit not in self.responses]
        unrated = [unit for unit in self.responses if unit not in rated]
        sentences = [
            f"{len(ids)} {name}: {few_of(ids, SHOWN_IDS)}"
            for name, ids in (("rated ids without a response", alone), ("responses without a rating", unrated))
            if ids
        ]
        if len(alone) == len(rated):
            raise RatingError(f"no rating joins a response. There are {'; '.join(sentences)}", path=self.path)
        for sentence in sentences:
            self.note(sentence)

    def _put(self, ratings: dict[tuple[str, str, Kind, int], Rating], raw: RawRating, reading: ImportedFile) -> None:
        """Add a raw rating to the ratings that its rater gave the response.

        If an annotator rated the same thing before, the new value replaces the earlier one. A judge's new value counts
        as a further run.

        Args:
            ratings: The ratings so far, by response, rater, kind and sample; the rating is added to them.
            raw: The rating as the export has it.
            reading: The file's content, with the rubric.
        """
        name = self._criterion_of(raw.metric)
        criterion = reading.criterion(name)
        if raw.kind is None or (criterion is None and name not in WHOLE_RESPONSE):
            criteria = ", ".join(criterion_of_rubric.name for criterion_of_rubric in reading.rubric.criteria)
            self.lose(f"ratings of {name!r}, which isn't a criterion of {criteria}")
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
        notes = dict.fromkeys(text for text in (before.note, raw.note, None if criterion else raw.reason) if text)
        ratings[key] = replace(
            after, at=max(before.at, raw.at or ""), blind=before.blind and raw.blind, note="\n".join(notes) or None
        )


def _differ(sides: Mapping[str, Sequence[float]]) -> bool:
    return scales_that_differ(sides["judge"], sides["human"])


def _scale(values: Iterable[Any], content: ToolContent, stated: tuple[float, float] | None) -> Scale | None:
    """Return the stated scale, else one that fits the values, such as yes/no or 0 to 1; None if no value is a level.

    Args:
        values: The values of all ratings of one metric.
        content: The export, whose options say what words mean.
        stated: Ends of the scale that the user or the tool states; None without a stated scale.
    """
    if stated is not None:
        return scale_between(*stated)
    stated_values = [value for value in values if value not in (None, "")]
    decisions = [value for value in stated_values if content.decision(value) is not None]
    numbers = [level for value in stated_values if (level := number(content.meant(value))) is not None]
    if decisions and all(level in (0.0, 1.0) for level in numbers):
        return YES_NO
    if not numbers:
        return None
    low = min(numbers)
    high = max(numbers)
    return scale_between(0, 1) if low >= 0 and high <= 1 else scale_between(low, high)


def _ends(scale: Scale) -> str:
    if scale.coded:
        return f"{len(scale.levels)} categories"
    return "yes/no" if scale.is_yes_no else f"{scale.choices[0]} to {scale.choices[-1]}"


def _says(rating: Rating | None, name: str, criterion: Criterion | None) -> bool:
    """Return True if a rating has a value for a criterion or, if `criterion` is None, for the whole response.

    Args:
        rating: The rating; None has no value.
        name: For the whole response, which value is meant: "pass" for the decision, "overall" for the score.
        criterion: The criterion; None for the whole response.
    """
    if rating is None:
        return False
    return criterion.name in rating.criteria if criterion else getattr(rating, WHOLE_RESPONSE[name]) is not None


def _with_whole(rating: Rating, name: str, raw: RawRating, reading: ImportedFile) -> Rating | None:
    """Return a rating with a decision or score on the whole response added; None if the value fits neither.

    Args:
        rating: The rating so far.
        name: What the value is: "pass" for a decision, "overall" for a score from 0 to 1.
        raw: The value, with its metric.
        reading: The file's content, in which a value that doesn't fit is counted as lost.
    """
    decision = reading.decision(raw.value)
    score = number(reading.meant(raw.value))
    if name == "pass" and decision is not None:
        return replace(rating, passed=decision)
    if name == "overall" and score is not None and 0 <= score <= 1:
        return replace(rating, overall=score)
    reading.lose(f"values {shown(raw.value)} of {raw.metric!r}, which don't fit {name!r}")
    return None


def _rated(raw: RawRating, criterion: Criterion, reading: ImportedFile) -> Rated | None:
    """Return a raw rating as a level of the criterion or an abstention; None, counted as lost, for any other value."""
    value = raw.value
    if value is None or value == "" or (isinstance(value, float) and not math.isfinite(value)):
        return Rated(None, raw.reason or "no value", declined="abstained" if raw.kind in PEOPLE else "unread")
    if isinstance(value, str) and folded(value) in NOT_APPLICABLE:
        return Rated(None, raw.reason or "", declined="not applicable")
    return reading.level(criterion, value, reason=raw.reason or "")


def _counts_of_lost(lost: Mapping[str, int]) -> str:
    return "; found " + "; ".join(f"{count} {name}" for name, count in [*lost.items()][:5]) if lost else ""


def _inputs(inputs: Any) -> dict[str, Any]:
    """Return inputs by name; a single value, and the input that holds the question, are named `query`."""
    if inputs is None or inputs == "":
        return {}
    if not isinstance(inputs, Mapping):
        return {"query": inputs}
    asks = next((key for name in QUERY for key in inputs if plain(str(key)) == name), None)
    return {("query" if key == asks else str(key)): value for key, value in inputs.items()}


def decoded(value: Any) -> Any:
    """Parse a text as JSON; return any other value, or invalid JSON, unchanged."""
    if not isinstance(value, str) or not value.strip():
        return value
    return json_or(value, value)
