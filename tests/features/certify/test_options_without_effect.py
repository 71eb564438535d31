"""Options that would have no effect on a promise are refused, so that no figure is taken for another one."""

from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.judged_project import make_project

VERDICTS = "id,judge,human\n" + "".join(f"r{i},{i % 10 / 10},{'pass' if i % 10 > 4 else 'fail'}\n" for i in range(60))


@pytest.mark.parametrize("words", [("--ratings", "other.jsonl"), ("--examples", "other.jsonl")])
def test_certify_on_a_table_refuses_options_that_name_other_ratings_or_examples(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "verdicts.csv").write_text(VERDICTS, encoding="utf-8")
    (tmp_path / "other.jsonl").write_text("", encoding="utf-8")
    done = run("markscheme", "certify", "verdicts.csv", "--judge", "judge", *words, cwd=tmp_path)
    assert (done.returncode, f"{words[0]} needs a rubric" in done.stderr) == (2, True)


def test_options_on_a_table_s_columns_are_refused_where_a_judge_is_asked(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    words = ("certify", "manners", "--judge", "function:scripted_judges:careful")
    done = run("markscheme", *words, "--group", "task", cwd=project)
    assert (done.returncode, "--group is for tables" in done.stderr) == (2, True)
    assert "is for tables" not in run("markscheme", *words, cwd=project).stderr
