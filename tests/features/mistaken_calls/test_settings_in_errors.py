"""Errors about a value that the settings file sets name the file and the key."""

from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.judged_project import make_project


@pytest.mark.parametrize(
    ("line", "command", "key"),
    [
        ("judge = 'nosuch'", ("calibrate", "manners"), "judge"),
        ("encoding = 'nosuch'", ("calibrate", "table.csv"), "encoding"),
        ("map = {id = 'nosuch'}", ("import", "table.csv", "--rubric", "manners"), "map"),
        ("host = 'nosuch.invalid'", ("label", "manners"), "host"),
        ("public_url = 'nosuch'", ("label", "manners"), "public_url"),
    ],
)
def test_an_error_about_a_wrong_value_in_the_settings_file_names_the_file_and_the_key(
    tmp_path: Path, line: str, command: tuple[str, ...], key: str
) -> None:
    here = make_project(tmp_path)
    (here / "table.csv").write_text("id,judge,human\na,pass,pass\n", encoding="utf-8")
    (here / "markscheme.toml").write_text(f"{line}\n", encoding="utf-8")
    done = run("markscheme", *command, cwd=here)
    assert (done.returncode, "nosuch" in done.stderr) == (2, True)
    assert f"; `{key}` is set in {here / 'markscheme.toml'}" in done.stderr
