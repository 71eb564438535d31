"""The grader that asks one judge about each criterion of a rubric, and the base class of all graders with one judge."""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeAlias

from markscheme.grading.exchange import Exchange, JudgeQuestion, ask_judge
from markscheme.grading.grades import Fingerprints, Grade
from markscheme.grading.score import Score, weigh
from markscheme.grading.verdict import Holistic, Outcome, Unread, Verdict, read_verdicts, worse
from markscheme.judges.all_calls import all_or_first_error
from markscheme.judges.judge import AskedWithout, Judge, Reply, total, ways_of
from markscheme.prompts.material import Material
from markscheme.prompts.prompt import Prompt, verdict_prompt
from markscheme.prompts.submission import Submission
from markscheme.rubrics.inputs import STEPPED
from markscheme.rubrics.rubric import Criterion, Rubric, Scale

if TYPE_CHECKING:
    from markscheme.grading.checks import Scorer
    from markscheme.grading.receipt import Receipt

Passes: TypeAlias = Sequence[Sequence[Sequence[Criterion]]]
"""For each pass over a rubric, the criteria of each prompt; the criteria of one prompt have the same inputs."""
Settling: TypeAlias = Callable[[Sequence[Outcome], Criterion], Outcome]
"""Function that combines the outcomes on a criterion of several passes into one."""


@dataclass(frozen=True, kw_only=True)
class GradeOptions:
    """Options of grading submissions, besides the rubric and the judge.

    Attributes:
        normalize: True for scores from 0 to 1, False for raw sums of weights.
        renormalize: True to score a submission on those criteria that could be judged.
        scorers: Functions for criteria with a `check`, by name, in addition to the built-in ones.
        receipt: The receipt of a calibration that every grade carries, checked against rubric and judge; None without
            one.
        facts: Facts about all submissions, in addition to their inputs, such as the system that wrote them.
        only_gates: True to leave a submission ungraded if the judge can't gate on it.
    """

    normalize: bool = True
    renormalize: bool = False
    scorers: Mapping[str, "Scorer"] = field(default_factory=dict)
    receipt: "Receipt | None" = None
    facts: Mapping[str, str] = field(default_factory=dict)
    only_gates: bool = False


class SubmissionGrader(Protocol):
    """Interface of all graders: those that ask one judge, and those that wrap or combine other graders."""

    @property
    def fingerprints(self) -> Fingerprints:
        """Digests of the rubric, of its prompts, and of the judge or judges that grade."""
        ...

    def prompts(self, submission: Submission) -> list[Prompt]:
        """Return the first prompts about a submission, to estimate cost and to look up recorded replies."""
        ...

    async def grade(self, submission: Submission) -> Grade:
        """Grade a submission; if the judge fails, return an ungraded Grade with the reason.

        Raises:
            NoJudge: The judge cannot be used at all, since its key or package is missing.
            BudgetError: The budget would not cover another call.
        """
        ...

    def ungraded(self, submission: Submission, why: str) -> Grade:
        """Make a Grade without a score, with the reason why there is none."""
        ...


class AroundGrader(ABC):
    """Base class of graders that wrap another grader and do something before or after it grades.

    Attributes:
        grader: The wrapped grader.
    """

    def __init__(self, grader: SubmissionGrader) -> None:
        self.grader = grader

    @property
    def fingerprints(self) -> Fingerprints:
        """Fingerprints of the wrapped grader."""
        return self.grader.fingerprints

    def prompts(self, submission: Submission) -> list[Prompt]:
        """Return the first prompts about a submission, which are those of the wrapped grader."""
        return self.grader.prompts(submission)

    @abstractmethod
    async def grade(self, submission: Submission) -> Grade:
        """Grade a submission by the wrapped grader, and do what the subclass adds before or after."""

    def ungraded(self, submission: Submission, why: str) -> Grade:
        """Make a Grade without a score, with the reason why there is none."""
        return self.grader.ungraded(submission, why)


class OneJudge(ABC):
    """Base class of graders with a single judge, which turns the judge's replies into Grades.

    Attributes:
        rubric: The rubric to grade by.
        judge: The judge.
        options: Options on how outcomes become a score.
    """

    def __init__(
        self, rubric: Rubric, judge: Judge, options: GradeOptions, compute_fingerprints: Callable[[], Fingerprints]
    ) -> None:
        self.rubric = rubric
        self.judge = judge
        self.options = options
        self._compute_fingerprints = compute_fingerprints

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """Digests of the rubric, its prompts and the judge."""
        return self._compute_fingerprints()

    def _fingerprints_asked(self, ways: Sequence[AskedWithout]) -> Fingerprints:
        """Return the digests of rubric, prompts and judge; the judge's covers only the parameters that it accepted.

        Args:
            ways: For each way in which the judge was asked, the parameters left out of the request, since the server
                refused them.
        """
        if not any(ways):
            return self.fingerprints
        return replace(self.fingerprints, judge=self.judge.identity.as_asked(ways_of([ways])).fingerprint)

    @abstractmethod
    def prompts(self, submission: Submission) -> list[Prompt]:
        """Return the prompts that are sent first about a submission; each may be followed by a retry."""

    def ungraded(self, submission: Submission, why: str, replies: Sequence[Reply] = ()) -> Grade:
        """Make a Grade without a score, with the tokens and cost of the replies that did arrive."""
        return self.made(submission, replies, why)

    def made(
        self,
        submission: Submission,
        replies: Sequence[Reply],
        score: Score | str | None,
        *,
        outcomes: Mapping[str, Outcome] | None = None,
        holistic: Holistic | Unread | None = None,
    ) -> Grade:
        """Make a Grade from the judge's replies, the outcomes read from them, and the score.

        Args:
            submission: The submission.
            replies: All replies of the judge.
            score: The score; or the reason why there is none; None if the rubric defines no score.
            outcomes: The outcome on each criterion, by name; None if criteria aren't asked about.
            holistic: The judge's answer about the whole response; None if the judge was asked about criteria.
        """
        parts = [reply_part for reply in replies for reply_part in reply.single]
        ways = tuple(sorted(set[AskedWithout]().union(*(reply.ways for reply in replies))))
        by_name = outcomes or {}
        return Grade(
            id=submission.id,
            outcomes=by_name,
            error=score if isinstance(score, str) else None,
            scored=None if isinstance(score, str) else score,
            holistic=holistic,
            usage=total(reply_part.usage for reply_part in parts),
            replies=Counter(reply_part.source for reply_part in parts),
            spared_tokens=sum(reply_part.spared for reply_part in parts),
            models=tuple(sorted({reply_part.model for reply_part in parts if reply_part.model})),
            asked_without=ways,
            fingerprints=self._fingerprints_asked(ways),
            left_out=self._left_out(submission),
            by_criterion={
                criterion.name: _merit(criterion, by_name.get(criterion.name)) for criterion in self.rubric.criteria
            },
            without_words={
                criterion.name: outcome.in_words(criterion.scale)
                for criterion in self.rubric.criteria
                if isinstance(outcome := by_name.get(criterion.name), Verdict)
                and _needs_no_reason(outcome, criterion.scale)
            },
        )

    def _left_out(self, submission: Submission) -> tuple[str, ...]:
        """List the parts of long trajectories and of optional inputs that the judge isn't shown, one line per input."""
        has_steps = set(STEPPED) & set(self.rubric.known_inputs) & submission.inputs.keys()
        if not has_steps and not self.rubric.optional_inputs:
            return ()
        return tuple(dict.fromkeys(line for prompt in self.prompts(submission) for line in prompt.left_out))

    @property
    def asked_judge(self) -> Judge:
        """The judge, wrapped to answer each prompt several times if the rubric's `samples` is more than 1."""
        if self.rubric.samples == 1:
            return self.judge
        from markscheme.judges.panel import Repeated

        return Repeated(self.judge, self.rubric.samples)


class ByCriterion(OneJudge):
    """A grader that asks about the criteria one by one or in groups, in one or several passes over all of them.

    Attributes:
        passes: For each pass, the criteria of each prompt.
    """

    def __init__(
        self,
        rubric: Rubric,
        judge: Judge,
        options: GradeOptions,
        compute_fingerprints: Callable[[], Fingerprints],
        passes: Passes,
    ) -> None:
        super().__init__(rubric, judge, options, compute_fingerprints)
        self.passes = passes

    def prompts(self, submission: Submission) -> list[Prompt]:
        """Return the prompts about a submission: in each pass over the criteria, one per group that shares a prompt."""
        return criterion_prompts(self.rubric, submission, self.passes)

    async def grade(self, submission: Submission) -> Grade:
        """Grade a submission; if there are several passes over the criteria, a criterion's worst outcome counts."""
        checked = await self._checked(submission)  # first: an unknown check fails before any paid call
        return self.settled(submission, await self.ask(submission), worst, checked)

    async def ask(self, *versions: Submission) -> list[Exchange[Outcome]]:
        """Ask all questions about a submission: for each version of it, the questions of each pass over the criteria.

        The versions are the two orders in which a pair can be shown; any other submission has only one.
        """
        return await all_or_first_error(
            self._asked_in_one_pass(version, groups) for version in versions for groups in self.passes
        )

    def settled(
        self,
        submission: Submission,
        exchanges: Sequence[Exchange[Outcome]],
        settle: Settling,
        checked: Mapping[str, Outcome] | None = None,
    ) -> Grade:
        """Combine the outcomes and replies of all passes over the criteria into one Grade.

        Args:
            submission: The submission as graded.
            exchanges: The exchange of each pass.
            settle: Function that combines the outcomes on a criterion of all passes into one.
            checked: Outcomes of the criteria that are checked by code, by name.
        """
        replies = [reply for exchange in exchanges for reply in exchange.replies]
        error = next((exchange.error for exchange in exchanges if exchange.error is not None), None)
        if error is not None:
            return self.ungraded(submission, str(error), replies)
        outcomes = dict(checked or {})
        in_order = {}
        for criterion in self.rubric.criteria:
            name = criterion.name
            if criterion.check is None:
                readings = [exchange.readings[name] for exchange in exchanges if name in exchange.readings]
                outcomes[name] = settle(readings, criterion)
            in_order[name] = outcomes[name]
        options = self.options
        score = weigh(in_order, self.rubric, normalize=options.normalize, renormalize=options.renormalize)
        return self.made(submission, replies, score, outcomes=in_order)

    async def _asked_in_one_pass(
        self, submission: Submission, groups: Sequence[Sequence[Criterion]]
    ) -> Exchange[Outcome]:
        """Ask with one prompt per group of criteria, then once more about criteria with unreadable answers."""

        def questions(names: Sequence[str], again: bool) -> Iterator[JudgeQuestion[Outcome]]:
            unread = [self.rubric.criterion(name) for name in names] if again else []
            shown = Material({})  # one for all calls that show the same texts, so that these are prepared once
            for criteria in in_calls(self.rubric, unread) if again else groups:
                prompt = verdict_prompt(self.rubric, submission, criteria, again=again)
                shown = shown if prompt.material == shown.texts else Material(prompt.material)
                read = partial(read_verdicts, criteria=criteria, shown=shown, turned=submission.turned)
                yield prompt, read

        return await ask_judge(self.asked_judge, questions, [criterion.name for group in groups for criterion in group])

    async def _checked(self, submission: Submission) -> dict[str, Outcome]:
        by_code = [criterion for criterion in self.rubric.criteria if criterion.check is not None]
        if not by_code:
            return {}
        from markscheme.grading.checks import find_check

        outcomes = await all_or_first_error(
            find_check(criterion, submission, self.options.scorers) for criterion in by_code
        )
        return {criterion.name: outcome for criterion, outcome in zip(by_code, outcomes, strict=True)}


def worst(outcomes: Sequence[Outcome], criterion: Criterion) -> Outcome:
    """Return the worst-scoring of several outcomes on a criterion."""
    return reduce(partial(worse, criterion=criterion), outcomes)


def in_orders(submission: Submission, orders: int) -> list[Submission]:
    """Return the versions of a submission to show: as stored and, for `orders` 2, with the pair's responses swapped."""
    return [submission, replace(submission, turned=not submission.turned)][:orders]


def criterion_prompts(rubric: Rubric, submission: Submission, passes: Passes) -> list[Prompt]:
    """Return the prompts about a submission, before any retries: one per group of criteria, in each pass over them.

    Args:
        rubric: The rubric.
        submission: The submission.
        passes: For each pass over the criteria, the groups of criteria that share a prompt.
    """
    return [verdict_prompt(rubric, submission, group) for groups in passes for group in groups]


def seeing_alike(rubric: Rubric, criteria: Iterable[Criterion]) -> list[list[Criterion]]:
    """Group the criteria that need the same inputs of a submission, so that each group can share a prompt."""
    groups: dict[tuple[str, ...], list[Criterion]] = {}
    for criterion in criteria:
        groups.setdefault(rubric.shown_to(criterion), []).append(criterion)
    return list(groups.values())


def in_calls(rubric: Rubric, criteria: Iterable[Criterion]) -> list[list[Criterion]]:
    """Group criteria by prompt: those of a prompt see the same inputs and number at most `criteria_per_call`.

    Example:
        >>> rubric = Rubric(tuple(Criterion(1.0, f"Names item {i}") for i in range(8)), criteria_per_call=3)
        >>> [[criterion.name for criterion in criteria] for criteria in in_calls(rubric, rubric.criteria)]
        [['c1', 'c2', 'c3'], ['c4', 'c5', 'c6'], ['c7', 'c8']]
    """
    groups = seeing_alike(rubric, criteria)
    if rubric.criteria_per_call is None:
        return groups
    most = rubric.criteria_per_call
    return [call for group in groups for call in _split(group, math.ceil(len(group) / most))]


def _split(group: list[Criterion], calls: int) -> list[list[Criterion]]:
    """Split criteria, in order, into `calls` groups whose sizes differ by at most one; the larger groups come first."""
    size, larger = divmod(len(group), calls)
    ends = [size * before + min(before, larger) for before in range(calls + 1)]
    return [group[start:end] for start, end in pairwise(ends)]


def _needs_no_reason(verdict: Verdict, scale: Scale) -> bool:
    """Return True if a verdict may lack a reason: it is a category, or has probabilities instead."""
    return scale.coded or bool(verdict.probabilities and not verdict.reason)


def _merit(criterion: Criterion, outcome: Outcome | None) -> float | None:
    return criterion.worth(criterion.scale.position(outcome.level)) if isinstance(outcome, Verdict) else None
