"""Options that would have no effect on what `calibrate` reads are refused: no figure is taken for another one."""

from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.judged_project import make_project

LABELS = "id,ann,bob\n" + "".join(f"r{i},{'yes' if i % 3 else 'no'},{'yes' if i % 4 else 'no'}\n" for i in range(40))
VERDICTS = "id,judge,human,split\n" + "".join(
    f"r{i},{'pass' if i % 7 else 'fail'},{'pass' if i % 2 else 'fail'},{'test' if i % 4 else 'dev'}\n"
    for i in range(40)
)


@pytest.mark.parametrize("use", ["gate", "trend"])
def test_the_require_option_is_refused_for_a_table_of_annotators_without_a_judge(use: str, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(LABELS, encoding="utf-8")
    done = run("calibrate", "labels.csv", "--human", "ann", "bob", "--require", use, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--require {use} asks about a judge; labels has annotators alone" in done.stderr
    assert run("calibrate", "labels.csv", "--human", "ann", "bob", cwd=tmp_path).returncode == 0


def test_the_split_option_is_refused_for_a_table_without_a_rubric(tmp_path: Path) -> None:
    (tmp_path / "verdicts.csv").write_text(VERDICTS, encoding="utf-8")
    done = run("calibrate", "verdicts.csv", "--split", "test", cwd=tmp_path)
    assert (done.returncode, "--split needs a rubric" in done.stderr) == (2, True)


def test_the_judge_option_is_refused_next_to_files_of_ratings_but_the_settings_file_may_name_a_judge(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path)
    done = run("calibrate", "manners", "--ratings", "gpt.jsonl", "--judge", "claude", cwd=project)
    assert (done.returncode, "--ratings and --judge both name who rated" in done.stderr) == (2, True)
    (project / "markscheme.toml").write_text('judge = "anthropic"\n', encoding="utf-8")
    assert run("calibrate", "manners", "--ratings", "gpt.jsonl", cwd=project).returncode == 4
