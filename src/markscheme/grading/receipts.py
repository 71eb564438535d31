"""Receipts, which say what calibration is behind grades, and the grader that attaches them to grades."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from markscheme.errors import UsageError
from markscheme.grading.by_criterion import AroundGrader, SubmissionGrader
from markscheme.grading.grades import Grade
from markscheme.grading.receipt import Receipt, calibration_text, find_receipt, why_no_gate
from markscheme.grading.strategies import asking_fingerprint
from markscheme.grading.tables import RECEIPTS_OF_ROWS
from markscheme.judges.judge import GradingJudge, JudgeGroup
from markscheme.judges.kinds import YOUR_JUDGE
from markscheme.options.in_force import with_reading_options
from markscheme.prompts.submission import Submission, metadata_of
from markscheme.rubrics.of_rows import ROWS_ALONE
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import POOL, find_calibration


class WithReceipt(AroundGrader):
    """A grader whose grades carry a receipt: what the calibration of their judge showed.

    Attributes:
        receipt: The receipt, which was checked against rubric and judge.
        facts: Facts about all submissions, such as their system, by name. These facts, and a submission's metadata and
            inputs, decide to which slices the submission belongs.
        only_gates: True to leave a submission ungraded if it belongs to a slice on which the judge can't gate, or
            if it came with criteria of its own that the calibration doesn't cover.
    """

    def __init__(
        self, grader: SubmissionGrader, receipt: Receipt, facts: Mapping[str, str], *, only_gates: bool = False
    ) -> None:
        super().__init__(grader)
        self.receipt = receipt
        self.facts = facts
        self.only_gates = only_gates

    async def grade(self, submission: Submission) -> Grade:
        """Grade a submission and attach the receipt, which says what the judge's calibration showed.

        With `only_gates`, a submission stays ungraded if it is in a slice on which the judge can't gate, or came with
        criteria that the calibration doesn't cover.
        """
        receipt = self._receipt_for(submission)
        if self.only_gates and (receipt.why_excepted or receipt.outside):
            why = receipt.why_excepted or calibration_text(receipt)
            grade = self.grader.ungraded(submission, f"the judge can't gate this: {why}")
        else:
            grade = await self.grader.grade(submission)
        return replace(grade, receipt=receipt.asked_without(*grade.asked_without))

    def ungraded(self, submission: Submission, why: str) -> Grade:
        """Make a Grade without a score, with the reason why there is none."""
        return replace(super().ungraded(submission, why), receipt=self._receipt_for(submission))

    def _receipt_for(self, submission: Submission) -> Receipt:
        if not self.receipt.excepted:
            return self.receipt
        return self.receipt.for_example({**metadata_of(submission), **submission.inputs, **self.facts})


def receipt_of(rubric: Rubric, judge: GradingJudge, *starts: Path) -> Receipt | None:
    """Find the receipt of the rubric's accepted run, checked against this prompt and judge; None if no run is accepted.

    For rows that bring rubrics of their own, the receipt is that of an accepted run on other rows with their own
    rubrics.

    Args:
        rubric: The rubric as used; ROWS_ALONE, with the run's settings, for rows with rubrics of their own.
        judge: The judge.
        starts: Folders in or above which the folder `calibration/` is searched for; the first one found counts.

    Raises:
        RatingError: The accepted run cannot be read.
    """
    if rubric.criteria == ROWS_ALONE.criteria:
        return next(filter(None, (find(rubric, judge, starts) for find in RECEIPTS_OF_ROWS)), None)
    receipt = find_receipt(rubric.name, *starts)
    if receipt is None:
        return None
    as_then = replace(judge.identity, without=receipt.without)
    return receipt.checked_against(rubric, prompt=asking_fingerprint(rubric), judge=as_then.fingerprint)


def way_to_accept(rubric: Rubric, *starts: Path, judge: str | None = YOUR_JUDGE) -> str | None:
    """Return advice on how to get an accepted run: the command that accepts one, or first labels examples.

    Return None for a rubric without a file.

    Args:
        rubric: The rubric; one without a file has no labels.
        starts: Folders in or above which the folder `calibration/` with its labels is searched for.
        judge: Name of the judge on a command line; None if it is asked without being named.
    """
    if rubric.source is None:
        return None
    folder = find_calibration(rubric.name, *starts)
    if folder is None or not (folder / "examples.jsonl").is_file():
        return f"label examples for one: `{_command('label', rubric.name, '--pool', POOL)}`"
    named = [] if judge is None else ["--judge", judge]
    return f"accept one by `{_command('calibrate', rubric.name, *named, '--accept')}`"


def _command(*words: str) -> str:
    return with_reading_options(shlex.join(("markscheme", *words)))


def receipt_wanted(
    wish: str,
    setting: str,
    rubric: Rubric,
    judge: GradingJudge,
    *starts: Path,
    averaged: bool = False,
    named: str | None = YOUR_JUDGE,
) -> Receipt | None:
    """Find the receipt of the judge's calibration to attach to grades; None without one, or if the user wants none.

    Args:
        wish: The user's wish, one of CALIBRATION.
        setting: Name of the option that states the wish, for the message.
        rubric: The rubric, with the pass mark, strategy and samples of the run; ROWS_ALONE for rows' own rubrics.
        judge: The judge.
        starts: Folders in or above which the folder `calibration/` is searched for; the first one found counts.
        averaged: True if scores are to be averaged, so that the receipt must allow trends, instead of a gate.
        named: Name of the judge on a command line; None if it is asked without being named.

    Raises:
        UsageError: `wish` is `require`, and there is no receipt, or it doesn't allow this use.
    """
    if wish == "off":
        return None
    receipt = receipt_of(rubric, judge, *starts)
    if isinstance(judge, JudgeGroup):  # its certificate is about the decisions it makes, and it makes no others
        void = judge.why_void(rubric.fingerprint, asking_fingerprint(rubric))
        if wish == "require" and void:
            raise UsageError(f"{setting} is require, and {void}")
        return receipt
    may = receipt is not None and (receipt.may_trend if averaged else receipt.may_gate)
    if wish == "require" and not may:
        cannot = "scores of this judge cannot be averaged" if averaged else "this judge cannot gate"
        raise UsageError(
            f"{setting} is require, and {cannot}: {why_no_gate(receipt, way_to_accept(rubric, *starts, judge=named))}"
        )
    return receipt
