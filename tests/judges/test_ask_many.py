"""`ask_many`: order, limits, budgets, errors and cancellation, in virtual time."""

import ast
import asyncio
import gc
import re
import warnings
from collections.abc import Iterator
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme.errors import BudgetError, NoJudge
from markscheme.judges.all_calls import all_or_first_error
from markscheme.judges.ask_many import ask_many
from tests.house import SOURCE
from tests.judges.virtual_time import run


class Work:
    """Work that takes as many seconds as a job says, and records which jobs are running, ended and cancelled."""

    def __init__(self, **errors: BaseException) -> None:
        self.errors = errors
        self.under_way = 0
        self.most = 0
        self.begun: list[float] = []
        self.ended: list[float] = []
        self.cancelled: list[float] = []

    async def __call__(self, seconds: float) -> float:
        self.begun.append(seconds)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self.cancelled.append(seconds)
            raise
        finally:
            self.under_way -= 1
        if str(seconds) in self.errors:
            raise self.errors[str(seconds)]
        self.ended.append(seconds)
        return -seconds


async def _all(work: Work, jobs: list[float], concurrency: int) -> list[tuple[int, float]]:
    return [numbered async for numbered in ask_many(work, jobs, concurrency=concurrency)]


@given(jobs=st.lists(st.integers(0, 5).map(float), max_size=12), concurrency=st.integers(1, 6))
def test_ask_many_gives_every_job_one_result_and_runs_no_more_jobs_at_once_than_allowed(
    jobs: list[float], concurrency: int
) -> None:
    work = Work()
    results = run(_all(work, jobs, concurrency))
    assert dict(results) == {number: -seconds for number, seconds in enumerate(jobs)}
    assert len(results) == len(jobs)
    assert work.most == min(concurrency, len(jobs))


def test_the_function_ask_many_returns_results_in_the_order_in_which_jobs_finish() -> None:
    assert [number for number, _ in run(_all(Work(), [3.0, 1.0, 2.0], 3))] == [1, 2, 0]


def test_as_soon_as_one_job_ends_another_begins_even_if_several_end_at_the_same_time() -> None:
    begun_beside: list[int] = []

    class Counting(Work):
        async def __call__(self, seconds: float) -> float:
            begun_beside.append(self.under_way)
            return await super().__call__(seconds)

    run(_all(Counting(), [1.0] * 12, 4))
    assert begun_beside == [0, 1, 2, 3] + [3] * 8


def test_the_function_ask_many_keeps_the_order_of_jobs_if_the_judge_answers_without_delay() -> None:
    asked: list[int] = []

    async def ask(number: int) -> int:
        asked.append(number)
        return -number

    async def main() -> list[tuple[int, int]]:
        return [numbered async for numbered in ask_many(ask, range(50), concurrency=8)]

    assert run(main()) == [(number, -number) for number in range(50)]
    assert asked == list(range(50))


def test_if_the_iterable_of_jobs_raises_an_error_it_is_raised_after_the_results_that_are_ready() -> None:
    closed = 0

    def jobs(n: int) -> Iterator[float]:
        nonlocal closed
        try:
            yield from [1.0] * n
            raise ValueError("no further job")
        finally:
            closed += 1

    async def take(n: int, results: list[int]) -> None:
        async for number, _ in ask_many(Work(), jobs(n), concurrency=2):
            results.append(number)

    for n in range(6):
        results: list[int] = []
        with pytest.raises(ValueError, match="no further job"):
            run(take(n, results))
        assert results == list(range(n))[: len(results)]
        assert len(results) >= n - 1, "one may be under way"
        assert closed == n + 1


def test_context_variables_set_in_one_job_of_ask_many_are_not_seen_in_its_other_jobs() -> None:
    setting = ContextVar("setting", default="none")

    async def ask(number: int) -> tuple[str, str]:
        before = setting.get()
        setting.set(f"of {number}")
        await asyncio.sleep(1)
        return before, setting.get()

    async def main() -> dict[int, tuple[str, str]]:
        setting.set("of the caller")
        return {number: seen async for number, seen in ask_many(ask, range(6), concurrency=2)}

    assert run(main()) == {number: ("of the caller", f"of {number}") for number in range(6)}


def test_a_job_of_ask_many_may_catch_a_timeout_that_it_set_itself() -> None:
    async def ask(number: int) -> str:
        try:
            async with asyncio.timeout(1):
                await asyncio.sleep(10 * number)
        except TimeoutError:
            return "late"
        return "in time"

    async def main() -> dict[int, str]:
        return {number: when async for number, when in ask_many(ask, range(4), concurrency=1)}

    assert run(main()) == {0: "in time", 1: "late", 2: "late", 3: "late"}


@pytest.mark.parametrize("error", [asyncio.CancelledError, pytest.skip.Exception, GeneratorExit])
def test_a_job_s_error_of_the_class_base_exception_is_raised_like_any_other_error(error: type[BaseException]) -> None:
    work = Work(**{"1.0": error()})
    with pytest.raises(error):
        run(_all(work, [3.0, 1.0, 2.0], 2))
    assert work.under_way == 0


def test_jobs_are_taken_from_their_iterable_only_as_fast_as_results_are_consumed() -> None:
    taken = 0

    def jobs() -> Iterator[float]:
        nonlocal taken
        for _ in range(20):
            taken += 1
            yield 1.0

    async def main() -> None:
        seen = 0
        async for _ in ask_many(Work(), jobs(), concurrency=4):
            await asyncio.sleep(10)
            seen += 1
            assert taken <= seen + 8  # four under way, and four results that wait

    run(main())
    assert taken == 20


def test_after_the_budget_is_spent_no_job_begins_and_running_jobs_still_give_results() -> None:
    work = Work(**{"1.0": BudgetError("spent")})
    results: list[float] = []

    async def main() -> None:
        async for _, result in ask_many(work, [3.0, 1.0, 2.0, 4.0, 5.0], concurrency=3):
            results.append(result)

    with pytest.raises(BudgetError, match="spent"):
        run(main())
    assert results == [-2.0, -3.0]
    assert work.begun == [3.0, 1.0, 2.0]


def test_an_error_of_a_job_cancels_the_running_jobs_before_it_is_raised() -> None:
    work = Work(**{"1.0": NoJudge("no key")})
    with pytest.raises(NoJudge, match="no key"):
        run(_all(work, [3.0, 1.0, 2.0, 4.0], 3))
    assert (sorted(work.cancelled), work.under_way) == ([2.0, 3.0], 0)


def test_ask_many_cancels_running_jobs_if_the_caller_stops_taking_results() -> None:
    work = Work()

    async def main() -> None:
        async with aclosing(ask_many(work, [1.0, 2.0, 3.0], concurrency=3)) as results:
            async for _ in results:
                break
        assert work.under_way == 0

    run(main())
    assert sorted(work.cancelled) == [2.0, 3.0]


def test_cancelling_the_caller_cancels_the_running_jobs() -> None:
    work = Work()

    async def main() -> None:
        asking = asyncio.create_task(_all(work, [5.0, 5.0, 5.0], 2))
        await asyncio.sleep(1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert work.under_way == 0

    run(main())
    assert work.cancelled == [5.0, 5.0]


def test_cancelling_jobs_from_outside_leaves_no_caller_waiting() -> None:
    caller: asyncio.Task[Any] | None = None

    async def ask(number: int) -> int:
        for task in asyncio.all_tasks() - {asyncio.current_task(), caller}:
            task.cancel()  # those of the other jobs, which haven't begun
        await asyncio.sleep(1)
        return number

    async def main() -> list[tuple[int, int]]:
        nonlocal caller
        caller = asyncio.current_task()
        return [numbered async for numbered in ask_many(ask, range(3), concurrency=3)]

    with pytest.raises(asyncio.CancelledError):
        run(main())


@pytest.mark.parametrize("concurrency", [1, 2, 3])
def test_a_job_that_cancels_itself_does_not_cancel_other_jobs(concurrency: int) -> None:
    async def ask(number: int) -> int:
        task = asyncio.current_task()
        if number == 1 and task is not None:
            task.cancel()
        return number

    async def main() -> list[int]:
        return [number async for number, _ in ask_many(ask, range(6), concurrency=concurrency)]

    assert run(main()) == list(range(6))


def test_jobs_that_fail_at_the_same_time_cause_no_warning_of_an_unretrieved_error() -> None:
    async def fail(number: int) -> None:
        raise ValueError(number)

    async def main() -> None:
        async for _ in ask_many(fail, range(5), concurrency=5):
            pass

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="0"):
            run(main())
        gc.collect()


@pytest.mark.parametrize("concurrency", [0, -1])
def test_ask_many_refuses_a_concurrency_below_one(concurrency: int) -> None:
    with pytest.raises(ValueError, match=f"concurrency must be a whole number from 1, got {concurrency}"):
        run(_all(Work(), [1.0], concurrency))


def test_the_function_all_or_first_error_raises_the_earliest_call_s_error_after_all_calls_have_ended() -> None:
    work = Work(**{"2.0": NoJudge("first"), "1.0": BudgetError("second")})

    async def calls(*jobs: float) -> Any:
        return await all_or_first_error(work(seconds) for seconds in jobs)

    assert run(calls(3.0, 4.0)) == [-3.0, -4.0]
    with pytest.raises(NoJudge, match="first"):
        run(calls(2.0, 1.0, 5.0))
    assert work.ended == [3.0, 4.0, 5.0]


AT_ONCE = {
    "judges/ask_many.py": "the driver",
    "judges/all_calls.py": "the questions about one response",
    "judges/panel.py": "the members of a panel, or the samples of one question",
    "features/batches/judge.py": "batches under way, while prompts are gathered",
    "grading/grader.py": "calls from any number of threads wait for a place, and closing waits for them",
    "features/compatibility/scorers.py": "closing several scorers",
    "session/server.py": "connections of the session",
    "sockets/trl.py": "the grader's own places limit them",
}
"""Modules that let coroutines run at once, and what they are."""
STARTS = {"TaskGroup", "Semaphore", "as_completed", "create_task", "ensure_future", "gather", "wait"}


def started_in(text: str) -> set[str]:
    """Return the names from asyncio with which code runs several coroutines at once."""
    if "asyncio." not in text:  # parsing all modules takes a second
        return set()
    calls = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    attributes = (call for call in calls if isinstance(call, ast.Attribute) and ast.unparse(call.value) == "asyncio")
    return {call.attr for call in attributes} & STARTS


def test_only_the_modules_listed_in_this_test_start_concurrent_calls_without_ask_many() -> None:
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    assert {module for module, text in texts.items() if started_in(text)} == AT_ONCE.keys() & texts, "use `ask_many`"
    assert not [module for module, text in texts.items() if re.search(r"from asyncio import", text)]
    of_context = [module for module, text in texts.items() if "ContextVar(" in text]
    assert of_context == ["errors.py", "options/in_force.py"], "what a driver allows is passed on"


DRIVEN = {
    "grade_many": "grading/grading.py",
    "grade_rows": "grading/grader.py",
}
"""What asks about many, and its module."""


@pytest.mark.parametrize("asker", DRIVEN)
def test_modules_that_ask_about_many_submissions_call_the_function_ask_many(asker: str) -> None:
    assert "ask_many(" in (SOURCE / DRIVEN[asker]).read_text(encoding="utf-8")
