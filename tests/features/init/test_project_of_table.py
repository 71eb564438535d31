"""Conversion of a table to the files of a project."""

from pathlib import Path

import pytest

from markscheme.errors import UsageError
from markscheme.features.init.files_project import project_of_files
from markscheme.features.init.project_of_table import project_of_table
from markscheme.files import add_files
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.reading import read_files
from markscheme.rubrics.file import load_rubric

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


def test_init_refuses_a_table_in_which_no_column_rates_anything(tmp_path: Path) -> None:
    table = tmp_path / "outputs.csv"
    table.write_text("id,response\na,Rye.\nb,Oat.\n")
    with pytest.raises(UsageError) as refused:
        project_of_files([table], ColumnOptions(), tmp_path / "project")
    assert refused.value.code == "nothing-rated"
