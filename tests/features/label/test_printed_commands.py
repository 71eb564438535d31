"""What `label` prints to be run."""

import shlex
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.printed_names import NAME, make_project, stays_one_word


@pytest.mark.parametrize("arguments", [("label", NAME, "--plan"), ("label", NAME, "--progress")], ids=" ".join)
def test_a_rubric_s_name_with_special_characters_is_quoted_in_printed_commands(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    stays_one_word(make_project(tmp_path), *arguments)


RUBRIC = "criteria:\n  - {name: polite, requirement: The reply is polite.}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A rubric without examples, and outputs in a table whose columns have names of their own."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "tone.yaml").write_text(RUBRIC)
    rows = "".join(f"{n},Thanks for letter {n}.,s{n}\n" for n in range(300))
    (tmp_path / "pool.csv").write_text("nr,said,about\n" + rows)
    return tmp_path


def next_command(project: Path, *options: str) -> list[str]:
    """Return the words of the command that a plan prints as the next step."""
    done = run("markscheme", "label", "tone", "--plan", *options, cwd=project)
    assert done.returncode == 0, done.stderr
    after = done.stdout.partition("Next:")[2].strip().splitlines()
    return shlex.split(after[0])


OF_POOL = ("--pool", "pool.csv", "--id", "nr", "--response", "said", "--map", "about=query")
OF_PAGE = ("--rater", "ann", "-o", "ask_whole=never", "-o", "port=8990")


def test_the_next_command_of_a_labelling_plan_repeats_the_plan_s_options_on_pool_and_page(project: Path) -> None:
    command = next_command(project, *OF_POOL, *OF_PAGE)
    assert command[:4] == ["markscheme", "label", "tone", "--next"]
    options = command[5:]
    assert {*OF_POOL, *OF_PAGE} <= {*options}
    drawn = run("markscheme", *command[1:], "--to", "next.jsonl", cwd=project)
    assert drawn.returncode == 0, drawn.stderr


def test_the_command_printed_by_a_labelling_plan_names_the_annotators_who_share_the_pool(project: Path) -> None:
    command = next_command(project, *OF_POOL, "--share", "ann,bob", "--each", "1", "--overlap", "5")
    assert command[-6:] == ["--share", "ann,bob", "--each", "1", "--overlap", "5"]


def test_the_label_command_printed_after_a_draw_repeats_the_options_on_annotators_and_page(project: Path) -> None:
    options = ("--next", "20", "--to", "next.jsonl", *OF_POOL)
    assert next_command(project, *options)[3:] == ["--pool", "next.jsonl", "--rater", "YOUR-NAME"]
    assert next_command(project, *options, *OF_PAGE)[3:] == ["--pool", "next.jsonl", *OF_PAGE]


@pytest.mark.parametrize("file", ["rows.csv", "rows.jsonl"])
def test_a_pool_without_responses_is_refused_with_the_option_that_names_their_column(project: Path, file: str) -> None:
    (project / "rows.csv").write_text("id,score\na,1\nb,2\n")
    (project / "rows.jsonl").write_text('{"id": "a", "score": 1}\n{"id": "b", "score": 2}\n')
    done = run("markscheme", "label", "tone", "--plan", "--pool", file, cwd=project)
    assert done.returncode == 2
    assert f"markscheme label tone --plan --pool {file} --response COLUMN" in done.stderr


@pytest.mark.parametrize("option", ["--progress", "--disputed"])
def test_the_progress_and_disputed_options_read_a_pool_s_named_columns_and_repeat_them_in_printed_commands(
    project: Path, option: str
) -> None:
    done = run("markscheme", "label", "tone", option, *OF_POOL, cwd=project)
    assert done.returncode == 0, done.stderr
    printed = shlex.split((done.stdout + done.stderr).partition("Next:")[2].strip().splitlines()[0])
    assert {*OF_POOL} <= {*printed}
    sheet = run(*printed, "--sheet", "page.html", cwd=project)
    assert sheet.returncode == 0, sheet.stderr
