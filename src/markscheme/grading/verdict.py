"""Read a judge's reply: for each criterion a Verdict, or the reason why there is none.

An abstention, a criterion that does not apply and an unreadable reply are three different outcomes, and none of them
is a level.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from markscheme.json_text import no_constant
from markscheme.judges.judge import Reply
from markscheme.plain_data import shown
from markscheme.prompts.material import Material
from markscheme.prompts.prompt import NOTHING_TO_QUOTE, PLACE_QUOTES, choices, decision_options
from markscheme.prompts.submission import PAIR_NAMES
from markscheme.rubrics.distribution import (
    Probabilities,
    mean_distribution,
    mean_level,
    most_probable,
    read_distribution,
    shown_with_probability,
)
from markscheme.rubrics.rubric import CANNOT_JUDGE, DOES_NOT_APPLY, Criterion, Level, Scale
from markscheme.text import encodable

RAW_LENGTH = 2_000
"""Largest number of characters of an unreadable reply that are kept."""
LONGEST_READ = 200_000
"""Largest number of characters of a reply that is searched for an answer; a longer reply is not read."""
ONLY_REPEATS = "the reply only repeats an answer that the material contains"
REFUSED_QUESTION = "the model declined to answer this question"
MOST_DOUBT = 0.01
"""Largest probability that may be ambiguous between levels for an expected level to be computed."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's rating of one criterion.

    Attributes:
        criterion: Name of the criterion.
        level: A value on the criterion's scale; between two levels if several verdicts were combined so.
        reason: The reason in the judge's words; None if it gave none.
        quote: The passage that the verdict is based on; None if there was nothing to quote.
        quote_found: True if the quote is in the material; None without a quote, and for one too short to check.
        votes: The levels of the single verdicts that this one combines; empty for a single verdict.
        quote_in: Name of the text that contains the quote: `response`, an input or `step 4`; None if none does.
        other_quote: For a pair, the passage from the response that isn't preferred; for a tie, the passage from the
            second response.
        step: Number of the step that the verdict cites; None if it cites none. A quote that isn't in this step counts
            as not found.
        probabilities: The judge's probability of each level, in the scale's order; () if unknown.
    """

    criterion: str
    level: float
    reason: str | None = None
    quote: str | None = None
    quote_found: bool | None = None
    votes: tuple[float, ...] = ()
    quote_in: str | None = None
    step: int | None = None
    probabilities: Probabilities = ()
    other_quote: str | None = None

    def in_words(self, scale: Scale) -> str:
        """Write the level and its reason; for a decision model, which gives no reason, the level and its probability.

        Example:
            >>> from markscheme.rubrics.rubric import YES_NO
            >>> Verdict("tone", 1.0, "Polite.").in_words(YES_NO)
            'MET: Polite.'
            >>> Verdict("tone", 1.0, probabilities=(0.07, 0.93)).in_words(YES_NO)
            'MET .93'
        """
        if self.reason:
            return f"{scale.called(self.level)}: {self.reason}"
        if not self.probabilities:
            return scale.called(self.level)
        return shown_with_probability(self.level, self.probabilities, scale)


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """Outcome for a criterion that doesn't apply to a response and is therefore left out of the score."""

    criterion: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Abstention:
    """Outcome of a criterion for which the judge declined to choose a level."""

    criterion: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """Outcome of a reply in which no verdict could be read.

    Attributes:
        criterion: Name of the criterion.
        why: The fault of the reply.
        raw: The first RAW_LENGTH characters of the reply; None if it has no text.
    """

    criterion: str
    why: str
    raw: str | None = None


Outcome = Verdict | NotApplicable | Abstention | Unread


@dataclass(frozen=True, slots=True)
class Holistic:
    """Score for the whole response, 0 to 100."""

    score: float
    reason: str | None = None
    quote: str | None = None
    quote_found: bool | None = None
    votes: tuple[float, ...] = ()
    quote_in: str | None = None


class _Unreadable(Exception):  # noqa: N818
    """Error for a reply, or an answer about one criterion in a reply, that cannot be read; its text is the reason."""


# --- one reply ------------------------------------------------------------------------------------------------------


def read_verdicts(
    reply: Reply,
    criteria: Sequence[Criterion],
    shown: str | Mapping[str, str] | Material,
    *,
    turned: bool = False,
) -> dict[str, Outcome]:
    """Read a judge's reply: map each criterion that it was asked about to its outcome, in the order of `criteria`.

    Args:
        reply: The reply as received. If it has parts, each part is read by itself, and the outcomes are combined as
            `reply.rule` says.
        criteria: The criteria that it was asked about.
        shown: The texts that the judge was shown, by name, the response as `response`; a single text is the response.
            Quotes are looked up in them, and a verdict that only repeats a passage of them is not read.
        turned: True if the judge saw the second response of a pair first; levels are then converted to the stored
            order.
    """
    material = Material.of(shown)
    if reply.parts:
        read = [read_verdicts(piece, criteria, material, turned=turned) for piece in reply.parts]
        return {c.name: combine([piece[c.name] for piece in read], c, reply.rule) for c in criteria}
    if reply.decided:
        return _in_stored_order(_decisions(reply, criteria), turned)
    try:
        answer = _verdicts_in(reply, {criterion.name for criterion in criteria}, material)
    except _Unreadable as why:
        return {c.name: _unread(c.name, why, reply) for c in criteria}
    return _in_stored_order({c.name: _outcome(answer, c, reply, material, turned) for c in criteria}, turned)


def read_holistic(reply: Reply, shown: str | Mapping[str, str] | Material, *, highest: int = 100) -> Holistic | Unread:
    """Read the score in a holistic reply, 0 to `highest`, or why there is none.

    Args:
        reply: The reply as received. A panel's reply consists of its members' replies: the median of their scores
            counts, provided that more than half of these replies can be read.
        shown: The texts that the judge was shown, by name, the response as `response`; a single text is the response.
        highest: The highest score.
    """
    material = Material.of(shown)
    if reply.parts:
        return combine_holistic([read_holistic(piece, material, highest=highest) for piece in reply.parts])
    try:
        answer = _one_answer(reply, lambda data: "score" in data, material.repeats).data
        score = answer["score"]
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= highest:
            raise _Unreadable(f"score must be a number from 0 to {highest}, found {_shown(score)}")
        return Holistic(float(score), _text(answer, "reason") or None, **_quote(answer.get("quote"), material))
    except _Unreadable as why:
        return _unread("", why, reply)


def _verdicts_in(reply: Reply, criteria: set[str], material: Material) -> "_Answer":
    def only_repeats(data: Mapping[str, Any]) -> bool:
        verdicts = data.get("verdicts", data)
        entries = (
            [verdict for verdict in verdicts.values() if isinstance(verdict, Mapping)]
            if isinstance(verdicts, Mapping)
            else []
        )
        return all(map(material.repeats, entries)) if entries else material.repeats(data)

    def speaks_of_them(data: Mapping[str, Any]) -> bool:
        return isinstance(data.get("verdicts"), Mapping) or bool(criteria & data.keys())

    answer = _one_answer(reply, speaks_of_them, only_repeats)
    if "verdicts" not in answer.data:
        return answer
    verdicts = answer.data["verdicts"]
    if not isinstance(verdicts, Mapping):
        raise _Unreadable(f"`verdicts` must be an object with a verdict a criterion, found {_shown(verdicts)}")
    cover = _COVER.search(reply.text, answer.start, answer.end)
    return _Answer(verdicts, cover.end() if cover else answer.start, answer.end)


def _outcome(answer: "_Answer", criterion: Criterion, reply: Reply, material: Material, turned: bool) -> Outcome:
    name = criterion.name
    verdicts = answer.data
    try:
        if name not in verdicts:
            raise _Unreadable("the reply has no verdict on it")
        verdict = verdicts[name]
        if isinstance(verdict, _Twice):
            raise _Unreadable("the reply has two verdicts on it")
        if not isinstance(verdict, Mapping) or "level" not in verdict:
            raise _Unreadable(f"a verdict is an object with quote, reason and level; found {_shown(verdict)}")
        reason = _text(verdict, "reason") or None
        if material.repeats(verdict):
            raise _Unreadable(ONLY_REPEATS)
        level_text = verdict["level"]
        if _says(level_text, CANNOT_JUDGE):
            return Abstention(name, reason)
        if criterion.not_applicable and _says(level_text, DOES_NOT_APPLY):
            return NotApplicable(name, reason)
        level = _level(level_text, criterion.scale)
        probabilities = _level_probabilities(reply, answer, criterion)
        value = mean_level(probabilities, criterion.scale) if probabilities else level.value
        if criterion.scale.mirrored:
            quotes = _pair_quotes(verdict, material, value, turned)
            return Verdict(name, value, reason, probabilities=probabilities, **quotes)
        quote = _quote(verdict.get("quote"), material, _step(verdict.get("step")) if material.has_steps else None)
        return Verdict(name, value, reason, probabilities=probabilities, **quote)
    except _Unreadable as why:
        return _unread(name, why, reply)


def _in_stored_order(outcomes: dict[str, Outcome], turned: bool) -> dict[str, Outcome]:
    return {name: turned_round(outcome) for name, outcome in outcomes.items()} if turned else outcomes


def turned_round(outcome: Outcome) -> Outcome:
    """Return an outcome on a pair as it is after the two responses change places.

    >>> turned_round(Verdict("helps", -1.0, votes=(-1.0, 0.0))).votes
    (1.0, 0.0)
    """
    if not isinstance(outcome, Verdict):
        return outcome
    return replace(
        outcome,
        level=0.0 - outcome.level,
        votes=tuple(0.0 - vote for vote in outcome.votes),
        probabilities=outcome.probabilities[::-1],
    )


def _pair_quotes(verdict: Mapping[str, Any], material: Material, level: float, turned: bool) -> dict[str, Any]:
    """Return the quotes from a pair's preferred response (in a tie, from the first) and from the other response.

    Args:
        verdict: The judge's answer on a criterion, with its quotes by response.
        material: The texts that the judge was shown.
        level: The level for the order in which the judge saw the responses: above 0 if it prefers the second.
        turned: True if the judge saw the responses in the reverse of the stored order.
    """
    stored = PAIR_NAMES[::-1] if turned else PAIR_NAMES
    preferred = 1 if level > 0 else 0
    quote = _quote(verdict.get(PLACE_QUOTES[preferred]), material, within=stored[preferred])
    other_passage = verdict.get(PLACE_QUOTES[1 - preferred])
    is_other = isinstance(other_passage, str) and other_passage.strip() and not _says(other_passage, NOTHING_TO_QUOTE)
    return {**quote, "other_quote": encodable(str(other_passage)) if is_other else None}


def _unread(name: str, why: Exception, reply: Reply) -> Unread:
    return Unread(name, encodable(str(why)), encodable(reply.text[:RAW_LENGTH]))


def _level(answer: Any, scale: Scale) -> Level:
    """Find the level of a scale that an answer names by its exact number or word."""
    if isinstance(answer, str) and (named := scale.named(answer)) is not None:
        return named
    if isinstance(answer, int | float) and not isinstance(answer, bool) and not (scale.by_label or scale.mirrored):
        for level in scale.levels:
            if answer == level.value:
                return level
    raise _Unreadable(f"level {_shown(answer)} is not one of {scale.listed}")


def _says(answer: Any, words: str) -> bool:
    return isinstance(answer, str) and answer.strip().casefold().replace("_", " ") == words


def _text(answer: Mapping[str, Any], key: str) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _Unreadable(f"`{key}` must be a text, found {_shown(value)}")
    return encodable(value.strip())


def _quote(quote: Any, material: Material, step: int | None = None, *, within: str | None = None) -> dict[str, Any]:
    """Return the quote in a verdict, the step that the verdict cites, and where the material contains the quote.

    A quote from a step, or from one response of a pair (`within`), is found only there.
    """
    cited = within or f"step {step}"
    citation: dict[str, Any] = {} if step is None else {"step": step}
    is_there = step is None or cited in material.texts
    if _says(quote, NOTHING_TO_QUOTE):
        return citation if is_there else citation | {"quote_found": False}
    if not isinstance(quote, str) or not quote.strip():
        return citation | {"quote_found": False}
    citation["quote"] = encodable(quote)
    if is_there and material.is_too_short(quote):
        return citation
    is_cited = step is not None or within is not None
    position = material.find(quote, first=cited) if is_cited else material.find(quote)
    return citation | {
        "quote_found": position is not None and (not is_cited or position == cited),
        "quote_in": position,
    }


_STEP = re.compile(r"\s*(?:step\s*)?(\d{1,9})\s*", re.IGNORECASE)


def _step(cited: Any) -> int | None:
    """Return the number of the step that a verdict cites; None if it cites none."""
    match = _STEP.fullmatch(str(cited))
    return int(match[1]) if match and not isinstance(cited, bool) else None


def _shown(value: Any) -> str:
    return "nothing" if value is None else shown(value)


# --- the probabilities of a decision model --------------------------------------------------------------------------


def _decisions(reply: Reply, criteria: Sequence[Criterion]) -> dict[str, Outcome]:
    """Read the outcome of each criterion from a decision model's reply, which has a probability for each level."""
    try:
        answer = _one_answer(reply, lambda data: isinstance(data.get("decisions"), Mapping), lambda _: False).data
    except _Unreadable as why:
        return {c.name: _unread(c.name, why, reply) for c in criteria}
    entries = answer["decisions"]
    by_mean = answer.get("expected") is True
    return {c.name: _decision(entries.get(c.name), c, reply, by_mean=by_mean) for c in criteria}


def _decision(raw: Any, criterion: Criterion, reply: Reply, *, by_mean: bool) -> Outcome:
    name = criterion.name
    if isinstance(raw, Mapping) and raw.get("refused") is True:
        return Abstention(name, REFUSED_QUESTION)
    try:
        if raw is None:
            raise _Unreadable("the reply has no decision on it")
        if isinstance(raw, _Twice):
            raise _Unreadable("the reply has two decisions on it")
        probabilities = read_distribution(raw, decision_options(criterion))
    except (ValueError, _Unreadable) as why:
        return _unread(name, why, reply)
    if criterion.not_applicable:
        *of_levels, of_none = probabilities
        if of_none > max(of_levels):
            return NotApplicable(name)
        whole = sum(of_levels)
        probabilities = tuple(p / whole for p in of_levels)
    takes_mean = by_mean and criterion.scale.ordered
    level = mean_level(probabilities, criterion.scale) if takes_mean else most_probable(probabilities, criterion)
    return Verdict(name, level, probabilities=probabilities)


# --- the JSON in a reply --------------------------------------------------------------------------------------------


class _Twice:
    """Marker for a key that occurs twice in a JSON object, so that neither of its values is used."""

    def __repr__(self) -> str:
        return "given twice"


class _Answer(NamedTuple):
    """A JSON object in a reply, and where in the text it begins and ends."""

    data: Mapping[str, Any]
    start: int
    end: int


def _one_answer(
    reply: Reply, is_answer: Callable[[Mapping[str, Any]], bool], only_repeats: Callable[[Mapping[str, Any]], bool]
) -> _Answer:
    """Parse a reply that is one JSON object, which may be in one code fence or after one think block.

    A reply with any other text around the object isn't read, since the object may then be a quotation of what the judge
    was shown, perhaps decoded or altered. An object that only repeats a passage of the material is a quotation too, not
    an answer.

    Args:
        reply: The reply.
        is_answer: Function that returns True if an object has the form that was asked for.
        only_repeats: Function that returns True if an object only repeats a passage of the material.
    """
    if reply.error:
        raise _Unreadable(reply.error)
    if reply.stop == "refusal":
        raise _Unreadable("the judge refused")
    if not reply.text.strip():
        raise _Unreadable({"length": THOUGHT_ALL, "elsewhere": ELSEWHERE}.get(reply.stop, "the reply is empty"))
    try:
        answer = _object_in(reply.text, cut_off=reply.stop == "length")
    except (ValueError, RecursionError):
        raise _Unreadable(_why_not_alone(reply)) from None
    if not is_answer(answer.data):
        raise _Unreadable("the reply isn't a JSON object of the form asked for")
    if only_repeats(answer.data):
        raise _Unreadable(ONLY_REPEATS)
    return answer


_COVER = re.compile(r'"verdicts"\s*:\s*\{')


CUT_OFF = "the reply was cut off at its greatest length; allow a longer answer (-o max_tokens=N)"
THOUGHT_ALL = f"{CUT_OFF} or less thinking, which used it up"
ELSEWHERE = "the reply has thoughts or a tool's call and no text; turn off the server's reasoning or tool parser"
NOT_ALONE = "the reply isn't one JSON object alone"
HOLD_TO_FORM = "use a model or server that keeps to a JSON schema"

_OPENING_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*(?:[A-Za-z0-9]+[ \t]*)?\r?\n")
_THINK, _THOUGHT = "<think>", "</think>"


def wrapper_of(text: str) -> str:
    """Return what surrounds a reply's JSON object and is removed: a code fence or a think block; "" for nothing.

    Example:
        >>> wrapper_of('<think>Hm.</think> {"score": 1}'), wrapper_of('{"score": 1}')
        ('think block', '')
    """
    start = len(text) - len(text.lstrip())
    if text.startswith(_THINK, start):
        return "think block"
    return "code fence" if text.startswith(("```", "~~~"), start) else ""


def _body(text: str) -> tuple[int, int]:
    """Find where a reply's JSON object begins and ends, inside one code fence or after one think block."""
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    opening = _OPENING_FENCE.match(text, start)
    if opening is not None and opening.end() < end and text.endswith(opening[1], opening.end(), end):
        return opening.end(), end - len(opening[1])
    if text.startswith(_THINK, start) and text.count(_THINK) == text.count(_THOUGHT) == 1:
        return text.index(_THOUGHT) + len(_THOUGHT), end
    return start, end


def _object_in(text: str, *, cut_off: bool) -> _Answer:
    """Parse a text that is a JSON object, perhaps inside a code fence or after a think block.

    Args:
        text: The reply.
        cut_off: True if the reply was cut off. An object inside a wrapper is then refused, since what follows a think
            block may still be part of the thinking.

    Raises:
        ValueError: The text isn't a JSON object; or there is other text around the object, so that the object may be
            a quotation of what the judge was shown.
    """
    if len(text) > LONGEST_READ:
        raise _Unreadable(f"the reply is longer than the {LONGEST_READ:,} characters that are read")
    start, end = _body(text)
    if cut_off and wrapper_of(text):
        raise ValueError("cut off")
    body = text[start:end]
    data = _STRICT.decode(body)
    if not isinstance(data, dict):
        raise ValueError("not an object")
    return _Answer(data, start + len(body) - len(body.lstrip()), start + len(body.rstrip()))


def _why_not_alone(reply: Reply) -> str:
    """Explain why a reply isn't a single JSON object: what surrounds the object, and what to do about it."""
    text = reply.text
    if reply.stop == "length":
        return THOUGHT_ALL if _THINK in text and _THOUGHT not in text else CUT_OFF
    if _THOUGHT in text or _THINK in text:
        return f"{NOT_ALONE}: of thinking, only one closed <think> block before the object is taken off; {HOLD_TO_FORM}"
    if "```" in text or "~~~" in text:
        return f"{NOT_ALONE}: a code fence is taken off only if nothing else is around it; {HOLD_TO_FORM}"
    bare = text.strip()
    if "{" in bare and "}" in bare and not (bare.startswith("{") and bare.endswith("}")):
        return f"{NOT_ALONE}: there is text around the object; {HOLD_TO_FORM}"
    return NOT_ALONE


def _noting_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) == len(pairs):
        return entries
    counts = Counter(key for key, _ in pairs)
    return {key: _Twice() if counts[key] > 1 else value for key, value in pairs}


_STRICT = json.JSONDecoder(object_pairs_hook=_noting_twice, parse_constant=no_constant)
"""Decoder of replies, made only once, since making one takes longer than to decode a reply."""


# --- several verdicts on one criterion ------------------------------------------------------------------------------


def combine(outcomes: Sequence[Outcome], criterion: Criterion, rule: str = "median") -> Outcome:
    """Combine several outcomes on the same criterion into one.

    By default the median level counts; if the two middle levels of an even number of verdicts differ, the result is
    halfway between them. With the rule "majority", or on a scale without order, the most common level counts. Of
    equally frequent levels, the one that scores worse counts; equally frequent preferences make a tie. If every verdict
    is the most probable level by its own probabilities, the result is the most probable level by the mean of these
    probabilities.

    Outcomes that are unread or abstentions are left out as long as more than half of all outcomes remain. Otherwise the
    most frequent kind of outcome without a level is the result.

    Example:
        >>> from markscheme.rubrics.rubric import Criterion, Scale
        >>> scale = Criterion(1.0, "Clear", "clarity", Scale.numbered(1, 5))
        >>> combine([Verdict("clarity", 2.0), Verdict("clarity", 3.0)], scale).level
        2.5
    """
    verdicts = [outcome for outcome in outcomes if isinstance(outcome, Verdict)]
    if 2 * len(verdicts) <= len(outcomes):
        return _commonest_kind([outcome for outcome in outcomes if not isinstance(outcome, Verdict)])
    votes = tuple(verdict.level for verdict in verdicts)
    probabilities = mean_distribution([verdict.probabilities for verdict in verdicts])
    if rule != "majority" and probabilities and all(_is_most_probable(verdict, criterion) for verdict in verdicts):
        level = most_probable(probabilities, criterion)
    elif rule == "majority" or not criterion.scale.ordered:
        level = _commonest(votes, criterion)
    else:
        level = middle_of(votes)
    if level == 0 and criterion.scale.mirrored and criterion.scale.halves_decide_nothing:
        return Abstention(criterion.name, "as many answers prefer the first response as the second")
    nearest = min(verdicts, key=lambda verdict: abs(verdict.level - level))
    return replace(nearest, level=level, votes=votes, probabilities=probabilities)


def _is_most_probable(verdict: Verdict, criterion: Criterion) -> bool:
    """Return True if a verdict's level is the one with the highest probability, and not a mean of levels."""
    return verdict.level == most_probable(verdict.probabilities, criterion)


def middle_of(numbers: Sequence[float]) -> float:
    """Return the median of a few numbers, at least one, each finite.

    This function exists since importing `statistics` would double the import time of this module, and numpy takes
    thirty times as long for two or three numbers.
    """
    ranked = sorted(numbers)
    return (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2


def _commonest(votes: Sequence[float], criterion: Criterion) -> float:
    counts = Counter(votes)
    most = max(counts.values())
    tied = [level for level, count in counts.items() if count == most]
    if criterion.scale.mirrored and len(tied) > 1:  # which response is stored first is chance: no preference won
        return 0.0
    return min(tied, key=lambda level: _worth(level, criterion))


def _worth(level: float, criterion: Criterion) -> float:
    """Return how good a level of a criterion is, from 0 to 1; 0 for a category if no category passes."""
    return criterion.worth(criterion.scale.position(level)) or 0.0


def _commonest_kind(outcomes: Sequence[Outcome]) -> Outcome:
    """Return an outcome of the most frequent kind, such as an abstention; in a tie, an unreadable outcome."""
    counts = Counter(type(outcome) for outcome in outcomes)
    return max(outcomes, key=lambda outcome: (counts[type(outcome)], isinstance(outcome, Unread)))


def worse(first: Outcome, second: Outcome, criterion: Criterion) -> Outcome:
    """Return the outcome of two that scores worse; an outcome without a level counts as worse than any level."""
    for kind in (Unread, Abstention):
        for outcome in (first, second):
            if isinstance(outcome, kind):
                return outcome
    if isinstance(first, Verdict) and isinstance(second, Verdict):
        if first.level != second.level and not criterion.is_decisive:
            answers = " and ".join(criterion.scale.level_name(verdict.level) for verdict in (first, second))
            return Abstention(criterion.name, f"it answered {answers}")
        chosen = min(first, second, key=lambda verdict: _worth(verdict.level, criterion))
        return replace(chosen, votes=(first.level, second.level))
    return first if isinstance(first, Verdict) else second


def combine_holistic(read: Sequence[Holistic | Unread]) -> Holistic | Unread:
    """Return the median of several holistic scores if more than half could be read, else the first unreadable one."""
    scored = [holistic for holistic in read if isinstance(holistic, Holistic)]
    if 2 * len(scored) <= len(read):
        return next(holistic for holistic in read if isinstance(holistic, Unread))
    votes = tuple(holistic.score for holistic in scored)
    middle = middle_of(votes)
    nearest = min(scored, key=lambda holistic: abs(holistic.score - middle))
    return replace(nearest, score=middle, votes=votes)


# --- the probabilities of levels, from log-probabilities ------------------------------------------------------------

_LEVEL_KEY = re.compile(r'"level"\s*:\s*"?')


def _level_probabilities(reply: Reply, answer: _Answer, criterion: Criterion) -> Probabilities:
    """Compute the probability of each level from a reply's token log-probabilities; () if that can't be done.

    They may be missing, or be ambiguous, as when a first token `1` may begin 1 or 10.
    """
    scale = criterion.scale
    if not reply.tokens or not scale.ordered:
        return ()
    spelled = "|".join(re.escape(json.dumps(criterion.name, ensure_ascii=ascii)) for ascii in (True, False))
    opened = re.compile(rf"(?:{spelled})\s*:\s*\{{").search(reply.text, answer.start, answer.end)
    level = _LEVEL_KEY.search(reply.text, opened.end(), answer.end) if opened else None
    odds = _alternatives_at(reply, level.end()) if level else {}
    values = dict(zip(scale.choices, scale.values, strict=True))
    weight = dict.fromkeys(scale.values, 0.0)
    doubtful = 0.0
    for text, probability in odds.items():
        begun = _begun_choices(text, choices(criterion), odds)
        if len(begun) > 1:
            doubtful += probability
        elif begun and begun[0] in values:
            weight[values[begun[0]]] += probability
    whole = sum(weight.values())
    if whole <= 0 or doubtful > MOST_DOUBT * (whole + doubtful):
        return ()
    return tuple(weight[value] / whole for value in scale.values)


def _alternatives_at(reply: Reply, index: int) -> Mapping[str, float]:
    start = 0
    for token in reply.tokens:
        if start <= index < start + len(token.text):
            return token.alternatives if not token.text[: index - start].strip(' "') else {}
        start += len(token.text)
    return {}


def _begun_choices(text: str, choices: Sequence[str], odds: Iterable[str]) -> list[str]:
    """List the choices of a scale that a token's text is, or may be the beginning of.

    The text "1" may be the choice 1 or begin the choice 10. It is 1 alone if it ends with a quotation mark, or if "10"
    is one of the tokens that the model could have written in its place.

    Args:
        text: The token's text.
        choices: The answers that choose a level, such as "MET" or "3".
        odds: Texts of all tokens that the model could have written in place of this one.
    """
    spelled = text.strip()
    begun = spelled.strip('"').casefold()
    if not begun:
        return []
    alike = [choice for choice in choices if choice.casefold().startswith(begun)]
    exact = [choice for choice in alike if choice.casefold() == begun]
    if spelled.endswith('"'):
        return exact
    longer = {choice.casefold() for choice in alike if choice not in exact}
    comes_whole = any(spelling.strip().strip('"').casefold() in longer for spelling in odds)
    return exact if exact and comes_whole else alike
