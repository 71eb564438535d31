"""Every command that `discover` prints on its screens and its page is pasted where it was printed, and works."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.pasted import commands_on_page, faults_of, printed_commands
from tests.features.discover.test_command import write_project

READERS = {"JUDGE": "function:judges:judge", "YOUR-OUTPUTS.jsonl": "own.jsonl", "FILE": "own.jsonl"}
"""What a reader puts in place of words that only look like a name or a file."""
READ = ("--pool", "outputs.jsonl", "--notes", "notes.jsonl", "--random")
SUGGEST = ("--suggest", "function:judges:groups")
STAGES = {
    "notes with modes": (READ, ("--report",), ("--write",)),
    "notes without modes": (READ, (*SUGGEST, "--plan"), SUGGEST, ("--report",)),
}
"""What is done one after the other, by what the notes say."""
WITHOUT_A_PAGE = ("--plan", "--write", "--suggest")
PRINTED = {
    "notes with modes": {"--again", "--write", "lint", "label", "calibrate"},
    "notes without modes": {"--suggest", "--plan"},
}
"""Words of the commands that are printed, at least."""


@pytest.mark.proof
@pytest.mark.parametrize("notes", STAGES)
def test_each_command_that_discover_prints_works_when_it_is_printed(tmp_path: Path, notes: str) -> None:
    here = tmp_path / "here"
    here.mkdir()
    write_project(here)
    (here / "own.jsonl").write_text('{"id": "own", "query": "How much?", "response": "Ten euros."}\n')
    if notes == "notes without modes":
        rows = [json.loads(line) for line in (here / "notes.jsonl").read_text().splitlines()]
        kept = [{key: value for key, value in row.items() if key not in ("mode", "definition")} for row in rows]
        (here / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))
    tried = set[str]()
    for stage, options in enumerate(STAGES[notes]):
        page = () if {*WITHOUT_A_PAGE} & {*options} else ("--html", "page.html")
        done = run("markscheme", "discover", "reply", *options, *page, cwd=here, env={"COLUMNS": "1000"})
        assert done.returncode in (0, 4), f"{options}: {done.stderr}"
        on_page = commands_on_page((here / "page.html").read_text()) if page else ()
        commands = dict.fromkeys([*printed_commands(done.stdout + done.stderr), *on_page])
        copies = tmp_path / f"copies{stage}"
        copies.mkdir()
        assert faults_of(commands, here, copies, READERS, {}) == {}, options
        tried |= {*commands}
    assert {word for command in tried for word in command.split()} >= PRINTED[notes]


def test_a_plan_for_a_model_to_group_notes_prints_a_command_that_repeats_the_plan_s_options(tmp_path: Path) -> None:
    write_project(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "notes.jsonl").read_text().splitlines()]
    kept = [{key: value for key, value in row.items() if key not in ("mode", "definition")} for row in rows]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))
    assert run("markscheme", "discover", "reply", *READ, cwd=tmp_path).returncode in (0, 4)
    options = ("-o", "probe=off")
    planned = run("markscheme", "discover", "reply", *SUGGEST, "--plan", *options, cwd=tmp_path, env={"COLUMNS": "200"})
    command = planned.stdout.partition("Ask: ")[2].strip()
    assert {*options} <= {*command.split()}, planned.stderr
    assert command.startswith(f"markscheme discover reply {' '.join(SUGGEST)}")
