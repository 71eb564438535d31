"""The warm process: one for each environment, which ends when idle and never prevents a verdict."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from markscheme.session import client
from tests.commands.console import ROOT, environment
from tests.real.messages_front import MessagesFront, message
from tests.session.conftest import CONFIG
from tests.session.processes import (
    assess,
    assess_each,
    call,
    calls,
    files,
    is_running,
    session_pids,
    wait_until,
)

GRADERS = str(ROOT / "graders")
LIGHT = {"markscheme.promptfoo.assertion", "pydantic", "yaml", "asyncio", "typing", "numpy", "anthropic", "subprocess"}
OFF = {"MARKSCHEME_SESSION": "off"}


def times_asked(project: Path) -> int:
    """Return how often the judge was asked."""
    return len((project / "asked").read_text()) if (project / "asked").exists() else 0


def test_the_first_assertion_starts_a_session_and_later_assertions_only_send_requests_to_it(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    first = call("get_assert", "Paris.", {"config": CONFIG}, cwd=project, env=env)
    second = call("get_assert", "Paris.", {"config": CONFIG}, cwd=project, env=env)
    assert first["given"]["pass"] is True
    assert len(session_pids(runtime)) == 1
    assert set(second["modules"]) & LIGHT <= {"typing"}
    assert times_asked(project) == 1


def test_verdicts_are_the_same_to_the_byte_with_and_without_a_session(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    outputs: list[Any] = [
        "Paris.",
        "",
        {"capital": ["Paris", 1.5, None]},
        "\0\x1b[2J\ud800 Paris.",
        "Paris. " * 150_000,
    ]
    fresh = {**env, "MARKSCHEME_NO_CACHE": "1"}
    with_session = assess_each([(output, CONFIG) for output in outputs], project, fresh)
    without = assess_each([(output, CONFIG) for output in outputs], project, fresh | OFF)
    for one, other in zip(with_session, without, strict=True):
        assert json.dumps(one) == json.dumps(other)
        assert json.dumps(one, ensure_ascii=False).encode()
    assert session_pids(runtime)


UNGRADED: list[dict[str, Any]] = [
    {"rubric": "capitol"},
    {"rubric": "capital", "judge": "oracle"},
    {"rubric": "capital"},
    {"session": 5},
]
ODD: list[dict[str, Any]] = [
    {"judge": 4},
    {"judge": ["anthropic"]},
    {"samples": float("inf")},
    {"samples": float("nan")},
    {"samples": "three"},
    {"model": ["a", "b"]},
    {"threshold": float("nan")},
    {"rubric_var": ["which"]},
    {"rubric": "~nobody-of-this-name/x"},
    {"rubric": "x" * 5000},
    {"inputs": {"query": ["a"]}},
    {"strategy": ["one_shot"]},
    {"cache": {"on": True}},
    {"session": [1]},
    {"samples": 10**30},
    {"judge": "function:..:met"},
    {"judge": "function:ends_at_once:met"},
    {"judge": "function:ends_when_asked:met"},
    {"session": "a\0b", "judge": "oracle"},
    {"session": "\ud800", "judge": "oracle"},
]


def test_an_output_that_cannot_be_graded_gives_the_same_message_with_and_without_a_session(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    (project / "ends_at_once.py").write_text("raise SystemExit(0)")
    (project / "ends_when_asked.py").write_text("def met(system_prompt, user_prompt): raise SystemExit(0)")
    contexts: list[Any] = [
        *({"vars": {}, "config": config} for config in UNGRADED),
        *({"config": {**CONFIG, **config}} for config in ODD),
        *(None, [], {"config": [1]}, {"config": 4}, {"config": CONFIG, "vars": ["a"]}),
    ]
    arguments = [("Paris.", context) for context in contexts]
    answered = calls("get_assert", arguments, cwd=project, env=env)
    without = calls("get_assert", arguments, cwd=project, env=env | OFF)
    for context, one, other in zip(contexts, answered, without, strict=True):
        assert "given" in other, (context, other)
        assert one["given"] == other["given"], context
        assert other["given"]["reason"].startswith("not graded: "), context
        assert other["given"]["pass"] is False, context
    assert session_pids(runtime)


def test_a_negated_python_assertion_raises_the_same_error_with_and_without_a_session(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    config = {"rubric": "capitol"}
    context = {"config": config, "test": {"assert": [{"type": "not-python", "config": config}]}}
    through = call("get_assert", "Paris.", context, cwd=project, env=env)
    assert through["raised"].startswith("NotGraded: not graded: ")
    assert "markscheme.rubrics" not in through["modules"], "it only passes on what the session said"
    assert through["raised"] == call("get_assert", "Paris.", context, cwd=project, env=env | OFF)["raised"]


@pytest.mark.parametrize(("wishes", "extra"), [(["off", False], {}), (["auto", "/tmp/x"], OFF)])
def test_a_session_can_be_switched_off(
    project: Path, runtime: Path, env: dict[str, str], wishes: list[object], extra: dict[str, str]
) -> None:
    results = assess_each([("Paris.", {**CONFIG, "session": wish}) for wish in wishes], project, env | extra)
    assert [result["pass"] for result in results] == [True, True]
    assert files(runtime) == []
    assert session_pids(runtime) == []


def test_the_socket_and_the_folder_of_a_session_are_closed_to_other_users(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    assess("Paris.", CONFIG, project, env)
    folder = runtime / "markscheme"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (name,) = files(runtime)
    assert stat.S_ISSOCK((folder / name).stat().st_mode)


def test_a_session_folder_that_other_users_may_enter_is_not_used(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    (runtime / "markscheme").mkdir()
    (runtime / "markscheme").chmod(0o755)
    assert assess("Paris.", CONFIG, project, env)["pass"] is True
    assert files(runtime) == []


@pytest.mark.proof
def test_a_caller_whose_environment_has_another_api_key_or_server_address_or_option_gets_its_own_session(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    others = [
        {"ANTHROPIC_API_KEY": "another"},
        {"OPENAI_BASE_URL": "http://127.0.0.1:9"},
        {"GEMINI_API_KEY": "another"},
        {"MARKSCHEME_CONCURRENCY": "3"},
        {"AWS_PROFILE": "another"},
        {"AZURE_OPENAI_ENDPOINT": "http://127.0.0.1:9"},
    ]
    for count, other in enumerate([{}, *others], start=1):
        assess("Paris.", CONFIG, project, env | other)
        assert len(files(runtime)) == len(session_pids(runtime)) == count
    assert not any("another" in name for name in files(runtime))


@pytest.mark.proof
def test_a_changed_settings_file_leads_to_a_new_session_and_any_other_changed_file_does_not(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    settings, shared = project / "markscheme.toml", project / "pyproject.toml"
    fresh = env | {"MARKSCHEME_NO_CACHE": "1"}
    calls_of = []
    for text in ("samples = 1\n", "samples = 3\n"):
        settings.write_text(text)
        calls_of.append(assess("Paris.", CONFIG, project, fresh)["tokensUsed"]["numRequests"])
    shared.write_text("[project]\nname = 'x'\n")
    assess("Paris.", CONFIG, project, fresh)
    assert len(files(runtime)) == 2
    assert calls_of[1] == 3 * calls_of[0]


def test_a_user_s_own_judge_in_a_session_reads_the_environment_of_the_caller_it_answers_and_no_other(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    module = project / "session_judge.py"
    module.write_text(module.read_text().replace('"MET"', 'os.environ["JUDGE_MODE"]'))
    fresh = env | {"MARKSCHEME_NO_CACHE": "1"}
    passes = [assess("Paris.", CONFIG, project, fresh | {"JUDGE_MODE": mode})["pass"] for mode in ("MET", "UNMET")]
    assert passes == [True, False]
    assert len(files(runtime)) == 2


def two_projects(folder: Path) -> tuple[Path, Path]:
    """Make two projects with graders and a rubric `capital`, whose only criterion is named like the project's folder.

    Their judge is a module that doesn't move.
    """
    projects = folder / "p", folder / "q"
    for project in projects:
        shutil.copytree(GRADERS, project / "graders", ignore=shutil.ignore_patterns("__pycache__"))
        (project / "rubrics").mkdir()
        (project / "rubrics" / "capital.yaml").write_text(
            f"criteria: [{{name: {project.name}, requirement: Is right}}]\n"
        )
    return projects


@pytest.mark.proof
def test_after_two_project_folders_swap_places_each_path_is_graded_by_the_rubric_now_in_it(
    tmp_path: Path, runtime: Path, env: dict[str, str]
) -> None:
    first, second = two_projects(tmp_path)

    def graded(project: Path) -> list[str]:
        grader = project / "graders" / "rubric_grader.py"
        done = call("get_assert", "Paris.", {"vars": {}, "config": CONFIG}, cwd=project, env=env, grader=grader)
        return list(done["given"]["namedScores"])

    assert graded(first) == ["p"]
    first.rename(tmp_path / "old")
    second.rename(first)
    assert graded(first) == ["q"]
    assert graded(tmp_path / "old") == ["p"]
    assert len(files(runtime)) >= 2


def test_a_session_whose_project_was_moved_refuses_to_answer(
    tmp_path: Path, runtime: Path, env: dict[str, str]
) -> None:
    first, second = two_projects(tmp_path)
    session_found = subprocess.run(
        [sys.executable, "-P", "-m", "markscheme.promptfoo.from_node", "find"],
        input=json.dumps({"folder": str(first / "graders"), "wish": "auto"}),
        cwd=first,
        env=environment(env),
        capture_output=True,
        text=True,
        check=True,
    )
    session = json.loads(session_found.stdout)
    arguments = {"output": "Paris.", "context": {"vars": {}, "config": CONFIG}}
    message = json.dumps({"key": session["key"], "request": {"grader": "assertion", "asked": arguments}}).encode()
    assert list(answered(session["place"], message)["answer"]["given"]["namedScores"]) == ["p"]
    first.rename(tmp_path / "old")
    second.rename(first)
    assert answered(session["place"], message) == {"refused": "retired"}


def answered(place: str, message: bytes) -> Any:
    """Send a message to a session as a grader in JavaScript does, and return the answer."""
    connection = client.connected(place)
    assert connection is not None
    with connection:
        connection.sendall(message)
        connection.shutdown(socket.SHUT_WR)
        return json.loads(b"".join(iter(lambda: connection.recv(4096), b"")))


def test_a_caller_with_other_shell_or_terminal_variables_gets_the_same_session(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    for number in "12":
        assess("Paris.", CONFIG, project, env | {"SHLVL": number, "TERM": number, "TMUX": number, "_": number})
    assert len(files(runtime)) == 1


def test_a_session_named_by_its_path_refuses_callers_with_another_environment(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    place = str(runtime / "named.sock")
    config = {**CONFIG, "session": place}
    assert assess("Paris.", config, project, env)["pass"] is True
    (pid,) = session_pids(runtime)
    assert assess("Rome.", config, project, env | {"ANTHROPIC_API_KEY": "another"})["pass"] is True
    assert session_pids(runtime) == [pid]
    facts = client.status(place)
    assert facts is not None
    assert facts["answered"] == 1
    assert client.stop(place)


def test_callers_that_start_at_once_share_one_session(project: Path, runtime: Path, env: dict[str, str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: assess(f"Paris. {n}", CONFIG, project, env), range(16)))
    assert all(result["pass"] for result in results)
    assert len(session_pids(runtime)) == 1
    assert len(files(runtime)) == 1


@pytest.mark.proof
def test_a_prompt_that_several_callers_of_a_session_wait_for_is_asked_once(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    slow = env | {"JUDGE_SECONDS": "1.5"}
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: assess("Paris.", CONFIG, project, slow), range(6)))
    assert times_asked(project) == 1
    assert len({result["reason"] for result in results}) == 1
    assert sum(result["tokensUsed"]["numRequests"] for result in results) == 1


def test_with_the_cache_off_each_assertion_asks_the_judge(project: Path, runtime: Path, env: dict[str, str]) -> None:
    for _ in range(2):
        assess("Paris.", {**CONFIG, "cache": "off"}, project, env)
    assert times_asked(project) == 2


def test_an_idle_session_ends_and_leaves_no_file(project: Path, runtime: Path, env: dict[str, str]) -> None:
    (project / "held").touch()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(assess, "Paris.", CONFIG, project, env | {"MARKSCHEME_SESSION_IDLE": "0.5"})
        assert wait_until(lambda: times_asked(project) == 1)
        (pid,) = session_pids(runtime)  # once it has answered, it may be gone before the test looks
        (project / "held").unlink()
        assert answer.result()["pass"] is True
    assert wait_until(lambda: not is_running(pid))
    assert files(runtime) == []


def test_a_stopped_session_answers_open_requests_and_ends(project: Path, runtime: Path, env: dict[str, str]) -> None:
    slow = env | {"JUDGE_SECONDS": "1"}
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(assess, "Paris.", CONFIG, project, slow)
        assert wait_until(lambda: times_asked(project) == 1)
        (pid,) = session_pids(runtime)
        assert client.stop(str(runtime / "markscheme" / files(runtime)[0]))
        assert wait_until(lambda: not is_running(pid))
        assert answer.result()["pass"] is True
    assert times_asked(project) == 1
    assert files(runtime) == []


def test_all_paths_to_one_python_interpreter_share_one_session() -> None:
    program = "from markscheme.session.client import environment_key as key; print(key('graders'))"
    names = sorted(Path(sys.executable).parent.glob("python*[0-9n]"))
    assert len(names) >= 2
    assert len({subprocess.check_output([str(name), "-c", program]) for name in names}) == 1


def test_an_assertion_gets_its_verdict_even_if_the_session_is_killed_while_it_answers(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    (project / "held").touch()
    with ThreadPoolExecutor(3) as pool:
        answers = [pool.submit(assess, f"Paris. {n}", CONFIG, project, env) for n in range(3)]
        assert wait_until(lambda: times_asked(project) == 3)
        os.kill(session_pids(runtime)[0], signal.SIGKILL)
        (project / "held").unlink()
        assert [answer.result()["pass"] for answer in answers] == [True] * 3
    assert len(session_pids(runtime)) == 1
    assert len(files(runtime)) == 1


def test_after_a_session_was_killed_the_next_assertion_starts_a_session_that_replaces_the_old_socket(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    assess("Paris.", CONFIG, project, env)
    (first,) = session_pids(runtime)
    os.kill(first, signal.SIGKILL)
    assert wait_until(lambda: not is_running(first))
    assert len(files(runtime)) == 1
    assert assess("Paris.", CONFIG, project, env)["pass"] is True
    assert session_pids(runtime) != [first]
    assert len(files(runtime)) == 1


@pytest.mark.proof
def test_a_session_that_stopped_answering_delays_callers_once_and_is_replaced(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    assess("Paris.", CONFIG, project, env)
    (stopped,) = session_pids(runtime)
    os.kill(stopped, signal.SIGSTOP)
    try:
        began = time.monotonic()
        with ThreadPoolExecutor(3) as pool:
            answers = list(pool.map(lambda n: assess(f"Paris. {n}", CONFIG, project, env), range(3)))
        first = time.monotonic() - began
        assert [answer["pass"] for answer in answers] == [True] * 3
        assert first >= client.SILENCE
        (taken,) = set(session_pids(runtime)) - {stopped}
        assert len(files(runtime)) == 1, "nobody waits for the stopped one again"
        assert assess("Paris.", CONFIG, project, env)["pass"] is True
        assert set(session_pids(runtime)) == {stopped, taken}
    finally:
        os.kill(stopped, signal.SIGCONT)
        os.kill(stopped, signal.SIGTERM)
    assert wait_until(lambda: not is_running(stopped))
    assert session_pids(runtime) == [taken]
    assert len(files(runtime)) == 1, "the old session leaves the new one's socket alone"


def test_stopping_a_killed_session_removes_the_socket_that_it_left_behind(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    assess("Paris.", CONFIG, project, env)
    os.kill(session_pids(runtime)[0], signal.SIGKILL)
    assert wait_until(lambda: not session_pids(runtime))
    assert not client.stop(str(runtime / "markscheme" / files(runtime)[0]))
    assert files(runtime) == []


def answering(listener: socket.socket, reply: Callable[[socket.socket], None]) -> threading.Thread:
    """Start a thread that answers on a socket in place of a session."""

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, suppress(ConnectionError):
                while connection.recv(1 << 16):
                    pass
                reply(connection)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread


BROKEN = [b"", b"   ", b"{", b"[1]", b'{"refused": "failed"}', b'{"answer": ', b"\xff\xfe", b'{"other": 1}']


def test_if_a_session_answers_garbage_the_caller_s_own_process_gives_the_verdict(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    heard: list[bytes] = []

    def reply(answer_bytes: bytes, connection: socket.socket) -> None:
        heard.append(answer_bytes)
        connection.sendall(answer_bytes)

    with ExitStack() as listening:
        for number, text in enumerate(BROKEN):
            listener = listening.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(str(runtime / f"{number}.sock"))
            listener.listen()
            answering(listener, partial(reply, text))
        places = [str(runtime / f"{number}.sock") for number in range(len(BROKEN))]
        cases = [(f"Paris. {place}", {**CONFIG, "session": place}) for place in places]
        assert [result["pass"] for result in assess_each(cases, project, env)] == [True] * len(BROKEN)
    assert set(heard) == set(BROKEN)
    assert times_asked(project) == len(BROKEN)


def test_if_a_session_s_socket_cannot_be_created_the_caller_s_own_process_gives_the_verdict(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    too_long = runtime / ("x" * 120)
    too_long.mkdir(mode=0o700)
    config = {**CONFIG, "session": str(too_long / "session.sock")}
    assert assess("Paris.", config, project, env)["pass"] is True
    assert assess("Paris.", {**CONFIG, "session": str(runtime / "nowhere" / "s")}, project, env)["pass"] is True


def test_a_user_s_file_at_the_path_that_an_assertion_names_for_a_session_s_socket_is_not_changed(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    notes = runtime / "notes.txt"
    notes.write_text("mine")
    assert assess("Paris.", {**CONFIG, "session": str(notes)}, project, env)["pass"] is True
    assert notes.read_text() == "mine"
    assert session_pids(runtime) == []


def test_a_judge_whose_code_is_edited_during_a_session_is_loaded_again(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    assert assess("Paris.", CONFIG, project, env)["pass"] is True
    module = project / "session_judge.py"
    module.write_text(module.read_text().replace('"MET"', '"UNMET"'))
    assert assess("Paris.", CONFIG, project, env)["pass"] is False


def test_a_rubric_edited_during_a_session_is_read_again(project: Path, runtime: Path, env: dict[str, str]) -> None:
    assert assess("Paris.", CONFIG, project, env)["pass"] is True
    (project / "rubrics" / "capital.yaml").write_text("criteria:\n- {name: rude, requirement: Is rude, weight: -2}\n")
    result = assess("Paris.", CONFIG, project, env)
    assert list(result["namedScores"]) == ["rude"]
    assert len(session_pids(runtime)) == 1


@pytest.mark.proof
def test_another_version_of_the_package_starts_a_separate_session(
    project: Path, runtime: Path, env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    upgraded = tmp_path_factory.mktemp("upgraded")
    being_written = shutil.ignore_patterns("*.pyc.*")
    shutil.copytree(ROOT / "src" / "markscheme", upgraded / "markscheme", ignore=being_written)
    elsewhere = env | {"PYTHONPATH": f"{upgraded}:{project}"}
    assess("Paris.", CONFIG, project, elsewhere)
    (before,) = files(runtime)
    (upgraded / "markscheme" / "grading" / "score.py").touch()
    assess("Paris.", CONFIG, project, elsewhere)
    assert len(files(runtime)) == 2
    assert before in files(runtime)


@pytest.mark.proof
def test_if_no_session_can_start_because_of_an_invalid_setting_the_error_names_the_setting(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    result = assess("Paris.", CONFIG, project, env | {"MARKSCHEME_BUDGET": "much"})
    assert result["reason"] == "not graded: MARKSCHEME_BUDGET must be a number above 0, got 'much'"
    assert files(runtime) == []


def test_a_session_goes_on_answering_after_callers_that_sent_garbage_and_left(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    assess("Paris.", CONFIG, project, env)
    place = str(runtime / "markscheme" / files(runtime)[0])
    for request in (b"", b"{", b"[]", b'{"key": "wrong", "request": {}}', b'{"key": 1}' * 5):
        connection = client.connected(place)
        assert connection is not None
        with connection:
            connection.sendall(request)
    assert assess("Paris.", CONFIG, project, env)["pass"] is True
    assert len(session_pids(runtime)) == 1


@pytest.mark.proof
def test_an_answer_from_the_cache_loads_no_sdk_even_without_a_session(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    config = {"rubric": "capital", "judge": "anthropic", "session": "off"}
    verdict = {"quote": "Paris.", "reason": "It says so.", "level": "MET"}
    with MessagesFront(lambda request: message(json.dumps({"verdicts": {"right": verdict}}))) as front:
        keyed = env | {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": front.url}
        first, again = (call("get_assert", "Paris.", {"config": config}, cwd=project, env=keyed) for _ in range(2))
        assert len(front.requests) == 1
    assert first["given"]["pass"] is again["given"]["pass"] is True
    assert "anthropic" in first["modules"]
    assert not {"anthropic", "httpx2", "numpy"} & set(again["modules"])


@pytest.mark.proof
def test_promptfoo_s_hooks_start_and_end_the_one_session_that_grades_for_all_assertions_of_a_folder(
    project: Path, runtime: Path, env: dict[str, str]
) -> None:
    hooks = ROOT / "graders" / "session.py"
    call("beforeAll", {"suite": {}}, {"hookName": "beforeAll"}, cwd=project, env=env, grader=hooks)
    (pid,) = session_pids(runtime)
    assess("Paris.", CONFIG, project, env)
    assert session_pids(runtime) == [pid]
    call("afterAll", {"results": []}, {"hookName": "afterAll"}, cwd=project, env=env, grader=hooks)
    assert wait_until(lambda: not is_running(pid))
    assert files(runtime) == []
