"""`markscheme session`: start, look at and end the warm process."""

import json
import os
import signal
from pathlib import Path

from tests.commands.console import ROOT, run, run_installed
from tests.session.processes import assess, files, session_pids, sockets, wait_until

CONFIG = {"rubric": "code-quality"}


def test_a_session_started_by_hand_answers_promptfoo_s_assertions(runtime: Path, tmp_path: Path) -> None:
    env = {"XDG_RUNTIME_DIR": str(runtime), "MARKSCHEME_CACHE": str(tmp_path)}
    command = ("markscheme", "session", "start", "--graders", str(ROOT / "graders"))
    started = run_installed(*command, cwd=tmp_path, env=env)  # in the environment that assertions have
    assert started.returncode == 0, started.stderr
    (pid,) = session_pids(runtime)
    assert f"pid {pid}," in started.stdout
    assess("x", CONFIG, tmp_path, env)
    assert session_pids(runtime) == [pid]
    done = run("markscheme", "session", "status", "--json", cwd=tmp_path, env=env)
    (session,) = json.loads(done.stdout)["sessions"]
    assert (session["pid"], session["answered"], session["cwd"]) == (pid, 1, str(tmp_path))
    ended = run("markscheme", "session", "stop", cwd=tmp_path, env=env)
    assert ended.returncode == 0
    assert wait_until(lambda: not session_pids(runtime))
    assert files(runtime) == []


def test_session_status_and_session_stop_exit_1_if_no_session_is_running(runtime: Path, tmp_path: Path) -> None:
    env = {"XDG_RUNTIME_DIR": str(runtime)}
    for what in ("status", "stop"):
        done = run("markscheme", "session", what, cwd=tmp_path, env=env)
        assert done.returncode == 1
        assert "no session is running" in done.stderr
    assert json.loads(run("markscheme", "session", "status", "--json", env=env).stdout) == {"schema": 1, "sessions": []}


def test_the_session_stop_command_cleans_up_after_a_killed_session(runtime: Path, tmp_path: Path) -> None:
    env = {"XDG_RUNTIME_DIR": str(runtime)}
    run("markscheme", "session", "start", cwd=tmp_path, env=env)
    os.kill(session_pids(runtime)[0], signal.SIGKILL)
    assert wait_until(lambda: not session_pids(runtime))
    assert run("markscheme", "session", "stop", cwd=tmp_path, env=env).returncode == 1
    assert files(runtime) == []


def test_a_session_with_a_stated_socket_path_is_started_and_stopped_at_that_path(runtime: Path, tmp_path: Path) -> None:
    env = {"XDG_RUNTIME_DIR": str(runtime)}
    place = str(runtime / "mine.sock")
    assert run("markscheme", "session", "start", "--socket", place, cwd=tmp_path, env=env).returncode == 0
    assert Path(place).is_socket()
    assert run("markscheme", "session", "stop", "--socket", place, cwd=tmp_path, env=env).returncode == 0
    assert not Path(place).exists()


def test_a_file_at_the_path_of_a_session_s_socket_is_left_alone(runtime: Path, tmp_path: Path) -> None:
    env = {"XDG_RUNTIME_DIR": str(runtime)}
    notes = runtime / "notes.txt"
    notes.write_text("mine")
    for what, status in (("start", 2), ("stop", 1), ("status", 1)):
        done = run("markscheme", "session", what, "--socket", str(notes), cwd=tmp_path, env=env)
        assert done.returncode == status, done.stderr
        assert notes.read_text() == "mine"


def test_if_no_session_can_be_started_the_reason_is_reported(runtime: Path, tmp_path: Path) -> None:
    off = {"XDG_RUNTIME_DIR": str(runtime), "MARKSCHEME_SESSION": "off"}
    done = run("markscheme", "session", "start", cwd=tmp_path, env=off)
    assert done.returncode == 2
    assert "MARKSCHEME_SESSION is off" in done.stderr
    nowhere = run("markscheme", "session", "start", "--graders", "nowhere", cwd=tmp_path, env=off)
    assert "there is no folder nowhere" in nowhere.stderr


def test_each_test_of_sessions_sees_only_sessions_that_it_started_itself(tmp_path: Path) -> None:
    with sockets() as of_another:
        env = {"XDG_RUNTIME_DIR": str(of_another)}
        assert run("markscheme", "session", "start", cwd=tmp_path, env=env).returncode == 0
        assert run("markscheme", "session", "status", cwd=tmp_path, env=env).returncode == 0
        assert run("markscheme", "session", "status", cwd=tmp_path).returncode == 1
    assert Path(os.environ["XDG_RUNTIME_DIR"]).name.startswith("ms-")
    assert not any(Path(os.environ["XDG_RUNTIME_DIR"]).iterdir())
