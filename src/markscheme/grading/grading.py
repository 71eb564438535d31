"""Grade submissions by a rubric: the choice of the grader, and the functions that programs call."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.errors import UsageError, naming
from markscheme.grading.by_criterion import AroundGrader, GradeOptions, SubmissionGrader
from markscheme.grading.by_row import ByRow
from markscheme.grading.grades import Fingerprints, Grade
from markscheme.grading.strategies import lacking_inputs, strategy_of
from markscheme.grading.tables import GRADERS, GROUP_CHECKS
from markscheme.judges.ask_many import ask_many
from markscheme.judges.judge import JUDGE_OF_A_FUNCTION, GradingJudge, JudgeGroup, make_room
from markscheme.prompts.submission import IS_PAIR, NO_PAIR, Submission
from markscheme.rubrics.file import rubric_given
from markscheme.rubrics.keys import RowRule
from markscheme.rubrics.of_rows import row_rule
from markscheme.rubrics.rubric import Rubric

if TYPE_CHECKING:
    from markscheme.grading.checks import Scorer


Objection: TypeAlias = Callable[[Submission], str | None]
"""Function that returns why a submission can't be graded; None if it can."""


def grader_for(rubric: Rubric, judge: GradingJudge, options: GradeOptions | None = None) -> SubmissionGrader:
    """Build the grader for a rubric and a judge.

    Args:
        rubric: The rubric as the judge is asked. Its strategy decides if the grader asks by criterion or for one
            holistic score; a rubric of pairs gets a grader of pairs.
        judge: A judge, or a group of judges asked in turn, such as a cascade, which has a grader of its own.
        options: Options on how outcomes become a score, and on the receipt that grades carry.

    Example:
        >>> import asyncio
        >>> from markscheme import ScriptedJudge
        >>> rubric = Rubric.from_dict([{"weight": 2, "requirement": "It is right", "name": "right"}])
        >>> grader = grader_for(rubric, ScriptedJudge([{"right": "MET"}]))
        >>> asyncio.run(grader.grade(Submission("In Leeds."))).score
        1.0
    """
    options = options or GradeOptions()
    if isinstance(judge, JudgeGroup):  # which says itself what it may decide, whatever a receipt excepts
        grader = _with_receipt(dict(GRADERS)[judge.grader](rubric, judge, options), replace(options, only_gates=False))
    else:
        grader = _with_receipt(strategy_of(rubric).grader(rubric, judge, options), options)
    return Admitting(grader, _objections(rubric), grader)


def as_of_today(judge: GradingJudge, rubric: Rubric) -> GradingJudge:
    """Return the judge; a group of judges is limited to the decisions that today's checks allow it to make.

    Warns:
        RatingWarning: The group may decide less than was certified, or the labels that it was certified on couldn't be
            checked.
    """
    if not isinstance(judge, JudgeGroup):
        return judge
    for check in GROUP_CHECKS:
        judge = check(judge, rubric)
    return judge


def _with_receipt(grader: SubmissionGrader, options: GradeOptions) -> SubmissionGrader:
    if options.receipt is None:
        return grader
    from markscheme.grading.receipts import WithReceipt

    return WithReceipt(grader, options.receipt, options.facts, only_gates=options.only_gates)


def _objections(rubric: Rubric) -> tuple[Objection, ...]:
    """Return the functions that check if the rubric can grade a submission; each returns a reason or None."""
    return _fault_of, _no_pair if rubric.is_of_pairs else _is_pair, partial(_lacks, rubric)


def _fault_of(submission: Submission) -> str | None:
    return submission.fault or None


def _no_pair(submission: Submission) -> str | None:
    return NO_PAIR if submission.second is None else None


def _is_pair(submission: Submission) -> str | None:
    return None if submission.second is None else IS_PAIR


def _lacks(rubric: Rubric, submission: Submission) -> str | None:
    lacking = lacking_inputs(rubric, submission)
    return f"the submission lacks {', '.join(map(repr, lacking))}" if lacking else None


class Admitting(AroundGrader):
    """A grader that checks each submission before a wrapped grader grades it, and leaves it ungraded if a check fails.

    Attributes:
        objections: Functions that return why a submission can't be graded, or None; called in this order.
        refusing: The grader whose method `ungraded` makes the Grade of a submission that can't be graded.
    """

    def __init__(self, grader: SubmissionGrader, objections: Sequence[Objection], refusing: SubmissionGrader) -> None:
        super().__init__(grader)
        self.objections = objections
        self.refusing = refusing

    async def grade(self, submission: Submission) -> Grade:
        """Grade a submission by the wrapped grader; if a check finds an objection, return an ungraded Grade."""
        for objection in self.objections:
            why = objection(submission)
            if why is not None:
                return self.ungraded(submission, why)
        return await self.grader.grade(submission)

    def ungraded(self, submission: Submission, why: str) -> Grade:
        """Make a Grade without a score, with the reason why there is none."""
        return self.refusing.ungraded(submission, why)


@dataclass(frozen=True)
class Grading(GradeOptions):
    """Configuration of grading: a rubric, a judge and, by name, the options of how verdicts are scored.

    Attributes:
        rubric: The rubric to grade by; its strategy decides how the judge is asked.
        judge: The judge, or judges that grade together.
        rows: How a rubric that a submission brings as its input `rubric` is used; None for what the rubric's key `rows`
            says.
        has_core: True to grade submissions without a rubric of their own by `rubric`, False to leave them ungraded.

    Raises:
        UsageError: The judge isn't a judge, but a function or a judge's name.
    """

    rubric: Rubric
    judge: GradingJudge
    rows: RowRule | None = None
    has_core: bool = True

    def __post_init__(self) -> None:
        _refuse_no_judge(self.judge)

    @cached_property
    def grader(self) -> ByRow:
        """The grader for the rubric, judge and options; a submission that brings a rubric is graded by that rubric."""
        grader = grader_for(self.rubric, self.judge, self)
        make = partial(_grader_of_rows, self)
        rule = row_rule(self.rows, self.rubric if self.has_core else None)
        return ByRow(grader, self.rubric, rule, make, has_core=self.has_core)

    @property
    def fingerprints(self) -> Fingerprints:
        """Digests of the rubric, the prompt and the judge."""
        return self.grader.fingerprints

    async def grade(self, submission: Submission) -> Grade:
        """Grade one submission; if the judge fails, return an ungraded Grade with the reason.

        Raises:
            NoJudge: The judge cannot be used at all, since its key or package is missing.
            BudgetError: The budget would not cover another call.
        """
        return await self.grader.grade(submission)

    def ungraded(self, submission: Submission, why: str) -> Grade:
        """Create a Grade without a score, with the reason why there is none."""
        return self.grader.ungraded(submission, why)


def _grader_of_rows(grading: Grading, rubric: Rubric) -> SubmissionGrader:
    """Make the grader for a rubric that rows bring; its receipt names criteria that weren't calibrated.

    Args:
        grading: The configuration of the run, whose receipt is about the rubric of the run.
        rubric: The rubric that rows are graded by.

    Raises:
        UsageError: The judges are certified for the rubric of the run alone.
    """
    if isinstance(grading.judge, JudgeGroup):
        raise UsageError("these judges are certified for the rubric of the run alone")
    receipt = None if grading.receipt is None else grading.receipt.beyond(grading.rubric, rubric)
    return grader_for(rubric, grading.judge, replace(grading, receipt=receipt))


def _refuse_no_judge(judge: GradingJudge) -> None:
    if (isinstance(judge, type) or not hasattr(judge, "reply")) and not isinstance(judge, JudgeGroup):
        raise UsageError(
            f"a judge must have a method `reply`, got a {type(judge).__name__}: open_judge(NAME) opens one by name, "
            f"and {JUDGE_OF_A_FUNCTION}"
        )


def grade_many(
    grading: Grading, submissions: Iterable[Submission], *, concurrency: int = 8
) -> AsyncGenerator[tuple[int, Grade], None]:
    """Yield grades as they are ready, each with the index of its submission; at most `concurrency` at once.

    Submissions are taken from the iterable only as fast as they are graded, so that a long iterable needs little
    memory.

    Raises:
        BudgetError: The budget would not cover another call; it is raised after all grades under way are yielded.
        ValueError: The concurrency is below 1.
    """
    make_room(grading.judge, concurrency)
    return ask_many(grading.grade, submissions, concurrency=concurrency)


async def grade(
    rubric: Rubric | str | Path, submission: Any, judge: GradingJudge, *, normalize: bool = True, **inputs: Any
) -> Grade:
    """Grade one response.

    Args:
        rubric: The rubric to grade by, its name or its file.
        submission: The response: text, a number, a boolean, a list, a mapping or a trace; or a Submission.
        judge: The judge.
        normalize: True for a score from 0 to 1, False for the raw sum of weights.
        inputs: Named inputs (`query=…`), unless `submission` is a Submission, which has its own.

    Raises:
        SubmissionError: The response is None, or it or an input is bytes or an object that isn't JSON data.
        UsageError: No rubric has that name.

    Example:
        >>> import asyncio
        >>> from markscheme import Rubric, ScriptedJudge
        >>> rubric = Rubric.from_dict([{"weight": 2, "requirement": "A"}, {"weight": -1, "requirement": "B"}])
        >>> done = asyncio.run(grade(rubric, "…", ScriptedJudge([{"c1": "MET", "c2": "MET"}])))
        >>> done.score, done.raw_score, done.passed
        (0.5, 1.0, True)
    """
    return await Grading(rubric_given(rubric), judge, normalize=normalize).grade(Submission.of(submission, inputs))


def scorers_for(rubric: Rubric, module_names: Sequence[str]) -> "dict[str, Scorer]":
    """Load the checks by code in these modules, and ensure that each `check` that a criterion names is one of them.

    Raises:
        UsageError: A module cannot be imported, or a criterion names a check that no module has.
    """
    checked = [criterion for criterion in rubric.criteria if criterion.check is not None]
    if not checked and not module_names:
        return {}
    from markscheme.grading.checks import check_of, load_scorers

    scorers = load_scorers(*module_names)
    with naming(*filter(None, [rubric.source])):
        for criterion in checked:
            check_of(criterion, scorers)
    return scorers
