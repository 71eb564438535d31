"""What a settings file says is about every file of a project, and does no harm where it doesn't fit."""

import shlex
from pathlib import Path

import pytest

from markscheme import calibrate
from markscheme.errors import UsageError
from tests.commands.console import run
from tests.commands.judged_project import make_project

VERDICTS = "id,response,judge,human\n" + "".join(
    f"r{i},Grüße {i},{'pass' if i % 7 else 'fail'},{'pass' if i % 2 else 'fail'}\n" for i in range(40)
)
ABOUT_OTHER_FILES = {
    "encoding": 'encoding = "utf-8"\n',
    "columns that no file here has": '[map]\nticket_text = "query"\nanswer = "response"\n',
    "how judges are asked": 'samples = 3\nstrategy = "per_criterion"\ncriteria_per_call = 2\n',
    "trends of verdicts": 'trend_on = "criteria"\nmax_false_credit = 0.1\n',
    "limits on credit": "max_missed_credit = 0.1\n",
    "coefficients": 'metric = "ordinal"\nagreement_weights = "linear"\n',
}
COMMANDS = (
    "calibrate manners --ratings gpt.jsonl --quiet",
    "calibrate verdicts.csv",
    "markscheme grade manners answer.txt --show-prompt",
    "markscheme label manners --plan --ratings gpt.jsonl",
    "markscheme import verdicts.csv --kind human --rater ann",
    "markscheme compare gpt.jsonl claude.jsonl --rubric manners",
    "markscheme improve manners",
    "markscheme pass-rate verdicts.csv",
    "markscheme stress manners",
)


@pytest.mark.parametrize("said", ABOUT_OTHER_FILES)
def test_settings_that_only_concern_other_kinds_of_files_never_change_a_command_s_exit_status(
    said: str, tmp_path: Path
) -> None:
    project = make_project(tmp_path)
    (project / "verdicts.csv").write_text(VERDICTS, encoding="utf-8")
    (project / "answer.txt").write_text("reply 1 of many", encoding="utf-8")
    without = {line: run(*shlex.split(line), cwd=project).returncode for line in COMMANDS}
    (project / "markscheme.toml").write_text(ABOUT_OTHER_FILES[said], encoding="utf-8")
    assert {line: run(*shlex.split(line), cwd=project).returncode for line in COMMANDS} == without
    assert without["calibrate verdicts.csv"] != 2


def test_the_option_named_trend_on_is_refused_for_a_table_of_verdicts_although_the_settings_file_may_set_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "verdicts.csv").write_text(VERDICTS, encoding="utf-8")
    (tmp_path / "markscheme.toml").write_text('trend_on = "criteria"\n', encoding="utf-8")
    typed = run("calibrate", "verdicts.csv", "-o", "trend_on=criteria", cwd=tmp_path)
    assert (typed.returncode, "trend" in typed.stderr) == (2, True)
    monkeypatch.chdir(tmp_path)
    assert calibrate("verdicts.csv").comparison.agreement.n > 0
    with pytest.raises(UsageError, match="trend"):
        calibrate("verdicts.csv", trend_on="criteria")


def test_a_column_named_by_the_map_option_on_the_command_line_is_refused_if_the_table_lacks_it(tmp_path: Path) -> None:
    (tmp_path / "verdicts.csv").write_text(VERDICTS, encoding="utf-8")
    done = run("calibrate", "verdicts.csv", "--map", "ticket_text=query", cwd=tmp_path)
    assert (done.returncode, "ticket_text" in done.stderr) == (2, True)


def test_commands_that_the_report_on_a_table_prints_repeat_the_setting_of_the_table_s_encoding(tmp_path: Path) -> None:
    (tmp_path / "verdicts.csv").write_text(VERDICTS, encoding="cp1252")
    printed = run("calibrate", "verdicts.csv", "-o", "encoding=cp1252", cwd=tmp_path, env={"COLUMNS": "200"}).stdout
    commands = [line.partition("markscheme ")[2] for line in printed.splitlines() if "-o encoding=cp1252" in line]
    assert {command.split()[0] for command in commands} == {"calibrate", "init"}
    for command in commands:
        done = run("markscheme", *shlex.split(command.partition(" (or ")[0]), cwd=tmp_path)
        assert done.returncode != 2, done.stderr
