"""Grade submissions: prompt, judge, verdicts, score."""

from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial, reduce
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from markscheme.errors import UsageError
from markscheme.exchange import AS_A_WHOLE, Exchange, JudgeQuestion, ask_judge
from markscheme.fingerprint import fingerprint
from markscheme.judges.cascade import CascadeJudge
from markscheme.judges.judge import Judge, Reply, Usage, make_room, total
from markscheme.judges.many import all_or_first_error, ask_many
from markscheme.phrases import brief, number
from markscheme.prompt import Prompt, holistic_prompt, verdict_prompt
from markscheme.rubrics.distribution import as_written
from markscheme.rubrics.preference import ShownOrder
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.score import NO_SCORE, GradeDecision, Score, certainty_of, weigh, weigh_holistic
from markscheme.submission import IS_PAIR, NO_PAIR, Submission, metadata_of
from markscheme.text import on_one_line
from markscheme.trajectory import STEPPED, steps_elsewhere
from markscheme.verdict import (
    Abstention,
    Holistic,
    NotApplicable,
    Outcome,
    Unread,
    Verdict,
    combine,
    read_holistic,
    read_verdicts,
    worse,
)

MOST_UNGRADED = 0.1
"""Maximum share of submissions that may stay ungraded for a run to count."""

if TYPE_CHECKING:
    from markscheme.receipt import Receipt
    from markscheme.scorers import Scorer


@dataclass(frozen=True)
class Fingerprints:
    """Digests of the prompt and the judge; grades with equal digests are comparable."""

    rubric: str
    prompt: str
    judge: str

    def to_json(self) -> dict[str, str]:
        """As plain data."""
        return {"rubric": self.rubric, "prompt": self.prompt, "judge": self.judge}


ASK_A_PERSON = "ask a person: "
"""How the reason of a decision opens that no judge may make."""


@dataclass(frozen=True, slots=True)
class CascadeOutcome:
    """What a cascade came to.

    Attributes:
        stage: The judge that decided, counted from 1; None where a person should.
        judge: Its name; that of the last one that graded where a person should.
        certainty: Its certainty; None where it has none.
        why: Why a person should decide; "" where a judge did.
        differs: What isn't as it was certified, so that it decided nothing; "" where nothing differs.
    """

    stage: int | None
    judge: str
    certainty: float | None
    why: str = ""
    differs: str = ""


@dataclass(frozen=True)
class Grade:
    """The whole outcome of judging one submission.

    Attributes:
        id: The submission's.
        outcomes: For each criterion, by name, a verdict or why there is none; empty for a holistic grade.
        by_criterion: How good the response is by each criterion, 0 to 1, reversed for a fault; None without a verdict.
        without_words: By criterion on which a decision model gave no reason, its level and probability: "MET .93"; by
            category, its label and the reason.
        error: Why the submission is not graded; None if it is.
        scored: Score, raw score and pass or fail; None if not graded, or if the rubric has categories alone and doesn't
            say which pass.
        holistic: The single score of a holistic grade.
        usage: Tokens and cost.
        replies: Number of replies by source: live, recorded, cache.
        spared_tokens: Tokens that replies from the cache took when they were new, as far as they were counted.
        models: Models that answered, as they named themselves.
        fingerprints: Of rubric, prompt and judge.
        receipt: The calibration behind this grade, if there is one.
        left_out: What the judge was not shown of long trajectories, one line per input.
        by_order: Of a pair: the outcomes of each order in which the judge saw it, as levels of the stored order.
        cascade: Which judge of a cascade decided, or why a person should; None without a cascade.
    """

    id: str
    outcomes: Mapping[str, Outcome]
    error: str | None
    scored: Score | None
    holistic: Holistic | Unread | None = None
    usage: Usage = Usage()
    replies: Mapping[str, int] = field(default_factory=dict)
    spared_tokens: int = 0
    models: tuple[str, ...] = ()
    fingerprints: Fingerprints | None = None
    receipt: "Receipt | None" = None
    left_out: tuple[str, ...] = ()
    by_criterion: Mapping[str, float | None] = field(default_factory=dict)
    without_words: Mapping[str, str] = field(default_factory=dict)
    by_order: Mapping[ShownOrder, Mapping[str, Outcome]] = field(default_factory=dict)
    cascade: "CascadeOutcome | None" = None

    @property
    def score(self) -> float | None:
        """0 to 1 (or the raw sum if not normalized); None if not graded."""
        return self.scored.score if self.scored else None

    @property
    def raw_score(self) -> float | None:
        """Sum of weight times position; None if not graded."""
        return self.scored.raw_score if self.scored else None

    @property
    def llm_raw_score(self) -> float | None:
        """The score a holistic judge gave, otherwise the raw score; None if not graded."""
        return self.scored.llm_raw_score if self.scored else None

    @property
    def passed(self) -> bool | None:
        """Whether the response passes; False where a person should decide; None if not graded, which is not a fail."""
        if self.scored is None:
            return None
        return False if self.scored.decision == "ask" else self.scored.passed

    @property
    def decision(self) -> GradeDecision | None:
        """Pass, fail, or ask a person if the score is in the rubric's gray zone; None if not graded."""
        return self.scored.decision if self.scored else None

    @property
    def certainty(self) -> float | None:
        """The judge's own probability of what it decided, 0 to 1; of a cascade, by what its decisions are ranked.

        None unless the judge gave a probability for each level, or the cascade's stage has a certainty.
        """
        if self.cascade is not None:
            return self.cascade.certainty
        return None if self.scored is None or self.scored.chance is None else self.scored.certainty

    @property
    def why_no_decision(self) -> str | None:
        """Why it can't pass or fail: it isn't graded, or its categories don't say which pass; None if it can."""
        return NO_SCORE if self.scored is None and self.error is None else self.error

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts among the outcomes, by criterion."""
        return {name: outcome for name, outcome in self.outcomes.items() if isinstance(outcome, Verdict)}

    @property
    def reason(self) -> str:
        """Score, decision and each verdict's reason on one line; if not graded, why."""
        if self.scored is None and self.error is not None:
            return on_one_line(f"not graded: {self.error}")
        parts = [self._ground(name, verdict) for name, verdict in self.verdicts.items()]
        if self.scored is None:
            return on_one_line(f"{NO_SCORE}: {'; '.join(parts)}")
        if isinstance(self.holistic, Holistic):
            parts.append(self.holistic.reason)
        why = "" if self.cascade is None else f"{self.cascade.why}; "
        asks = f"{ASK_A_PERSON}{why}" if self.decision == "ask" else ""
        return on_one_line(f"{asks}{number(self.scored.score)}, {self.scored.decision}: {'; '.join(parts)}")

    def _ground(self, name: str, verdict: Verdict) -> str:
        if name in self.without_words:
            return f"{name} {self.without_words[name]}"
        return f"{name} {brief(self.by_criterion[name], 3)}" + (f" ({verdict.reason})" if verdict.reason else "")

    @property
    def quotes_not_found(self) -> int:
        """Verdicts whose quote was not found in the material."""
        return sum(verdict.quote_found is False for verdict in self.verdicts.values())


@dataclass(frozen=True)
class Grading:
    """How to grade: a rubric, a judge and how the verdicts are scored.

    Attributes:
        rubric: The rubric to grade by; its strategy decides how the judge is asked.
        judge: The judge.
        normalize: False keeps raw sums as scores.
        renormalize: True scores a submission on the criteria that could be judged.
        scorers: Code for criteria with a `check`, by name, in addition to the built-in ones.
        receipt: The calibration that every grade carries, checked against this rubric and judge; None without one.
        facts: What is known of all submissions besides their inputs, such as the system that wrote them.
        only_gates: Whether a submission for which the judge can't gate stays ungraded.

    Raises:
        UsageError: The judge is no judge, such as a function or a judge's name.
    """

    rubric: Rubric
    judge: Judge
    normalize: bool = True
    renormalize: bool = False
    scorers: Mapping[str, "Scorer"] = field(default_factory=dict)
    receipt: "Receipt | None" = None
    facts: Mapping[str, str] = field(default_factory=dict)
    only_gates: bool = False

    def __post_init__(self) -> None:
        if not hasattr(self.judge, "reply"):
            raise UsageError(
                f"a judge has a method `reply`, found a {type(self.judge).__name__}: open_judge(NAME) opens one by its "
                "name, and markscheme.judges.function.FunctionJudge(fn, NAME) makes one of a function"
            )

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """Digests of the prompt and the judge."""
        return Fingerprints(self.rubric.fingerprint, asking_fingerprint(self.rubric), self.judge.identity.fingerprint)

    @cached_property
    def _passes(self) -> list[list[list[Criterion]]]:
        """For each pass, the criteria of each prompt."""
        return orders(self.rubric)

    async def grade(self, submission: Submission) -> Grade:
        """The grade of one submission; if the judge fails it is ungraded, with the reason.

        Raises:
            NoJudge: The judge cannot be used at all: its key or package is missing.
            BudgetError: The budget would not cover another call.
        """
        if submission.fault:
            return self.ungraded(submission, submission.fault)
        if self.rubric.is_of_pairs != (submission.second is not None):
            return self.ungraded(submission, NO_PAIR if self.rubric.is_of_pairs else IS_PAIR)
        lacking = lacking_inputs(self.rubric, submission)
        if lacking:
            return self.ungraded(submission, f"the submission lacks {', '.join(map(repr, lacking))}")
        if isinstance(self.judge, CascadeJudge):
            return await self._grade_by_cascade(self.judge, submission)
        receipt = self._receipt_of(submission)
        if self.only_gates and receipt is not None and receipt.why_excepted:
            return self.ungraded(submission, f"the judge can't gate this: {receipt.why_excepted}")
        if self.rubric.strategy == "holistic":
            return await self._grade_as_a_whole(submission)
        return await self._grade_by_criterion(submission)

    def ungraded(self, submission: Submission, why: str, replies: Sequence[Reply] = ()) -> Grade:
        """A Grade without a score, with the usage of the replies that came all the same."""
        return self._grade(submission, replies, why)

    def _receipt_of(self, submission: Submission) -> "Receipt | None":
        if self.receipt is None or not self.receipt.excepted:
            return self.receipt
        return self.receipt.for_example({**metadata_of(submission), **submission.inputs, **self.facts})

    # asking

    async def _grade_by_criterion(self, submission: Submission) -> Grade:
        outcomes = await self._checked(submission)  # first: an unknown check fails before any paid call
        versions = both_ways(self.rubric, submission)
        passes = await all_or_first_error(
            self._pass(version, groups) for version in versions for groups in self._passes
        )
        replies = [reply for exchange in passes for reply in exchange.replies]
        error = next((exchange.error for exchange in passes if exchange.error is not None), None)
        if error is not None:
            return self.ungraded(submission, str(error), replies)
        for criterion in self.rubric.criteria:
            name = criterion.name
            if criterion.check is None:
                of_passes = [exchange.readings[name] for exchange in passes if name in exchange.readings]
                outcomes[name] = (
                    combine(of_passes, criterion)
                    if self.rubric.is_of_pairs and len(versions) > 1
                    else reduce(partial(worse, criterion=criterion), of_passes)
                )
        in_order = {criterion.name: outcomes[criterion.name] for criterion in self.rubric.criteria}
        score = weigh(in_order, self.rubric, normalize=self.normalize, renormalize=self.renormalize)
        grade = self._grade(submission, replies, score, outcomes=in_order)
        if not self.rubric.is_of_pairs:
            return grade
        by_order: dict[ShownOrder, Mapping[str, Outcome]] = {
            "second-first" if version.turned else "first-second": readings
            for version, readings in zip(versions, _merged(passes, len(versions)), strict=True)
        }
        return replace(grade, by_order=by_order)

    async def _pass(self, submission: Submission, groups: Sequence[Sequence[Criterion]]) -> Exchange[Outcome]:
        """An outcome for each criterion, asked about in these groups; what can't be read is asked for once more."""

        def questions(names: Sequence[str], again: bool) -> Iterator[JudgeQuestion[Outcome]]:
            unread = [self.rubric.criterion(name) for name in names] if again else []
            for criteria in seeing_alike(self.rubric, unread) if again else groups:
                prompt = verdict_prompt(self.rubric, submission, criteria, again=again)
                read = partial(read_verdicts, criteria=criteria, shown=prompt.material, turned=submission.turned)
                yield JudgeQuestion(prompt, read)

        return await ask_judge(
            self._repeated_judge, questions, [criterion.name for group in groups for criterion in group]
        )

    async def _grade_by_cascade(self, cascade: "CascadeJudge", submission: Submission) -> Grade:
        """The grade of the first stage that is certain enough; else the last one's, for a person to decide."""
        void = cascade.why_void(self.rubric.fingerprint, asking_fingerprint(self.rubric))
        places = range(len(cascade.stages))
        differs = [void] if void else []
        every: list[Grade] = []
        shown = None
        outcome = CascadeOutcome(None, "", None, void)
        for place in places[-1:] if void else places:
            record = cascade.file.stages[place]
            gradings = [replace(self, judge=judge, receipt=None, only_gates=False) for judge in cascade.stages[place]]
            grades = await all_or_first_error(grading.grade(submission) for grading in gradings)
            every += grades
            stage = stage_decision(grades, record.certainty, self.rubric)
            if stage is None:
                continue
            shown = stage.grade
            models = sorted({model for grade in grades for model in grade.models})
            why_not = void or cascade.why_not(place, models)
            differs += [why_not] if why_not and why_not != void else []
            outcome = CascadeOutcome(None, record.judge, stage.certainty, void or NOT_CERTAIN)
            stands = stage.certainty is not None and record.stands(stage.certainty, passed=stage.passed)
            if stands and not why_not:
                outcome = CascadeOutcome(place + 1, record.judge, stage.certainty)
                break
        outcome = replace(outcome, differs="; ".join(differs))
        if outcome.stage is None and outcome.differs:
            command = f"markscheme tune {quote(self.rubric.name)} --cascade JUDGE,JUDGE --write"
            outcome = replace(outcome, why=f"{outcome.differs}; certify it again: `{command}`")
        return self._of_cascade(shown or every[-1], every, outcome)

    def _of_cascade(self, shown: Grade, every: Sequence[Grade], outcome: CascadeOutcome) -> Grade:
        """A stage's grade with what all stages cost, decided or for a person to decide."""
        replies: Counter[str] = Counter()
        for grade in every:
            replies.update(grade.replies)
        scored = None if shown.scored is None else replace(shown.scored, doubtful=outcome.stage is None)
        return replace(
            shown,
            scored=scored,
            usage=total(grade.usage for grade in every),
            replies=replies,
            spared_tokens=sum(grade.spared_tokens for grade in every),
            models=tuple(sorted({model for grade in every for model in grade.models})),
            fingerprints=self.fingerprints,
            cascade=None if shown.error is not None else outcome,
        )

    async def _grade_as_a_whole(self, submission: Submission) -> Grade:
        def questions(_: Sequence[str], again: bool) -> Iterator[JudgeQuestion[Holistic | Unread]]:
            prompt = holistic_prompt(self.rubric, submission, again=again)
            yield JudgeQuestion(prompt, lambda reply: {AS_A_WHOLE: read_holistic(reply, prompt.material)})

        exchange = await ask_judge(self._repeated_judge, questions, [AS_A_WHOLE])
        if exchange.error is not None:
            return self.ungraded(submission, str(exchange.error), exchange.replies)
        holistic = exchange.readings[AS_A_WHOLE]
        if isinstance(holistic, Unread):
            return self._grade(submission, exchange.replies, holistic.why, holistic=holistic)
        score = weigh_holistic(holistic, self.rubric, normalize=self.normalize)
        return self._grade(submission, exchange.replies, score, holistic=holistic)

    @property
    def _repeated_judge(self) -> Judge:
        if self.rubric.samples == 1:
            return self.judge
        from markscheme.judges.panel import Repeated

        return Repeated(self.judge, self.rubric.samples)

    async def _checked(self, submission: Submission) -> dict[str, Outcome]:
        by_code = [criterion for criterion in self.rubric.criteria if criterion.check is not None]
        if not by_code:
            return {}
        from markscheme.scorers import find_check

        outcomes = await all_or_first_error(find_check(criterion, submission, self.scorers) for criterion in by_code)
        return {criterion.name: outcome for criterion, outcome in zip(by_code, outcomes, strict=True)}

    def _grade(
        self,
        submission: Submission,
        replies: Sequence[Reply],
        score: Score | str | None,
        *,
        outcomes: Mapping[str, Outcome] | None = None,
        holistic: Holistic | Unread | None = None,
    ) -> Grade:
        """The grade with a score, or with the reason why there is none; with neither where categories don't decide."""
        parts = [part for reply in replies for part in reply.single]
        by_name = outcomes or {}
        return Grade(
            id=submission.id,
            outcomes=by_name,
            error=score if isinstance(score, str) else None,
            scored=None if isinstance(score, str) else score,
            holistic=holistic,
            usage=total(part.usage for part in parts),
            replies=Counter(part.source for part in parts),
            spared_tokens=sum(part.spared for part in parts),
            models=tuple(sorted({part.model for part in parts if part.model})),
            fingerprints=self.fingerprints,
            receipt=self._receipt_of(submission),
            left_out=left_out(self.rubric, submission),
            by_criterion={
                criterion.name: _merit(criterion, by_name.get(criterion.name)) for criterion in self.rubric.criteria
            },
            without_words={
                criterion.name: outcome.in_words(criterion.scale)
                for criterion in self.rubric.criteria
                if isinstance(outcome := by_name.get(criterion.name), Verdict)
                and _says_itself(outcome, criterion.scale)
            },
        )


def why_ask(grade: Grade, rubric: Rubric) -> str | None:
    """Why a person should decide on a graded response; None where a judge does."""
    if grade.scored is None or grade.decision != "ask":
        return None
    if grade.cascade is not None:
        return grade.cascade.why
    return rubric.gray_zone.why(passed=bool(grade.scored.passed))


NOT_CERTAIN = "no judge is certain enough"
"""Why a person should decide where nothing differs from what was certified."""


class StageDecision(NamedTuple):
    """What one stage of a cascade decides.

    Attributes:
        grade: The grade that readers are shown; of a panel, of a judge that decides like most.
        passed: Whether it passes the response.
        certainty: How certain it is; None where it can't be ranked.
    """

    grade: Grade
    passed: bool
    certainty: float | None


def stage_decision(grades: Sequence[Grade], signal: str, rubric: Rubric) -> StageDecision | None:
    """What a stage decides, from the grade of its judge or those of a panel's members; None if it decides nothing.

    Args:
        grades: One, or of a panel one from each member.
        signal: What ranks its decisions: probability, distance or votes.
        rubric: As graded.
    """
    scores = [grade.scored for grade in grades if grade.scored is not None and grade.scored.passed is not None]
    if len(scores) < len(grades):
        return None
    if signal != "votes":
        (grade,) = grades
        (score,) = scores
        passed = bool(score.passed)
        certainty = score.certainty if score.chance is not None else None
        if signal == "distance":
            certainty = certainty_of(None, score.score, rubric, passed=passed)
        return StageDecision(grade, passed, certainty)
    share = sum(bool(score.passed) for score in scores) / len(scores)
    passed = share > 1 / 2
    like_most = [grade for grade, score in zip(grades, scores, strict=True) if bool(score.passed) == passed]
    with_reasons = [grade for grade in like_most if any(verdict.reason for verdict in grade.verdicts.values())]
    shown, *_ = [*with_reasons, *like_most, *grades]
    return StageDecision(shown, passed, None if share == 1 / 2 else max(share, 1 - share))


def left_out(rubric: Rubric, submission: Submission) -> tuple[str, ...]:
    """What a judge is not shown: of long trajectories, and optional inputs that are missing; one line per input."""
    has_steps = set(STEPPED) & set(rubric.known_inputs) & submission.inputs.keys()
    if not has_steps and not rubric.optional_inputs:
        return ()
    return tuple(dict.fromkeys(line for prompt in questions(rubric, submission) for line in prompt.left_out))


def _merged(passes: Sequence[Exchange[Outcome]], n_versions: int) -> list[dict[str, Outcome]]:
    """The readings of each version of a submission, from its passes in a row."""
    n_passes = len(passes) // n_versions
    return [
        {name: outcome for exchange in passes[place : place + n_passes] for name, outcome in exchange.readings.items()}
        for place in range(0, len(passes), n_passes)
    ]


def _says_itself(verdict: Verdict, scale: Scale) -> bool:
    """Whether a number doesn't say what a verdict is: a decision model's without a reason, and a category."""
    return scale.coded or bool(verdict.probabilities and not verdict.reason)


def _merit(criterion: Criterion, outcome: Outcome | None) -> float | None:
    return criterion.worth(criterion.scale.position(outcome.level)) if isinstance(outcome, Verdict) else None


def lacking_inputs(rubric: Rubric, submission: Submission) -> list[str]:
    """Names of declared inputs that the submission lacks; of several inputs of steps, one is enough."""
    declared = rubric.inputs or ()
    filled = [name for name in declared if name in submission.inputs]
    return [name for name in declared if name not in filled and not steps_elsewhere(name, filled)]


def questions(rubric: Rubric, submission: Submission) -> list[Prompt]:
    """The first prompts that a judge gets about a submission; each may be followed by a retry."""
    if rubric.strategy == "holistic":
        return [holistic_prompt(rubric, submission)]
    return [
        verdict_prompt(rubric, version, question)
        for version in both_ways(rubric, submission)
        for one_pass in orders(rubric)
        for question in one_pass
    ]


def both_ways(rubric: Rubric, submission: Submission) -> list[Submission]:
    """What a judge is asked about: the submission, or a pair in each order in which it is shown."""
    if not rubric.is_of_pairs:
        return [submission]
    turned = replace(submission, turned=not submission.turned)
    return [submission, turned][: rubric.orders]


def blank_submission(rubric: Rubric) -> Submission:
    """A submission without a word, for what prompts have in common."""
    return Submission("", second="" if rubric.is_of_pairs else None)


def orders(rubric: Rubric) -> list[list[list[Criterion]]]:
    """For each pass over a rubric, the criteria of each prompt; those in one prompt have the same inputs."""
    judged = [criterion for criterion in rubric.criteria if criterion.check is None]
    together = seeing_alike(rubric, judged)
    if rubric.strategy == "per_criterion":
        return [[[criterion] for criterion in judged]]
    turned = [group[::-1] for group in together if len(group) > 1]  # one asked about alone has no order to reverse
    return [together, turned] if rubric.strategy == "double_pass" and turned else [together]


def seeing_alike(rubric: Rubric, criteria: Iterable[Criterion]) -> list[list[Criterion]]:
    """The criteria in groups with the same inputs, so that each group can share a prompt."""
    groups: dict[tuple[str, ...], list[Criterion]] = {}
    for criterion in criteria:
        groups.setdefault(rubric.shown_to(criterion), []).append(criterion)
    return list(groups.values())


@lru_cache(maxsize=64)
def asking_fingerprint(rubric: Rubric) -> str:
    """Digest of everything in a rubric's prompts except the submission: instructions, schema, strategy."""
    prompts = questions(rubric, blank_submission(rubric))
    return fingerprint([[prompt.system, prompt.schema] for prompt in prompts], rubric.strategy, rubric.samples)


def receipt_of(rubric: Rubric, judge: Judge, *starts: Path) -> "Receipt | None":
    """The receipt of the rubric's accepted run, checked against this prompt and judge; None without one.

    Args:
        rubric: The rubric as used.
        judge: The judge.
        starts: Folders in or above which `calibration/` is searched for; the first one found counts.

    Raises:
        RatingError: The accepted run cannot be read.
    """
    from markscheme.receipt import find_receipt

    receipt = find_receipt(rubric.name, *starts)
    if receipt is None:
        return None
    return receipt.checked_against(rubric, prompt=asking_fingerprint(rubric), judge=judge.identity.fingerprint)


def receipt_wanted(wish: str, setting: str, rubric: Rubric, judge: Judge, *starts: Path) -> "Receipt | None":
    """The receipt for grades, found before the judge is asked; None without one, or if `wish` is off.

    Args:
        wish: One of CALIBRATION.
        setting: Where the wish was given, for the message.
        rubric: As for `receipt_of`.
        judge: As for `receipt_of`.
        starts: As for `receipt_of`.

    Raises:
        UsageError: A receipt that can gate is required, and this one can't.
    """
    if wish == "off":
        return None
    from markscheme.receipt import why_no_gate

    if isinstance(judge, CascadeJudge):  # its certificate is about the decisions it makes, and it makes no others
        void = judge.why_void(rubric.fingerprint, asking_fingerprint(rubric))
        if wish == "require" and void:
            raise UsageError(f"{setting} is require, and {void}")
        return None
    receipt = receipt_of(rubric, judge, *starts)
    if wish == "require" and not (receipt is not None and receipt.may_gate):
        raise UsageError(f"{setting} is require, and this judge cannot gate: {why_no_gate(receipt)}")
    return receipt


def grade_many(
    grading: Grading, submissions: Iterable[Submission], *, concurrency: int = 8
) -> AsyncGenerator[tuple[int, Grade], None]:
    """Grades as they are ready, each with the index of its submission; at most `concurrency` at once.

    Takes from `submissions` only as fast as it grades, so that a long iterable needs little memory.

    Raises:
        BudgetError: If the budget would not cover another call; raised after all grades under way are yielded.
        ValueError: A concurrency below 1.
    """
    make_room(grading.judge, concurrency)
    return ask_many(grading.grade, submissions, concurrency=concurrency)


async def grade(rubric: Rubric, submission: Any, judge: Judge, *, normalize: bool = True, **inputs: Any) -> Grade:
    """The grade of one response.

    Args:
        rubric: The rubric to grade by.
        submission: The response: text, a number, a boolean, a list, a mapping or a trace; or a Submission.
        judge: The judge.
        normalize: False keeps the raw sum of weights as score.
        inputs: Named inputs (`query=…`), unless `submission` is a Submission, which has its own.

    Raises:
        SubmissionError: The response or an input is bytes, or an object that isn't JSON data.

    Example:
        >>> import asyncio
        >>> from markscheme import Rubric, ScriptedJudge
        >>> rubric = Rubric.from_dict([{"weight": 2, "requirement": "A"}, {"weight": -1, "requirement": "B"}])
        >>> done = asyncio.run(grade(rubric, "…", ScriptedJudge([{"c1": "MET", "c2": "MET"}])))
        >>> done.score, done.raw_score, done.passed
        (0.5, 1.0, True)
    """
    return await Grading(rubric, judge, normalize).grade(Submission.of(submission, inputs))


# --- plain data -----------------------------------------------------------------------------------------------------


def grade_json(grade: Grade, rubric: Rubric) -> dict[str, Any]:
    """A grade by the keys of the file format."""
    from markscheme.receipt import receipt_json

    return {
        "id": grade.id,
        "score": grade.score,
        "raw_score": grade.raw_score,
        "llm_raw_score": grade.llm_raw_score,
        "pass": grade.passed,
        "decision": grade.decision,
        "criteria": {name: _outcome_json(outcome, rubric.criterion(name)) for name, outcome in grade.outcomes.items()},
        **({} if grade.holistic is None else {"holistic": _reply_json(grade.holistic)}),
        **({"orders": _orders_json(grade, rubric)} if grade.by_order else {}),
        **({"left_out": list(grade.left_out)} if grade.left_out else {}),
        **({"certainty": grade.certainty} if grade.certainty is not None else {}),
        **({} if grade.cascade is None else _cascade_json(grade.cascade)),
        "error": grade.error,
        "receipt": receipt_json(grade.receipt, grade.score),
        "usage": grade.usage.to_json(),
        "fingerprints": grade.fingerprints.to_json() if grade.fingerprints else None,
    }


def _orders_json(grade: Grade, rubric: Rubric) -> dict[str, Any]:
    """The level of each criterion by the order in which the judge saw a pair; null where it chose none."""
    return {
        shown: {
            name: rubric.criterion(name).scale.level_name(outcome.level) if isinstance(outcome, Verdict) else None
            for name, outcome in outcomes.items()
        }
        for shown, outcomes in grade.by_order.items()
    }


def _cascade_json(outcome: CascadeOutcome) -> dict[str, Any]:
    """Which stage decided, and why a person should where none did."""
    why = {"ask": outcome.why} if outcome.why else {}
    return {"stage": outcome.stage, "decided_by": outcome.judge if outcome.stage else None, **why}


def _outcome_json(outcome: Outcome, criterion: Criterion) -> dict[str, Any]:
    match outcome:
        case Verdict():
            position = criterion.scale.position(outcome.level) if criterion.has_worth else None
            level = {"level": criterion.scale.written(outcome.level), "position": position, **_reply_json(outcome)}
            if outcome.probabilities:
                level["probabilities"] = as_written(outcome.probabilities, criterion.scale)
            return level
        case NotApplicable():
            return {"not_applicable": outcome.reason}
        case Abstention():
            return {"abstained": outcome.reason}
        case Unread():
            return _reply_json(outcome)


def _reply_json(reading: Verdict | Holistic | Unread) -> dict[str, Any]:
    """What a judge gave in addition to a level or a score, or why it can't be read."""
    if isinstance(reading, Unread):
        return {"unread": reading.why, "raw": reading.raw}
    words: dict[str, Any] = {"reason": reading.reason, "quote": reading.quote, "quote_found": reading.quote_found}
    words |= {"quote_in": reading.quote_in or None}
    if isinstance(reading, Verdict) and reading.step is not None:
        words["step"] = reading.step
    return {**words, "votes": list(reading.votes)} if reading.votes else words


def scorers_for(rubric: Rubric, module_names: Sequence[str]) -> "dict[str, Scorer]":
    """The checks by code in these modules, once each criterion with a `check` has one.

    Raises:
        UsageError: A module cannot be imported, or a criterion names a check that no module has.
    """
    checked = [criterion for criterion in rubric.criteria if criterion.check is not None]
    if not checked and not module_names:
        return {}
    from markscheme.scorers import check_of, load_scorers

    scorers = load_scorers(*module_names)
    for criterion in checked:
        check_of(criterion, scorers)
    return scorers
