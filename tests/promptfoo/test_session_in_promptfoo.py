"""The warm session under the real Promptfoo, with the real SDK and a server that counts."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

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
GRADERS = [in_language(language, GRADER) for language in LANGUAGES]


def graded_by_all(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What each of our assertions answered about a row, but for what differs from call to call."""
    return [
        {
            **{key: component[key] for key in ("pass", "score", "reason", "namedScores")},
            "metadata": {**component["metadata"], "replies": None},
            "parts": [[part["pass"], part["score"], part["reason"]] for part in component["componentResults"]],
        }
        for component in row["gradingResult"]["componentResults"]
        if component["assertion"].get("value") in GRADERS
    ]


@pytest.mark.proof  # three more runs; `test_assertion_in_promptfoo.py` asks both graders
def test_results_are_equal_in_both_languages_with_and_without_a_session(
    front: MessagesFront, tmp_path: Path, runtime: Path
) -> None:
    """Each call without a session imports everything, so that only the strangest outputs are graded so."""
    through = [{**assertion(), "value": grader} for grader in GRADERS]
    alone = [{**assertion(config={"session": "off"}), "value": grader} for grader in GRADERS]
    tests = [
        {"vars": {"answer": output, "question": f"Case {n}?"}, "assert": [*through, *([alone[n % 2]] if n > 2 else [])]}
        for n, output in enumerate(STRANGE)
    ]
    run = evaluate(tmp_path, front.url, [], [], tests=tests, env={"MARKSCHEME_NO_CACHE": "1"})
    assert [row["success"] for row in rows(run)] == [True, False, False, True, True, True]
    for row in rows(run):
        first, *others = graded_by_all(row)
        assert others in ([first], [first] * 2)
    assert len(front.requests) == sum(len(test["assert"]) for test in tests)


def test_repeats_are_answered_from_the_cache_unless_it_is_off_and_the_limit_holds_over_all_processes(
    tmp_path: Path, runtime: Path
) -> None:
    assertions = [{**assertion(), "value": GRADERS[n % 2]} for n in range(16)]
    tests = [
        *({"vars": {"answer": "Paris.", "question": f"Kept {n}?"}, "assert": [assertions[n]]} for n in range(16)),
        {"vars": {"answer": "Paris.", "question": "Bypassed?"}, "assert": [assertion(config={"cache": "off"})]},
    ]
    with MessagesFront(judging(0.1)) as front:
        limit = {"MARKSCHEME_CONCURRENCY": "5"}
        run = evaluate(tmp_path, front.url, [], [], env=limit, args=("--repeat", "3", "-j", "16"), tests=tests)
        assert [row["success"] for row in rows(run)] == [True] * 3 * len(tests)
        texts = [request.body["messages"][0]["content"] for request in front.requests]
        assert (sum("Kept" in text for text in texts), sum("Bypassed?" in text for text in texts)) == (16, 3)
        assert 2 <= front.most_in_flight <= 5


def test_thresholds_and_not_python_turn_the_verdict_and_nothing_else_and_the_run_again_asks_nobody(
    tmp_path: Path, runtime: Path
) -> None:
    def decide(request: Request) -> Answer:
        return failing(401) if "Refused" in request.body["messages"][0]["content"] else judging()(request)

    by_assertion = [assertion(threshold=0.9), {"type": "contains", "value": "Paris"}]
    by_test = [assertion(weight=3), {"type": "contains", "value": "London"}]
    in_python: list[dict[str, Any]] = [
        {"vars": {"answer": output, "question": "Capital?"}, "assert": asserts, **more}
        for asserts, more in ((by_assertion, {}), (by_test, {"threshold": 0.7}), ([assertion("not-python")], {}))
        for output in ("Paris.", "Rome.")
    ]
    in_python.append({"vars": {"answer": "Refused.", "question": "Capital?"}, "assert": [assertion("not-python")]})
    tests = [
        {**test, "assert": [{**one, "value": in_language(language, one["value"])} for one in test["assert"]]}
        for language in LANGUAGES
        for test in in_python
    ]
    with MessagesFront(decide) as front:
        graded = rows(evaluate(tmp_path, front.url, [], [], tests=tests))
        answered = [test for test in tests if test["vars"]["answer"] != "Refused."]
        requests_before = len(front.requests)
        alone = [{**answered[0], "assert": [assertion(config={"session": "off"})]}]
        again = rows(evaluate(tmp_path, front.url, [], [], tests=[*answered, *alone]))
        assert len(front.requests) == requests_before
    for found in (graded[: len(in_python)], graded[len(in_python) :]):
        assert [row["success"] for row in found[:2]] == [True, False]
        assert [(row["success"], row["score"]) for row in found[2:4]] == [(True, 0.75), (False, 0)]
        assert [row["success"] for row in found[4:6]] == [False, True]
        assert not found[6]["success"]
        assert "not graded: " in outcome(found[6])
    tokens = again[0]["gradingResult"]["componentResults"][0]["tokensUsed"]
    assert tokens == {"total": 120, "prompt": 0, "completion": 0, "cached": 120, "numRequests": 0}
    before = [row["success"] for row in graded if row["vars"]["answer"] != "Refused."]
    assert [row["success"] for row in again] == [*before, True]


def test_the_budget_holds_over_all_of_promptfoo_s_processes_and_the_hooks_leave_no_process_and_no_file(
    front: MessagesFront, tmp_path: Path, runtime: Path
) -> None:
    outputs = [f"Paris. {n}" for n in range(12)]
    money = {"MARKSCHEME_PRICE": "3:15", "MARKSCHEME_BUDGET": "0.2"}
    run = evaluate(tmp_path, front.url, outputs, [assertion()], env=money, extensions=HOOKS)
    assert wait_until(lambda: not session_pids(runtime))
    assert files(runtime) == []
    assert "key-of-a-test" not in run.stdout + run.stderr + json.dumps(run.results)
    reasons = [row["gradingResult"]["reason"] for row in rows(run) if not row["success"]]
    assert len(front.requests) > 0
    assert all("not graded: the next call may cost" in reason for reason in reasons)
    assert len(reasons) + len(front.requests) == 12


@pytest.mark.proof  # in a whole run; `tests/session/test_session.py` kills sessions under single assertions
def test_a_session_killed_in_mid_run_costs_no_verdict_and_leaves_nothing(tmp_path: Path, runtime: Path) -> None:
    tests = [
        {"vars": {"answer": f"Paris. {n}", "question": "Capital?"}, "assert": [{**assertion(), "value": grader}]}
        for n in range(18)
        for grader in GRADERS
    ]
    seen: set[int] = set()
    over = threading.Event()

    def kill_twice(front: MessagesFront) -> None:
        killed = 0
        while not over.is_set() and killed < 2:
            pids = session_pids(runtime)
            seen.update(pids)
            if pids and len(front.requests) > 6 * (killed + 1):
                os.kill(pids[0], signal.SIGKILL)
                killed += 1
            time.sleep(0.02)

    with MessagesFront(judging(0.05)) as front:
        killer = threading.Thread(target=kill_twice, args=(front,))
        killer.start()
        run = evaluate(tmp_path, front.url, [], [], tests=tests, args=("-j", "16"), extensions=HOOKS)
        seen.update(session_pids(runtime))
        over.set()
        killer.join()
        assert len(seen) >= 2  # one was killed, and another took its place
    assert [row["success"] for row in rows(run)] == [True] * 36
    assert wait_until(lambda: not any(map(is_running, seen)))
    assert files(runtime) == []
