"""The command line as a whole: what there is, how it is described, and how errors end."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from markscheme.cli import THREADS_OF_NUMPY
from markscheme.commands.table import GROUPS, RARE_GROUP, all_commands, command_names
from tests.commands.console import INSTALLED, ROOT, run


def test_help_shows_the_commands_in_their_groups() -> None:
    output = run("markscheme", "--help").stdout
    places = [output.index(f"{group}:") for group in GROUPS if group != RARE_GROUP]
    assert places == sorted(places)
    for command in all_commands():
        if command.group != RARE_GROUP:
            assert re.search(rf"^  {command.name} +{re.escape(command.summary)}$", output, re.MULTILINE)


def test_help_before_a_command_prints_the_help_of_that_command() -> None:
    asked = run("markscheme", "help", "calibrate")
    assert (asked.returncode, asked.stdout) == (0, run("markscheme", "calibrate", "--help").stdout)
    assert run("markscheme", "help", "--help-all").stdout == run("markscheme", "--help-all").stdout


def test_rare_commands_are_listed_by_the_help_all_option_only() -> None:
    for name in [command.name for command in all_commands() if command.group == RARE_GROUP]:
        assert not re.search(rf"^  {name} ", run("markscheme", "--help").stdout, re.MULTILINE)
        assert re.search(rf"^  {name} ", run("markscheme", "--help-all").stdout, re.MULTILINE)


@pytest.mark.parametrize("command", command_names())
def test_each_command_has_a_summary_and_an_example_and_a_text_for_every_option(command: str) -> None:
    shown = run("markscheme", command, "--help-all", env={"COLUMNS": "200"}).stdout
    usage, empty, summary, *rest = shown.splitlines()
    assert usage.startswith(f"usage: markscheme {command}")
    assert (empty, bool(summary)) == ("", True)
    assert re.search(rf"^Example: .*\b{command}\b", shown, re.MULTILINE)
    for line in rest:
        option = re.match(r"  (-\S+(?: \S+)?)\s*(.*)", line)
        assert option is None or option[2] or re.match(r"\s{20,}\S", rest[rest.index(line) + 1]), line


@pytest.mark.parametrize("command", command_names())
def test_no_command_has_two_options_of_one_name(command: str) -> None:
    shown = run("markscheme", command, "--help-all", env={"COLUMNS": "200"}).stdout
    options = re.findall(r"^  (--[a-z-]+)", shown, re.MULTILINE)
    assert options
    assert sorted(set(options)) == sorted(options)


@pytest.mark.parametrize("command", command_names())
def test_every_command_has_a_json_option_and_no_option_with_a_generated_opposite_such_as_no_accept(
    command: str,
) -> None:
    shown = run("markscheme", command, "--help-all").stdout
    assert re.search(r"^  --json", shown, re.MULTILINE)
    assert set(re.findall(r"--no-\w+", shown)) <= set()
    assert "--empty-" not in shown


def test_an_unknown_command_or_option_exits_2_with_one_line_that_suggests_the_nearest_known_name() -> None:
    for arguments, nearest in (
        (("callibrate",), "did you mean `calibrate`?"),
        (("grade", "code-quality", "--jsno"), "did you mean `--json`?"),
        (("grade", "code-qualty", "--show-prompt"), "did you mean 'code-quality'?"),
    ):
        done = run("markscheme", *arguments)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
        assert nearest in done.stderr


def test_a_control_character_in_an_argument_is_escaped() -> None:
    done = run("markscheme", "grade", "\x1b[31mred", "--show-prompt")
    assert (done.returncode, "\x1b" in done.stderr) == (2, False)
    assert "\\x1b[31mred" in done.stderr


def test_the_calibrate_script_runs_the_markscheme_calibrate_command() -> None:
    assert run("calibrate", "--help").stdout == run("markscheme", "calibrate", "--help").stdout


def test_the_version_is_printed() -> None:
    assert re.fullmatch(r"markscheme \d+\.\d+\.\d+\n", run("markscheme", "--version").stdout)


def test_a_closed_output_pipe_is_not_an_error() -> None:
    script = f"{INSTALLED / 'markscheme'} grade error-messages --show-prompt | head -c 10"
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (len(done.stdout), done.stderr) == (10, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_full_disk_behind_standard_output_or_standard_error_exits_2_without_a_traceback(stream: str) -> None:
    command = "status" if stream == "1" else "status --no-such-option"
    script = f"{INSTALLED / 'markscheme'} {command} {stream}>/dev/full"
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    told = "error: what is printed cannot be written: No space left on device\n" if stream == "1" else ""
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


def test_calibrate_exits_70_if_the_installation_is_broken(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise RuntimeError('half installed')")
    done = run("calibrate", "error-messages", env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 70
    assert "RuntimeError: half installed" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: this is a bug in markscheme or a broken installation")


def test_user_code_that_calls_sys_exit_never_sets_a_command_s_exit_status(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit(0)")
    done = run("calibrate", "error-messages", env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 70
    assert "code that markscheme called ended the run: sys.exit(0)" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.proof
def test_a_shell_gets_a_completion_script(shell: str) -> None:
    script = run("markscheme", "--completion", shell).stdout
    assert "markscheme" in script
    assert {*command_names()} <= {*re.findall(r"[a-z-]+", script)}


def test_a_command_multiplies_matrices_in_one_thread_unless_the_environment_says_otherwise() -> None:
    script = f"import os; from markscheme.cli import main; main(['--version']); print(os.environ['{THREADS_OF_NUMPY}'])"
    unset = {name: value for name, value in os.environ.items() if name != THREADS_OF_NUMPY}
    for environment, threads in ((unset, "1"), ({**unset, THREADS_OF_NUMPY: "3"}, "3")):
        ended = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        assert ended.stdout.splitlines()[-1] == threads


def test_the_grade_command_with_the_show_prompt_option_prints_equal_prompts_of_two_examples_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "p.yaml").write_text("name: p\ncriteria: [{name: right, requirement: It is right.}]\n")
    lines = [
        {"id": name, "query": "How late?", "response": response} for name, response in zip("abc", "112", strict=True)
    ]
    (tmp_path / "some.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = run("markscheme", "grade", "p.yaml", "some.jsonl", "--show-prompt", cwd=tmp_path)
    prompts = [json.loads(line)["fingerprint"] for line in done.stdout.splitlines()]
    assert len(prompts) == len(set(prompts)) == 2
    assert done.stderr.startswith("2 prompts")
