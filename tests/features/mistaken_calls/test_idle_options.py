"""An option that would change nothing is refused, with the reason and the way out."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate, compare, open_judge
from markscheme.commands.call import described
from markscheme.commands.table import command_names
from markscheme.errors import UsageError
from markscheme.features.mistaken_calls import idle_options
from tests.commands.console import run
from tests.commands.judged_project import make_project

ROWS = [(f"r{i}", f"text {i}", "pass" if i % 7 else "fail", "pass" if i % 2 else "fail") for i in range(40)]
TABLE = [dict(zip(("id", "output", "judge", "human"), row, strict=True)) for row in ROWS]
JUDGE = ("--judge", "function:scripted_judges:hasty")
DRAW = ("label", "manners", "--next", "2", "--pool", "pool.jsonl", "--to", "o.jsonl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project with a table, a pool of responses and a single response."""
    here = make_project(tmp_path_factory.mktemp("idle"))
    with (here / "verdicts.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "output", "judge", "human"), *ROWS])
    pool = [{"id": f"p{i}", "response": f"reply {i} of some"} for i in range(9)]
    (here / "pool.jsonl").write_text("".join(json.dumps(line) + "\n" for line in pool), encoding="utf-8")
    (here / "answer.md").write_text("reply 1 of one", encoding="utf-8")
    own = {"response": "It passes Leeds.", "rubric": [{"requirement": "Names Leeds"}, {"requirement": "Names York"}]}
    rows = [{"id": f"row-{i}", **own} for i in range(3)]
    (here / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (here / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    (here / "outputs.csv").write_text("id,output\na,reply 1 of one\nb,reply 2 of two\n", encoding="utf-8")
    judged = {"type": "llm-rubric", "value": "Is polite", "metric": "polite"}
    component = {"pass": True, "score": 1.0, "assertion": judged}
    case = {"response": {"output": "reply"}, "gradingResult": {"pass": True, "componentResults": [component]}}
    results = {
        "evalId": "e",
        "results": {"version": 3, "results": [case | {"testIdx": i, "promptIdx": 0} for i in range(3)]},
    }
    (here / "results.json").write_text(json.dumps(results), encoding="utf-8")
    return here


@pytest.mark.parametrize(
    ("command", "option", "reason"),
    [
        (("label", "manners", "--progress"), ("--only", "system=a"), "--progress counts people's labels"),
        (("label", "manners", "--progress"), ("--map", "a=query"), "add --pool FILE"),
        (("label", "manners", "--same-meaning", "polite"), ("--pool", "pool.jsonl"), "only notes that"),
        (DRAW, ("--progress",), "--to writes what to label next"),
        ((*DRAW, "--pairs"), ("--width", "0.1"), "--pairs writes pairs of --pool's outputs, and does nothing else"),
        ((*DRAW, "--pairs"), ("--json",), "--pairs writes pairs of --pool's outputs, and does nothing else"),
        (DRAW, ("--sheet", "s.html"), "--to writes what to label next"),
        (("label", "manners", "--sheet", "s.html"), ("--examples", "pool.jsonl"), "add --plan"),
        (("label", "manners", "--sheet", "s.html"), ("--each", "3"), "add --share A,B,C"),
        (("label", "manners", "--sheet", "s.html"), ("--response", "text"), "add --pool FILE"),
        (("label", "verdicts.csv", "--plan"), ("--split", "dev"), "counts all of its rows"),
        (("label", "verdicts.csv", "--plan"), ("--examples", "pool.jsonl"), "counts all of its rows"),
        (("label", "verdicts.csv", "--plan"), ("--width", "0.1"), "how many labels `markscheme calibrate` asks for"),
        (("label", "verdicts.csv", "--plan"), ("--details",), "how many labels `markscheme calibrate` asks for"),
        (("grade", "manners", "pool.jsonl", *JUDGE), ("--pass", "yes"), "`markscheme import` reads ratings"),
        (("grade", "manners", "pool.jsonl", *JUDGE), ("--levels", "1-9"), "`markscheme import` reads ratings"),
        (("grade", "manners", "pool.jsonl", *JUDGE), ("--table", "X"), "pool.jsonl holds a single table"),
        (("grade", "manners", "pool.jsonl", *JUDGE, "--out", "o.csv"), ("--json",), "prints no grades"),
        (("grade", "manners", "pool.jsonl", *JUDGE), ("--missing",), "add --show-prompt"),
        (("grade", "manners", "--show-prompt"), ("--out", "o.csv"), "--show-prompt grades nothing"),
        (("pass-rate", "verdicts.csv"), ("--of", "pass"), "add --at-least T"),
        (("pass-rate", "verdicts.csv"), ("--stream", "a"), "add --track"),
        (("pass-rate", "verdicts.csv"), ("--budget", "1"), "no judge is asked; add --track"),
        (("calibrate", "manners", "--ratings", "gpt.jsonl"), ("--replay",), "no judge is asked"),
        (("calibrate", "manners", "--ratings", "gpt.jsonl"), ("--batch",), "no judge is asked"),
        (("calibrate", "manners", "--ratings", "gpt.jsonl"), ("--budget", "1"), "no judge is asked"),
        (("calibrate", "manners", *JUDGE), ("--map", "a=b"), "no file is read"),
        (("calibrate", "verdicts.csv"), ("--force",), "`markscheme init --from verdicts.csv` makes one"),
        (("calibrate", "verdicts.csv"), ("--replace",), "`markscheme init --from verdicts.csv` makes one"),
        (("calibrate", "verdicts.csv"), ("--check",), "`markscheme init --from verdicts.csv` makes one"),
        (("calibrate", "verdicts.csv"), ("--batch",), "verdicts.csv contains its own ratings"),
        (("calibrate", "verdicts.csv"), ("--table", "X"), "verdicts.csv holds a single table"),
        (("certify", "verdicts.csv"), ("--samples", "3"), "no judge is named that can be asked"),
        (("compare", "gpt.jsonl", "claude.jsonl", "--rubric", "manners"), ("--budget", "1"), "no judge is named"),
        (("stress", "manners", *JUDGE), ("--kind", "human"), "no file is read"),
        (("improve", "manners", "--numbers", "--ratings", "gpt.jsonl"), ("--samples", "2"), "no judge is asked"),
        (("improve", "manners", "--numbers", "--ratings", "gpt.jsonl"), ("--rounds", "2"), "and no words"),
        (("improve", "manners", "--plan"), ("--write",), "--plan makes no calls"),
        (("improve", "manners"), ("--force",), "it is for --write"),
        (("certify", "manners", *JUDGE), ("--force",), "it is for --write or --ask-within"),
        (("export", "manners", "--counts-sql", "T", "--raters", "a"), ("--promptfoo", "p.yaml"), "prints a SELECT"),
        (("export", "manners", "--promptfoo", "p.yaml"), ("--json",), "prints no examples"),
        (("export", "manners", "--split", "dev"), ("--judge", "gpt"), "add --promptfoo FILE"),
        (("label", "manners", "--plan"), ("--overlap", "3"), "add --share A,B,C"),
        (("import", "verdicts.csv", "--rubric", "manners"), ("--append",), "add --to FILE or --examples"),
        (("import", "verdicts.csv", "--rubric", "manners"), ("--weights", "high=3"), "add --to rubrics/NAME.yaml"),
        (("import", "verdicts.csv", "--to", "new.yaml"), ("--only", "people"), "a rubric is converted"),
        (("init", "new", "--from", "outputs.csv"), ("--pass", "yes"), "outputs.csv has outputs alone"),
        (("init", "new", "--from", "outputs.csv"), ("--same", "a=b"), "outputs.csv has outputs alone"),
        (("init", "new", "--from", "results.json"), ("--id", "case"), "results.json has Promptfoo's results"),
        (("label", "manners", "--pool", "outputs.csv"), ("--pass-mark", "3"), "the responses of --pool are read"),
    ],
)
def test_an_option_without_effect_is_refused_with_the_reason_before_any_file_is_written(
    folder: Path, command: tuple[str, ...], option: tuple[str, ...], reason: str
) -> None:
    before = sorted(folder.rglob("*"))
    done = run("markscheme", *command, *option, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {option[0]} has no effect here: "), done.stderr
    assert reason in done.stderr
    assert sorted(folder.rglob("*")) == before


ROWS_ALONE = ("label", "rows.jsonl")
PLANS_OF_ROWS = (
    ("label", "rows.jsonl", "--plan"), ("label", "manners", "rows.jsonl", "--plan"), ("label", "rows.json", "--plan"),
)  # fmt: skip
OTHER_FILES = ("--pool", "--ratings", "--examples")
OF_OTHER_FILES = (*((name, "pool.jsonl") for name in OTHER_FILES), ("--next", "2"), ("--to", "o.jsonl"), ("--pairs",))
OF_PARTS = (("--split", "dev"), ("--only", "system=a"), ("--response", "text"), ("--map", "a=query"))


@pytest.mark.parametrize("plan", PLANS_OF_ROWS)
@pytest.mark.parametrize("option", [*OF_OTHER_FILES, *OF_PARTS, ("--width", "0.1"), ("--error", "0.1")])
def test_the_plan_for_rows_with_their_own_criteria_refuses_options_on_other_files_and_on_precision(
    folder: Path, plan: tuple[str, ...], option: tuple[str, ...]
) -> None:
    done = run("markscheme", *plan, *option, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    reason = "the plan of rows" if option[0] in ("--width", "--error") else f"{plan[-2]} is rubric, pool and examples"
    assert done.stderr.startswith(f"error: {option[0]} has no effect here: {reason}"), done.stderr


@pytest.mark.parametrize("step", [("--progress",), ("--sheet", "s.html"), ("--disputed",), ("--audits",)])
@pytest.mark.parametrize("option", [("--pool", "pool.jsonl"), ("--next", "2"), ("--response", "text")])
def test_the_label_command_refuses_options_about_a_pool_for_rows_with_their_own_criteria(
    folder: Path, step: tuple[str, ...], option: tuple[str, ...]
) -> None:
    before = sorted(folder.rglob("*"))
    done = run("markscheme", *ROWS_ALONE, *step, *option, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "rows.jsonl is rubric, pool and examples in one; leave it out" in done.stderr
    assert sorted(folder.rglob("*")) == before


SHEET = ("label", "manners", "--sheet", "s.html", "--rater", "me")
PRICE = "price=1:2"


@pytest.mark.parametrize(
    ("command", "settings", "reason"),
    [
        (("calibrate", "manners", "--ratings", "gpt.jsonl"), ("cache=off", PRICE, "model=x"), "no judge is asked"),
        (("calibrate", "manners", "--ratings", "gpt.jsonl"), ("metric=nominal",), "and a judge is calibrated"),
        (("calibrate", "verdicts.csv"), ("concurrency=2", "temperature=0.5"), "verdicts.csv contains its own ratings"),
        (("compare", "gpt.jsonl", "claude.jsonl", "--rubric", "manners"), ("cache=off", PRICE), "no judge is named"),
        (("certify", "verdicts.csv"), ("max_tokens=900", "probe=off"), "no judge is named that can be asked"),
        (("improve", "manners", "--numbers", "--ratings", "gpt.jsonl"), ("cache=off", PRICE), "no judge is asked"),
        (("pass-rate", "verdicts.csv"), ("cache=off", "price=1:2"), "no judge is asked; add --track"),
        (("grade", "manners", "pool.jsonl", "--show-prompt"), ("cache=off", PRICE), "--show-prompt asks nothing"),
        (("grade", "manners", "pool.jsonl", *JUDGE), ("agreement_weights=linear",), "`markscheme calibrate TABLE`"),
        (SHEET, ("host=127.0.0.1",), "a sheet is a file"),
        (SHEET, ("cache=off",), "it is for a plan"),
        (SHEET, ("all_criteria=yes",), "it is about rows that bring criteria of their own"),
        (("label", "rows.jsonl", "--sheet", "s.html"), ("ask_whole=always",), "labelled on the criteria that they"),
        (("label", "verdicts.csv", "--plan"), ("seed=3", "port=4000"), "and opens no page"),
    ],
)
def test_a_setting_that_has_no_effect_on_the_typed_command_is_refused_with_the_reason(
    folder: Path, command: tuple[str, ...], settings: tuple[str, ...], reason: str
) -> None:
    before = sorted(folder.rglob("*"))
    for setting in settings:
        done = run("markscheme", *command, "-o", setting, cwd=folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: -o {setting.partition('=')[0]} has no effect here: "), done.stderr
        assert reason in done.stderr
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "options", "reason"),
    [
        (("manners",), {"ratings": "gpt.jsonl", "samples": 3}, "name a judge by `judge` in place of `ratings`"),
        (("manners",), {"ratings": "gpt.jsonl", "cache": "off"}, "no judge is asked"),
        (("verdicts.csv",), {"budget": 2}, "verdicts.csv contains its own ratings"),
        ((TABLE,), {"budget": 2}, "the table contains its own ratings"),
        ((TABLE,), {"check": True}, "`markscheme init --from YOUR-TABLE.csv` makes one"),
    ],
)
def test_calibrate_in_python_refuses_an_argument_that_has_no_effect_and_names_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[Any, ...], options: dict[str, Any], reason: str
) -> None:
    monkeypatch.chdir(folder)
    name = list(options)[-1]
    with pytest.raises(UsageError, match=f"^`{name}` has no effect here: .*{reason}"):
        calibrate(*arguments, **options)


def test_an_argument_of_compare_in_python_that_has_no_effect_is_refused_by_its_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(UsageError, match=r"^`budget` has no effect here: no judge is named that can be asked"):
        compare("gpt.jsonl", "claude.jsonl", rubric="manners", budget=2)
    assert compare("gpt.jsonl", "claude.jsonl", rubric="manners", tolerance=0.2).choice.pairs


def test_compare_in_python_accepts_options_on_asking_a_judge_that_is_already_open(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    compared = compare("gpt.jsonl", open_judge(JUDGE[1]), rubric="manners", concurrency=2)
    assert len(compared.contenders) == 2


@pytest.mark.parametrize(
    "command",
    [
        (*DRAW[:-1], "-", "--id", "id"),
        ("grade", "manners", "pool.jsonl", *JUDGE, "--samples", "1", "--id", "id"),
        ("label", "manners", "--plan", "--ratings", "gpt.jsonl", "--target", "0.7"),
        ("label", "manners", "--plan", "--width", "0.1", "--error", "0.1"),
        ("label", "rows.jsonl", "--plan", "--target", "0.9", "-o", "annotators=2", "-o", "all_criteria=yes"),
        ("label", "verdicts.csv", "--plan", "--pass", "pass"),
        ("init", "new", "--from", "verdicts.csv", "--pass", "pass"),
        ("grade", "manners", "pool.jsonl", "--show-prompt", "-o", "strategy=per_criterion"),
    ],
)
def test_options_that_are_refused_when_they_have_no_effect_are_accepted_when_they_have_one(
    folder: Path, command: tuple[str, ...]
) -> None:
    assert run("markscheme", *command, cwd=folder).returncode in (0, 1)


@pytest.mark.parametrize("command", [("label", "manners", "--progress"), ("status",)])
def test_a_key_of_the_settings_file_is_never_refused_for_having_no_effect_on_a_command(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    here = make_project(tmp_path)
    (here / "markscheme.toml").write_text("samples = 3\nbudget = 2\n[map]\nreply = 'query'\n", encoding="utf-8")
    assert run("markscheme", *command, cwd=here).returncode == 0


def test_the_table_option_that_chooses_a_sheet_is_accepted_for_a_workbook(folder: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    assert book.active is not None
    book.active.title = "labels"
    for row in [("id", "output", "judge", "human"), *ROWS]:
        book.active.append(row)
    book.create_sheet("other").append(("a", "b"))
    book.save(folder / "two.xlsx")
    assert run("calibrate", "two.xlsx", "--table", "labels", cwd=folder).returncode in (0, 1, 4)


@pytest.mark.parametrize(
    "command",
    [
        ("init", "--from", "nosuch.csv", "--human", "ann"),
        ("certify", "manners", "--ratings", "nosuch.csv", "--kind", "human"),
        ("calibrate", "nosuch.xlsx", "--table", "labels"),
    ],
)
def test_a_missing_file_is_reported_instead_of_an_option_that_would_have_no_effect(
    folder: Path, command: tuple[str, ...]
) -> None:
    done = run("markscheme", *command, cwd=folder)
    assert done.returncode == 2
    assert "nosuch" in done.stderr
    assert "has no effect" not in done.stderr


def test_each_rule_on_options_without_effect_names_options_and_commands_that_exist() -> None:
    for rule in idle_options._RULES:
        assert rule.reason.partition(";")[0]
        for command in rule.commands.split() or command_names():
            assert command in command_names()
            of_command = {name for option in described(command).options for name in option.names}
            of_command |= {f"-o {key}" for key in described(command).settings}
            assert not rule.commands or of_command.intersection(rule.options), (command, rule.options)


def test_in_a_reason_why_an_option_has_no_effect_each_option_is_marked_to_be_rewritten_for_python_calls() -> None:
    reasons = [
        rule.reason for rule in idle_options._RULES if {"calibrate", "compare"}.intersection(rule.commands.split())
    ]
    assert any("{--judge}" in reason for reason in reasons)
    assert not [reason for reason in reasons if "--" in re.sub(r"`[^`]*`|\{--[a-z-]+\}", "", reason)]
