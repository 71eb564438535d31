"""No name in arguments or files can control the terminal, whatever the command."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from markscheme.cli import main
from markscheme.commands.table import command_names
from tests.hostile_names import NAMES, acts_on_a_terminal, make_project

JUDGE = ("--judge", "function:judging:judge", "-o", "cache=off")
ANNOTATORS = tuple(word for name in NAMES[:5] for word in ("--human", name))
CALLS: Sequence[Sequence[str]] = (
    ("lint", "rubrics/manners.json"),
    ("grade", "manners", "--show-prompt"),
    ("grade", "manners", "in.jsonl", *JUDGE),
    ("grade", "manners", "in.jsonl", "--json", *JUDGE),
    ("calibrate", "manners", *JUDGE),
    ("calibrate", "manners", "--ratings", "judge-0.jsonl", "--markdown", "-"),
    ("calibrate", "manners", "--ratings", "judge-0.jsonl", "--json", "-"),
    ("calibrate", "manners", "--ratings", "bad.jsonl"),
    ("compare", "judge-0.jsonl", "judge-1.jsonl", "--rubric", "manners"),
    ("improve", "manners"),
    ("certify", "manners", "--ratings", "judge-0.jsonl"),
    ("certify", "manners", "--ratings", "judge-0.jsonl", "--json"),
    ("status",),
    ("import", "judge-0.jsonl", "--rubric", "manners"),
    ("import", "bad.jsonl", "--rubric", "manners"),
    ("calibrate", "table.csv", *ANNOTATORS),
    ("calibrate", "table.csv", *ANNOTATORS, "--json", "-"),
    ("pass-rate", "passes.jsonl", "--calibration", "gold.jsonl"),
    ("experiment", "experiment.json", *JUDGE),
    ("experiment", "experiment.json", "--csv", "-", *JUDGE),
    ("label", "manners", "--rater", NAMES[0]),
    ("label", "manners", "--disputed", "--rater", NAMES[0]),
    ("label", "manners", "--plan"),
    ("label", "manners", "--next", "5", "--pool", "pool.jsonl", "--to", "-", "--json", "plan.json"),
    ("export", "manners"),
    ("export", "manners", "--json"),
    ("export", "manners", "--promptfoo", "rate.yaml"),
    ("demo", "--plant", "nothing", "-n", "30"),
    ("init",),
    ("session", "status"),
    ("verify", "bad.jsonl"),
    ("discover", "modes", "--pool", "pool.jsonl", "--sheet", "notes.html", "--rater", "reader"),
    ("discover", "manners", "--report"),
    ("compare", f"manners@{NAMES[0]}", "manners"),
    ("batches",),
    ("calibrate", "manners", "--ratings", "judge-0.jsonl", "--junit", "-"),
    ("calibrate", "manners", "--ratings", "judge-0.jsonl", "--html", "page.html"),
    ("calibrate", "manners", "--ratings", "bad.jsonl", "-o", "skip_damaged=true"),
    ("compare", "judge-0.jsonl", "judge-1.jsonl", "--rubric", "manners", "--json"),
    ("improve", "manners", "--numbers", "--open", "--json"),
    ("status", "--json"),
    ("pass-rate", "judge-0.jsonl", "judge-0.jsonl", "--at-least", "0.5"),
    ("stress", "manners", "--only-changes", "praise", *JUDGE),
    ("stress", "manners", "--plan", *JUDGE),
    ("improve", "manners", "--candidates", "rubrics/manners.json", *JUDGE),
    ("improve", "manners", "--candidates", "rubrics/manners.json", "--plan", *JUDGE),
)


def test_every_command_is_called_with_hostile_names() -> None:
    assert {*command_names()} <= {call[0] for call in CALLS}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project in which everything has a hostile name."""
    folder = tmp_path_factory.mktemp("hostile")
    make_project(folder)
    return folder


def outcome(call: Sequence[str], capfd: pytest.CaptureFixture[str]) -> tuple[int | str | None, str]:
    """Run a command; return its exit status and all output."""
    try:
        status: int | str | None = main(call)
    except SystemExit as ended:
        status = ended.code
    message = capfd.readouterr()
    return status, message.out + message.err


OFTEN_TYPED = ("calibrate", "grade", "label", "pass-rate", "status")
"""The commands that the default run tries with every fourth name; the slow tests try all with all."""


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("call", [call for call in CALLS if call[0] in command_names()], ids=" ".join)
@pytest.mark.proof
def test_no_name_in_a_file_sends_control_codes_to_the_terminal(
    call: Sequence[str], project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(project)
    status, message = outcome(call, capfd)
    assert not acts_on_a_terminal(message)
    serves = call[0] == "label" and not {"--plan", "--to"} & {*call}
    is_refused = "bad.jsonl" in call or serves or any(word.startswith("manners@") for word in call)
    assert status in ((2,) if is_refused else (0, 1, 4, 5)), message
    assert message


def call_wrongly(command: str, names: Iterable[str], capfd: pytest.CaptureFixture[str]) -> None:
    """Call a command wrongly with each name as an option and as a value, and check what it prints."""
    for name in names:
        for call in ([command, f"--{name}"], [command, "x", name, "--rubric", name, "--examples", name]):
            status, message = outcome(call, capfd)
            assert not acts_on_a_terminal(message), call
            assert status in (0, 2), (call, message)


@pytest.mark.parametrize("command", [command for command in command_names() if command in OFTEN_TYPED])
def test_no_error_message_about_a_wrong_argument_sends_control_codes_to_the_terminal(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every fourth name; each name meets a quarter of the commands."""
    monkeypatch.chdir(tmp_path)
    call_wrongly(command, NAMES[command_names().index(command) % 4 :: 4], capfd)


@pytest.mark.proof
@pytest.mark.parametrize("command", command_names())
def test_no_argument_of_any_command_can_control_the_terminal_through_an_error_message(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    call_wrongly(command, NAMES, capfd)


def test_the_name_of_an_unknown_command_sends_no_control_codes_to_the_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name in NAMES:
        status, message = outcome([name], capfd)
        assert (status, acts_on_a_terminal(message)) == (2, [])
