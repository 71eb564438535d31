"""The Grade, which is the whole outcome of judging one submission, and its form in files."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from markscheme.grading.score import NO_SCORE, GradeDecision, Score, unclipped_score
from markscheme.grading.verdict import Abstention, Holistic, NotApplicable, Outcome, Unread, Verdict
from markscheme.judges.judge import AskedWithout, Usage
from markscheme.phrases import brief, number
from markscheme.rubrics.distribution import as_written
from markscheme.rubrics.of_rows import RowRubric
from markscheme.rubrics.preference import ShownOrder
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.text import on_one_line

if TYPE_CHECKING:
    from markscheme.grading.receipt import Receipt

MOST_UNGRADED = 0.1
"""Largest share of submissions that may stay ungraded for a run to count."""
GRADE_COLUMNS: Final = ("id", "score", "pass", "error", "receipt")
"""Columns of a table of grades that don't belong to a criterion."""
ASK_A_PERSON = "ask a person: "
"""Beginning of the reason for a decision that no judge may make."""


@dataclass(frozen=True)
class Fingerprints:
    """Digests of the rubric, the prompt and the judge behind a grade; grades with equal digests are comparable."""

    rubric: str
    prompt: str
    judge: str

    def to_json(self) -> dict[str, str]:
        """Return the digests as a dict that JSON can hold."""
        return {"rubric": self.rubric, "prompt": self.prompt, "judge": self.judge}


@dataclass(frozen=True, slots=True)
class DecidedBy:
    """Which of several judges decided on a response, or why a person should decide.

    Attributes:
        stage: Number of the judge that decided, from 1 in the order of asking; None if a person should decide.
        judge: Name of the judge that decided or, if a person should decide, of the last one that graded.
        certainty: Certainty of that judge, 0 to 1; None if it isn't known.
        why_ask: The reason why a person should decide; None if a judge decided.

    Raises:
        ValueError: There is neither a judge that decided nor a reason to ask a person, or there are both.
    """

    stage: int | None
    judge: str
    certainty: float | None
    why_ask: str | None = None

    def __post_init__(self) -> None:
        if (self.stage is None) != bool(self.why_ask):
            raise ValueError(f"either a stage decided or a person should, with why: {self}")

    @property
    def decider(self) -> str | None:
        """The name of the judge that decided; None if a person should decide."""
        return None if self.stage is None else self.judge

    def to_json(self) -> dict[str, Any]:
        """Return who decided as a dict that JSON can hold, with the keys of a grade's file format."""
        why = {} if self.why_ask is None else {"ask": self.why_ask}
        return {"stage": self.stage, "decided_by": self.decider, **why}


@dataclass(frozen=True)
class Grade:
    """The whole outcome for one submission: verdicts, score, pass or fail, and what judge, prompt and rubric made them.

    Attributes:
        id: Id of the submission.
        outcomes: The outcome on each criterion, by name: a verdict, or the reason why there is none; empty for a
            holistic grade.
        by_criterion: Quality of the response on each criterion, by name, from 0 to 1: the level's position on the
            scale, reversed for a fault; None for a criterion without a verdict.
        without_words: Text to show in place of a verdict's merit and reason, by criterion. For a verdict with
            probabilities and no reason, it is level and probability, such as "MET .93"; for a category, its label and
            reason.
        error: The reason why the submission is not graded; None if it is.
        scored: Score, raw score and pass or fail; None if not graded, or if the rubric has only categories and doesn't
            say which of them pass.
        holistic: The single score of a holistic grade; None for any other grade.
        usage: Tokens and cost of grading.
        replies: Number of replies by source: "live", "recorded" or "cache".
        spared_tokens: Number of tokens that replies from the cache took when they were new, as far as it was recorded.
        models: Names of the models that answered, as in their replies.
        asked_without: For each way in which the judge was asked, the parameters that were left out, since its server
            doesn't take them; () if the judge wasn't asked.
        fingerprints: Fingerprints of rubric, prompt and judge, as it was asked.
        receipt: The receipt of the calibration behind this grade; None if there is none.
        left_out: Parts of long trajectories that the judge was not shown, one line per input.
        by_order: Outcomes on a pair in each order in which the judge saw it, with levels for the stored order.
        decided_by: Which of several judges decided, or why a person should; None if one judge alone grades.
        row_rubric: The rubric that the row was graded by, if it brought one; None if it was graded by the run's.
    """

    id: str
    outcomes: Mapping[str, Outcome]
    error: str | None
    scored: Score | None
    holistic: Holistic | Unread | None = None
    usage: Usage = Usage()
    replies: Mapping[str, int] = field(default_factory=dict)
    spared_tokens: int = 0
    models: tuple[str, ...] = ()
    asked_without: tuple[AskedWithout, ...] = ()
    fingerprints: Fingerprints | None = None
    receipt: "Receipt | None" = None
    left_out: tuple[str, ...] = ()
    by_criterion: Mapping[str, float | None] = field(default_factory=dict)
    without_words: Mapping[str, str] = field(default_factory=dict)
    by_order: Mapping[ShownOrder, Mapping[str, Outcome]] = field(default_factory=dict)
    decided_by: DecidedBy | None = None
    row_rubric: RowRubric | None = None

    @property
    def rubric(self) -> Rubric | None:
        """The rubric that came with the row, if the row was graded by it; None if graded by the run's rubric."""
        return None if self.row_rubric is None else self.row_rubric.rubric

    @property
    def unclipped(self) -> float | None:
        """Score before it is clipped to 0 to 1; None without a score, or if the row brings no rubric."""
        if self.rubric is None or self.scored is None:
            return None
        return unclipped_score(self.outcomes, self.rubric)

    @property
    def tags(self) -> dict[str, tuple[float, int]]:
        """Weighted mean merit (quality, 0 to 1) and number of the submission's own criteria with each tag.

        Criteria without a merit, such as those on which the judge abstained, don't count.
        """
        merits: dict[str, list[tuple[float, float]]] = {}
        for criterion in () if self.rubric is None else self.rubric.criteria:
            merit = self.by_criterion.get(criterion.name)
            if merit is None:
                continue
            for tag in criterion.tags:
                merits.setdefault(tag, []).append((abs(criterion.weight), merit))
        return {
            tag: (sum(w * m for w, m in pairs) / sum(w for w, _ in pairs), len(pairs)) for tag, pairs in merits.items()
        }

    @property
    def score(self) -> float | None:
        """Score from 0 to 1 (or the raw sum if not normalized); None if not graded."""
        return self.scored.score if self.scored else None

    @property
    def raw_score(self) -> float | None:
        """Sum, over criteria, of the weight times the level's position; None if not graded."""
        return self.scored.raw_score if self.scored else None

    @property
    def llm_raw_score(self) -> float | None:
        """Score that a holistic judge gave; for other judges, the raw score; None if not graded."""
        return self.scored.llm_raw_score if self.scored else None

    @property
    def passed(self) -> bool | None:
        """True if the response passes, False also if a person should decide; None if not graded, which isn't a fail."""
        if self.scored is None:
            return None
        return False if self.scored.decision == "ask" else self.scored.passed

    @property
    def decision(self) -> GradeDecision | None:
        """Pass, fail, or ask a person if the score is in the rubric's gray zone; None if not graded."""
        return self.scored.decision if self.scored else None

    @property
    def certainty(self) -> float | None:
        """The judge's probability that its pass or fail is right, 0 to 1; of several judges, the deciding one's.

        It is None if the judge gave no probabilities of levels or, for several judges, if the certainty of the deciding
        one isn't known.
        """
        if self.decided_by is not None:
            return self.decided_by.certainty
        return None if self.scored is None or self.scored.chance is None else self.scored.certainty

    @property
    def why_no_decision(self) -> str | None:
        """Reason why the response neither passes nor fails, such as not graded; None if there is a decision."""
        return NO_SCORE if self.scored is None and self.error is None else self.error

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts among the outcomes, by criterion."""
        return {name: outcome for name, outcome in self.outcomes.items() if isinstance(outcome, Verdict)}

    @property
    def reason(self) -> str:
        """Score, decision and each verdict's reason on one line; if not graded, the reason for that."""
        if self.scored is None and self.error is not None:
            return on_one_line(f"not graded: {self.error}")
        parts = [self._ground(name, verdict) for name, verdict in self.verdicts.items()]
        if self.scored is None:
            return on_one_line(f"{NO_SCORE}: {'; '.join(parts)}")
        if isinstance(self.holistic, Holistic):
            parts.append(self.holistic.reason or "")
        why = "" if self.decided_by is None else f"{self.decided_by.why_ask}; "
        asks = f"{ASK_A_PERSON}{why}" if self.decision == "ask" else ""
        return on_one_line(f"{asks}{number(self.scored.score)}, {self.scored.decision}: {'; '.join(parts)}")

    def _ground(self, name: str, verdict: Verdict) -> str:
        if name in self.without_words:
            return f"{name} {self.without_words[name]}"
        return f"{name} {brief(self.by_criterion[name], 3)}" + (f" ({verdict.reason})" if verdict.reason else "")

    @property
    def quotes_not_found(self) -> int:
        """Number of verdicts whose quote doesn't occur in the material that the judge was shown."""
        return sum(verdict.quote_found is False for verdict in self.verdicts.values())


def why_ask(grade: Grade, rubric: Rubric) -> str | None:
    """Return the reason why a person should decide on a graded response; None if a judge decides."""
    if grade.scored is None or grade.decision != "ask":
        return None
    if grade.decided_by is not None:
        return grade.decided_by.why_ask
    return rubric.gray_zone.why(passed=bool(grade.scored.passed))


# --- plain data -----------------------------------------------------------------------------------------------------


def tag_scores(grade: Grade) -> dict[str, float]:
    """Return the weighted mean merit, 0 to 1, of a row's own criteria with each tag, under the name `tag/TAG`."""
    return {f"tag/{tag}": score for tag, (score, _) in grade.tags.items()}


def grade_json(grade: Grade, rubric: Rubric) -> dict[str, Any]:
    """Return a grade as a dict that JSON can hold, by the keys of the file format."""
    from markscheme.grading.receipt import receipt_json

    rubric = grade.rubric or rubric
    return {
        "id": grade.id,
        "score": grade.score,
        "raw_score": grade.raw_score,
        "llm_raw_score": grade.llm_raw_score,
        "pass": grade.passed,
        "decision": grade.decision,
        "criteria": {name: _outcome_json(outcome, rubric.criterion(name)) for name, outcome in grade.outcomes.items()},
        **({} if grade.holistic is None else {"holistic": _reply_json(grade.holistic)}),
        **({"orders": _orders_json(grade, rubric)} if grade.by_order else {}),
        **({"left_out": list(grade.left_out)} if grade.left_out else {}),
        **({"certainty": grade.certainty} if grade.certainty is not None else {}),
        **({} if grade.decided_by is None else grade.decided_by.to_json()),
        **_rubric_json(grade, rubric),
        "error": grade.error,
        "receipt": receipt_json(grade.receipt, grade.score),
        "usage": grade.usage.to_json(),
        "fingerprints": grade.fingerprints.to_json() if grade.fingerprints else None,
    }


def _rubric_json(grade: Grade, rubric: Rubric) -> dict[str, Any]:
    """Return three entries of a grade's JSON: its rubric, its scores by tag, and its score before it was clipped.

    The score before clipping may be outside 0 to 1. For a response without a rubric of its own, {} is returned if the
    response isn't graded, or if the run's rubric judges pairs or responses as a whole.

    Args:
        grade: The grade.
        rubric: The rubric by which the response was graded.
    """
    if grade.row_rubric is None:
        if grade.error is not None or rubric.judges_by_one_rubric:
            return {}
        grade = replace(grade, row_rubric=RowRubric(rubric, "core", ()))
    assert grade.row_rubric is not None
    source = {"source": grade.row_rubric.source, "name": rubric.name, "fingerprint": rubric.fingerprint}
    tags = {tag: {"score": score, "n": n} for tag, (score, n) in grade.tags.items()}
    return {"rubric": {**source, "criteria": len(rubric.criteria)}, "unclipped": grade.unclipped, "tags": tags}


def row_verdicts(grade: Grade) -> list[dict[str, Any]] | None:
    """Return the verdicts on criteria that a row brought, each with level and position; None if it brought none."""
    if grade.row_rubric is None:
        return None
    rubric = grade.row_rubric.rubric
    criteria = [criterion for criterion in rubric.criteria if criterion.name in grade.row_rubric.brought]
    levels = {name: verdict.level for name, verdict in grade.verdicts.items()}
    return [
        {
            "name": criterion.name,
            "requirement": criterion.requirement,
            "weight": float(criterion.weight),
            "level": criterion.scale.level_name(levels[criterion.name]) if criterion.name in levels else None,
            "position": criterion.scale.position(levels[criterion.name]) if criterion.name in levels else None,
        }
        for criterion in criteria
    ]


def _orders_json(grade: Grade, rubric: Rubric) -> dict[str, Any]:
    """Return, for each order in which the judge saw a pair, the level by criterion; None where it chose no level."""
    return {
        shown: {
            name: rubric.criterion(name).scale.level_name(outcome.level) if isinstance(outcome, Verdict) else None
            for name, outcome in outcomes.items()
        }
        for shown, outcomes in grade.by_order.items()
    }


def _outcome_json(outcome: Outcome, criterion: Criterion) -> dict[str, Any]:
    match outcome:
        case Verdict():
            position = criterion.scale.position(outcome.level) if criterion.has_worth else None
            level = {"level": criterion.scale.written(outcome.level), "position": position, **_reply_json(outcome)}
            if outcome.probabilities:
                level["probabilities"] = as_written(outcome.probabilities, criterion.scale)
            return level
        case NotApplicable():
            return {"not_applicable": outcome.reason or ""}
        case Abstention():
            return {"abstained": outcome.reason or ""}
        case Unread():
            return _reply_json(outcome)


def _reply_json(reading: Verdict | Holistic | Unread) -> dict[str, Any]:
    """Return reason and quote of a verdict or holistic score as a dict; for an unread reply, why it is unread."""
    if isinstance(reading, Unread):
        return {"unread": reading.why, "raw": reading.raw or ""}
    words: dict[str, Any] = {"reason": reading.reason or "", "quote": reading.quote}
    words |= {"quote_found": reading.quote_found, "quote_in": reading.quote_in or None}
    if isinstance(reading, Verdict) and reading.step is not None:
        words["step"] = reading.step
    return {**words, "votes": list(reading.votes)} if reading.votes else words
