"""Rating, the one record for a label, a judge's verdict or feedback from a viewer, and reading of files of ratings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from sys import intern
from typing import Any, Final, Literal, TypeAlias, get_args

from markscheme.errors import Fault, RatingError
from markscheme.fingerprint import fingerprint
from markscheme.numerals import finite
from markscheme.plain_data import shown
from markscheme.prompts.submission import refuse_frame
from markscheme.ratings.kinds import KINDS, PEOPLE, Kind
from markscheme.ratings.program_rows import rating_cells
from markscheme.rubrics.distribution import Probabilities, as_written, most_probable, read_distribution
from markscheme.rubrics.preference import SHOWN_ORDERS, ShownOrder
from markscheme.rubrics.rubric import Criterion, Rubric, Scale

EMPTY_MAPPING: Final[Mapping[str, Any]] = {}
"""An empty mapping that most ratings and examples share as a rare attribute, since a set may have millions of them."""
Declined: TypeAlias = Literal["abstained", "unread", "not applicable"]
"""Reasons why an answer has no level: the rater couldn't tell, it couldn't be read, or the criterion doesn't apply."""
DECLINED_KEYS: Final[Mapping[str, Declined]] = {word.replace(" ", "_"): word for word in get_args(Declined)}
"""Keys that a file of ratings may have instead of a level, in order of precedence, with the reason for the missing
level."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A rater's answer on one criterion: a level, or the reason why there is none.

    Attributes:
        level: A value on the criterion's scale; None if the rater gave none.
        reason: The rater's reason; "" without one.
        quote: The passage that supports the level; None without one.
        quote_found: True if the quote is in the material; None without one, and for one too short to check.
        declined: The reason why there is no level; None if there is a level, or if the rater wasn't asked.
        under: Fingerprint of the criterion as the rater saw it; "" if unknown.
        quote_in: Name of the text with the quote: `response` or an input; None if no text has it.
        label: Name of a category that has no value, which files have in place of a level; None for other levels.
        probabilities: For each level of the scale, a pair of the level's name in an answer, such as "MET", and the
            rater's probability of the level; () if unknown.
    """

    level: float | None
    reason: str = ""
    quote: str | None = None
    quote_found: bool | None = None
    declined: Declined | None = None
    under: str = ""
    quote_in: str | None = None
    label: str | None = None
    probabilities: tuple[tuple[str, float], ...] = ()

    @property
    def distribution(self) -> Probabilities:
        """The rater's probability of each level, in the order of the scale."""
        return tuple(p for _, p in self.probabilities)

    def to_json(self) -> dict[str, Any]:
        """Return the answer as plain data, in the form of a file of ratings."""
        if self.level is None:
            data: dict[str, Any] = {(self.declined or "abstained").replace(" ", "_"): self.reason}
        else:
            data = {
                "level": self.label or self.level,
                "reason": self.reason,
                "quote": self.quote,
                "quote_found": self.quote_found,
            }
            data |= {"quote_in": self.quote_in} if self.quote_in else {}
            data |= {"probabilities": dict(self.probabilities)} if self.probabilities else {}
        return {**data, "under": self.under} if self.under else data


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's answers about one submission, given at one time.

    Attributes:
        id: Id of the submission.
        rater: Name of the annotator or judge.
        kind: Kind of rater: a person, construction, a model or code.
        criteria: The answer on each criterion, by name.
        overall: The overall score, 0 to 1; None if none was given.
        passed: The overall decision, True for pass; None if none was given.
        whole_under: Fingerprint of the question about the whole response that the rater answered; None if it wasn't
            asked, or if no file says so. If it was asked and `passed` is None, the rater couldn't tell.
        sample: Number of the sample, from 0, if the rater was asked several times.
        error: The reason why there is no rating at all; None if there is a rating.
        at: The day on which the rating was given, as written; "" if unknown.
        under: Fingerprint of the words of all criteria as asked; "" if unknown.
        blind: False if the rating was given with the judge's verdict visible.
        note: The rater's comment; None without one.
        confidence: Confidence of the rater, as written; None if unknown.
        seconds: Time that the rater took; None if unknown.
        superseded: Earlier answers of the rater, by criterion, that were given under another wording and replaced by
            the present answers.
        shown: For a pair, the order in which the rater saw the two responses; None if unknown. Levels are always for
            the stored order.
        asked_without: For a judge, the different sets of parameters that its requests left out, since its server didn't
            take them; () if none left out any, or if that isn't known.
    """

    id: str
    rater: str
    kind: Kind
    criteria: Mapping[str, Rated] = field(default_factory=dict)
    overall: float | None = None
    passed: bool | None = None
    sample: int = 0
    error: str | None = None
    at: str = ""
    under: str = ""
    blind: bool = True
    note: str | None = None
    confidence: str | None = None
    seconds: float | None = None
    superseded: Mapping[str, Rated] = field(default_factory=lambda: EMPTY_MAPPING)
    shown: ShownOrder | None = None
    asked_without: tuple[tuple[str, ...], ...] = ()
    whole_under: str | None = None

    @property
    def answers_whole(self) -> bool:
        """True if the rater answered the question about the whole response, even with "can't tell"."""
        return self.passed is not None or self.whole_under is not None

    @property
    def why_empty(self) -> str:
        """Reason why the rating has no level, score or decision: the error, or what the rater answered instead."""
        if self.error is not None:
            return self.error
        declined = (f"{name}: {rated.declined or 'no level'} ({rated.reason})" for name, rated in self.criteria.items())
        return next(declined, "neither a level, a score nor a decision")

    def to_json(self) -> dict[str, Any]:
        """Return the rating as a line of a file of ratings."""
        line: dict[str, Any] = {"id": self.id, "rater": self.rater, "kind": self.kind, "sample": self.sample}
        line["criteria"] = {name: rated.to_json() for name, rated in self.criteria.items()}
        line |= {"overall": self.overall, "error": self.error, "at": self.at, "under": self.under, "blind": self.blind}
        if self.passed is not None:
            line["pass"] = self.passed
        line |= {key: value for key in ("note", "confidence", "shown", "whole_under") if (value := getattr(self, key))}
        if any(self.asked_without):
            line["asked_without"] = [list(left_out) for left_out in self.asked_without]
        return line if self.seconds is None else {**line, "seconds": self.seconds}


def asked_under(rubric: Rubric) -> str:
    """Return a digest of what raters see of the criteria: names, wordings and scales."""
    return fingerprint([[criterion.name, criterion.wording] for criterion in rubric.criteria])


def given_to_current_words(rating: Rating, rubric: Rubric) -> Rating:
    """Return a person's rating marked as given to the rubric's current wording; a judge's rating unchanged."""
    if rating.kind not in PEOPLE:
        return rating
    criteria = {name: replace(rated, under=rubric.criterion(name).wording) for name, rated in rating.criteria.items()}
    return replace(rating, criteria=criteria, under=asked_under(rubric))


def is_asked(under: str, rubric: Rubric) -> bool:
    """Return True if a rating was given under this rubric's wording, as its stored digest says.

    Args:
        under: The digest that is stored with the rating; "" if it is unknown, which counts as belonging.
        rubric: The rubric with its current wording.
    """
    return under == "" or under in _asked_under_any(rubric)


@lru_cache(maxsize=16)
def _asked_under_any(rubric: Rubric) -> tuple[str, str]:
    """Return both digests of a rubric's current wording by which a label may record the wording it was given under.

    The first covers the criteria's words and scales alone, the second also everything else in the criteria.
    """
    exact = fingerprint([[criterion.name, criterion.fingerprint] for criterion in rubric.criteria])
    return asked_under(rubric), exact


def is_stale(label: Rating, criterion: Criterion, rubric: Rubric) -> bool:
    """Return True if a label of a criterion was given under another wording than the current one."""
    under = label.criteria[criterion.name].under
    return not criterion.is_worded(under) if under else not is_asked(label.under, rubric)


# --- reading --------------------------------------------------------------------------------------------------------


def ratings_from(
    rows: Iterable[Rating | Mapping[str, Any]], rubric: Rubric, *, kind: Kind = "model", rater: str | None = None
) -> list[Rating]:
    """Read ratings from objects in memory.

    Args:
        rows: Ratings, or objects in the form of lines of a file of ratings.
        rubric: The rubric, whose criteria and scales decide which ratings are valid.
        kind: The kind of rater for rows that name none.
        rater: The rater of rows that name none; None if each row must name one.

    Raises:
        RatingError: Rows are invalid; the error lists all of them, each with its position from 1.
        UsageError: A data frame was passed instead of its rows.
    """
    refuse_frame(rows)
    reader = RatingReader(rubric, keep_unread=True)
    ratings: list[Rating] = []
    faults: list[Fault] = []
    for ordinal, row in enumerate(rows, start=1):
        try:
            line = row.to_json() if isinstance(row, Rating) else rating_cells(row)
            is_named = line.get("rater") or line.get("judge") or not rater
            ratings.append(reader.rating(line if is_named else {**line, "rater": rater}, kind=kind))
        except ValueError as error:
            faults.append(Fault(str(error), ordinal))
    if faults:
        raise RatingError(faults, path="ratings")
    return ratings


def corrected(earlier: Rating, later: Rating) -> Rating:
    """Merge a rater's earlier and later ratings of one submission; the later answers count.

    Each answer belongs to the wording under which it was given: a later rating after a rewording keeps the earlier
    answers to other criteria, and records the answers that it replaces as superseded. A decision about the whole
    response doesn't depend on any criterion's wording, so it stays until the rater decides again; an overall score
    given under another wording is dropped.
    """
    if not later.answers_whole:
        later = replace(later, passed=earlier.passed, whole_under=earlier.whole_under)
    if earlier.under == later.under:
        return replace(
            later,
            criteria={**earlier.criteria, **later.criteria},
            overall=earlier.overall if later.overall is None else later.overall,
            note=later.note or earlier.note,
            superseded={**earlier.superseded, **later.superseded},
        )
    before = {name: replace(rated, under=rated.under or earlier.under) for name, rated in earlier.criteria.items()}
    after = {name: rated.under or later.under for name, rated in later.criteria.items()}
    replaced = {name: rated for name, rated in before.items() if after.get(name, rated.under) != rated.under}
    return replace(
        later,
        criteria={**before, **later.criteria},
        note=later.note or earlier.note,
        superseded={**earlier.superseded, **replaced},
    )


PLAIN = (bool, int, float, str)
"""Types of an answer that consists only of a level."""


@dataclass(frozen=True)
class RatingReader:
    """Reader of ratings by a rubric; it refuses an invalid rating with a ValueError that says what is allowed.

    Attributes:
        rubric: The rubric, whose criteria and scales decide which ratings are valid.
        keep_unread: True if an invalid level or score makes a judge's rating an unreadable one.
    """

    rubric: Rubric
    keep_unread: bool = False

    @cached_property
    def _criteria(self) -> dict[str, Criterion]:
        return {criterion.name: criterion for criterion in self.rubric.criteria}

    @cached_property
    def _read_before(self) -> dict[tuple[str, type, Any], Rated]:
        """Cache of answers without a reason, by the criterion's name and by the value's type and value."""
        return {}

    def rating(self, line: Any, *, kind: Kind = "human", id: str | None = None) -> Rating:
        """Read the rating in a JSON object.

        Args:
            line: The object, in the form of a line of a file of ratings, or of a label inside an example.
            kind: The kind of rater, if the object doesn't name one.
            id: Id of the submission, if the object is a label inside its example.

        Raises:
            ValueError: The object isn't a rating.
        """
        if not isinstance(line, Mapping):
            raise ValueError(f"a rating is an object, found {shown(line)}")
        found_id = line.get("id", id)
        if found_id is None or found_id == "":
            raise ValueError("a rating names its example: `id` is missing")
        is_judge = not line.get("rater") and bool(line.get("judge"))
        said_kind = line.get("kind", "model" if is_judge else kind)
        if said_kind not in KINDS:
            raise ValueError(f"kind is one of {', '.join(KINDS)}; found {shown(said_kind)}")
        criteria = line.get("criteria") or {}
        if not isinstance(criteria, Mapping):
            raise ValueError(f"`criteria` is an object with an entry a criterion, found {shown(criteria)}")
        rater = line.get("rater") or line.get("judge") or "author"
        if isinstance(rater, Mapping | list):
            raise ValueError(f"a rater has a name, found {shown(rater)}")
        under = str(line.get("under") or "")
        keep_unread = self.keep_unread and said_kind not in PEOPLE
        overall, error = _overall(line, keep_unread=keep_unread)
        rated = {name: self._rated(name, raw, keep_unread=keep_unread) for name, raw in criteria.items()}
        return Rating(
            id=str(found_id),
            rater=intern(str(rater)),
            kind=said_kind,
            criteria={name: answer for name, answer in rated.items() if answer is not None},
            overall=overall,
            passed=_decision(line.get("pass")),
            sample=_count(line.get("sample", 0)),
            error=error,
            at=str(line.get("at") or ""),
            under=under,
            blind=line.get("blind", True) is not False,
            note=str(line.get("note") or "") or None,
            confidence=text_of(line.get("confidence")) or None,
            seconds=_duration(line.get("seconds")),
            shown=_shown_order(line.get("shown")),
            asked_without=_ways(line.get("asked_without")),
            whole_under=text_of(line.get("whole_under")) or None,
        )

    def _rated(self, name: str, raw: Any, *, keep_unread: bool) -> Rated | None:
        if name not in self._criteria:
            raise ValueError(
                f"rubric {self.rubric.name!r} has no criterion {name!r}; it has {', '.join(self._criteria)}"
            )
        plain = (name, type(raw), raw) if type(raw) in PLAIN else None
        if plain is not None and plain in self._read_before:
            return self._read_before[plain]
        try:
            answer = self._read_entry(name, raw)
            if plain is not None and answer is not None:
                self._read_before[plain] = answer
            return answer
        except ValueError as fault:
            if not keep_unread:
                raise
            return Rated(None, str(fault), declined="unread")

    def _read_entry(self, name: str, raw: Any) -> Rated | None:
        if raw is None:
            return None
        if not isinstance(raw, Mapping):
            level = level_on(self._criteria[name].scale, raw, name)
            return Rated(level, label=self._criteria[name].scale.label_of(level))
        for key, declined in DECLINED_KEYS.items():
            if key in raw:
                return Rated(None, str(raw[key] or ""), declined=declined, under=str(raw.get("under") or ""))
        criterion = self._criteria[name]
        probabilities = _probabilities(raw, criterion)
        if raw.get("level") is None and not probabilities:
            return None
        if raw.get("level") is None:
            level = most_probable(probabilities, criterion)
        else:
            level = level_on(criterion.scale, raw["level"], name)
        return Rated(
            level,
            reason=str(raw.get("reason") or ""),
            quote=raw.get("quote") if isinstance(raw.get("quote"), str) else None,
            quote_found=raw.get("quote_found") if isinstance(raw.get("quote_found"), bool) else None,
            under=str(raw.get("under") or ""),
            quote_in=str(raw.get("quote_in") or "") or None,
            label=criterion.scale.label_of(level),
            probabilities=by_choice(probabilities, criterion.scale),
        )


def _probabilities(raw: Mapping[str, Any], criterion: Criterion) -> Probabilities:
    """Read the probabilities in an answer, whose keys are levels' numbers or names; () if it has none.

    Raises:
        ValueError: There isn't one probability for each level, from 0 to 1, with a sum of about 1.
    """
    written = raw.get("probabilities")
    if written is None:
        return ()
    scale = criterion.scale
    try:
        if isinstance(written, Mapping):
            named = {choice: scale.named(str(choice)) for choice in written}
            written = {
                choice if (level := named[choice]) is None else scale.choices[scale.levels.index(level)]: p
                for choice, p in written.items()
            }
        return read_distribution(written, scale.choices)
    except ValueError as error:
        raise ValueError(f"{criterion.name}: {error}") from None


def by_choice(probabilities: Probabilities, scale: Scale) -> tuple[tuple[str, float], ...]:
    """Return pairs of each level's answer, such as "MET", and its probability; () if probabilities are unknown."""
    return tuple(as_written(probabilities, scale).items()) if probabilities else ()


def level_on(scale: Scale, value: Any, name: str) -> float:
    """Return the level of a scale that a value from a file means: a number, stars, `4/5`, a name or a truth value.

    A number between two levels is returned unchanged.

    Raises:
        ValueError: The number is outside the scale, or no level has the name.
    """
    if isinstance(value, bool):
        if scale.is_yes_no:
            return float(value)
    elif (converted := finite(value)) is not None:
        if min(scale.values) <= converted <= max(scale.values):
            return converted
    elif isinstance(value, str):
        level = scale.named(value)
        if (meant := scale.read_number(value) if level is None else level.value) is not None:
            return meant
    raise ValueError(f"{name}: {shown(value)} isn't a level of its scale: {scale.listed}")


def _overall(line: Mapping[str, Any], *, keep_unread: bool) -> tuple[float | None, str | None]:
    """Return the overall score in a line of ratings, and the error that the line states in place of a rating.

    Each is None if the line has none.

    Args:
        line: The line's data.
        keep_unread: True to return no score and an error if the score is invalid; False to raise ValueError.
    """
    error = None if line.get("error") is None else str(line["error"])
    overall = line.get("overall")
    if overall is None:
        return None, error
    if isinstance(overall, int | float) and not isinstance(overall, bool) and 0 <= overall <= 1:
        return float(overall), error
    fault = f"overall is a score from 0 to 1, found {shown(overall)}"
    if not keep_unread:
        raise ValueError(fault)
    return None, error or fault


def _ways(value: Any) -> tuple[tuple[str, ...], ...]:
    """Read `asked_without`: the sets of parameters that were left out of requests to the judge; () if there is none.

    Raises:
        ValueError: The value has another form.
    """
    if value in (None, ""):
        return ()
    if not isinstance(value, list) or not all(
        isinstance(left_out, list) and all(isinstance(name, str) for name in left_out) for left_out in value
    ):
        raise ValueError(f"asked_without is a list of lists of parameters, found {shown(value)}")
    return tuple(tuple(left_out) for left_out in value)


def _shown_order(value: Any) -> ShownOrder | None:
    if value is not None and value not in SHOWN_ORDERS:
        raise ValueError(f"shown is first-second or second-first, found {shown(value)}")
    order: ShownOrder | None = value
    return order


def _decision(value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise ValueError(f"pass is true or false, found {shown(value)}")


def text_of(value: Any) -> str:
    """Convert a value to text; None becomes ""."""
    return "" if value is None else str(value)


def _duration(value: Any) -> float | None:
    seconds = finite(value)
    if seconds is not None and seconds < 0:
        raise ValueError(f"seconds is a time from 0, found {shown(value)}")
    return seconds


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"sample is a whole number from 0, found {shown(value)}")
    return value
