"""Options that would have no effect on a comparison are refused, so that no figure is taken for another one."""

from pathlib import Path
from typing import Any

import pytest

from markscheme import compare
from markscheme.errors import UsageError
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


@pytest.mark.parametrize("words", [("--group", "task"), ("--human", "ann"), ("--judge", "gpt"), ("--pass", "yes")])
def test_compare_refuses_options_about_table_columns_unless_it_is_given_a_table(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make_project(tmp_path))
    done = run("markscheme", "compare", CAREFUL, HASTY, "--rubric", "manners", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{words[0]} has no effect here: judges rate a rubric's examples" in done.stderr
    argument = "pass_" if words[0] == "--pass" else words[0].strip("-")
    options: dict[str, Any] = {argument: words[1]}
    with pytest.raises(UsageError, match=f"^`{argument}` has no effect here: judges rate a rubric's examples"):
        compare(CAREFUL, HASTY, rubric="manners", **options)


def test_compare_refuses_an_option_about_columns_if_its_only_file_is_the_one_in_a_recorded_judge_s_name(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path)
    (project / "replies.jsonl").write_text("", encoding="utf-8")
    judge = "recorded:replies.jsonl"
    done = run("markscheme", "compare", judge, HASTY, "--rubric", "manners", "--levels", "1-5", cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--levels has no effect here: no file is read whose columns or raters it could mean" in done.stderr


@pytest.mark.parametrize("words", [("--split", "test"), ("--only", "system=a"), ("--group", "task")])
def test_two_versions_of_a_rubric_are_compared_on_all_of_its_examples(words: tuple[str, ...], tmp_path: Path) -> None:
    project = make_project(tmp_path)
    rubric = (project / "rubrics" / "manners.yaml").read_text(encoding="utf-8")
    (project / "old.yaml").write_text(rubric.replace("is polite", "is friendly"), encoding="utf-8")
    done = run("markscheme", "compare", "old.yaml", "rubrics/manners.yaml", *words, cwd=project)
    assert (done.returncode, words[0] in done.stderr) == (2, True)
    assert run("markscheme", "compare", "old.yaml", "rubrics/manners.yaml", cwd=project).returncode == 1
