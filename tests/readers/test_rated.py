"""Files of ratings in any format, opened by one function."""

import ast
import json
from pathlib import Path

import pytest

from markscheme.errors import RatingError
from markscheme.readers.formats import all_formats
from markscheme.readers.rated import open_rated
from markscheme.readers.submissions import read_submissions
from markscheme.rubrics.rubric import Criterion, Rubric
from tests.test_layers import SOURCE

OF_PLACE = Rubric((Criterion(1.0, "It says where the parcel is.", "place"),))


def lines(path: Path, *objects: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in objects), encoding="utf-8")
    return path


def test_labelled_responses_with_inputs_named_first_and_second_are_not_read_as_pairs(tmp_path: Path) -> None:
    label = {"rater": "ann", "criteria": {"place": 1}}
    texts = {"response": "In Mainz.", "first": "Where is it?", "second": "The parcel."}
    rated = open_rated([lines(tmp_path / "examples.jsonl", {"id": "p1", **texts, "labels": [label]})])
    assert not rated.rubric.is_of_pairs
    (example,) = rated.labelled.examples
    assert example.submission.response == "In Mainz."


@pytest.mark.parametrize("name", ["tone", None])
def test_labelled_responses_can_be_graded_even_if_their_labels_are_words_in_no_known_order(
    name: str | None, tmp_path: Path
) -> None:
    labels = [{"rater": "ann", "criteria": {"tone": {"level": level}}} for level in ("warm", "curt")]
    examples = [{"id": f"e{n}", "response": f"r{n}", "labels": [label]} for n, label in enumerate(labels)]
    path = tmp_path / "examples.json"
    path.write_text(json.dumps(examples if name is None else {"rubric": name, "examples": examples}))
    assert [(e.id, e.response) for e in read_submissions(path, {}, ())] == [("e0", "r0"), ("e1", "r1")]
    with pytest.raises(RatingError, match="whose order is not known"):
        open_rated([path])


def test_the_output_of_grade_can_be_read_as_ratings_although_it_does_not_name_the_judge(tmp_path: Path) -> None:
    grade = {"id": "p1", "score": 1.0, "pass": True, "criteria": {"place": {"level": 1.0, "position": 1.0}},
             "error": None, "receipt": {"text": "no accepted run"}}  # fmt: skip
    path = lines(
        tmp_path / "night.jsonl", grade, {**grade, "id": "p2", "score": None, "pass": None, "error": "refused"}
    )
    rated = open_rated([path], OF_PLACE)
    assert not rated.files[0].names_judges
    first, second = rated.ratings
    assert (first.kind, first.overall, first.passed) == ("model", 1.0, True)
    assert (second.overall, second.error) == (None, "refused")
    table = tmp_path / "night.csv"
    table.write_text("id,score,pass,place,error,receipt\np1,1.0,true,1,,no accepted run\np2,,,,refused,\n")
    (left, right) = open_rated([table]).ratings
    assert (left.overall, left.passed, left.criteria["place"].level, right.error) == (1.0, True, 1.0, "refused")


def test_a_file_of_an_unknown_format_is_refused_with_a_list_of_the_known_formats(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text("<xml/>")
    with pytest.raises(RatingError) as refusal:
        open_rated([tmp_path / "x.xml"])
    listed = str(refusal.value).partition("x.xml: isn't one of ")[2]
    names = [file_format.reads for file_format in all_formats() if not file_format.expected]
    assert listed.endswith(f" or {names[-1]}")
    assert all(name in listed for name in names)


# --- one table of formats -------------------------------------------------------------------------------------------


def names_imported(path: Path) -> set[str]:
    """Return the names that a module imports."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}


@pytest.mark.proof
def test_functions_that_recognize_a_format_are_imported_only_by_the_tables_of_formats() -> None:
    recognizers = {entry.is_mine.__name__ for entry in all_formats()}
    assert {"is_results", "is_calibration", "is_table"} < recognizers
    importing = {path.name for path in SOURCE.rglob("*.py") if recognizers & names_imported(path)}
    assert importing == {"formats.py", "pair_tables.py"}  # the core's function distinguishes grades of pairs


@pytest.mark.proof
def test_only_readers_and_features_inspect_files_to_recognize_their_format() -> None:
    looking = {path.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py") if "Peek" in names_imported(path)}
    assert {"readers"} <= looking <= {"readers", "features"}
