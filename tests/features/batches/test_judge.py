"""Judges asked in batches: everything answered, nothing paid twice, at half the price, whatever goes wrong."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from markscheme import Submission
from markscheme.errors import BudgetError, UsageError
from markscheme.features.batches.ledger import BatchLedger, batches_under_way
from markscheme.grading import Grade, Grading
from markscheme.judges.batching import Batching
from markscheme.judges.judge import Identity, Reply, Usage
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.registry import open_judge
from tests.features.batches.batch_client import PRICE, batching, graded, opened, summary
from tests.features.batches.batch_server import TOKENS, Batch, BatchServer
from tests.judges.asking import KEY, RUBRIC

pytestmark = pytest.mark.usefixtures("no_authorities")

ROOT = Path(__file__).parents[3]
HALF = PRICE.cost(*TOKENS) / 2
"""Dollars for one answer in a batch."""
BOTH = pytest.mark.parametrize("kind", ["anthropic", "openai"])


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC", "OPENAI"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)


def grades_at(
    server: BatchServer,
    kind: str,
    cache: Path,
    n: int,
    how: Batching | None = None,
    *,
    budget: float | None = None,
    left_when: Callable[[], bool] | None = None,
) -> list[Grade]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_BASE_URL", server.url)
        patch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        context = graded(opened(kind, cache, how or batching(), budget), n)
        return asyncio.run(_left(context, left_when) if left_when else context)


async def _left(context: Coroutine[Any, Any, list[Grade]], when: Callable[[], bool]) -> list[Grade]:
    """As if the user interrupted it."""
    task = asyncio.create_task(context)
    while not when():
        await asyncio.sleep(0.01)
    task.cancel()
    return await task


@BOTH
def test_in_a_batch_every_prompt_is_answered_once_at_exactly_half_the_price(kind: str, tmp_path: Path) -> None:
    with BatchServer(errored=20, expired=20, unusable=5, bad_polls=3) as server:
        figures = summary(grades_at(server, kind, tmp_path, 60))
        assert (figures["graded"], figures["errors"]) == (60, [])
        assert set(server.answered.values()) == {1}
        assert len(server.answered) > 60, "some are asked again, in another batch"
        paid = server.paid[0]
        assert (figures["calls"], figures["batched"], server.live) == (paid, paid, 0)
        assert figures["usd"] == figures["batched_usd"] == pytest.approx(paid * HALF, rel=1e-12)
        again = grades_at(server, kind, tmp_path, 60)
        assert summary(again)["calls"] == 0
        assert server.paid[0] == paid
    assert batches_under_way(tmp_path) == []


@BOTH
def test_retries_sent_live_cost_the_full_price_and_are_counted_separately_from_batched_calls(
    kind: str, tmp_path: Path
) -> None:
    with BatchServer(unusable=5) as server:
        figures = summary(grades_at(server, kind, tmp_path, 60, batching("live")))
        in_batches, live = server.paid
        assert in_batches == 60
        assert live > 0
        assert (figures["graded"], figures["calls"], figures["batched"]) == (60, 60 + live, 60)
        assert figures["batched_usd"] == pytest.approx(60 * HALF)
        assert figures["usd"] - figures["batched_usd"] == pytest.approx(live * 2 * HALF)


@BOTH
def test_a_run_collects_the_replies_of_a_batch_that_an_interrupted_run_sent(kind: str, tmp_path: Path) -> None:
    with BatchServer(delay=30) as server:
        with pytest.raises(asyncio.CancelledError):
            grades_at(server, kind, tmp_path, 5, left_when=lambda: server.polls > 0)
        (left,) = batches_under_way(tmp_path)
        assert (left.remote, left.prompts, left.usage) == ("batch_0", 5, Usage())
        server.batches["batch_0"].ready = 0.0
        notices: list[str] = []
        figures = summary(grades_at(server, kind, tmp_path, 5, batching(notify=notices.append)))
        assert (figures["graded"], figures["calls"], server.creates) == (5, 5, 1)
        assert notices == [
            "batch batch_0: 5 prompts, sent 0 min ago",
            f"batch batch_0: 5 replies, ${5 * HALF:.4f} at half price",
        ]


@BOTH
def test_a_batch_is_not_sent_again_if_only_the_provider_s_acknowledgement_of_it_was_lost(
    kind: str, tmp_path: Path
) -> None:
    def lost(_: Batch) -> None:
        raise ConnectionResetError

    with BatchServer(arrived=lost) as server:
        figures = summary(grades_at(server, kind, tmp_path, 4))
        assert (figures["graded"], server.creates, set(server.answered.values())) == (4, 1, {1})


@pytest.mark.proof
def test_if_the_reply_about_a_new_batch_is_lost_another_user_s_batch_of_equal_size_is_not_taken_instead(
    tmp_path: Path,
) -> None:
    def lost(batch: Batch) -> None:
        if server.creates == 2:
            del server.batches[batch.id]
            raise ConnectionResetError

    with BatchServer(arrived=lost) as server:
        server.add([{"custom_id": f"{n:016x}"} for n in range(4)])
        figures = summary(grades_at(server, "anthropic", tmp_path, 4))
        assert (figures["graded"], server.creates) == (4, 3), "another's, the lost one, and ours"


def test_if_a_provider_asks_to_wait_the_batch_is_sent_later(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.refusals = [(429, {"type": "error", "error": {"type": "rate_limit_error", "message": "later"}})]
        assert summary(grades_at(server, "anthropic", tmp_path, 3))["graded"] == 3
        assert server.creates == 1


def test_if_the_provider_refuses_a_batch_the_responses_stay_ungraded_and_no_batch_is_recorded(tmp_path: Path) -> None:
    with BatchServer() as server:
        server.refusals = [(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}})]
        figures = summary(grades_at(server, "anthropic", tmp_path, 3))
        assert figures["graded"] == 0
        assert "refused the request (400): no" in figures["errors"][0]
    assert BatchLedger(tmp_path).batches() == []


def test_a_cancelled_batch_leaves_its_prompts_ungraded_and_unpaid(tmp_path: Path) -> None:
    def cancel(batch: Batch) -> None:
        batch.canceled = True

    with BatchServer(delay=30, arrived=cancel) as server:
        figures = summary(grades_at(server, "anthropic", tmp_path, 2))
        assert (figures["graded"], figures["calls"], server.creates) == (0, 0, 1)
        assert "left a prompt of a batch canceled" in figures["errors"][0]


def test_a_batch_holds_no_more_prompts_than_the_budget_could_pay_for_at_the_highest_cost(tmp_path: Path) -> None:
    with BatchServer() as server:
        assert summary(grades_at(server, "anthropic", tmp_path, 12, budget=0.2))["graded"] == 12
        sizes = [len(batch.entries) for batch in server.batches.values()]
        assert sizes[0] == 6, "at most $0.032 for each of them fits into $0.20; the rest waits for what comes back"
        with pytest.raises(BudgetError):
            grades_at(server, "anthropic", tmp_path / "other", 2, budget=0.01)
        assert server.creates == len(sizes)


def test_a_prompt_that_is_asked_twice_at_once_is_sent_to_the_provider_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with BatchServer() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        judge = opened("anthropic", tmp_path, batching())
        grades = asyncio.run(_twice(judge))
        assert sum(server.answered.values()) == 1
        assert sorted(grade.usage.calls for grade in grades) == [0, 1]


async def _twice(judge: Any) -> list[Grade]:
    try:
        return list(await asyncio.gather(*(Grading(RUBRIC, judge).grade(Submission("Paris")) for _ in range(2))))
    finally:
        await judge.aclose()


def test_batches_are_refused_for_a_judge_that_does_not_offer_them_and_for_a_run_without_a_cache() -> None:
    context = JudgeContext(memory=None, batch=Batching())
    with pytest.raises(UsageError, match="leave out -o cache=off, or --batch"):
        open_judge("anthropic", context=context)
    with pytest.raises(UsageError, match="cannot be asked in batches; expected anthropic or openai"):
        open_judge("function:tests.judges.asking:answer", context=context)


# --- the ledger -----------------------------------------------------------------------------------------------------


def test_a_prompt_is_in_one_batch_at_a_time_and_the_reply_to_a_prompt_is_counted_once(tmp_path: Path) -> None:
    left, right = BatchLedger(tmp_path), BatchLedger(tmp_path)
    assert sorted(left.intend("a", Identity("j"), ["1", "2"], 0.5)) == ["1", "2"]
    assert right.intend("b", Identity("j"), ["2", "3"], 0.5) == ["3"]
    assert right.where(["1", "3", "4"]) == {"1": "a", "3": "b"}
    reply = Reply("x", usage=Usage(1, 10, 5, 0.01, 1, 0.01))
    assert left.keep("a", [("1", reply)]) == {"1"}
    assert right.keep("a", [("1", reply)]) == set()
    assert left.keys("a") == {"2"}
    left.close_batch("a")
    assert left.where(["2"]) == {}
    first, second = right.batches()
    assert (first.usage, first.is_open, second.is_open) == (reply.usage, False, True)


# --- killed ---------------------------------------------------------------------------------------------------------


def run_killed_three_times(
    server: BatchServer, kind: str, cache: Path, n: int, reasks: str = "batch"
) -> dict[str, Any]:
    """What the fourth run of a client prints: killed before it hears of its batch, while it waits, while it reads."""

    def start() -> subprocess.Popen[str]:
        address = {"ANTHROPIC_BASE_URL": server.url, "OPENAI_BASE_URL": f"{server.url}/v1"}
        command = [sys.executable, "-m", "tests.features.batches.batch_client", kind, str(cache), str(n), reasks]
        return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **address}, stdout=subprocess.PIPE, text=True)

    def kill_when(happened: Callable[[], bool]) -> None:
        client, end = start(), time.monotonic() + 300
        while not happened():
            assert client.poll() is None, "the client ended before it was to be killed"
            assert time.monotonic() < end
            time.sleep(0.01)
        client.kill()
        client.communicate()

    server.go_on.clear()
    kill_when(lambda: server.creates >= 1)
    server.go_on.set()
    polls = server.polls
    kill_when(lambda: server.polls >= polls + 3)
    for batch in server.batches.values():
        batch.ready = 0.0
    server.go_on.clear()
    kill_when(lambda: server.reads >= 1)
    server.go_on.set()
    server.delay = 1.0
    client = start()
    time.sleep(1.5)
    server.stop()  # the provider goes away, and comes back
    time.sleep(1.0)
    server.start()
    printed, _ = client.communicate(timeout=300)
    assert client.returncode == 0
    result: dict[str, Any] = json.loads(printed)
    return result


@pytest.mark.proof
@BOTH
def test_a_client_killed_three_times_still_gets_every_grade_and_pays_for_no_prompt_twice(
    kind: str, tmp_path: Path
) -> None:
    with BatchServer(delay=3600, errored=20, expired=20, unusable=10, bad_polls=4) as server:
        figures = run_killed_three_times(server, kind, tmp_path, 300)
        assert (figures["graded"], figures["errors"]) == (300, [])
        assert set(server.answered.values()) == {1}
        assert server.live == 0
        metered = sum(batch.usage.usd or 0.0 for batch in BatchLedger(tmp_path).batches())
        assert metered == pytest.approx(server.paid[0] * HALF, rel=1e-12)
