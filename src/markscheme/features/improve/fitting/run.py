"""Run `improve --numbers`: look, on record, at what labels say of weights and pass mark, and change the file."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from markscheme.features.improve.fitting.evidence import DecisionEvidence
from markscheme.features.improve.fitting.judged import JudgedLevels
from markscheme.features.improve.fitting.own_scores import OwnScores
from markscheme.features.improve.fitting.preferences import (
    preference_evidence,
    preferences_digest,
    rubric_of_preferences,
)
from markscheme.features.improve.fitting.proposal import JUDGED, NumbersProposal, propose_numbers
from markscheme.features.improve.weights import TunedWeights
from markscheme.judges.options import AskOptions
from markscheme.progress import Watch, unwatched
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import open_test_labels, openings_of, record_tuning
from markscheme.rubrics.edit import Changes, edit
from markscheme.rubrics.rubric import Rubric

BY = "improve --numbers"
"""The command that the record of looks names; looks for other words count apart."""


@dataclass(frozen=True)
class NumbersRun:
    """The outcome of fitting a rubric's weights and pass mark to people's decisions.

    Attributes:
        evidence: The decisions.
        opening: Number of different looks at these decisions, with this one.
        proposal: What they say.
        odds: Cost of a false pass, where a false fail costs 1.
        diff: The lines of the rubric's file that change; None where none do.
        written: Whether they were written.
    """

    evidence: DecisionEvidence
    opening: int
    proposal: NumbersProposal
    odds: float = 1.0
    diff: str | None = None
    written: bool = False

    @property
    def is_adopted(self) -> bool:
        """Whether other numbers are adopted."""
        return self.proposal.adopted is not None

    @property
    def changes(self) -> Changes:
        """The numbers to write."""
        if self.proposal.adopted is None:
            return Changes()
        rubric = self.evidence.rubric
        weights = {
            criterion.name: float(weight)
            for criterion, weight in zip(self.evidence.tuned, self.proposal.weights, strict=True)
            if float(weight) != criterion.weight
        }
        mark = self.proposal.mark
        pass_mark = None if mark == rubric.pass_mark else mark
        return Changes(weights=weights, pass_mark=pass_mark, fitted_to=self.evidence.judge)


@dataclass(frozen=True)
class ScoresRun:
    """The outcome of fitting a rubric's weights to people's overall scores.

    Attributes:
        evidence: The scores.
        opening: Number of different looks at these labels, with this one.
        fitted: What they say.
        diff: The lines of the rubric's file that change; None where none do.
        written: Whether they were written.
    """

    evidence: OwnScores
    opening: int
    fitted: TunedWeights
    diff: str | None = None
    written: bool = False

    @property
    def is_adopted(self) -> bool:
        """Whether other weights are adopted."""
        return self.fitted.supported

    @property
    def changes(self) -> Changes:
        """The weights to write."""
        return self.evidence.changes(self.fitted)


@dataclass(frozen=True, kw_only=True)
class NumbersRequest:
    """Labels to fit a rubric's numbers to, and whose levels to fit.

    Attributes:
        rubric: The rubric.
        examples: The rubric's, with their labels.
        pairs_named: Name of a rubric of pairs whose preferences count instead of decisions; None where decisions do.
        folder: Where the rubric's calibration is.
        day: Today.
        odds: Cost of a false pass, where a false fail costs 1.
        ratings: Files of a judge's ratings, or of the judges of a panel; they count where annotators' levels are
            lacking.
        judge: A judge to ask there; None asks none.
        ask: How it is asked.
        columns: What files don't say themselves.
        watch: Shows progress.
    """

    rubric: Rubric
    examples: ExampleSet
    folder: Path
    day: str
    pairs_named: str | None = None
    odds: float = 1.0
    ratings: Sequence[Path] = ()
    judge: str | None = None
    ask: AskOptions = field(default_factory=AskOptions)
    columns: ColumnOptions = ColumnOptions()
    watch: Watch = unwatched

    @cached_property
    def pairs(self) -> Rubric | None:
        """The rubric of pairs.

        Raises:
            UsageError: There is none of this name that asks for one preference.
        """
        return None if self.pairs_named is None else rubric_of_preferences(self.pairs_named)

    def evidence(self) -> DecisionEvidence:
        """Return the decisions with annotators' own levels, or with a known judge's if those are too few."""
        by_annotators = self.by_annotators()
        if by_annotators.lack is None or not (self.ratings or self.judge):
            return by_annotators
        if self.pairs is not None:
            return preference_evidence(self.pairs, self.rubric, self.examples, self._judged())
        return DecisionEvidence.with_levels_of(self._judged(), self.rubric, self.examples)

    def by_annotators(self) -> DecisionEvidence:
        """Return the decisions with annotators' own levels."""
        if self.pairs is not None:
            return preference_evidence(self.pairs, self.rubric, self.examples)
        return DecisionEvidence.of(self.rubric, self.examples)

    def _judged(self) -> JudgedLevels:
        if self.ratings:
            return JudgedLevels.in_files(self.ratings, self.rubric, self.examples, self.columns)
        return JudgedLevels.from_judge(
            self.judge or "", self.rubric, self.examples, ask=self.ask, folder=self.folder, watch=self.watch
        )

    def run(self, evidence: DecisionEvidence) -> NumbersRun:
        """Record that the decisions are used once more, then fit the numbers to them.

        Raises:
            RatingError: The record can't be read or written.
        """
        costs = "" if self.odds == 1 else f" --cost {self.odds:g}:1"
        levels = "" if evidence.judge is None else f" --judge {evidence.judge}"
        source = "" if self.pairs is None else f" (preferences {preferences_digest(self.pairs)})"
        opening = _opened(self.examples, f"{BY}{source}{costs}{levels}", day=self.day)
        proposal = propose_numbers(
            evidence.rows,
            replace(evidence.numbers, odds=self.odds),
            opening=opening,
            errors=1.0 if evidence.judge is None else JUDGED,
        )
        return NumbersRun(evidence, opening, proposal, self.odds)

    def run_on_scores(self, scores: OwnScores) -> ScoresRun:
        """Record that the overall scores are used once more, then fit the weights to them.

        Raises:
            RatingError: The record can't be read or written.
        """
        opening = _opened(self.examples, f"{BY} (scores)", day=self.day)
        return ScoresRun(scores, opening, scores.fitted(opening=opening))


def with_file(
    run: NumbersRun | ScoresRun, file: Path, examples: ExampleSet, *, write: bool, day: str
) -> NumbersRun | ScoresRun:
    """Return the run with the change of the rubric's file, made and recorded where `write` says so.

    Raises:
        RubricError: The file can't be written.
        RatingError: The record can't be written.
    """
    changes = run.changes
    if not changes:
        return run
    proposed = edit(file, changes)
    if write:  # the file last: until it is written, the same command does all of this again
        moved = {"weights": dict(changes.weights), "pass_mark": changes.pass_mark}
        record_tuning(examples, run.evidence.ids, moved, at=day)
        proposed.write()
    return replace(run, diff=proposed.diff, written=write)


def _opened(examples: ExampleSet, by: str, *, day: str) -> int:
    """Put a look on record, once while labels stay as they are, and return its number among different looks."""
    openings = openings_of(examples, whole=True)
    if openings is None:
        return 1
    seen = list(dict.fromkeys((opening.labels, opening.by) for opening in openings.all if opening.by.startswith(BY)))
    look = (openings.labels, by)
    if look in seen:
        return seen.index(look) + 1
    open_test_labels(examples, by=by, at=day, whole=True, counts_apart=True)
    return len(seen) + 1
