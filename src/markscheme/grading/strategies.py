"""The strategies of a rubric for asking a judge about a submission: the prompts and the grader of each.

STRATEGIES is the table of strategies. Prompts are made without a judge, since they are needed to estimate cost, to look
up recorded replies and to compute fingerprints.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final, NamedTuple

from markscheme.fingerprint import fingerprint
from markscheme.grading.as_a_whole import AsAWhole
from markscheme.grading.by_criterion import (
    ByCriterion,
    GradeOptions,
    Passes,
    SubmissionGrader,
    criterion_prompts,
    in_calls,
    in_orders,
)
from markscheme.grading.by_order import ByOrder
from markscheme.grading.grades import Fingerprints
from markscheme.judges.judge import GradingJudge, Judge
from markscheme.prompts.prompt import Prompt, holistic_prompt
from markscheme.prompts.steps import steps_elsewhere
from markscheme.prompts.submission import Submission
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.seam import OpenTable


class StrategyKind(NamedTuple):
    """A strategy of asking a judge, as a rubric names it: the prompts that are sent and the grader that sends them.

    Attributes:
        name: Name in a rubric's `strategy`.
        prompts: Function that makes the prompts that are sent first about a submission.
        grader: Function that makes the grader that asks a judge these prompts.
    """

    name: str
    prompts: Callable[[Rubric, Submission], list[Prompt]]
    grader: Callable[[Rubric, Judge, GradeOptions], SubmissionGrader]


def _by_criterion(name: str, passes_of: Callable[[Rubric], Passes]) -> StrategyKind:
    """Make a strategy that asks about groups of criteria, in one or two passes; about a pair, in each order.

    Args:
        name: Name of the strategy.
        passes_of: Function that returns, for each pass over a rubric, the groups of criteria that are asked together.
    """

    def prompts(rubric: Rubric, submission: Submission) -> list[Prompt]:
        versions = in_orders(submission, rubric.orders) if rubric.is_of_pairs else [submission]
        return [prompt for version in versions for prompt in criterion_prompts(rubric, version, passes_of(rubric))]

    def grader(rubric: Rubric, judge: Judge, options: GradeOptions) -> SubmissionGrader:
        fingerprints = partial(fingerprints_of, rubric, judge)
        by_criterion = ByCriterion(rubric, judge, options, fingerprints, passes_of(rubric))
        return ByOrder(by_criterion, rubric.orders) if rubric.is_of_pairs else by_criterion

    return StrategyKind(name, prompts, grader)


def _judged(rubric: Rubric) -> list[Criterion]:
    return [criterion for criterion in rubric.criteria if criterion.check is None]


def _there_and_back(rubric: Rubric) -> Passes:
    """Return the criteria of each prompt for two passes: in the second, each prompt has them in reverse order.

    Only prompts about several criteria are in the second pass; if there are none, there is one pass.
    """
    groups = in_calls(rubric, _judged(rubric))
    reversed_groups = [group[::-1] for group in groups if len(group) > 1]
    return [groups, reversed_groups] if reversed_groups else [groups]


def _whole_grader(rubric: Rubric, judge: Judge, options: GradeOptions) -> SubmissionGrader:
    return AsAWhole(rubric, judge, options, partial(fingerprints_of, rubric, judge))


STRATEGIES: Final[OpenTable[StrategyKind]] = OpenTable(
    _by_criterion("one_shot", lambda rubric: [in_calls(rubric, _judged(rubric))]),
    _by_criterion("per_criterion", lambda rubric: [[[criterion] for criterion in _judged(rubric)]]),
    _by_criterion("double_pass", _there_and_back),
    StrategyKind("holistic", lambda rubric, submission: [holistic_prompt(rubric, submission)], _whole_grader),
)
"""The strategies that a rubric may name.

With one_shot, criteria with the same inputs share prompts of at most `criteria_per_call`; with per_criterion, each has
a prompt of its own.
"""


def strategy_of(rubric: Rubric) -> StrategyKind:
    """Return the kind of strategy that a rubric names."""
    return next(kind for kind in STRATEGIES if kind.name == rubric.strategy)


def questions(rubric: Rubric, submission: Submission) -> list[Prompt]:
    """List the prompts that a judge gets first about a submission; each may be followed by a retry."""
    return strategy_of(rubric).prompts(rubric, submission)


def blank_submission(rubric: Rubric) -> Submission:
    """Create an empty submission, to make the parts of prompts that don't depend on the submission."""
    return Submission("", second="" if rubric.is_of_pairs else None)


@lru_cache(maxsize=64)
def asking_fingerprint(rubric: Rubric) -> str:
    """Compute a digest of a rubric's prompts except the submission: instructions, schema, strategy, samples."""
    prompts = questions(rubric, blank_submission(rubric))
    return fingerprint([[prompt.system, prompt.schema] for prompt in prompts], rubric.strategy, rubric.samples)


def fingerprints_of(rubric: Rubric, judge: GradingJudge) -> Fingerprints:
    """Compute the fingerprints of the rubric, its prompts and the judge, which grades carry."""
    return Fingerprints(rubric.fingerprint, asking_fingerprint(rubric), judge.identity.fingerprint)


def lacking_inputs(rubric: Rubric, submission: Submission) -> list[str]:
    """List the declared inputs that a submission lacks; of several inputs for an agent's steps, one suffices."""
    declared = rubric.inputs or ()
    filled = [name for name in declared if name in submission.inputs]
    return [name for name in declared if name not in filled and not steps_elsewhere(name, filled)]
