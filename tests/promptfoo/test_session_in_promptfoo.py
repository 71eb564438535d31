"""The warm session under the real Promptfoo, with the real SDK and a server that counts."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.promptfoo.answering import (
    GRADER,
    HOOKS,
    LANGUAGES,
    assertion,
    evaluate,
    in_language,
    judging,
    outcome,
    rows,
)
from tests.real.messages_front import Answer, MessagesFront, Request, failing
from tests.session.processes import files, is_running, session_pids, wait_until

pytestmark = pytest.mark.usefixtures("promptfoo")


@pytest.fixture
def front() -> Iterator[MessagesFront]:
    with MessagesFront(judging()) as running:
        yield running


STRANGE = ["Paris.", "Rome.", "", '{"capital": "Paris", "n": 1.50}', "\0Paris\ud83d\x1b[2J", "Paris. " * 150_000]


def test_results_are_equal_in_both_languages_with_and_without_a_session(
    front: MessagesFront, tmp_path: Path, runtime: Path
) -> None:
    graders = [in_language(language, GRADER) for language in LANGUAGES]
    configs: list[dict[str, str]] = [{}, {"session": "off"}]
    every_way = [{**assertion(config=config), "value": grader} for config in configs for grader in graders]
    run = evaluate(tmp_path, front.url, STRANGE, every_way, env={"MARKSCHEME_NO_CACHE": "1"})
    assert [row["success"] for row in rows(run)] == [True, False, False, True, True, True]
    for row in rows(run):
        results = [
            part for part in row["gradingResult"]["componentResults"] if part["assertion"].get("value") in graders
        ]
        through, *others = (
            {
                **{key: part[key] for key in ("pass", "score", "reason", "namedScores")},
                "metadata": {**part["metadata"], "replies": None},
                "parts": [[one["pass"], one["score"], one["reason"]] for one in part["componentResults"]],
            }
            for part in results
        )
        assert others == [through] * 3
    assert len(front.requests) == 4 * len(STRANGE)


def test_repeats_are_answered_from_the_cache_unless_it_is_off(
    front: MessagesFront, tmp_path: Path, runtime: Path
) -> None:
    bypassed = assertion(config={"cache": "off"})
    tests = [
        {"vars": {"answer": "Paris.", "question": "Kept?"}, "assert": [assertion()]},
        {"vars": {"answer": "Paris.", "question": "Bypassed?"}, "assert": [bypassed]},
    ]
    run = evaluate(tmp_path, front.url, [], [], args=("--repeat", "3"), tests=tests)
    assert [row["success"] for row in rows(run)] == [True] * 6
    asked = [request.body["messages"][0]["content"] for request in front.requests]
    assert (sum("Kept?" in text for text in asked), sum("Bypassed?" in text for text in asked)) == (1, 3)


@pytest.mark.parametrize("language", LANGUAGES)
def test_thresholds_and_not_python_turn_the_verdict_and_nothing_else_and_the_run_again_asks_nobody(
    tmp_path: Path, runtime: Path, language: str
) -> None:
    def decide(request: Request) -> Answer:
        return failing(401) if "Refused" in request.body["messages"][0]["content"] else judging()(request)

    by_assertion = [assertion(threshold=0.9), {"type": "contains", "value": "Paris"}]
    by_test = [assertion(weight=3), {"type": "contains", "value": "London"}]
    tests = [
        {"vars": {"answer": output, "question": "Capital?"}, "assert": asserts, **more}
        for asserts, more in ((by_assertion, {}), (by_test, {"threshold": 0.7}), ([assertion("not-python")], {}))
        for output in ("Paris.", "Rome.")
    ]
    refused = {"vars": {"answer": "Refused.", "question": "Capital?"}, "assert": [assertion("not-python")]}
    with MessagesFront(decide) as front:
        found = rows(evaluate(tmp_path, front.url, [], [], tests=[*tests, refused], language=language))
        asked = len(front.requests)
        alone = [{**test, "assert": [assertion(config={"session": "off"})]} for test in tests[:2]]
        again = rows(evaluate(tmp_path, front.url, [], [], tests=[*tests, *alone], language=language))
        assert len(front.requests) == asked
    assert [row["success"] for row in found[:2]] == [True, False]
    assert [(row["success"], row["score"]) for row in found[2:4]] == [(True, 0.75), (False, 0)]
    assert [row["success"] for row in found[4:6]] == [False, True]
    assert not found[6]["success"]
    assert "not graded: " in outcome(found[6])
    assert [row["success"] for row in again] == [row["success"] for row in [*found[:6], *found[:2]]]


def test_the_limit_holds_over_all_of_promptfoo_s_processes(tmp_path: Path, runtime: Path) -> None:
    outputs = [f"Paris. {n}" for n in range(24)]
    with MessagesFront(judging(0.1)) as front:
        run = evaluate(
            tmp_path,
            front.url,
            outputs,
            [assertion()],
            env={"MARKSCHEME_CONCURRENCY": "5"},
            args=("--max-concurrency", "16"),
        )
        assert all(row["success"] for row in rows(run))
        assert len(front.requests) == 24
        assert 2 <= front.most_in_flight <= 5


def test_the_budget_holds_over_all_of_promptfoo_s_processes_and_the_hooks_leave_no_process_and_no_file(
    front: MessagesFront, tmp_path: Path, runtime: Path
) -> None:
    outputs = [f"Paris. {n}" for n in range(12)]
    money = {"MARKSCHEME_PRICE": "3:15", "MARKSCHEME_BUDGET": "0.2"}
    run = evaluate(tmp_path, front.url, outputs, [assertion()], env=money, extensions=HOOKS)
    ended = time.monotonic()
    assert wait_until(lambda: not session_pids(runtime), 2)
    assert time.monotonic() - ended < 2
    assert files(runtime) == []
    assert "key-of-a-test" not in run.stdout + run.stderr + json.dumps(run.results)
    reasons = [row["gradingResult"]["reason"] for row in rows(run) if not row["success"]]
    assert len(front.requests) > 0
    assert all("not graded: the next call may cost" in reason for reason in reasons)
    assert len(reasons) + len(front.requests) == 12


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_session_killed_in_mid_run_costs_no_verdict_and_leaves_nothing(
    tmp_path: Path, runtime: Path, language: str
) -> None:
    outputs = [f"Paris. {n}" for n in range(36)]
    seen: set[int] = set()
    over = threading.Event()

    def kill_twice(front: MessagesFront) -> None:
        killed = 0
        while not over.is_set() and killed < 2:
            pids = session_pids(runtime)
            seen.update(pids)
            if pids and len(front.requests) > 12 * (killed + 1):
                os.kill(pids[0], signal.SIGKILL)
                killed += 1
            time.sleep(0.02)

    with MessagesFront(judging(0.05)) as front:
        killer = threading.Thread(target=kill_twice, args=(front,))
        killer.start()
        run = evaluate(
            tmp_path, front.url, outputs, [assertion()], args=("-j", "16"), extensions=HOOKS, language=language
        )
        seen.update(session_pids(runtime))
        over.set()
        killer.join()
        assert len(seen) >= 2  # one was killed, and another took its place
    assert [row["success"] for row in rows(run)] == [True] * 36
    assert wait_until(lambda: not any(map(is_running, seen)), 2)
    assert files(runtime) == []
