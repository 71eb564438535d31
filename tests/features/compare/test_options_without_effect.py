"""Options that would have no effect on a comparison are refused, so that no figure is taken for another one."""

from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.judged_project import make_project

CAREFUL, HASTY = "function:scripted_judges:careful", "function:scripted_judges:hasty"
VERDICTS = "id,judge_a,judge_b,human,split\n" + "".join(
    f"r{i},{'pass' if i % 7 else 'fail'},{'pass' if i % 5 else 'fail'},{'pass' if i % 2 else 'fail'},test\n"
    for i in range(40)
)


@pytest.mark.parametrize("words", [("--split", "test"), ("--only", "system=a"), ("--examples", "labelled.jsonl")])
def test_compare_refuses_options_that_choose_examples_if_it_is_given_a_table(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "verdicts.csv").write_text(VERDICTS, encoding="utf-8")
    (tmp_path / "labelled.jsonl").write_text("", encoding="utf-8")
    assert run("markscheme", "compare", "verdicts.csv", cwd=tmp_path).returncode == 0
    done = run("markscheme", "compare", "verdicts.csv", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{words[0]} has no effect here: a table contains its own examples" in done.stderr


@pytest.mark.parametrize("words", [("--group", "task"), ("--human", "ann"), ("--pass", "yes")])
def test_compare_refuses_options_about_table_columns_unless_it_is_given_a_table(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    project = make_project(tmp_path)
    done = run("markscheme", "compare", CAREFUL, HASTY, "--rubric", "manners", *words, cwd=project)
    assert (done.returncode, f"{words[0]} is for tables" in done.stderr) == (2, True)


@pytest.mark.parametrize("words", [("--split", "test"), ("--only", "system=a"), ("--group", "task")])
def test_two_versions_of_a_rubric_are_compared_on_all_of_its_examples(words: tuple[str, ...], tmp_path: Path) -> None:
    project = make_project(tmp_path)
    rubric = (project / "rubrics" / "manners.yaml").read_text(encoding="utf-8")
    (project / "old.yaml").write_text(rubric.replace("is polite", "is friendly"), encoding="utf-8")
    done = run("markscheme", "compare", "old.yaml", "rubrics/manners.yaml", *words, cwd=project)
    assert (done.returncode, words[0] in done.stderr) == (2, True)
    assert run("markscheme", "compare", "old.yaml", "rubrics/manners.yaml", cwd=project).returncode == 1
