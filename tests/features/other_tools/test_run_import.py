"""Ratings imported from Python: what was read, what was added, and what was left out."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest

from markscheme.errors import RatingError, UsageError
from markscheme.features.other_tools.run_import import ImportRun, import_files
from markscheme.features.other_tools.target_files import TargetFiles
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.wordings import WORDINGS_FILE, wording_lines
from markscheme.rubrics.rubric import Rubric

RUBRIC = Rubric.from_dict([{"name": "good", "requirement": "It is good", "weight": 1}])
BY_ANN = ColumnOptions(rater="ann", kind="human")
ROWS = ("a,question,answer a,pass,fail", "b,question,answer b,fail,fail", "c,question,answer c,pass,pass")
Import: TypeAlias = Callable[..., ImportRun]


@pytest.fixture
def import_labels(tmp_path: Path) -> Import:
    """Import the labels and responses of a table that also has verdicts, into new files."""
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["id,input,output,verdict,label", *ROWS]) + "\n")
    targets = TargetFiles(tmp_path / "ratings" / "ann.jsonl", tmp_path / "examples.jsonl")
    return partial(import_files, files=[table], rubric=RUBRIC, targets=targets, only="people", columns=BY_ANN)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_importing_a_table_from_python_writes_labels_and_responses_to_the_target_files(
    import_labels: Import, tmp_path: Path
) -> None:
    run = import_labels()
    assert run.file.format == "a table"
    assert [rating.criteria["good"].level for rating in run.ratings] == [0, 0, 1]
    assert {rating.rater for rating in run.ratings} == {"ann"}
    assert run.additions is None
    assert run.file.lost == {}
    assert lines(tmp_path / "ratings" / "ann.jsonl") == [rating.to_json() for rating in run.ratings]
    assert lines(tmp_path / "examples.jsonl") == [example.to_json() for example in run.examples]
    assert [example.id for example in run.examples] == ["a", "b", "c"]


def test_importing_a_table_again_adds_only_the_rows_that_are_new(import_labels: Import, tmp_path: Path) -> None:
    import_labels()
    with (tmp_path / "table.csv").open("a") as table:
        table.write("d,question,answer d,pass,pass\n")
    run = import_labels()
    assert run.additions is not None
    assert (run.additions.n_known, run.additions.n_new) == (3, 1)
    assert [rating.id for rating in run.ratings] == [example.id for example in run.examples] == ["d"]
    assert len(lines(tmp_path / "ratings" / "ann.jsonl")) == len(lines(tmp_path / "examples.jsonl")) == 4


def test_the_import_command_leaves_out_a_label_in_an_unknown_word_and_counts_it_as_lost(
    import_labels: Import, tmp_path: Path
) -> None:
    (tmp_path / "table.csv").write_text("id,output,label\na,answer,pass\nb,answer,perhaps\n")
    run = import_labels()
    assert [rating.id for rating in run.ratings] == ["a"]
    assert sum(run.file.lost.values()) == 1


def test_importing_from_python_without_target_files_writes_nothing(import_labels: Import, tmp_path: Path) -> None:
    run = import_labels(targets=TargetFiles(), only="judges")
    assert [(rating.rater, rating.kind) for rating in run.ratings] == [("judge", "model")] * 3
    assert run.examples == ()
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_importing_labels_of_the_current_wording_records_that_wording(import_labels: Import, tmp_path: Path) -> None:
    run = import_labels(to_current_words=True)
    wording = RUBRIC.criterion("good").wording
    assert {rating.criteria["good"].under for rating in run.ratings} == {wording}
    assert [line["under"] for line in wording_lines(tmp_path / WORDINGS_FILE)] == [wording]


def test_an_import_never_overwrites_a_file_and_never_writes_labels_and_responses_to_the_same_file(
    import_labels: Import, tmp_path: Path
) -> None:
    import_labels()
    ratings = tmp_path / "ratings" / "ann.jsonl"
    with pytest.raises(UsageError, match="exists"):
        TargetFiles(ratings)
    assert TargetFiles(ratings, append=True).paths == [ratings]
    with pytest.raises(UsageError, match="two files"):
        TargetFiles(ratings, ratings, append=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answered_by": "bob"}, "is for a labelling sheet"),
        ({"columns": ColumnOptions(map=("label=goood",), rater="ann", kind="human")}, "did you mean `good`"),
        ({"files": []}, "no file to import"),
        ({"rubric": None, "to_current_words": True}, "whose words"),
        ({"only": "judgs"}, "one of people, judges; got 'judgs'"),
    ],
    ids=["rater of a sheet", "unknown field", "no file", "nobody's words", "unknown raters"],
)
def test_contradictory_options_of_import_are_refused_before_anything_is_written(
    import_labels: Import, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        import_labels(**change)
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_imported_ratings_count_as_adjudicated_only_if_the_caller_declares_them_adjudicated(
    import_labels: Import, tmp_path: Path
) -> None:
    (tmp_path / "table.csv").write_text("id,output,kind,label\na,answer,adjudicated,pass\n")
    with pytest.raises(UsageError, match="1 rating would be gold before all others"):
        import_labels()
    by_caller = ColumnOptions(rater="ann", kind="adjudicated")
    assert [rating.kind for rating in import_labels(columns=by_caller).ratings] == ["adjudicated"]


def test_importing_a_file_without_ratings_fails_and_the_error_says_what_the_file_contains_instead(
    import_labels: Import, tmp_path: Path
) -> None:
    (tmp_path / "table.csv").write_text("id,output,label\na,answer,perhaps\n")
    with pytest.raises(RatingError, match="nothing that can be a rating; it contains 1 "):
        import_labels()


def test_a_column_named_or_mapped_like_an_input_of_the_rubric_is_kept_as_that_input(tmp_path: Path) -> None:
    fields = {
        "name": "brief",
        "inputs": ["incident", "query"],
        "criteria": [{"name": "good", "requirement": "Good"}],
    }
    rubric = Rubric.from_dict(fields)
    table = tmp_path / "outputs.csv"
    for header, mapped in (("incident", ()), ("alert text", ("alert text=incident",))):
        table.write_text(f"{header},question,output,model\nfire,Why?,same words,x\nflood,Why?,same words,x\n")
        targets = TargetFiles(None, tmp_path / f"{header}.jsonl")
        run = import_files([table], rubric, targets, columns=ColumnOptions(map=mapped))
        inputs = [dict(example.submission.inputs) for example in run.examples]
        assert inputs == [{"incident": "fire", "query": "Why?"}, {"incident": "flood", "query": "Why?"}]
        assert dict(run.file.lost) == {"cells of column 'model'": 2}
