"""`calibrate RUBRIC` reads levels that cells of tables write as stars, percentages or like `4/5`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from markscheme.errors import RatingError
from markscheme.ratings.examples import load_examples
from markscheme.readers.imported import Columns
from markscheme.readers.rated import judge_ratings
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric

LEVELS = [1, 3, 5, 2, 4]


def rubric(folder: Path, scale: str = "{min: 1, max: 5}") -> Rubric:
    (folder / "kind.yaml").write_text(f"criteria:\n- {{name: tone, description: How kind., scale: {scale}}}\n")
    return load_rubric(folder / "kind.yaml")


def levels(folder: Path, column: str, cells: list[str], scale: str = "{min: 1, max: 5}") -> list[float | None]:
    """Return the levels that a judge's ratings in a table are read as."""
    rows = "".join(f"e{index},{cell}\n" for index, cell in enumerate(cells))
    (folder / "ratings.csv").write_text(f"id,{column}\n{rows}", encoding="utf-8")
    asked = rubric(folder, scale)
    rated = judge_ratings(folder / "ratings.csv", asked, columns=Columns(kind="model"))
    return [rating.criteria["tone"].level for rating in rated]


@pytest.mark.parametrize("column", ["tone", "judge", "verdict", "level"])
@pytest.mark.parametrize("written", [str, "★".__mul__, "{}/5".format, "score: {}".format])
def test_a_judge_s_levels_in_a_table_are_read_however_their_cells_write_them(
    tmp_path: Path, column: str, written: Callable[[int], str]
) -> None:
    assert levels(tmp_path, column, [written(level) for level in LEVELS]) == LEVELS


def test_percentages_in_a_table_are_read_only_on_a_scale_that_ends_at_100(tmp_path: Path) -> None:
    assert levels(tmp_path, "tone", ["85%", "40 %"], "{min: 0, max: 100}") == [85, 40]
    assert levels(tmp_path, "tone", ["3", "85%"]) == [3]


def test_a_percentage_is_no_verdict_on_a_yes_no_criterion(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("id,polite\ne0,MET\ne1,30%\ne2,UNMET\n")
    of_yes_no = Rubric.from_dict({"name": "r", "criteria": [{"name": "polite", "requirement": "Is polite."}]})
    rated = judge_ratings(tmp_path / "ratings.csv", of_yes_no, columns=Columns(kind="model"))
    assert [(rating.id, rating.criteria["polite"].level) for rating in rated if rating.criteria] == [
        ("e0", 1),
        ("e2", 0),
    ]


def test_stars_and_ratios_that_do_not_fit_the_scale_are_no_levels(tmp_path: Path) -> None:
    assert levels(tmp_path, "tone", ["3", "3/7", "6/5"]) == [3]
    assert levels(tmp_path, "tone", ["3", "★★★"], "{min: 0, max: 5}") == [3]


def test_a_number_in_the_column_judge_names_the_judge_if_the_row_has_a_rating_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("id,judge,tone\ne0,1,4\ne0,2,5\ne1,1,3\n")
    rated = judge_ratings(tmp_path / "ratings.csv", rubric(tmp_path))
    assert [(rating.id, rating.rater, rating.criteria["tone"].level) for rating in rated] == [
        ("e0", "1", 4),
        ("e0", "2", 5),
        ("e1", "1", 3),
    ]


def test_stars_in_a_table_of_examples_are_labels_on_a_scale_with_a_level_for_each_star(tmp_path: Path) -> None:
    rows = "".join(f"e{level},Reply {level},{'★' * level}{'☆' * (5 - level)}\n" for level in LEVELS)
    (tmp_path / "examples.csv").write_text(f"id,response,tone\n{rows}e6,Reply 6,★★\n", encoding="utf-8")
    examples = load_examples(tmp_path / "examples.csv", rubric(tmp_path))
    given = [example.labels[0].criteria["tone"].level for example in examples.examples]
    assert given == [*LEVELS, 2]
    for scale in ("{min: 0, max: 5}", "{min: 1, max: 4}"):
        with pytest.raises(RatingError, match="'★★★★★' isn't a level of its scale"):
            load_examples(tmp_path / "examples.csv", rubric(tmp_path, scale))


@pytest.mark.parametrize(
    ("cells", "scale", "expected"),
    [
        (["4/5", "1 / 5"], "{min: 1, max: 5}", [4, 1]),
        (["85%", "40 %"], "{min: 0, max: 100}", [85, 40]),
        (["85%", "40/100"], "{min: 0, max: 1}", [0.85, 0.4]),
    ],
)
def test_ratios_and_percentages_in_a_table_of_examples_are_labels_on_a_scale_with_their_end(
    tmp_path: Path, cells: list[str], scale: str, expected: list[float]
) -> None:
    rows = "".join(f"e{index},Reply {index},{cell}\n" for index, cell in enumerate(cells))
    (tmp_path / "examples.csv").write_text(f"id,response,tone\n{rows}", encoding="utf-8")
    examples = load_examples(tmp_path / "examples.csv", rubric(tmp_path, scale))
    assert [example.labels[0].criteria["tone"].level for example in examples.examples] == expected


@pytest.mark.parametrize("cell", ["4/7", "6/5", "80%"])
def test_a_ratio_or_percentage_in_a_table_of_examples_that_the_scale_does_not_have_is_refused(
    tmp_path: Path, cell: str
) -> None:
    (tmp_path / "examples.csv").write_text(f"id,response,tone\ne0,Reply,{cell}\n", encoding="utf-8")
    with pytest.raises(RatingError, match=f"'{cell}' isn't a level of its scale"):
        load_examples(tmp_path / "examples.csv", rubric(tmp_path))
