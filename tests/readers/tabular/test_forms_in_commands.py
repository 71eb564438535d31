"""Each command that takes a table prints the same screen for it from CSV, JSON and a workbook."""

import json
import re
import shlex
from pathlib import Path

import pytest

from markscheme.commands.table import command_names
from tests.commands.console import run
from tests.readers.tabular.forms import Table, write

FORMS_TRIED = ("csv", "json", "xlsx")
HUMAN = ["bad" if row % 3 == 0 else "good" for row in range(60)]
TABLE: Table = {
    "key": [f"q{row}" for row in range(60)],
    "question": [f"Where is {row}?" for row in range(60)],
    "reply": [f"It is at {row * 7}, on the left side." for row in range(60)],
    "checked": ["ok" if (word == "good") != (row % 10 == 0) else "poor" for row, word in enumerate(HUMAN)],
    "second": ["ok" if (word == "good") != (row % 6 == 0) else "poor" for row, word in enumerate(HUMAN)],
    "person": HUMAN,
    "remark": [f"too vague {row}" if word == "bad" else "" for row, word in enumerate(HUMAN)],
}
COLUMNS = "--human person --id key --response reply"
OPTIONS = f"--judge checked {COLUMNS} --pass checked=ok person=good"
COMMANDS = (
    (f"calibrate TABLE {OPTIONS}", 4),
    (f"calibrate TABLE {OPTIONS} --details", 4),
    (f"compare TABLE --judge checked second {COLUMNS} --pass checked=ok second=ok person=good", 0),
    (f"pass-rate TABLE {OPTIONS} --drawn random", 0),
    (f"pass-rate TABLE {OPTIONS} --at-least 0.6", 4),
    (f"label TABLE {OPTIONS} --plan", 0),
    (f"certify TABLE {OPTIONS}", 4),
    (f"discover wishes --notes TABLE --map remark=note --kind human --rater ann {OPTIONS}", 4),
    (f"init . --from TABLE {OPTIONS}", 0),
    (f"improve TABLE {OPTIONS} --numbers --open", 2),
)


@pytest.mark.proof
@pytest.mark.parametrize(("command", "status"), COMMANDS, ids=lambda case: str(case).partition(" --")[0])
def test_a_command_says_the_same_about_a_table_in_every_file_format(command: str, status: int, tmp_path: Path) -> None:
    if shlex.split(command)[0] not in command_names():
        pytest.skip("runs where the command's feature is there")
    screens = set()
    for form in FORMS_TRIED:
        folder = tmp_path / form
        folder.mkdir()
        path = write(TABLE, form, folder)
        done = run("markscheme", *shlex.split(command.replace("TABLE", path.name)), cwd=folder)
        assert done.returncode == status, done.stderr
        screens.add(re.sub(r"\s+", " ", (done.stdout + done.stderr).replace(path.name, "TABLE")))
    assert len(screens) == 1


def test_a_damaged_line_of_a_table_in_json_lines_is_refused_unless_the_skip_damaged_setting_is_on(
    tmp_path: Path,
) -> None:
    rows = [json.dumps({"id": f"r{n}", "judge": "pass", "human": "pass" if n % 3 else "fail"}) for n in range(30)]
    (tmp_path / "table.jsonl").write_text("\n".join([*rows[:5], "{broken", *rows[5:]]), encoding="utf-8")
    refused = run("markscheme", "calibrate", "table.jsonl", cwd=tmp_path)
    assert (refused.returncode, "table.jsonl:6: is not readable JSON" in refused.stderr) == (2, True)
    done = run("markscheme", "calibrate", "table.jsonl", "-o", "skip_damaged=true", cwd=tmp_path)
    assert "30 rows, 30 with both" in done.stdout, done.stderr
    assert "table.jsonl:6: is not readable JSON" in done.stderr
