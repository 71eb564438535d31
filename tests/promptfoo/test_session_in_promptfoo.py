"""The warm session under the real Promptfoo, with the real SDK and a server that counts."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from tests.real.promptfoo import PromptfooInstall
from tests.session.processes import files, is_running, session_pids, sockets, wait_until

pytestmark = [pytest.mark.proof, pytest.mark.usefixtures("promptfoo")]


@pytest.fixture
def front() -> Iterator[MessagesFront]:
    with MessagesFront(judging()) as running:
        yield running


STRANGE = ["Paris.", "Rome.", "", '{"capital": "Paris", "n": 1.50}', "\0Paris\ud83d\x1b[2J", "Paris. " * 150_000]
GRADERS = [in_language(language, GRADER) for language in LANGUAGES]
REPEATS = 2
AT_ONCE = 3
"""As many may be asked about at once; a third of the first run's outputs."""
LASTING = {"MARKSCHEME_SESSION_IDLE": "600"}
"""A session that a slow machine leaves idle doesn't end in the middle of a run, and with it the count of a budget."""
BEYOND_BUDGET = 8
"""Outputs whose grades would cost more than the budget."""


def by_turns(place: int) -> dict[str, Any]:
    """Return our assertion in one of the languages, by turns."""
    return {**assertion(), "value": GRADERS[place % len(GRADERS)]}


def graded_by_all(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the results of each of our assertions on a row, without what varies from call to call."""
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
def test_results_of_the_python_and_javascript_graders_are_equal_with_and_without_a_session(
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


def refusing_some(request: Request) -> Answer:
    """Answer, after a delay, as a judge that refuses to grade one of the outputs."""
    return failing(401) if "Refused" in request.body["messages"][0]["content"] else judging(0.1)(request)


def turned_verdicts() -> list[dict[str, Any]]:
    """Tests whose thresholds, or whose `not-python`, decide over the verdict; the last can't be graded."""
    by_assertion = [assertion(threshold=0.9), {"type": "contains", "value": "Paris"}]
    by_test = [assertion(weight=3), {"type": "contains", "value": "London"}]
    kinds: list[tuple[list[dict[str, Any]], dict[str, Any]]] = [
        (by_assertion, {}),
        (by_test, {"threshold": 0.7}),
        ([assertion("not-python")], {}),
    ]
    tests: list[dict[str, Any]] = [
        {"vars": {"answer": output, "question": f"Capital, case {place}?"}, "assert": asserts, **more}
        for place, (asserts, more) in enumerate(kinds)
        for output in ("Paris.", "Rome.")
    ]
    return [*tests, {"vars": {"answer": "Refused.", "question": "Capital?"}, "assert": [assertion("not-python")]}]


def in_every_language(tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tests with our grader in one language, then with that in the next."""
    return [
        {**test, "assert": [{**entry, "value": in_language(language, entry["value"])} for entry in test["assert"]]}
        for language in LANGUAGES
        for test in tests
    ]


@dataclass(frozen=True)
class TwoRuns:
    """A run of `turned_verdicts` in all languages, with repeats, and one with the same cache after it.

    The first has a test before them that is asked about each time. The second has those tests that could be graded, the
    first of them once more without a session, and then outputs that nobody has asked about, more than its budget
    allows.

    Attributes:
        repeats: Rows of the first run for each of `turned_verdicts`, one a repeat.
        bypassed: Rows of the first run for the test without the cache.
        asked_first: What the first run asked, in which nothing was kept before.
        most_at_once: Requests of the first run in flight at once, at most.
        again: Rows of the second for what the first had graded.
        beyond: Rows of the second for the other outputs.
        asked_again: Requests of the second run about what the first had graded.
        asked_beyond: Requests of the second run about the other outputs.
        text: All that the second run printed or left in its results.
        ended: Whether every session had ended after the second run.
        files: What sessions then left in their folder.
    """

    repeats: list[list[dict[str, Any]]]
    bypassed: list[dict[str, Any]]
    asked_first: list[str]
    most_at_once: int
    again: list[dict[str, Any]]
    beyond: list[dict[str, Any]]
    asked_again: int
    asked_beyond: int
    text: str
    ended: bool
    files: list[str]

    @property
    def first(self) -> list[dict[str, Any]]:
        """Rows of the first run for `turned_verdicts`, without repeats."""
        return [row for row, *_ in self.repeats]


@pytest.fixture(scope="module")
def two_runs(promptfoo: PromptfooInstall, tmp_path_factory: pytest.TempPathFactory) -> TwoRuns:
    """The two runs, the first with a limit for all of Promptfoo's processes, the second with a budget and hooks."""
    folder = tmp_path_factory.mktemp("twice")
    tests = in_every_language(turned_verdicts())
    uncached = {"vars": {"answer": "Paris.", "question": "Bypassed?"}, "assert": [assertion(config={"cache": "off"})]}
    answered = [test for test in tests if test["vars"]["answer"] != "Refused."]
    alone = {**answered[0], "assert": [assertion(config={"session": "off"})]}
    others = [
        {"vars": {"answer": f"Paris. {n}", "question": f"Beyond {n}?"}, "assert": [by_turns(n)]}
        for n in range(BEYOND_BUDGET)
    ]
    money = {"MARKSCHEME_PRICE": "3:15", "MARKSCHEME_BUDGET": "0.2"}
    with MessagesFront(refusing_some) as front:
        with sockets() as runtime:
            limit = {"XDG_RUNTIME_DIR": str(runtime), "MARKSCHEME_CONCURRENCY": str(AT_ONCE), **LASTING}
            args = ("--repeat", str(REPEATS), "-j", "16")
            first = evaluate(folder, front.url, [], [], env=limit, args=args, tests=[uncached, *tests])
        asked_first = texts_of(front.requests)
        most_at_once = front.most_in_flight
        with sockets() as runtime:
            env = {"XDG_RUNTIME_DIR": str(runtime), **money, **LASTING}
            tests_after = [*answered, alone, *others]
            second = evaluate(folder, front.url, [], [], env=env, tests=tests_after, extensions=HOOKS)
            ended = wait_until(lambda: not session_pids(runtime))
            left_files = files(runtime)
        texts = texts_of(front.requests[len(asked_first) :])
    asked_beyond = sum("Beyond" in text for text in texts)
    graded = rows(first)
    bypassed, *repeats = (graded[place : place + REPEATS] for place in range(0, len(graded), REPEATS))
    return TwoRuns(
        repeats=repeats,
        bypassed=bypassed,
        asked_first=asked_first,
        most_at_once=most_at_once,
        again=rows(second)[: -len(others)],
        beyond=rows(second)[-len(others) :],
        asked_again=len(texts) - asked_beyond,
        asked_beyond=asked_beyond,
        text=second.stdout + second.stderr + json.dumps(second.results),
        ended=ended,
        files=left_files,
    )


def texts_of(requests: Sequence[Request]) -> list[str]:
    """Return the texts of the questions in some requests."""
    return [request.body["messages"][0]["content"] for request in requests]


def test_a_limit_on_calls_holds_over_all_of_promptfoo_s_processes(
    two_runs: TwoRuns,
) -> None:
    assert [row["success"] for row in two_runs.bypassed] == [True] * REPEATS
    for row, *others in two_runs.repeats:
        assert len(others) == REPEATS - 1
        assert [(other["vars"], other["success"]) for other in others] == [(row["vars"], row["success"])] * len(others)
    answered = [text for text in two_runs.asked_first if "Refused" not in text]
    cached = [text for text in answered if "Bypassed?" not in text]
    assert (len(cached), len(set(cached))) == (6, 6)
    assert len(answered) - len(cached) == REPEATS
    assert 2 <= two_runs.most_at_once <= AT_ONCE


def test_thresholds_and_negated_python_assertions_give_the_same_results_with_and_without_a_session(
    two_runs: TwoRuns,
) -> None:
    each = len(two_runs.first) // len(LANGUAGES)
    for graded in (two_runs.first[:each], two_runs.first[each:]):
        assert [row["success"] for row in graded[:2]] == [True, False]
        assert [(row["success"], row["score"]) for row in graded[2:4]] == [(True, 0.75), (False, 0)]
        assert [row["success"] for row in graded[4:6]] == [False, True]
        assert len(graded) == 7
        assert not graded[6]["success"]
        assert "not graded: " in outcome(graded[6])


def test_a_second_promptfoo_run_asks_no_judge_and_gives_the_same_grades(two_runs: TwoRuns) -> None:
    assert two_runs.asked_again == 0
    tokens = two_runs.again[0]["gradingResult"]["componentResults"][0]["tokensUsed"]
    assert tokens == {"total": 120, "prompt": 0, "completion": 0, "cached": 120, "numRequests": 0}
    before = [row["success"] for row in two_runs.first if row["vars"]["answer"] != "Refused."]
    assert [row["success"] for row in two_runs.again] == [*before, True]


def test_the_budget_holds_over_all_of_promptfoo_s_processes(two_runs: TwoRuns) -> None:
    reasons = [row["gradingResult"]["reason"] for row in two_runs.beyond if not row["success"]]
    assert two_runs.asked_beyond > 0
    assert all("not graded: the next call may cost" in reason for reason in reasons)
    assert len(reasons) + two_runs.asked_beyond == BEYOND_BUDGET


def test_after_a_promptfoo_run_its_hooks_have_left_no_process_and_no_file_and_no_api_key_behind(
    two_runs: TwoRuns,
) -> None:
    assert two_runs.ended
    assert two_runs.files == []
    assert "key-of-a-test" not in two_runs.text


@pytest.mark.proof  # in a whole run; `tests/session/test_session.py` kills sessions under single assertions
def test_a_session_killed_during_a_run_loses_no_verdict_and_leaves_nothing_behind(
    tmp_path: Path, runtime: Path
) -> None:
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
