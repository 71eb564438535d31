"""Options of `discover` without effect are refused, with the reason and the way out."""

from pathlib import Path

import pytest

from markscheme.commands.call import described
from markscheme.features.discover import idle_options
from tests.commands.console import run
from tests.features.discover.test_command import write_project

POOL = ("--pool", "outputs.jsonl")
SUGGEST = ("--suggest", "function:judges:groups")


@pytest.mark.parametrize(
    ("options", "idle", "reason"),
    [
        (POOL, ("--each", "2"), "add --share A,B,C"),
        (POOL, ("--samples", "2"), "add --suggest JUDGE"),
        (POOL, ("--budget", "2"), "add --suggest JUDGE"),
        (POOL, ("--batch",), "add --suggest JUDGE"),
        (("--report",), ("-o", "cache=off"), "add --suggest JUDGE"),
        (SUGGEST, ("--samples", "2"), "asks a model once"),
        (SUGGEST, ("-o", "strategy=holistic"), "asks a model once"),
        (("--write",), ("--rater", "me"), "nothing is read here"),
        (POOL, ("--force",), "it is for --write"),
        (("--report",), ("--random",), "add --notes FILE"),
        (POOL, ("--unseen", "0.1"), "add --report"),
        ((*POOL, "--sheet", "s.html"), ("-o", "port=8123"), "a sheet is a file"),
    ],
)
def test_an_option_of_discover_without_effect_is_refused_before_anything_is_read_or_asked_or_written(
    tmp_path: Path, options: tuple[str, ...], idle: tuple[str, ...], reason: str
) -> None:
    write_project(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    done = run("markscheme", "discover", "reply", *options, *idle, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    name = " ".join(idle[:2]).partition("=")[0] if idle[0] == "-o" else idle[0]
    assert done.stderr.startswith(f"error: {name} has no effect here: "), done.stderr
    assert reason in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_rules_on_options_of_discover_without_effect_name_only_existing_options() -> None:
    of_command = {name for option in described("discover").options for name in option.names}
    of_command |= {f"-o {key}" for key in described("discover").settings}
    assert {option for rule in idle_options._RULES for option in rule.options} - {"--judge"} <= of_command


@pytest.mark.parametrize("view", ["--again", "--recode"])
def test_the_sheet_option_of_discover_is_refused_for_a_view_that_needs_the_served_page(
    tmp_path: Path, view: str
) -> None:
    (tmp_path / "outputs.jsonl").write_text('{"id": "a", "response": "Hello."}\n')
    command = ("markscheme", "discover", "reply", "--pool", "outputs.jsonl", "--rater", "ann", view)
    done = run(*command, "--sheet", "page.html", cwd=tmp_path)
    assert (done.returncode, f"{view} needs the page that is served" in done.stderr) == (2, True)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("step", [("--report",), ("--sheet", "s.html")])
@pytest.mark.parametrize("idle", [("--pass", "good"), ("--same", "a=b"), ("--pass-mark", "3"), ("--adjudicated",)])
def test_an_option_on_what_ratings_mean_is_refused_for_a_table_of_outputs_without_ratings(
    tmp_path: Path, step: tuple[str, ...], idle: tuple[str, ...]
) -> None:
    (tmp_path / "outputs.csv").write_text("id,response\na,reply one of two\nb,reply two of two\n", encoding="utf-8")
    (tmp_path / "rated.csv").write_text("id,response,human\na,reply one,3\nb,reply two,good\n", encoding="utf-8")
    done = run("markscheme", "discover", "reply", "--pool", "outputs.csv", *step, *idle, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    reason = "outputs.csv has outputs alone, and no ratings of them; leave it out"
    assert done.stderr == f"error: {idle[0]} has no effect here: {reason}\n"
    assert not (tmp_path / "calibration").exists()
    rated = run("markscheme", "discover", "reply", "--pool", "rated.csv", "--report", *idle, cwd=tmp_path)
    assert rated.returncode in (0, 4), rated.stderr
