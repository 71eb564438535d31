"""What to tune on which labels, and the result: a proposal for a rubric's numbers, written where that is asked for."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from markscheme.calibration.calibration import Options, Rater, calibration_of
from markscheme.calibration.cascades.votes import TunedVotes, tune_votes
from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.judge_runs import rated_by, rater_of
from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.calibration.promised import Promised
from markscheme.calibration.tuning import Proposal, Source, propose
from markscheme.errors import UsageError
from markscheme.judges.options import AskOptions
from markscheme.progress import Watch, unwatched
from markscheme.ratings.asks import PromiseAsked, asking
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.from_grades import first_prompts
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rating
from markscheme.ratings.splits import (
    Openings,
    open_test_labels,
    openings_of,
    record_tuning,
    used_to_tune,
    warn_of_split_groups,
)
from markscheme.readers.imported import Meanings
from markscheme.readers.rated import AS_WRITTEN, judge_ratings
from markscheme.rubrics.edit import edit
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.pass_mark import LEAST_FOR_MARK, LEAST_OF_EACH
from markscheme.stats.weights import LEAST_FOR_WEIGHTS


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
        votes: What the votes of a panel allow; None for a single judge.
        cascade: The file that was written for the panel, or why none was; None where none was asked for.
    """

    proposal: Proposal
    split: str
    costs: tuple[float, float]
    judge: Rater | None
    findings: tuple[Finding, ...] | None
    openings: Openings | None
    diff: str = ""
    written: bool = False
    votes: TunedVotes | None = None
    cascade: Path | str | None = None


@dataclass(frozen=True)
class TuningLabels:
    """The labels that a rubric can be tuned by.

    Attributes:
        every: All examples with the labels that count.
        folder: The rubric's calibration folder; None where there is none.
    """

    every: ExampleSet
    folder: Path | None

    @classmethod
    def of(cls, rubric: Rubric, examples: Path | None = None) -> "TuningLabels":
        """A rubric's own labels, or those in a file.

        Raises:
            UsageError: The rubric compares pairs, or there are no examples.

        Warns:
            RatingWarning: Examples of one group are in both parts.
        """
        if rubric.is_of_pairs:
            raise UsageError(
                f"{rubric.name} compares pairs, which neither pass nor fail, and get no mark to tune by; change its "
                f"weights and `tie_within` by hand, and see the effect: {Commands.on(rubric.name).calibrate()}"
            )
        every, folder = labelled_examples(rubric, examples)
        warn_of_split_groups(every)
        return cls(every, folder)

    @property
    def dev(self) -> ExampleSet:
        """The examples that aren't held out."""
        return self.every.part(None)

    @property
    def lacks(self) -> str:
        """What is missing where no example is labelled; "" where one is."""
        if self.dev.labels:
            return ""
        return (
            f"no example in {self.every.path} is labelled{self.every.searched}; weights need {LEAST_FOR_WEIGHTS} "
            f"examples with an overall mark, a pass mark {LEAST_FOR_MARK} with {LEAST_OF_EACH} passes and "
            f"{LEAST_OF_EACH} fails"
        )


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
        promised: The promise that automatic decisions must keep.
        opens: Whether the proposal is tried on the test split, which is recorded.
        writes: Whether supported changes are written into the file.
        with_band: Whether the gray zone is one of them.
        ask: How judges are asked.
        meanings: What files mean that they don't say themselves.
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
    promised: Promised = Promised()
    opens: bool = False
    writes: bool = False
    with_band: bool = False
    ask: AskOptions = field(default_factory=AskOptions)
    meanings: Meanings = AS_WRITTEN
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
        proposal, votes = self._proposed(dev, test, judged, today)
        findings = None
        if judged.rater is not None:
            options = Options(gold=self.gold)
            findings = calibration_of(self.rubric, dev, judged.ratings, judged.rater, options=options).findings
        proposed = edit(self.file, proposal.changes(with_band=self.with_band))
        written = self.writes and bool(proposed.diff)
        if written:
            proposed.write()
            _put_on_record(proposal, every, today)
        of_votes = None
        if votes is not None and self.writes and self.with_band:
            of_votes = _write_votes(votes, proposal, every, today)
        return TuneRun(
            proposal,
            "dev" if every.has_splits else "",
            self.costs,
            judged.rater,
            findings,
            openings,
            proposed.diff,
            written=written,
            votes=votes,
            cascade=of_votes,
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
            rating for path in self.ratings for rating in judge_ratings(path, self.rubric, examples, self.meanings)
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
        return _Judged(samples, rater, ratings)

    def _proposed(
        self, dev: ExampleSet, test: ExampleSet | None, judged: "_Judged", today: str
    ) -> tuple[Proposal, TunedVotes | None]:
        """What the labels support, and what they allow a panel; the promise that is tested is put on record."""
        promised = self.promised
        used = used_to_tune(self.labels.every)
        promise = PromiseAsked(
            "" if judged.rater is None else judged.rater.name,
            promised.side,
            "votes" if judged.votes else "distance",
            promised.error,
            promised.confidence,
            promised.of or "",
        )
        with asking(test or dev, promise, at=today) as (further, record):
            proposal = propose(
                self.rubric,
                dev,
                ratings=judged.ratings,
                source=self.source,
                kind=self.gold,
                cost=self.costs[0] / self.costs[1],
                promised=replace(promised, further=further),
                test=test,
                used=used,
            )
            votes = None
            if judged.votes:
                proposal = replace(proposal, band=None)
                votes = tune_votes(
                    self.rubric,
                    test or dev,
                    judged.votes,
                    replace(promised, of=None, further=further),
                    kind=self.gold,
                    used=used,
                    split="dev" if test is None else "test",
                )
            if votes is not None or (proposal.band is not None and proposal.band.bands):
                record()
        return proposal, votes


@dataclass(frozen=True)
class _Judged:
    """A judge's ratings.

    Attributes:
        ratings: Of a panel's judges as samples of one, whose median counts.
        rater: The judge; None where none is known.
        votes: The ratings of a panel's judges by themselves; empty for a single judge.
    """

    ratings: Sequence[Rating]
    rater: Rater | None
    votes: Sequence[Rating] = ()


def _put_on_record(proposal: Proposal, examples: ExampleSet, today: str) -> None:
    """Record the labels that moved weights or pass mark: they can't bound the result's errors later."""
    changes = proposal.changes()
    if changes:
        moved = {"weights": dict(changes.weights), "pass_mark": changes.pass_mark}
        record_tuning(examples, proposal.truth.ids, moved, at=today)


def _write_votes(votes: TunedVotes, proposal: Proposal, examples: ExampleSet, today: str) -> Path | str:
    """The file with the panel's promise; or why it isn't written."""
    if proposal.changes():
        return "the same labels change weights or pass mark: write that first, then test the votes on fresh labels"
    return votes.write(proposal.rubric, examples, at=today)
