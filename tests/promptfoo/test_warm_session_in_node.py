"""`graders/warm_session.mjs` in plain Node: what it sends, what it checks, and where it falls back to Python."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import ROOT
from tests.real.promptfoo import NODE
from tests.session.processes import session_pids

PROGRAM = """
import grader, { get_assert } from '%(graders)s/rubric_grader.mjs';
import RubricProvider from '%(graders)s/rubric_provider.mjs';
import { plainData } from '%(graders)s/warm_session.mjs';
const answers = {};
const reported = async (name, promise) => {
  try {
    answers[name] = await promise;
  } catch (error) {
    answers[name] = { error: error.message };
  }
};
%(body)s
console.log('answers: ' + JSON.stringify(answers));
"""
JUDGE = """
import json
def met(system_prompt, user_prompt):
    print("printed by the judge")
    verdict = {"quote": "Paris.", "reason": "It says so.", "level": "MET"}
    return json.dumps({"verdicts": {"right": verdict}})
"""
CONTEXT = "{config: {judge: 'function:scripted_judge:met'}, vars: {}, test: {}}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with one rubric and a judge that is a function."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "capital.yaml").write_text("criteria:\n- {name: right, requirement: Names the capital}\n")
    (tmp_path / "scripted_judge.py").write_text(JUDGE)
    return tmp_path


def node(folder: Path, body: str, **environment: str) -> tuple[dict[str, Any], str]:
    """Run a program in Node, and return what it reports by name, and its standard error."""
    file = folder / "program.mjs"
    file.write_text(PROGRAM % {"graders": (ROOT / "graders").as_uri(), "body": body})
    env = {**os.environ, "PROMPTFOO_PYTHON": sys.executable, "MARKSCHEME_CACHE": str(folder / "cache"), **environment}
    env.pop("ANTHROPIC_API_KEY", None)
    done = subprocess.run(
        [str(NODE), str(file)], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=True
    )
    (answers,) = [json.loads(line[9:]) for line in done.stdout.splitlines() if line.startswith("answers: ")]
    return answers, done.stderr


def test_functions_and_cycles_and_other_values_that_json_cannot_hold_are_not_sent_to_the_session(folder: Path) -> None:
    body = """
      const round = { name: 'a', work() {}, big: 12n, when: new Date(0), list: [1, () => 2] };
      round.self = round;
      answers.data = plainData(round);
    """
    (data,) = node(folder, body)[0].values()
    assert data == {"name": "a", "big": "12", "when": "1970-01-01T00:00:00.000Z", "list": [1, None]}


@pytest.mark.proof
def test_one_session_grades_all_outputs_and_is_not_sent_the_configuration_of_promptfoo_s_provider(
    folder: Path, runtime: Path
) -> None:
    body = f"""
      const context = {CONTEXT};
      context.provider = {{ id: () => 'echo', label: 'mine', config: {{ apiKey: 'sk-secret' }}, context }};
      await Promise.all([1, 2, 3].map((n) => reported(n, get_assert('Paris.', context))));
      await reported('named', grader.capital('Paris.', context));
    """
    answers, _ = node(folder, body, XDG_RUNTIME_DIR=str(runtime))
    assert [answers[name]["score"] for name in ("1", "2", "3", "named")] == [1, 1, 1, 1]
    assert "sk-secret" not in json.dumps(answers)
    assert len(session_pids(runtime)) == 1


@pytest.mark.proof
def test_assertions_use_a_new_session_after_the_program_changes_its_folder_or_environment(
    folder: Path, runtime: Path
) -> None:
    second_folder = folder / "other"
    (second_folder / "rubrics").mkdir(parents=True)
    (second_folder / ".git").mkdir()
    (second_folder / "rubrics" / "capital.yaml").write_text(
        "criteria:\n- {name: wrong, requirement: Names the capital}\n"
    )
    judge = JUDGE.replace("import json", "import json, os").replace('"It says so."', 'os.environ["MODEL"]')
    for place in (folder, second_folder):
        (place / "scripted_judge.py").write_text(
            judge.replace('"right"', '"wrong"') if place == second_folder else judge
        )
    body = f"""
      import {{ writeFileSync }} from 'node:fs';
      await reported('first', get_assert('Paris.', {CONTEXT}));
      process.env.MODEL = 'two';
      await reported('environment', get_assert('Paris.', {CONTEXT}));
      process.chdir('{second_folder}');
      await reported('folder', get_assert('Paris.', {CONTEXT}));
      writeFileSync('markscheme.toml', 'samples = 3');
      await reported('settings', get_assert('Paris.', {CONTEXT}));
    """
    answers, _ = node(folder, body, XDG_RUNTIME_DIR=str(runtime), MODEL="one")
    reasons = [answers[name]["componentResults"][0]["reason"] for name in ("first", "environment", "folder")]
    assert reasons == ["right MET: one", "right MET: two", "wrong MET: two"]
    calls = [answers[name]["tokensUsed"]["numRequests"] for name in ("folder", "settings")]
    assert calls == [1, 3]


@pytest.mark.proof
def test_if_no_session_can_be_started_a_single_warning_is_printed_and_each_output_is_still_graded(
    folder: Path,
) -> None:
    """A folder for the sockets that others can read is never used."""
    shared = folder / "runtime" / "markscheme"
    shared.mkdir(parents=True)
    shared.chmod(0o755)
    body = f"""
      await reported('first', get_assert('Paris.', {CONTEXT}));
      await reported('second', get_assert('Paris.', {CONTEXT}));
    """
    answers, errors = node(folder, body, XDG_RUNTIME_DIR=str(folder / "runtime"))
    assert [answers[name]["score"] for name in ("first", "second")] == [1, 1]
    assert errors.count("no session can be started here") == 1


def test_no_warning_is_printed_if_sessions_are_switched_off(folder: Path) -> None:
    body = f"await reported('off', get_assert('Paris.', {CONTEXT}));"
    answers, errors = node(folder, body, MARKSCHEME_SESSION="off")
    assert answers["off"]["score"] == 1
    assert "no session" not in errors


@pytest.mark.proof
def test_a_session_is_not_used_if_other_users_can_write_to_the_folder_of_its_socket(
    folder: Path, runtime: Path
) -> None:
    """The session is found, then its folder is opened to others: the answer comes from Python instead."""
    body = f"""
      import {{ chmodSync, readdirSync }} from 'node:fs';
      await reported('before', get_assert('Paris.', {CONTEXT}));
      chmodSync('{runtime}/markscheme', 0o777);
      await reported('after', get_assert('Paris.', {CONTEXT}));
      chmodSync('{runtime}/markscheme', 0o700);
    """
    answers, _ = node(folder, body, XDG_RUNTIME_DIR=str(runtime))
    assert [answers[name]["score"] for name in ("before", "after")] == [1, 1]


def test_if_python_lacks_markscheme_an_assertion_fails_its_output_and_says_which_variable_to_set(
    folder: Path,
) -> None:
    bare = folder / "bare-python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E "$@"\n')
    bare.chmod(0o755)
    body = """
      const negated = { config: {}, test: { assert: [{ type: 'not-python' }] } };
      await reported('plain', get_assert('Paris.', { config: {}, test: {} }));
      await reported('negated', get_assert('Paris.', negated));
      await reported('provider', new RubricProvider({}).callApi('Is it right?', { vars: {} }));
    """
    answers, _ = node(folder, body, PROMPTFOO_PYTHON=str(bare))
    assert answers["plain"]["pass"] is False
    assert "set PROMPTFOO_PYTHON" in answers["plain"]["reason"]
    assert answers["negated"]["error"].startswith("not graded: markscheme cannot be imported")
    assert answers["provider"]["error"].startswith("not graded: ")


@pytest.mark.parametrize(
    "test", ["{}", "{assert: [{type: 'not-python'}]}", "{assert: [{$ref: '#/assertionTemplates/a'}]}"]
)
def test_without_python_an_assertion_fails_and_one_that_may_be_negated_reports_an_error(
    folder: Path, test: str
) -> None:
    body = f"await reported('graded', get_assert('Paris.', {{ config: {{}}, test: {test} }}));"
    answers, _ = node(folder, body, PROMPTFOO_PYTHON="/nowhere/python")
    if test == "{}":
        assert (answers["graded"]["pass"], answers["graded"]["score"]) == (False, 0)
    reason = answers["graded"]["reason" if test == "{}" else "error"]
    assert reason.startswith("not graded: /nowhere/python cannot be run (ENOENT); set PROMPTFOO_PYTHON")


@pytest.mark.proof
def test_if_a_session_never_answers_a_single_warning_is_printed_and_each_output_is_still_graded(
    folder: Path, runtime: Path
) -> None:
    body = f"""
      import net from 'node:net';
      const silent = net.createServer((connection) => connection.end());
      await new Promise((resolve) => silent.listen('{runtime}/silent.sock', resolve));
      const context = {CONTEXT};
      context.config.session = '{runtime}/silent.sock';
      await reported('first', get_assert('Paris.', context));
      await reported('second', get_assert('Paris.', context));
      silent.close();
    """
    answers, errors = node(folder, body, XDG_RUNTIME_DIR=str(runtime))
    assert [answers[name]["score"] for name in ("first", "second")] == [1, 1]
    assert errors.count("each such output is graded in a Python of its own") == 1
    assert "the session doesn't answer" in errors


def test_an_ungraded_output_fails_and_under_a_negated_assertion_raises_an_error(folder: Path, runtime: Path) -> None:
    body = """
      const config = { judge: 'oracle' };
      await reported('plain', get_assert('Paris.', { config, test: { assert: [{ type: 'python', config }] } }));
      await reported('negated', get_assert('Paris.', { config, test: { assert: [{ type: 'not-python', config }] } }));
    """
    answers, _ = node(folder, body, XDG_RUNTIME_DIR=str(runtime))
    assert answers["plain"]["pass"] is False
    assert answers["plain"]["reason"].startswith("not graded: unknown judge 'oracle'")
    assert answers["negated"]["error"].startswith("not graded: unknown judge 'oracle'")


HANGING = """
import os, pathlib, threading

def hangs(system_prompt, user_prompt):
    pathlib.Path("process").write_text(str(os.getpid()))
    pathlib.Path("begun").touch()
    threading.Event().wait()
"""


@pytest.mark.proof
@pytest.mark.parametrize("session", ["auto", "off"])
def test_ctrl_c_ends_the_wait_for_a_judge_that_hangs(folder: Path, session: str) -> None:
    """As in Promptfoo, which has a listener of its own, and pauses once all assertions have ended."""
    (folder / "hanging.py").write_text(HANGING)
    context = f"{{config: {{judge: 'function:hanging:hangs', session: '{session}'}}, vars: {{}}, test: {{}}}}"
    body = f"""
import fs from 'node:fs';
process.on('SIGINT', () => {{ answers.paused = true; }});
const hung = reported('hung', grader('Paris.', {context}));
while (!fs.existsSync('begun')) {{
  await new Promise((resolve) => setTimeout(resolve, 20));
}}
process.kill(process.pid, 'SIGINT');
await hung;
setTimeout(() => process.exit(0), 100);
"""
    answers, _ = node(folder, body, MARKSCHEME_SESSION_IDLE="1")
    assert answers == {"paused": True, "hung": {"error": "not graded: interrupted"}}
    python = Path("/proc", (folder / "process").read_text(), "stat")
    until = time.monotonic() + 300
    while session == "off" and python.exists() and python.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < until, "the Python that hangs is left behind"
        time.sleep(0.02)
