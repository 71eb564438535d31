"""The files in which a table goes on, made from Python."""

from pathlib import Path

import pytest

from markscheme.errors import UsageError
from markscheme.files import AddedFiles, add_files
from markscheme.readers.table_meaning import TableMeaning
from markscheme.readers.table_project import project_of_file
from markscheme.rubrics.file import load_rubric

TABLE = "id,judge,human\na,yes,yes\nb,no,yes\nc,no,no\n"
COLUMNS = TableMeaning(judges=("judge",), people=("human",))


def test_a_table_becomes_a_rubric_its_examples_and_everybody_s_ratings(tmp_path: Path) -> None:
    table = tmp_path / "verdicts.csv"
    table.write_text(TABLE)
    project = project_of_file(table, COLUMNS)
    ratings = Path("calibration", "verdicts", "ratings")
    assert (project.rubric, project.judged, project.has_responses) == ("verdicts", (ratings / "judge.jsonl",), False)
    added = add_files(project.files, tmp_path)
    assert added == AddedFiles(
        (
            Path("calibration", "verdicts", "examples.jsonl"),
            ratings / "human.jsonl",
            ratings / "judge.jsonl",
            Path("rubrics", "verdicts.yaml"),
        ),
        (),
    )
    assert load_rubric(tmp_path / "rubrics" / "verdicts.yaml").name == "verdicts"


def test_a_file_that_is_not_a_table_is_refused_with_what_reads_it(tmp_path: Path) -> None:
    rubric = tmp_path / "reply.yaml"
    rubric.write_text("criteria: []\n")
    with pytest.raises(UsageError, match=r"isn't a table .*`markscheme import` reads exports of other tools"):
        project_of_file(rubric, COLUMNS)
