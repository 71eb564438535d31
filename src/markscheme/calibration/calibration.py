"""A Calibration, everything a report shows, from a rubric, labelled examples and a judge's ratings."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markscheme.calibration.changes import Setting, template_fingerprint
from markscheme.calibration.comparison import Comparison, compare
from markscheme.calibration.decision import Decision, Finding, decide
from markscheme.calibration.drift import UNSTEADY, Baseline, Since, drift_since
from markscheme.calibration.findings import findings_of
from markscheme.calibration.findings.slices import Slice, slices_of
from markscheme.errors import NothingGraded
from markscheme.grading import MOST_UNGRADED
from markscheme.judges.judge import Identity, Usage
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Kind, Rating
from markscheme.ratings.splits import Openings
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.people import GoldRule

_DIGEST = re.compile(r"\b[0-9a-f]{16}\b")


@dataclass(frozen=True)
class Rater:
    """The judge that was calibrated.

    Attributes:
        name: Its name in reports.
        fingerprint: Of the judge; "" where only its ratings are known.
        source: Whether it was asked, answered from a recording, or only its ratings were read.
        provenance: Where recorded replies or ratings come from.
        identity: What identifies the judge; None where only its ratings are known.
        answered_by: Models that answered, by the names in their replies.
        named: The rubric, or the files, as shell arguments; "" means the rubric's name.
        options: Options that make `calibrate` use the same ratings or judge again, such as " --ratings judge.jsonl".
        has_rubric: Whether `label`, `adjudicate` and `improve` find a rubric there; Promptfoo's results have none.
    """

    name: str
    fingerprint: str
    source: Literal["live", "recorded", "ratings"]
    provenance: str = ""
    identity: Identity | None = None
    answered_by: tuple[str, ...] = ()
    named: str = ""
    options: str = ""
    has_rubric: bool = True

    @property
    def models(self) -> str:
        """The model that was asked, and those that answered."""
        asked = (self.identity.model or self.identity.name) if self.identity else self.name
        return ", ".join(dict.fromkeys((asked, *self.answered_by)))

    def setting(self, rubric: Rubric) -> Setting:
        """Everything that determines its ratings, to compare with another run."""
        return Setting(rubric, template_fingerprint(), self.name, self.identity, self.answered_by)


@dataclass(frozen=True)
class Counts:
    """Counts of the examples by outcome; verdicts are counted over all criteria."""

    examples: int
    graded: int
    abstained: int
    not_graded: int
    from_cache: int
    unread: int
    quotes: int
    quotes_not_found: int
    stale_labels: int
    set_aside: int

    @property
    def too_few_graded(self) -> bool:
        """Whether over a tenth of the examples could not be graded."""
        return self.not_graded > MOST_UNGRADED * self.examples


@dataclass(frozen=True)
class Options:
    """The settings of one run; None means the rubric's."""

    gold: Kind | None = None
    gold_by: GoldRule = "median"
    tolerance: float | None = None
    target: float | None = None


@dataclass(frozen=True)
class Calibration:
    """A judge compared with gold labels, and what follows from it."""

    rubric: Rubric
    rater: Rater
    comparison: Comparison
    decision: Decision
    findings: tuple[Finding, ...]
    counts: Counts
    cost: Usage
    ratings: tuple[Rating, ...]
    baseline: Baseline | None = None
    repeats: tuple[Rating, ...] = ()
    slices: tuple[Slice, ...] = ()
    openings: Openings | None = None

    @property
    def reasons_not_graded(self) -> dict[str, str]:
        """Why each example without a score has none, by id; digests are removed from the reasons."""
        judged = zip(self.comparison.gold.ids, self.comparison.judged, self.comparison.scores.tolist(), strict=True)
        return {
            unit: _DIGEST.sub("…", rating.error or "no score") if rating is not None else "the judge did not rate it"
            for unit, rating, score in judged
            if score != score
        }

    @property
    def exit_status(self) -> int:
        """0 ok on human labels, 1 adjust, 4 too few labels, disagreeing or no human ones, 5 too many ungraded."""
        if self.counts.too_few_graded:
            return 5
        if self.decision.verdict == "adjust":
            return 1
        return 0 if self.decision.verdict == "ok" and self.decision.use in ("gate", "trend") else 4


def calibration_of(
    rubric: Rubric,
    examples: ExampleSet,
    ratings: Sequence[Rating],
    rater: Rater,
    *,
    options: Options = Options(),
    cost: Usage | None = None,
    from_cache: int = 0,
    since: Since | None = None,
    repeats: Sequence[Rating] = (),
) -> Calibration:
    """A calibration from a judge's ratings of labelled examples.

    Args:
        rubric: The rubric of labels and ratings.
        examples: With their labels.
        ratings: The judge's.
        rater: The judge.
        options: The settings of this run.
        cost: What asking cost.
        from_cache: Replies that came from the cache.
        since: The accepted run to compare with; None where there is none.
        repeats: Further runs of the same judge over the same examples, distinguished by their sample; they show its
            noise and count in no agreement.

    Raises:
        NothingGraded: The judge failed on every example.
        ComparisonError: No labels, no example rated by both, or nothing in common with the accepted run.
    """
    failed = [rating.error for rating in ratings if rating.error and not rating.criteria]
    if failed and len(failed) == len(ratings):
        raise NothingGraded(failed)
    truth = gold_of(examples, rubric, kind=options.gold, by=options.gold_by)
    comparison = compare(truth.judged(rubric, ratings), tolerance=options.tolerance)
    slices = slices_of(comparison)
    findings = findings_of(comparison, (*ratings, *repeats), slices=slices, elsewhere=rater.source == "ratings")
    baseline = drift_since(since, rater.setting(rubric), comparison, ratings) if since is not None else None
    if baseline is not None:
        unsteady = tuple(finding for finding in baseline.findings if finding.code == UNSTEADY)
        findings = (*(finding for finding in baseline.findings if finding not in unsteady), *findings, *unsteady)
    return Calibration(
        rubric=rubric,
        rater=rater,
        comparison=comparison,
        decision=decision_of(comparison, options.target, findings, baseline),
        findings=findings,
        counts=_counts(comparison, examples, from_cache),
        cost=cost or Usage(),
        ratings=tuple(ratings),
        baseline=baseline,
        repeats=tuple(repeats),
        slices=slices,
    )


def decision_of(
    comparison: Comparison, target: float | None, findings: Sequence[Finding], baseline: Baseline | None
) -> Decision:
    """The verdict on a judge, with what moved since the accepted runs as the reason where that decides it.

    Args:
        comparison: The judge compared with gold.
        target: Share of examples it has to agree on; None means the rubric's.
        findings: Those that count.
        baseline: The comparison with the accepted runs; None without any.
    """
    drifted = baseline.headline if baseline is not None and baseline.alarm else ""
    return decide(comparison, target=target, findings=findings, drifted=drifted)


def _counts(comparison: Comparison, examples: ExampleSet, from_cache: int) -> Counts:
    there = [rating for rating in comparison.judged if rating is not None]
    rated = [said for rating in there for said in rating.criteria.values()]
    declined = Counter(said.declined for said in rated)
    graded = int((comparison.scores == comparison.scores).sum())
    n = len(comparison.gold.examples)
    return Counts(
        examples=n,
        graded=graded,
        abstained=declined["abstained"],
        not_graded=n - graded,
        from_cache=from_cache,
        unread=declined["unread"],
        quotes=sum(said.quote is not None for said in rated),
        quotes_not_found=sum(said.quote_found is False for said in rated),
        stale_labels=examples.stale,
        set_aside=comparison.gold.set_aside,
    )
