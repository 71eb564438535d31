"""Files of several tools, read together."""

import json
from pathlib import Path

import pytest

from markscheme.errors import ComparisonError
from markscheme.readers.rated import open_rated
from tests.readers import exports
from tests.readers.exports import written


def lines(path: Path, *objects: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in objects), encoding="utf-8")
    return path


def test_files_of_two_tools_are_compared_under_one_rubric_and_equal_responses_get_one_id(tmp_path: Path) -> None:
    (traces,) = written(tmp_path, exports.mlflow())
    renamed = exports.mlflow()
    for number, trace in enumerate(renamed["traces.json"]["traces"]):
        trace["info"]["trace_id"] = f"other-{number}"
    (tmp_path / "again").mkdir()
    (again,) = written(tmp_path / "again", renamed)
    rated = open_rated([traces, again])
    assert [criterion.name for criterion in rated.rubric.criteria] == ["place"]
    first, second = ({example.id for example in file.examples} for file in rated.files)
    assert first == second == set(exports.UNITS)
    assert {label.rater for label in rated.labelled.labels} == {"ann", "ben"}


def test_different_responses_with_the_same_id_in_two_tools_stay_separate(tmp_path: Path) -> None:
    files = exports.mlflow()
    (traces,) = written(tmp_path, files)
    (tmp_path / "again").mkdir()
    again = tmp_path / "again" / "later.json"
    text = traces.read_text(encoding="utf-8").replace(exports.reply("p1"), "Somewhere.")
    again.write_text(text, encoding="utf-8")
    _, later = open_rated([traces, again]).files
    assert "p1 (later)" in {example.id for example in later.examples}


def test_files_of_tools_without_a_metric_in_common_are_refused_without_a_rubric(tmp_path: Path) -> None:
    (traces,) = written(tmp_path, exports.mlflow())
    ratings = lines(tmp_path / "r.jsonl", {"id": "p1", "judge": "j", "criteria": {"tone": 3}})
    with pytest.raises(ComparisonError, match=r"rate no criterion on the same scale .* name a rubric with --rubric"):
        open_rated([traces, ratings])
