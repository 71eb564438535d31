"""Conversion of a table to the files of a project."""

import json
from pathlib import Path

import pytest

from markscheme.errors import UsageError
from markscheme.features.init.files_project import project_of_files
from markscheme.features.init.project_of_table import project_of_table
from markscheme.files import add_files
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.reading import read_files
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run

TABLE = "id,judge,human\na,yes,yes\nb,no,yes\nc,no,no\n"
BY_CRITERION = "id,judge_tone,human_tone,judge_facts,human_facts\na,yes,yes,1,3\nb,no,yes,2,2\nc,no,no,3,1\n"


def test_a_table_becomes_a_project_of_a_rubric_with_examples_and_the_ratings_of_all_raters(tmp_path: Path) -> None:
    table = tmp_path / "verdicts.csv"
    table.write_text(TABLE)
    project = project_of_table(read_files([table], ColumnOptions()))
    ratings = Path("calibration", "verdicts", "ratings")
    assert (project.rubric, project.judged, project.has_responses) == ("verdicts", (ratings / "judge.jsonl",), False)
    added = add_files(project.files, tmp_path)
    assert added == (
        [
            Path("calibration", "verdicts", "examples.jsonl"),
            ratings / "human.jsonl",
            ratings / "judge.jsonl",
            Path("rubrics", "verdicts.yaml"),
        ],
        [],
    )
    assert load_rubric(tmp_path / "rubrics" / "verdicts.yaml").name == "verdicts"


def test_a_table_with_several_criteria_becomes_one_rubric(tmp_path: Path) -> None:
    table = tmp_path / "verdicts.csv"
    table.write_text(BY_CRITERION)
    project = project_of_table(read_files([table], ColumnOptions()))
    add_files(project.files, tmp_path)
    rubric = load_rubric(tmp_path / "rubrics" / "verdicts.yaml")
    assert [criterion.name for criterion in rubric.criteria] == ["tone", "facts"]
    assert {path.name for path in project.files} == {"examples.jsonl", "human.jsonl", "judge.jsonl", "verdicts.yaml"}


@pytest.mark.parametrize(("side", "judged"), [("judge", ["judge.jsonl"]), ("human", [])])
def test_a_table_with_the_ratings_of_a_judge_or_of_one_annotator_alone_becomes_a_project(
    tmp_path: Path, side: str, judged: list[str]
) -> None:
    table = tmp_path / "verdicts.csv"
    table.write_text(f"id,response,{side}\na,Rye.,yes\nb,Oat.,no\nc,Fig.,no\n")
    project = project_of_files([table], ColumnOptions(), tmp_path / "project")
    assert {path.name for path in project.files} == {"examples.jsonl", f"{side}.jsonl", "verdicts.yaml"}
    assert [path.name for path in project.judged] == judged
    assert project.has_responses


def test_init_makes_a_rubric_and_unlabelled_examples_from_a_table_of_outputs_without_ratings(tmp_path: Path) -> None:
    (tmp_path / "outputs.csv").write_text("id,question,response\na,Which bread?,Rye.\nb,Which grain?,Oat.\n")
    done = run("markscheme", "init", "project", "--from", "outputs.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "label the outputs: `cd project && markscheme label outputs`" in done.stdout
    project = tmp_path / "project"
    (criterion,) = load_rubric(project / "rubrics" / "outputs.yaml").criteria
    assert criterion.scale.is_yes_no
    lines = (project / "calibration" / "outputs" / "examples.jsonl").read_text().splitlines()
    first, second = map(json.loads, lines)
    assert (first["id"], first["inputs"], first["response"]) == ("a", {"query": "Which bread?"}, "Rye.")
    assert "labels" not in second


@pytest.mark.parametrize(
    "table", ["id,response,note\na,Rye.,too short\nb,Oat.,wrong grain\n", "id,question\na,Rye?\nb,Oat?\n"]
)
def test_init_refuses_a_table_without_ratings_if_it_has_a_column_of_notes_or_lacks_responses(
    tmp_path: Path, table: str
) -> None:
    (tmp_path / "outputs.csv").write_text(table)
    with pytest.raises(UsageError) as refused:
        project_of_files([tmp_path / "outputs.csv"], ColumnOptions(), tmp_path / "project")
    assert refused.value.code in ("nothing-rated", "which-columns")


def test_a_table_with_names_and_scores_and_maximum_scores_is_not_read_as_a_table_of_criteria(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("name,score,max\nTone,1,2\nFacts,2,3\n")
    with pytest.raises(UsageError, match="which columns are a judge's and people's"):
        project_of_files([tmp_path / "scores.csv"], ColumnOptions(), tmp_path / "project")


def test_a_table_of_outputs_in_which_ids_repeat_is_refused_instead_of_losing_outputs(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("id,question,answer\n1,q1,a1\n1,q1,a2\n2,q2,b1\n")
    refused = run("markscheme", "init", "new", "--from", "out.csv", cwd=tmp_path)
    assert refused.returncode == 2
    assert "several outputs with the same id" in refused.stderr
    assert not (tmp_path / "new").exists()
