"""Files that a command line names: no command writes a file that it reads, or one file for two options."""

from collections.abc import Mapping
from inspect import Parameter as FunctionParameter
from pathlib import Path
from typing import get_args

import pytest
from cyclopts import Parameter

from markscheme.commands.call import command_line
from markscheme.commands.families import is_written, refuse_lost_files
from markscheme.commands.table import all_commands
from markscheme.errors import UsageError
from tests.commands import scripted_setting as setting
from tests.commands.console import run


def parameters_of(name: str) -> Mapping[str, FunctionParameter]:
    """Return the parameters of a command as the parser sees them."""
    (row,) = (row for row in all_commands() if row.name == name)
    return command_line(name, row.load, frozenset()).__signature__.parameters


def test_every_option_described_as_writing_a_file_is_declared_as_an_output_file() -> None:
    unmarked = []
    for row in all_commands():
        line = command_line(row.name, row.load, frozenset())
        told = dict(text.split(": ", 1) for text in (row.load().__doc__ or "").splitlines() if ": write" in text)
        texts = {name.strip(): about for name, about in told.items()}
        for name, parameter in line.__signature__.parameters.items():
            marks = [mark for mark in get_args(parameter.annotation) if isinstance(mark, Parameter)]
            about = next((mark.help for mark in marks if mark.help), texts.get(name, ""))
            takes_file = any("FILE" in (mark.metavar or "") for mark in marks)
            if takes_file and about.startswith("write ") and not is_written(parameter):
                unmarked.append(f"{row.name} {name}")
    assert unmarked == []


def test_two_options_cannot_write_to_the_same_file() -> None:
    parameters = parameters_of("experiment")
    with pytest.raises(UsageError, match="--csv and --html must be two files; both are x"):
        refuse_lost_files(parameters, {"csv": "x", "html": "./x"})
    refuse_lost_files(parameters, {"csv": "x", "html": "y"})
    refuse_lost_files(parameters, {"csv": "/dev/null", "html": "/dev/null"})
    refuse_lost_files(parameters, {"csv": "-", "json": "-"})


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("calibrate clear --ratings judged.jsonl --markdown judged.jsonl", "judged.jsonl"),
        ("calibrate clear --examples judged.jsonl --sarif ./judged.jsonl", "judged.jsonl"),
        ("calibrate clear --judge recorded:replies.jsonl --json replies.jsonl", "replies.jsonl"),
        ("grade clear rows.jsonl --judge function:judging:judge --out rubrics/clear.yaml", "rubrics/clear.yaml"),
        ("grade clear rows.jsonl --judge function:judging:judge --input query=@asked.txt --out asked.txt", "asked.txt"),
        ("improve clear --candidates judged.jsonl --html judged.jsonl", "judged.jsonl"),
        ("label clear --pool rows.jsonl --next 2 --to rows.jsonl", "rows.jsonl"),
        ("import judged.jsonl --rubric clear --to judged.jsonl", "judged.jsonl"),
        ("discover reply --pool rows.jsonl --markdown rows.jsonl", "rows.jsonl"),
        ("experiment rows.jsonl --csv rows.jsonl", "rows.jsonl"),
    ],
)
def test_before_reading_anything_a_command_refuses_to_overwrite_a_file_that_it_is_to_read(
    tmp_path: Path, command: str, name: str
) -> None:
    here = setting.make_setting(tmp_path / "here")
    for file in ("judged.jsonl", "replies.jsonl", "rows.jsonl", "asked.txt"):
        (here / file).write_text("kept\n")
    before = (here / name).read_text()
    done = run("markscheme", *command.split(), cwd=here, env=setting.environment(here))
    assert done.returncode == 2
    assert f"{name} cannot be written: it is read, and would be lost; name another file\n" in done.stderr
    assert (here / name).read_text() == before
