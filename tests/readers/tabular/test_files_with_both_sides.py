"""Several files joined by id, each of which has a judge's verdicts and people's labels."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from markscheme.errors import UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.reading import TableReading, read_files
from markscheme.report.table_words import notes

LABELS = ["pass", "fail"] * 8
OTHER_LABELS = ["fail", *LABELS[1:]]
LENIENT, STRICT = ["pass"] * 16, ["fail", "fail", *LABELS[2:]]


def table(path: Path, verdicts: Sequence[str], labels: Sequence[str]) -> Path:
    path.parent.mkdir(exist_ok=True)
    rows = (f"{row},{verdict},{label}\n" for row, (verdict, label) in enumerate(zip(verdicts, labels, strict=True)))
    path.write_text("".join(["id,verdict,human\n", *rows]), encoding="utf-8")
    return path


def agreements(reading: TableReading) -> dict[tuple[str, str], int]:
    """Count, for each judge and annotator, the rows on which their cells are the same."""
    sides = {(side.name, side.is_judge): side.cells for side in reading.sides("")}
    return {
        (judge, person): sum(ours == theirs for ours, theirs in zip(cells, labels, strict=True))
        for (judge, is_judge), cells in sides.items()
        if is_judge
        for (person, is_other), labels in sides.items()
        if not is_other
    }


def test_one_annotator_s_labels_in_the_files_of_two_judges_are_compared_with_both_judges(
    tmp_path: Path,
) -> None:
    files = [table(tmp_path / "old.csv", LENIENT, LABELS), table(tmp_path / "new.csv", STRICT, LABELS)]
    assert agreements(read_files(files, ColumnOptions())) == {("old", "human"): 8, ("new", "human"): 15}


def test_if_files_of_two_judges_hold_the_same_examples_a_label_may_be_missing_from_one_of_the_files(
    tmp_path: Path,
) -> None:
    files = [
        table(tmp_path / "old.csv", LENIENT, ["", *LABELS[1:]]),
        table(tmp_path / "new.csv", STRICT, [*LABELS[:8], *[""] * 8]),
    ]
    assert agreements(read_files(files, ColumnOptions())) == {("old", "human"): 8, ("new", "human"): 15}


def test_one_judge_s_verdicts_in_the_files_of_two_annotators_are_compared_with_both_annotators(
    tmp_path: Path,
) -> None:
    files = [table(tmp_path / "ann.csv", STRICT, LABELS), table(tmp_path / "ben.csv", STRICT, OTHER_LABELS)]
    assert agreements(read_files(files, ColumnOptions())) == {("verdict", "ann"): 15, ("verdict", "ben"): 16}


def test_if_several_files_have_different_verdicts_and_labels_their_raters_are_named_by_file_and_column(
    tmp_path: Path,
) -> None:
    files = [table(tmp_path / "a.csv", LENIENT, LABELS), table(tmp_path / "b.csv", STRICT, OTHER_LABELS)]
    assert agreements(read_files(files, ColumnOptions())) == {
        ("a:verdict", "a:human"): 8,
        ("a:verdict", "b:human"): 7,
        ("b:verdict", "a:human"): 15,
        ("b:verdict", "b:human"): 16,
    }


def test_an_option_that_names_a_column_applies_to_every_file_with_that_column(tmp_path: Path) -> None:
    files = [table(tmp_path / "old.csv", LENIENT, LABELS), table(tmp_path / "new.csv", STRICT, LABELS)]
    stated = read_files(files, ColumnOptions(judge=("verdict",), human=("human",)))
    assert agreements(stated) == {("old", "human"): 8, ("new", "human"): 15}


def test_the_human_and_judge_options_may_name_a_column_with_its_file_if_several_files_have_that_column(
    tmp_path: Path,
) -> None:
    of_judges = [table(tmp_path / "old.csv", LENIENT, LABELS), table(tmp_path / "new.csv", STRICT, LABELS)]
    with_human = read_files(of_judges, ColumnOptions(human=("old:human",)))
    assert agreements(with_human) == {("old:verdict", "old:human"): 8, ("new:verdict", "old:human"): 15}
    of_people = [table(tmp_path / "ann.csv", STRICT, LABELS), table(tmp_path / "ben.csv", STRICT, OTHER_LABELS)]
    with_judge = read_files(of_people, ColumnOptions(judge=("ann:verdict",)))
    assert agreements(with_judge) == {("ann:verdict", "ann:human"): 15, ("ann:verdict", "ben:human"): 16}


def test_two_files_with_equal_labels_and_one_judge_each_are_read_as_one_annotator_and_two_judges(
    tmp_path: Path,
) -> None:
    files = [table(tmp_path / "gpt.csv", LENIENT, LABELS), table(tmp_path / "claude.csv", STRICT, LABELS)]
    for file in files:
        file.write_text(file.read_text(encoding="utf-8").replace("verdict", f"{file.stem}_verdict"), encoding="utf-8")
    assert agreements(read_files(files, ColumnOptions())) == {
        ("gpt_verdict", "human"): 8,
        ("claude_verdict", "human"): 15,
    }


def test_equal_labels_in_a_judge_s_file_and_in_a_file_of_labels_still_count_as_two_annotators(
    tmp_path: Path,
) -> None:
    ann, ben = table(tmp_path / "ann.csv", STRICT, LABELS), tmp_path / "ben.csv"
    ben.write_text("".join(["id,human\n", *(f"{row},{label}\n" for row, label in enumerate(LABELS))]), encoding="utf-8")
    assert read_files([ann, ben], ColumnOptions()).raters("", judges=False) == ["ann", "ben"]


def test_labels_in_a_file_named_after_a_model_are_refused_until_the_user_says_who_gave_them(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("gpt-4o.csv", "alice.csv")]
    for file, labels in zip(files, (OTHER_LABELS, LABELS), strict=True):
        file.write_text("".join(["id,label\n", *(f"{row},{label}\n" for row, label in enumerate(labels))]))
    with pytest.raises(UsageError, match="what is 'gpt-4o:label'") as error:
        read_files(files, ColumnOptions())
    assert error.value.choices == ("--judge gpt-4o:label", "--human alice:label --human gpt-4o:label")
    stated = ColumnOptions(judge=("gpt-4o:label",), human=("alice:label",))
    assert agreements(read_files(files, stated)) == {("gpt-4o", "alice"): 15}
    beside_verdicts = [tmp_path / name for name in ("gpt.csv", "claude.csv")]
    for file, labels in zip(beside_verdicts, (LABELS, OTHER_LABELS), strict=True):
        file.write_text(table(file, STRICT, labels).read_text().replace("human", "label"))
    people = read_files(beside_verdicts, ColumnOptions()).raters("", judges=False)
    assert people == ["gpt", "claude"]


@pytest.mark.parametrize(
    ("names", "raters"),
    [
        (("mon/v.csv", "tue/v.csv"), {"mon-v", "tue-v"}),
        (("v.csv", "tue/v.csv"), {"v", "tue-v"}),
        (("v.csv", "v.txt"), {"v.csv", "v.txt"}),
    ],
)
def test_raters_from_files_with_the_same_name_are_distinguished_by_folder_or_file_ending(
    names: Sequence[str], raters: set[str], tmp_path: Path
) -> None:
    files = [table(tmp_path / name, of, LABELS) for name, of in zip(names, (LENIENT, STRICT), strict=True)]
    assert set(read_files(files, ColumnOptions()).raters("", judges=True)) == raters


def test_a_file_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    file = table(tmp_path / "v.csv", STRICT, LABELS)
    with pytest.raises(UsageError, match="named twice"):
        read_files([file, file], ColumnOptions())


def ratings_of(path: Path, rows: Sequence[int], column: str = "score") -> Path:
    """Write a file of ratings, with these rows' ids and responses."""
    lines = [f"{row},Answer {row}.,{row % 5 + 1}\n" for row in rows]
    path.write_text("".join([f"id,answer,{column}\n", *lines]), encoding="utf-8")
    return path


def test_annotators_who_each_rated_only_some_responses_are_compared_on_rows_that_two_of_them_rated(
    tmp_path: Path,
) -> None:
    parts = {"ana": [*range(20)], "ben": [*range(10, 30)], "cy": [*range(10), *range(20, 32)]}
    files = [ratings_of(tmp_path / f"{name}.csv", rows) for name, rows in parts.items()]
    reading = read_files(files, ColumnOptions(human=("ana:score", "ben:score", "cy:score")))
    assert sorted(map(int, reading.ids)) == [*range(30)]
    assert reading.apart == {"ana": 0, "ben": 0, "cy": 2}
    rated = {
        side.name: {int(u) for u, c in zip(reading.ids, side.cells, strict=True) if c} for side in reading.sides("")
    }
    assert rated == {name: {row for row in rows if row < 30} for name, rows in parts.items()}


def test_rows_rated_by_the_judge_and_at_least_one_annotator_are_kept_when_their_files_are_joined(
    tmp_path: Path,
) -> None:
    parts = {"ana": [*range(20)], "ben": [*range(15, 35)], "gpt": [*range(30)]}
    files = [ratings_of(tmp_path / f"{name}.csv", rows) for name, rows in parts.items()]
    reading = read_files(files, ColumnOptions(judge=("gpt:score",), human=("ana:score", "ben:score")))
    assert sorted(map(int, reading.ids)) == [*range(30)]
    assert reading.apart == {"ana": 0, "ben": 5, "gpt": 0}
    assert [
        next(c for c in reading.columns if c.name == "answer").cells[reading.ids.index(row)] for row in ("3", "22")
    ] == [
        "Answer 3.",
        "Answer 22.",
    ]


def test_files_whose_ids_differ_from_those_of_the_other_files_are_refused(tmp_path: Path) -> None:
    parts = {"ana": range(20), "ben": range(20), "cy": range(100, 120)}
    files = [ratings_of(tmp_path / f"{name}.csv", rows) for name, rows in parts.items()]
    with pytest.raises(UsageError, match="only 0 of 20 rows of 'ana', 'ben' and 'cy' have the same id"):
        read_files(files, ColumnOptions(human=("ana:score", "ben:score", "cy:score")))


def test_several_annotators_files_are_refused_with_a_question_about_which_columns_are_the_judge_s(
    tmp_path: Path,
) -> None:
    parts = {"ana": [*range(20)], "ben": [*range(10, 30)], "cy": [*range(10), *range(20, 30)]}
    files = [ratings_of(tmp_path / f"{name}.csv", rows) for name, rows in parts.items()]
    with pytest.raises(UsageError, match="which columns are a judge's and people's"):
        read_files(files, ColumnOptions())


def test_the_message_on_joined_files_says_how_many_rows_of_each_file_are_left_out_and_why(tmp_path: Path) -> None:
    def written(name: str, rows: range) -> Path:
        lines = [f"r{row},{'pass' if row % 3 else 'fail'}" for row in rows]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"id,{name}", *lines, ""]))
        return tmp_path / f"{name}.csv"

    def said(*files: Path) -> str:
        judges = tuple(file.stem for file in files[1:])
        return next(note for note in notes(read_files(files, ColumnOptions(judge=judges))) if "joined" in note)

    people, gpt, claude = written("human", range(60)), written("gpt", range(50)), written("claude", range(10, 60))
    left_out = "left out, since another file lacks them"
    assert said(people, gpt, claude) == f"40 rows joined; {left_out}: 20 of human, 10 of gpt and 10 of claude"
    assert said(people, gpt) == f"50 rows joined; {left_out}: 10 of human"
    assert said(people, written("gpt", range(60))) == "60 rows joined"
