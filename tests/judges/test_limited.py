"""Limits, retries and budgets, in virtual time and over HTTP with a server that fails often."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from markscheme import Rubric, Submission
from markscheme.errors import (
    BudgetError,
    JudgeBusy,
    JudgeError,
    JudgeSilent,
    JudgeUnavailable,
    NoJudge,
    UnreadableReply,
    UsageError,
)
from markscheme.grading import Grade, Grading, grade_many
from markscheme.judges.anthropic import AnthropicJudge
from markscheme.judges.judge import Identity, Judge, Reply, Usage, make_room
from markscheme.judges.limited import Limited, Limiter
from markscheme.judges.panel import Panel, Repeated
from markscheme.judges.price import Price
from markscheme.judges.rerun import FromSample
from markscheme.prompts.prompt import Prompt
from tests.judges.asking import KEY, PROMPT, VERDICT
from tests.judges.virtual_time import run
from tests.real import messages_front as front
from tests.real.messages_front import Answer, MessagesFront, Request

pytestmark = pytest.mark.usefixtures("no_authorities")

Answers = Callable[[int], JudgeError | None]


@dataclass
class Provider:
    """Judge that takes `seconds` for each answer, fails as `faults` decide, and records when it was asked."""

    faults: Answers = lambda _: None
    seconds: float = 1.0
    usage: Usage = Usage(1, 100, 50)
    max_tokens: int = 50
    asked_at: list[float] = field(default_factory=list)
    under_way: int = 0
    most: int = 0

    @property
    def identity(self) -> Identity:
        return Identity("provider", parameters={"max_tokens": self.max_tokens})

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        number = len(self.asked_at)
        self.asked_at.append(asyncio.get_running_loop().time())
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.under_way -= 1
        fault = self.faults(number)
        if fault is not None:
            raise fault
        return Reply(VERDICT, usage=self.usage)

    async def aclose(self) -> None:
        """Do nothing, since nothing is open."""

    @property
    def since_first(self) -> list[float]:
        return [round(at - self.asked_at[0], 6) for at in self.asked_at]


def first(*faults: JudgeError | None) -> Answers:
    """Make a function that plays these faults one after another, then none."""
    return lambda number: faults[number] if number < len(faults) else None


def always(fault: JudgeError) -> Answers:
    return lambda _: fault


async def all_of(judge: Judge, times: int) -> list[Reply | BaseException]:
    """Ask a judge the same prompt several times at once; return the replies or errors."""
    return await asyncio.gather(*(judge.reply(PROMPT, n) for n in range(times)), return_exceptions=True)


# --- concurrency -----------------------------------------------------------------------------------------------------


def test_no_more_calls_run_at_once_than_the_limit_allows_and_all_are_answered() -> None:
    provider = Provider()
    replies = run(all_of(Limited(provider, Limiter(concurrency=5)), 23))
    assert provider.most == 5
    assert all(isinstance(reply, Reply) for reply in replies)
    assert provider.since_first == sorted([n // 5 * 1.0 for n in range(23)])


def test_several_judges_can_share_one_limit_on_calls() -> None:
    limiter, first, second = Limiter(concurrency=4), Provider(), Provider()

    async def both() -> None:
        await asyncio.gather(all_of(Limited(first, limiter), 6), all_of(Limited(second, limiter), 6))
        assert limiter.usage == Usage(calls=12, input_tokens=1200, output_tokens=600)

    run(both())
    assert len({*first.asked_at, *second.asked_at}) == 3


def test_without_a_set_limit_eight_calls_run_at_once_or_as_many_as_the_caller_asked_for() -> None:
    for wishes, most in (((), 8), ((3,), 3), ((20,), 20), ((3, 12, 5), 12)):
        provider = Provider()
        judge = Limited(provider, Limiter())
        for calls in wishes:
            make_room(judge, calls)
        run(all_of(judge, 30))
        assert provider.most == most


def test_raising_a_panel_s_limit_on_calls_raises_each_member_s_limit_up_to_the_member_s_own_maximum() -> None:
    first, second, numbered = Provider(), Provider(), Provider()
    limits = Limiter(), Limiter(), Limiter(concurrency=2)
    members = [Limited(provider, limit) for provider, limit in zip((first, second, numbered), limits, strict=True)]
    judge = FromSample(Repeated(Panel(members), samples=2), 5)
    make_room(judge, 10)
    run(all_of(judge, 20))
    assert (first.most, second.most, numbered.most) == (10, 10, 2)


def test_requesting_more_concurrent_calls_has_no_effect_on_a_judge_without_limits() -> None:
    provider = Provider()
    make_room(provider, 3)
    assert run(all_of(Repeated(provider, 1), 5))
    assert provider.most == 5


def test_a_limit_on_calls_works_in_one_event_loop_after_another() -> None:
    limiter = Limiter(concurrency=1)
    for _ in range(3):
        provider = Provider(seconds=0.001)
        replies = asyncio.run(all_of(Limited(provider, limiter), 3))
        assert all(isinstance(reply, Reply) for reply in replies)


def test_a_cancelled_caller_gives_back_its_permission_to_call_and_its_place_in_the_queue() -> None:
    async def main() -> None:
        limiter, provider = Limiter(concurrency=2), Provider(seconds=10.0)
        judge = Limited(provider, limiter)
        tasks = [asyncio.create_task(judge.reply(PROMPT)) for _ in range(6)]
        await asyncio.sleep(1.0)
        for task in (tasks[0], tasks[2], tasks[3]):
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(result, Reply) for result in done] == [False, True, False, False, True, True]
        assert provider.most == 2
        assert isinstance(await judge.reply(PROMPT), Reply)

    run(main())


@pytest.mark.parametrize("name", ["concurrency", "requests_per_minute", "tokens_per_minute", "budget"])
@pytest.mark.parametrize("limit", [0, -1, math.nan, math.inf])
def test_limits_on_calls_that_are_not_above_zero_are_refused(name: str, limit: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be above 0"):
        Limiter(**{name: limit})  # type: ignore[arg-type]


@pytest.mark.parametrize("option", [{"attempts": 0}, {"deadline": 0.0}, {"first_wait": -1.0}, {"deadline": math.nan}])
def test_limits_with_no_attempts_or_no_time_to_wait_for_a_reply_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Limited(Provider(), Limiter(), **option)


# --- rates -----------------------------------------------------------------------------------------------------------


def most_in_a_minute(at: Sequence[float], amounts: Sequence[float]) -> float:
    return max(sum(amount for when, amount in zip(at, amounts, strict=True) if t <= when < t + 60) for t in at)


def test_no_more_requests_are_sent_in_any_minute_than_the_limit_allows() -> None:
    provider = Provider(seconds=0.5)
    run(all_of(Limited(provider, Limiter(concurrency=50, requests_per_minute=10)), 35))
    assert most_in_a_minute(provider.asked_at, [1] * 35) == 10
    assert provider.since_first[-1] == pytest.approx(180, abs=0.01)


def test_no_more_tokens_are_sent_in_any_minute_than_the_limit_allows() -> None:
    provider = Provider(seconds=0.5, usage=Usage(1, 200, 50))
    run(all_of(Limited(provider, Limiter(concurrency=1, tokens_per_minute=3000)), 12))
    assert most_in_a_minute(provider.asked_at, [250] * 12) <= 3000
    assert provider.since_first[7] < 60, "once it is known that a call used less than estimated, more go through"
    assert 60 < provider.since_first[-1] < 120


def test_a_call_with_more_tokens_than_a_minute_allows_is_sent_a_minute_after_the_previous_one() -> None:
    provider = Provider()
    run(all_of(Limited(provider, Limiter(tokens_per_minute=10)), 3))
    assert provider.since_first == pytest.approx([0, 60, 120], abs=0.01)


@pytest.mark.filterwarnings("ignore:.*calls failed in a row", "ignore:.*no call was answered for 30 s")
@example(seconds=60.0, concurrency=7, requests=None, faults=["busy"] * 12)
@given(
    seconds=st.floats(0.01, 90),
    concurrency=st.integers(1, 9),
    requests=st.integers(1, 9) | st.none(),
    faults=st.lists(st.sampled_from(["", "busy", "wait", "fail"]), max_size=30),
)
@settings(max_examples=60, deadline=None)
def test_limits_on_calls_hold_and_every_caller_gets_an_answer_despite_random_failures(
    seconds: float, concurrency: int, requests: int | None, faults: list[str]
) -> None:
    kinds: dict[str, JudgeError | None] = {
        "": None,
        "busy": JudgeBusy("busy"),
        "wait": JudgeBusy("wait", retry_after=20.0),
        "fail": JudgeUnavailable("failed", transient=True),
    }
    provider = Provider(first(*(kinds[fault] for fault in faults)), seconds)
    limiter = Limiter(concurrency, requests)
    results = run(all_of(Limited(provider, limiter, deadline=300.0), 12))
    assert all(isinstance(result, Reply | JudgeError) for result in results)
    assert not any(re.search(r"no answer within (-|0 s)", str(result)) for result in results), "asked with no time left"
    assert provider.most <= concurrency
    assert provider.under_way == 0
    assert limiter.usage.calls == len(provider.asked_at) <= 12 * 6
    assert most_in_a_minute(provider.asked_at, [1] * len(provider.asked_at)) <= (requests or 10**6)
    answered = [result for result in results if isinstance(result, Reply)]
    assert limiter.usage.output_tokens in (None, 50 * len(answered))


@pytest.mark.filterwarnings("ignore:.*calls failed in a row")
@pytest.mark.parametrize("seconds", [0.0, 1.0, 3.0])
def test_if_the_call_that_tests_a_failing_judge_runs_past_its_deadline_no_caller_waits_forever(seconds: float) -> None:
    provider = Provider(first(*[JudgeUnavailable("down", status=503, transient=True)] * 400), seconds)
    errors = run(all_of(Limited(provider, Limiter(8), deadline=5.0), 30))
    assert all(isinstance(error, JudgeUnavailable) for error in errors)
    assert len(provider.asked_at) < 30


# --- asking again ----------------------------------------------------------------------------------------------------


def test_a_transient_failure_is_retried_with_doubling_waits_and_counted() -> None:
    provider = Provider(first(*[JudgeUnavailable("failed", transient=True)] * 4), seconds=0.0)
    (reply,) = run(all_of(Limited(provider, Limiter()), 1))
    assert isinstance(reply, Reply)
    assert provider.since_first == [0, 0.5, 1.5, 3.5, 7.5]
    assert reply.usage == Usage(calls=5, input_tokens=100, output_tokens=50)


def test_after_the_last_attempt_the_error_says_how_often_the_judge_was_asked() -> None:
    provider = Provider(always(JudgeSilent("no answer")), seconds=0.0)
    (error,) = run(all_of(Limited(provider, Limiter(), attempts=3), 1))
    assert isinstance(error, JudgeSilent)
    assert str(error) == "no answer (asked 3 times)"
    assert isinstance(error.__cause__, JudgeSilent)
    assert len(provider.asked_at) == 3


@pytest.mark.parametrize("error", [JudgeUnavailable("refused"), NoJudge("no key")])
def test_a_call_that_fails_with_a_final_error_is_not_retried(error: JudgeError) -> None:
    provider = Provider(always(error))
    (result,) = run(all_of(Limited(provider, Limiter()), 1))
    assert result is error
    assert len(provider.asked_at) == 1


def test_a_reply_that_cannot_be_read_is_requested_once_more() -> None:
    provider = Provider(always(UnreadableReply("a web page")))
    (error,) = run(all_of(Limited(provider, Limiter()), 1))
    assert isinstance(error, UnreadableReply)
    assert len(provider.asked_at) == 2


def test_a_pause_that_the_provider_asks_for_applies_to_all_callers() -> None:
    provider = Provider(first(JudgeBusy("busy", retry_after=30.0)), seconds=1.0)
    run(all_of(Limited(provider, Limiter(concurrency=4)), 12))
    after = [at for at in provider.since_first if at > 0]
    assert min(after) == 31.0, "one second until the answer, thirty as it said"
    assert len(provider.asked_at) == 13


def test_retries_are_sent_before_first_attempts_that_wait() -> None:
    order: list[int] = []

    class Listening(Provider):
        async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
            order.append(sample)
            return await super().reply(prompt, sample)

    provider = Listening(first(JudgeBusy("busy", retry_after=5.0)))
    run(all_of(Limited(provider, Limiter(concurrency=1)), 4))
    assert order == [0, 0, 1, 2, 3]


def test_no_caller_waits_for_a_pause_that_exceeds_the_deadline() -> None:
    async def main() -> None:
        provider = Provider(always(JudgeBusy("busy", retry_after=1_000_000.0)))
        judge = Limited(provider, Limiter(concurrency=2), deadline=120.0)
        results = await all_of(judge, 50)
        assert all(isinstance(error, JudgeBusy) for error in results)
        assert "the deadline of 120 s leaves no time to ask again" in str(results[0])
        assert "the provider asks to wait 3600 s more" in str(results[-1])
        assert len(provider.asked_at) == 2
        assert asyncio.get_running_loop().time() < 1_010
        await asyncio.sleep(3_700)
        provider.faults = first()
        assert isinstance(await judge.reply(PROMPT), Reply), "after an hour it is tried again"

    run(main())


def test_the_deadline_of_a_request_counts_from_its_first_attempt_and_not_from_queueing() -> None:
    provider = Provider(seconds=50.0)
    replies = run(all_of(Limited(provider, Limiter(concurrency=1), deadline=60.0), 10))
    assert all(isinstance(reply, Reply) for reply in replies)


def test_a_judge_that_takes_too_long_is_given_up_at_the_deadline() -> None:
    provider = Provider(seconds=1e6)
    (error,) = run(all_of(Limited(provider, Limiter(), deadline=20.0), 1))
    assert isinstance(error, JudgeSilent)
    assert "provider gave no answer within 20 s" in str(error)
    assert provider.under_way == 0


def test_without_a_deadline_a_slow_judge_is_waited_for() -> None:
    provider = Provider(first(JudgeBusy("busy", retry_after=1_000.0)), seconds=1e6)
    (reply,) = run(all_of(Limited(provider, Limiter(), deadline=math.inf), 1))
    assert isinstance(reply, Reply)
    assert isinstance(asyncio.run(all_of(Limited(Provider(seconds=0.0), Limiter(), deadline=math.inf), 1))[0], Reply)


def test_the_deadline_limits_the_total_time_of_all_attempts_to_get_one_reply() -> None:
    async def main() -> float:
        judge = Limited(Provider(always(JudgeSilent("gone")), seconds=7.0), Limiter(), deadline=30.0, attempts=99)
        begun = asyncio.get_running_loop().time()
        with pytest.raises(JudgeSilent):
            await judge.reply(PROMPT)
        return asyncio.get_running_loop().time() - begun

    assert 20.0 < run(main()) <= 30.0


def test_a_timeout_error_that_a_judge_raises_is_passed_on_and_not_reported_as_a_missed_deadline() -> None:
    class Broken(Provider):
        async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
            raise TimeoutError("its own")

    (error,) = run(all_of(Limited(Broken(), Limiter()), 1))
    assert isinstance(error, TimeoutError)


def test_concurrency_is_halved_once_for_a_burst_of_busy_answers_and_regained_with_each_answer() -> None:
    provider = Provider(lambda number: JudgeBusy("busy") if number < 16 else None)
    judge = Limited(provider, Limiter(concurrency=16), deadline=600.0)

    async def main() -> list[int]:
        asking = asyncio.create_task(all_of(judge, 200))
        await asyncio.sleep(0.25)
        seen = []
        for _ in range(8):
            seen.append(provider.under_way)
            await asyncio.sleep(1.0)
        await asking
        return seen

    assert run(main()) == [16, 8, 10, 12, 15, 16, 16, 16], "halved once, though sixteen were refused"


def test_a_judge_that_is_busy_for_its_first_12_calls_still_answers_every_request() -> None:
    provider = Provider(lambda number: JudgeBusy("busy") if number < 12 else None, seconds=0.1)
    results = run(all_of(Limited(provider, Limiter(concurrency=3), deadline=1e4, attempts=30), 6))
    assert all(isinstance(reply, Reply) for reply in results)


# --- money -----------------------------------------------------------------------------------------------------------

PRICE = Price(1_000.0, 10_000.0)  # a tenth of a cent a token read, a cent a token written


def test_a_known_price_fills_in_the_cost_of_a_reply_and_an_unknown_price_leaves_the_cost_unknown() -> None:
    limiter = Limiter()
    (priced,) = run(all_of(Limited(Provider(), limiter, PRICE), 1))
    (unpriced,) = run(all_of(Limited(Provider(), Limiter()), 1))
    (uncounted,) = run(all_of(Limited(Provider(usage=Usage(1)), Limiter(), PRICE), 1))
    assert isinstance(priced, Reply)
    assert isinstance(unpriced, Reply)
    assert isinstance(uncounted, Reply)
    assert priced.usage.usd == pytest.approx(0.1 + 0.5)
    assert limiter.usage.usd == pytest.approx(0.6)
    assert unpriced.usage.usd is None
    assert uncounted.usage.usd is None


def test_a_budget_for_a_judge_without_a_price_is_refused_with_advice() -> None:
    with pytest.raises(UsageError, match="-o price=IN:OUT"):
        Limited(Provider(), Limiter(budget=1.0))


def test_the_budget_allows_no_call_that_could_exceed_it() -> None:
    provider = Provider()
    limiter = Limiter(concurrency=4, budget=5.0)
    results = run(all_of(Limited(provider, limiter, PRICE), 40))
    answered = [result for result in results if isinstance(result, Reply)]
    assert all(isinstance(result, Reply | BudgetError) for result in results)
    assert limiter.committed == pytest.approx(0.6 * len(answered))
    assert limiter.committed <= 5.0
    assert 5 <= len(answered) <= 8
    assert len(provider.asked_at) == len(answered)
    assert "the budget of $5 has $" in str(results[-1])


def test_calls_run_one_after_another_if_the_budget_covers_only_one_call_at_its_estimated_cost() -> None:
    """The budget covers one estimate in addition to actual costs, but never two: calls run one after another."""
    provider = Provider(usage=Usage(1, 1, 1))
    estimate = 0.5 + 0.001 * (len((PROMPT.system + PROMPT.user + str(PROMPT.schema)).encode()) // 3)
    limiter = Limiter(concurrency=8, budget=1.5 * estimate)
    results = run(all_of(Limited(provider, limiter, PRICE), 10))
    assert all(isinstance(result, Reply) for result in results)
    assert provider.most == 1


@pytest.mark.parametrize(
    ("error", "charged"),
    [
        (JudgeBusy("busy"), False),
        (JudgeUnavailable("failed", transient=True), False),
        (JudgeSilent("cut off"), True),
        (UnreadableReply("garbage"), True),
    ],
)
def test_a_refused_request_adds_nothing_to_the_cost_and_an_interrupted_request_adds_its_estimated_cost(
    error: JudgeError, charged: bool
) -> None:
    limiter = Limiter(budget=1_000.0)
    run(all_of(Limited(Provider(always(error)), limiter, PRICE, attempts=1), 1))
    assert (limiter.committed > 0.5) is charged
    assert limiter.usage.calls == 1


def test_each_member_of_a_panel_has_its_own_limit_and_its_own_price() -> None:
    limiter = Limiter(concurrency=2)
    members = [Limited(Provider(), limiter, PRICE), Limited(Provider(), limiter)]

    async def main() -> Reply:
        return await Panel(members).reply(PROMPT)

    assert [part.usage.usd for part in run(main()).parts] == [pytest.approx(0.6), None]


def test_tokens_and_costs_of_all_samples_in_a_reply_are_counted() -> None:
    limiter = Limiter()
    judge = Limited(Repeated(Provider(first(*[JudgeBusy("busy")] * 3)), 3), limiter, PRICE)
    (reply,) = run(all_of(judge, 1))
    assert isinstance(reply, Reply)
    assert [part.usage.usd for part in reply.parts] == [pytest.approx(0.6)] * 3
    assert sum(part.usage.calls for part in reply.parts) == 4
    assert limiter.usage.output_tokens == 150


def test_a_call_is_charged_to_the_budget_at_its_actual_cost_and_not_at_its_estimate() -> None:
    async def main() -> float:
        limiter = Limiter(budget=1.0)
        permit = await limiter.enter(10, 0.9, patience=1.0)
        limiter.answered(permit, Usage(1, 5, 5, 0.4))
        return limiter.committed

    assert run(main()) == pytest.approx(0.4)


def test_a_judge_with_limits_on_calls_keeps_its_identity_and_can_be_closed() -> None:
    provider = Provider()
    judge = Limited(provider, Limiter())
    assert judge.identity == provider.identity
    asyncio.run(judge.aclose())


# --- over HTTP -------------------------------------------------------------------------------------------------------

FAULTS = [
    front.failing(429, retry_after=0.01),
    front.failing(500),
    front.failing(529),
    front.dropped(),
    front.not_json(),
    front.html_page(),
    front.message(VERDICT[:40], stop_reason="max_tokens"),
    front.message(VERDICT.replace("MET", "SOMEWHAT")),
    front.message(f"Here you are:\n```json\n{VERDICT}\n```"),
    front.refusal(),
]


def test_every_submission_gets_a_result_after_a_bounded_number_of_calls_if_a_quarter_of_the_calls_fail() -> None:
    def decide(request: Request) -> Answer:
        return FAULTS[request.number // 4 % len(FAULTS)] if request.number % 4 == 3 else front.message(VERDICT)

    async def graded(url: str) -> list[Grade]:
        judge = Limited(
            AnthropicJudge(api_key=KEY, base_url=url), Limiter(concurrency=16), Price(3, 15), first_wait=0.01
        )
        rubric = Rubric.from_dict([{"weight": 1, "requirement": "Mentions Paris"}])
        submissions = [Submission(f"Paris {n}.", id=str(n)) for n in range(150)]
        grades = [grade async for _, grade in grade_many(Grading(rubric, judge), submissions, concurrency=32)]
        await judge.aclose()
        return grades

    with MessagesFront(decide) as server:
        grades = asyncio.run(graded(server.url))
        calls = len(server.requests)
        assert server.most_in_flight <= 16
    assert Counter(grade.id for grade in grades) == {str(n): 1 for n in range(150)}
    assert all((grade.score == 1.0) is (grade.error is None) for grade in grades)
    assert sum(grade.score is not None for grade in grades) >= 140
    assert 150 < calls < 225


@pytest.mark.proof
def test_an_unreachable_provider_leaves_all_submissions_ungraded_with_the_reason_after_few_calls() -> None:
    async def graded(url: str) -> list[Grade]:
        judge = Limited(
            AnthropicJudge(api_key=KEY, base_url=url), Limiter(), attempts=3, first_wait=0.001, patience=0.001
        )
        rubric = Rubric.from_dict([{"weight": 1, "requirement": "Mentions Paris"}])
        grades = [grade async for _, grade in grade_many(Grading(rubric, judge), [Submission("x")] * 100)]
        await judge.aclose()
        return grades

    with MessagesFront(lambda _: front.failing(529)) as server:
        with pytest.warns(RuntimeWarning, match="overloaded.*calls failed in a row: paused"):
            grades = asyncio.run(graded(server.url))
        assert len(server.requests) <= 8 + 10 + 1
    assert [grade.score for grade in grades] == [None] * 100
    assert all("overloaded" in (grade.error or "") for grade in grades)
