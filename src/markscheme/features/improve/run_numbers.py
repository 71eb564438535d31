"""What to tune on which labels, and the result: a proposal for a rubric's numbers, written where that is asked for."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.judge_runs import rated_by, rater_of
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.tuning_labels import TuningLabels
from markscheme.errors import UsageError
from markscheme.features.improve.numbers import Proposal, Source, propose
from markscheme.judges.options import AskOptions
from markscheme.progress import Watch, unwatched
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.from_grades import first_prompts
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rating
from markscheme.ratings.splits import (
    Openings,
    open_test_labels,
    openings_of,
    record_tuning,
)
from markscheme.readers.rated import judge_ratings, meanings_of
from markscheme.rubrics.edit import edit
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True)
class TuneRun:
    """One run of `tune`: what it found and did.

    Attributes:
        proposal: The changes that the labels support.
        split: The part of the examples it was made on; "" without splits.
        costs: Costs of a false pass and a false fail.
        judge: The judge that rated; None if only annotators' levels are known.
        findings: The calibration's findings, the largest effect first; None without a judge.
        openings: Looks at the test labels so far; None if none are held out.
        diff: The lines of the rubric's file that change.
        written: Whether they were written.
    """

    proposal: Proposal
    split: str
    costs: tuple[float, float]
    judge: Rater | None
    findings: tuple[Finding, ...] | None
    openings: Openings | None
    diff: str = ""
    written: bool = False


@dataclass(frozen=True, kw_only=True)
class TuningRequest:
    """Which rubric to tune, on which labels and by which judge's levels.

    Attributes:
        rubric: The rubric.
        file: Its file.
        labels: The labels.
        ratings: Files of a judge's ratings, or of the ratings of a panel's judges, one for each; none asks a judge
            where one is named.
        judge: The judge to ask; None asks one only where `source` is "judge".
        source: Whose levels to use; None for the judge's where they are known, else annotators'.
        gold: Only labels of this kind count; None for the strongest there are.
        costs: Costs of a false pass and a false fail.
        opens: Whether the proposal is tried on the test split, which is recorded.
        writes: Whether supported changes are written into the file.
        ask: How judges are asked.
        columns: What files don't say themselves.
        watch: Shows progress.
    """

    rubric: Rubric
    file: Path
    labels: TuningLabels
    ratings: Sequence[Path] = ()
    judge: str | None = None
    source: Source | None = None
    gold: Kind | None = None
    costs: tuple[float, float] = (1.0, 1.0)
    opens: bool = False
    writes: bool = False
    ask: AskOptions = field(default_factory=AskOptions)
    columns: ColumnOptions = ColumnOptions()
    watch: Watch = unwatched

    def tuned(self) -> TuneRun:
        """The changes that the labels support; they are written where that was asked for.

        Raises:
            UsageError: A file contains several raters, or can't be written.
            NoJudge: There is none to ask.
            BudgetError: The budget doesn't cover all examples.
            ComparisonError: Nothing is labelled.
        """
        every = self.labels.every
        dev = self.labels.dev
        today = datetime.date.today().isoformat()
        opened = open_test_labels(every, by="tune --final", at=today) if self.opens else (None, openings_of(every))
        test, openings = opened
        judged = self._judged(ExampleSet((*dev.examples, *(test.examples if test else ())), every.path))
        proposal = propose(
            self.rubric,
            dev,
            ratings=judged.ratings,
            source=self.source,
            kind=self.gold,
            cost=self.costs[0] / self.costs[1],
            test=test,
        )
        findings = None
        if judged.rater is not None:
            options = LabelOptions(gold=self.gold)
            findings = calibration_of(self.rubric, dev, judged.ratings, judged.rater, options=options).findings
        proposed = edit(self.file, proposal.changes())
        written = self.writes and bool(proposed.diff)
        if written:
            proposed.write()
            _put_on_record(proposal, every, today)
        return TuneRun(
            proposal,
            "dev" if every.has_splits else "",
            self.costs,
            judged.rater,
            findings,
            openings,
            proposed.diff,
            written=written,
        )

    def _judged(self, examples: ExampleSet) -> "_Judged":
        """The judge's ratings of the examples: read from files, asked for, or none."""
        if self.ratings:
            return self._in_files(examples)
        if self.judge is None and self.source != "judge":
            return _Judged([], None)
        labelled = examples.labelled.examples
        prompts = first_prompts(self.rubric, labelled)
        judge = self.ask.judge_for(self.rubric, prompts, self.labels.folder, name=self.judge)
        ratings, grades = rated_by(judge, self.rubric, labelled, self.ask, watch=self.watch, whole=True)
        return _Judged(ratings, rater_of(judge, grades))

    def _in_files(self, examples: ExampleSet) -> "_Judged":
        """The ratings in the files, of one rater or of the judges of a panel."""
        ratings = [
            rating
            for path in self.ratings
            for rating in judge_ratings(path, self.rubric, examples, meanings_of(self.columns))
        ]
        files = ", ".join(map(str, self.ratings))
        raters = list(dict.fromkeys(rating.rater for rating in ratings))
        if len(raters) > 1 and len(raters) != len(self.ratings):
            names = ", ".join(sorted(raters))
            raise UsageError(f"{files} contains {len(raters)} raters ({names}); use one file for each")
        rater = Rater("+".join(raters), "", "ratings", files)
        if len(raters) < 2:
            return _Judged(ratings, rater)
        samples = [replace(rating, rater=rater.name, sample=raters.index(rating.rater)) for rating in ratings]
        return _Judged(samples, rater)


@dataclass(frozen=True)
class _Judged:
    """A judge's ratings.

    Attributes:
        ratings: Of a panel's judges as samples of one, whose median counts.
        rater: The judge; None where none is known.
    """

    ratings: Sequence[Rating]
    rater: Rater | None


def _put_on_record(proposal: Proposal, examples: ExampleSet, today: str) -> None:
    """Record the labels that moved weights or pass mark: they can't bound the result's errors later."""
    changes = proposal.changes()
    if changes:
        moved = {"weights": dict(changes.weights), "pass_mark": changes.pass_mark}
        record_tuning(examples, proposal.truth.ids, moved, at=today)
