"""Runs `improve --numbers`: fits weights and pass mark to labels, records the labels' use, and edits the rubric."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.errors import RatingWarning
from markscheme.features.improve.fitting.evidence import DecisionEvidence
from markscheme.features.improve.fitting.judged import levels_by_judge, levels_in_files
from markscheme.features.improve.fitting.own_scores import OwnScores
from markscheme.features.improve.fitting.preferences import (
    preference_evidence,
    preferences_digest,
    rubric_of_preferences,
)
from markscheme.features.improve.fitting.proposal import JUDGED, NumbersProposal, propose_numbers
from markscheme.features.improve.look_records import open_test_labels, record_tuning
from markscheme.features.improve.weights import TunedWeights
from markscheme.judges.options import AskOptions
from markscheme.progress import Watch
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import openings_of
from markscheme.rubrics.edit import Changes, edit
from markscheme.rubrics.rubric import Rubric

BY = "improve --numbers"
"""Command recorded with each use of the labels; uses by other commands are counted separately."""


@dataclass(frozen=True)
class NumbersRun:
    """Result of fitting weights and pass mark to people's decisions, with the change to the rubric's file.

    Attributes:
        evidence: The decisions.
        opening: Number of different uses of these decisions so far, this one included.
        proposal: The weights and pass mark that the decisions support.
        odds: Cost of a false pass, if a false fail costs 1.
        diff: The lines of the rubric's file that change; None if none do.
        written: True if the change was written into the file.
    """

    evidence: DecisionEvidence
    opening: int
    proposal: NumbersProposal
    odds: float = 1.0
    diff: str | None = None
    written: bool = False

    @property
    def is_adopted(self) -> bool:
        """True if new weights or a new pass mark are adopted."""
        return self.proposal.adopted is not None

    @property
    def changes(self) -> Changes:
        """The weights and the pass mark to write into the rubric's file."""
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
    """Result of fitting weights to people's overall scores, with the change to the rubric's file.

    Attributes:
        evidence: The scores.
        opening: Ordinal of this run among the recorded runs that fitted weights or a pass mark to the labels, from 1.
        fitted: The weights that the scores support.
        diff: The lines of the rubric's file that change; None if none do.
        written: True if the change was written into the file.
    """

    evidence: OwnScores
    opening: int
    fitted: TunedWeights
    diff: str | None = None
    written: bool = False

    @property
    def is_adopted(self) -> bool:
        """True if new weights are adopted."""
        return self.fitted.supported

    @property
    def changes(self) -> Changes:
        """The weights to write into the rubric's file."""
        return self.evidence.changes(self.fitted)


def evidence_of(
    annotators: DecisionEvidence,
    examples: ExampleSet,
    folder: Path,
    *,
    ratings: Sequence[Path],
    judge: str | None,
    ask: AskOptions,
    columns: ColumnOptions,
    watch: Watch,
) -> DecisionEvidence:
    """Return annotators' decisions with the levels by annotators or, if annotators gave too few levels, by a judge.

    Weights and pass mark are fitted to these decisions.

    Args:
        annotators: The decisions with annotators' own levels.
        examples: The rubric's examples, with their labels.
        folder: The rubric's calibration folder.
        ratings: Files of a judge's ratings, or of the judges of a panel.
        judge: Name of a judge to ask if there are no ratings; None to ask none.
        ask: How the judge is asked.
        columns: What the files' columns and values mean.
        watch: Shows progress.

    Raises:
        UsageError: A file has no ratings, or contains several raters.
        RatingError: A file can't be read.

    Warns:
        RatingWarning: The files aren't used, since annotators gave enough levels.
    """
    rubric = annotators.rubric
    levels = levels_in_files(ratings, rubric, examples, columns) if ratings else None
    if annotators.lack is None or not (ratings or judge):
        if levels is not None:
            warnings.warn("--ratings isn't used: annotators gave enough levels", RatingWarning, stacklevel=2)
        return annotators
    if levels is None:
        levels = levels_by_judge(judge or "", rubric, examples, ask=ask, folder=folder, watch=watch)
    if annotators.pairs is not None:
        return preference_evidence(annotators.pairs, rubric, examples, levels)
    return DecisionEvidence.with_levels_of(levels, rubric, examples)


def evidence_of_annotators(rubric: Rubric, examples: ExampleSet, pairs_named: str | None) -> DecisionEvidence:
    """Return annotators' decisions or, if a rubric of pairs is named, their preferences, with the levels they gave.

    Raises:
        UsageError: No rubric with that name asks for a single preference.
    """
    if pairs_named is not None:
        return preference_evidence(rubric_of_preferences(pairs_named), rubric, examples)
    return DecisionEvidence.of(rubric, examples)


def look_at_decisions(evidence: DecisionEvidence, examples: ExampleSet, *, odds: float, day: str) -> NumbersRun:
    """Record the use of the labels, then fit weights and pass mark to the decisions.

    Args:
        evidence: The decisions, with the levels of the decided examples.
        examples: All of the rubric's examples, next to whose file the use is recorded.
        odds: Cost of a false pass, if a false fail costs 1.
        day: Today's date, for the record.

    Raises:
        RatingError: The record can't be read or written.
    """
    costs = "" if odds == 1 else f" --cost {odds:g}:1"
    levels = "" if evidence.judge is None else f" --judge {evidence.judge}"
    source = "" if evidence.pairs is None else f" (preferences {preferences_digest(evidence.pairs)})"
    opening = _opened(examples, f"{BY}{source}{costs}{levels}", day=day)
    proposal = propose_numbers(
        evidence.rows,
        replace(evidence.numbers, odds=odds),
        opening=opening,
        errors=1.0 if evidence.judge is None else JUDGED,
    )
    return NumbersRun(evidence, opening, proposal, odds)


def look_at_scores(scores: OwnScores, examples: ExampleSet, *, day: str) -> ScoresRun:
    """Record that the labels are used, then fit weights to annotators' overall scores.

    Args:
        scores: The overall scores, with annotators' levels.
        examples: All of the rubric's examples, next to whose file the use is recorded.
        day: Today's date, for the record.

    Raises:
        RatingError: The record can't be read or written.
    """
    opening = _opened(examples, f"{BY} (scores)", day=day)
    return ScoresRun(scores, opening, scores.fitted(opening=opening))


def with_file(
    run: NumbersRun | ScoresRun, file: Path, examples: ExampleSet, *, write: bool, day: str
) -> NumbersRun | ScoresRun:
    """Return a run with the diff for the rubric's file; if `write` is true, also write and record the change.

    Args:
        run: The run.
        file: The rubric's file.
        examples: All of the rubric's examples, next to whose file the change is recorded.
        write: True to write and record the change.
        day: Today's date, for the record.

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


def has_looked(examples: ExampleSet) -> bool:
    """Return True if weights or pass mark were fitted to exactly these labels before, so that nothing new results."""
    openings = openings_of(examples, whole=True)
    return openings is not None and any(
        opening.labels == openings.labels and opening.by.startswith(BY) for opening in openings.all
    )


def _opened(examples: ExampleSet, by: str, *, day: str) -> int:
    """Record a use of the labels, unless it is on record, and return its number among all uses, counted from 1.

    Args:
        examples: The labelled examples.
        by: What the labels are used for, as a text. The use is on record if a use of the same labels has the same
            text.
        day: Today's date, for the record.
    """
    openings = openings_of(examples, whole=True)
    if openings is None:
        return 1
    seen = list(dict.fromkeys((opening.labels, opening.by) for opening in openings.all if opening.by.startswith(BY)))
    look = (openings.labels, by)
    if look in seen:
        return seen.index(look) + 1
    open_test_labels(examples, by=by, at=day, whole=True, counts_apart=True)
    return len(seen) + 1
