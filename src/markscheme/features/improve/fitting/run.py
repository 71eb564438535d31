"""Run `improve --numbers`: look, on record, at what decisions say of weights and pass mark, and change the file."""

from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.features.improve.fitting.evidence import DecisionEvidence
from markscheme.features.improve.fitting.proposal import NumbersProposal, propose_numbers
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import Opening, open_test_labels, openings_of, record_tuning
from markscheme.rubrics.edit import Changes, edit

BY = "improve --numbers"
"""The command that the record of looks names; looks for other words count apart."""


@dataclass(frozen=True)
class NumbersRun:
    """One look at what decisions say of a rubric's numbers.

    Attributes:
        evidence: The decisions.
        opening: Number of different sets of these decisions that were looked at, with this one.
        proposal: What they say.
        diff: The lines of the rubric's file that change; None where none do.
        written: Whether they were written.
    """

    evidence: DecisionEvidence
    opening: int
    proposal: NumbersProposal
    diff: str | None = None
    written: bool = False

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
        return Changes(weights=weights, pass_mark=None if mark == rubric.pass_mark else mark)


def next_opening(examples: ExampleSet) -> int:
    """Return the number that a look at a set's decisions has, or would have; unchanged decisions keep theirs."""
    openings = openings_of(examples, whole=True)
    if openings is None:
        return 1
    seen = dict.fromkeys(opening.labels for opening in openings.all if opening.by == BY)
    return (list(seen).index(openings.labels) if openings.labels in seen else len(seen)) + 1


def open_decisions(evidence: DecisionEvidence, examples: ExampleSet, *, day: str) -> NumbersRun:
    """Look at what decisions say, after putting the look on record.

    Raises:
        RatingError: The record can't be read or written.
    """
    opening = next_opening(examples)
    if not _is_on_record(examples):
        open_test_labels(examples, by=BY, at=day, whole=True, counts_apart=True)
    return NumbersRun(evidence, opening, propose_numbers(evidence.rows, evidence.numbers, opening=opening))


def with_file(run: NumbersRun, file: Path, examples: ExampleSet, *, write: bool, day: str) -> NumbersRun:
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


def _is_on_record(examples: ExampleSet) -> bool:
    openings = openings_of(examples, whole=True)
    return openings is not None and any(_is_of_numbers(opening, openings.labels) for opening in openings.all)


def _is_of_numbers(opening: Opening, labels: str) -> bool:
    return opening.by == BY and opening.labels == labels
