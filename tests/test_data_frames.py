"""Rows of data frames: an empty cell is missing, whatever pandas writes in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from markscheme import Grader, Rubric, ScriptedJudge, Submission, agreement, calibrate
from markscheme.errors import RatingError, UsageError
from markscheme.ratings.examples import examples_from
from markscheme.ratings.rating import ratings_from

RUBRIC = Rubric.from_dict([{"name": "polite", "requirement": "The reply is polite", "weight": 1}])
EMPTY = {"NaN": float("nan"), "NA": pd.NA, "NaT": pd.NaT, "no date": np.datetime64("NaT"), "float32": np.float32("nan")}


@pytest.mark.parametrize("empty", EMPTY.values(), ids=EMPTY)
def test_an_empty_cell_in_a_data_frame_of_raters_is_a_missing_rating(empty: Any) -> None:
    frame = pd.DataFrame({"id": list("abcde"), "ann": [1, 2, 3, 1, 2], "ben": [1, 3, 3, 1, None]}, dtype=object)
    without = agreement(frame.to_dict("records"))
    frame.loc[4, "ben"] = empty
    assert agreement(frame.to_dict("records")).to_json() == without.to_json()
    assert without.statistics["krippendorff_alpha"].value == pytest.approx(0.9, abs=0.05)


def test_a_data_frame_column_of_nullable_integers_is_read_as_numbers_with_missing_ratings() -> None:
    frame = pd.DataFrame({"ann": [1, 2, 3, 1], "ben": pd.array([1, 3, pd.NA, 1], dtype="Int64")})
    rows: list[dict[str, Any]] = [{"ann": 1, "ben": 1}, {"ann": 2, "ben": 3}, {"ann": 3}, {"ann": 1, "ben": 1}]
    assert agreement(frame.to_dict("records")).to_json() == agreement(rows).to_json()


@pytest.mark.parametrize(
    "call",
    [
        lambda frame: calibrate(RUBRIC, frame),
        lambda frame: calibrate(RUBRIC, examples(None), ratings=frame),
        lambda frame: Grader(RUBRIC, ScriptedJudge([])).grade_rows(frame),
    ],
    ids=["examples", "ratings", "rows to grade"],
)
def test_a_data_frame_in_place_of_rows_of_ratings_is_refused(call: Callable[[Any], Any]) -> None:
    with pytest.raises(UsageError, match=r"a DataFrame is given by its rows: frame\.to_dict\('records'\)"):
        call(pd.DataFrame({"ann": [1, 2], "ben": [1, 2]}))


def test_a_table_of_pyarrow_in_place_of_rows_is_refused_with_the_call_that_gives_its_rows() -> None:
    with pytest.raises(UsageError, match=r"a Table is given by its rows: frame\.to_pylist\(\)"):
        calibrate(RUBRIC, pa.table({"ann": [1, 2], "ben": [1, 2]}))


@pytest.mark.parametrize(
    "form",
    [
        pd.DataFrame,
        lambda rows: pd.DataFrame(rows).set_index("id"),
        pa.Table.from_pylist,
        lambda rows: {name: [row[name] for row in rows] for name in rows[0]},
    ],
    ids=["pandas", "pandas with an index", "pyarrow", "columns by name"],
)
def test_agreement_of_a_data_frame_or_of_columns_equals_that_of_the_same_rows(form: Callable[[Any], Any]) -> None:
    ratings = zip("abcde", [1, 2, 3, 1, 2], [1, 3, 3, 1, None], strict=True)
    rows = [{"id": unit, "ann": by_ann, "ben": by_ben} for unit, by_ann, by_ben in ratings]
    assert agreement(form(rows)).to_json() == agreement(rows).to_json()


def test_agreement_of_columns_that_differ_in_length_is_refused_with_their_lengths() -> None:
    with pytest.raises(UsageError, match="equally many values, got 2 of 'ann', 1 of 'ben'"):
        agreement({"ann": [1, 2], "ben": [1]})


def examples(empty: Any) -> list[dict[str, Any]]:
    """Examples of which one has no query, and one no label by the second annotator."""
    return [
        {
            "id": f"e{place}",
            "response": f"reply {place}",
            "query": empty if place == 3 else "Hello?",
            "labels": [
                {"rater": "ann", "criteria": {"polite": bool(place % 2)}},
                {"rater": "ben", "criteria": {"polite": empty if place == 5 else bool(place % 2)}},
            ],
        }
        for place in range(12)
    ]


def verdicts(empty: Any) -> list[dict[str, Any]]:
    """A judge's ratings, of which one has no level."""
    return [{"id": f"e{n}", "note": empty, "criteria": {"polite": empty if n == 7 else bool(n % 2)}} for n in range(12)]


@pytest.mark.parametrize("empty", EMPTY.values(), ids=EMPTY)
def test_empty_cells_of_examples_and_ratings_in_a_data_frame_are_left_out(empty: Any) -> None:
    calibration = calibrate(RUBRIC, examples(empty), ratings=verdicts(empty))
    assert calibration.to_json() == calibrate(RUBRIC, examples(None), ratings=verdicts(None)).to_json()


@pytest.mark.parametrize("empty", EMPTY.values(), ids=EMPTY)
def test_an_empty_cell_of_an_input_counts_as_missing(empty: Any) -> None:
    assert Submission("x", {"query": empty}).inputs == {}


@pytest.mark.parametrize("empty", EMPTY.values(), ids=EMPTY)
def test_an_empty_response_in_a_data_frame_is_refused_with_its_row(empty: Any) -> None:
    rows = [*examples(None), {"id": "e12", "response": empty, "labels": []}]
    with pytest.raises(RatingError, match="examples:13: an example has a response"):
        calibrate(RUBRIC, rows)


def test_rows_that_are_read_from_a_table_or_a_data_frame_equal_rows_given_as_python_objects() -> None:
    direct = [{"id": f"e{n}", "criteria": {"polite": {"level": n % 2, "reason": "So."}}} for n in range(4)]
    direct.append({"id": "e4", "criteria": {"polite": {"abstained": "unsure"}}})
    table = pa.Table.from_pylist(direct)
    for rows in (table.to_pylist(), table.to_pandas().to_dict("records")):
        assert ratings_from(rows, RUBRIC) == ratings_from(direct, RUBRIC)


def test_labels_that_a_data_frame_holds_as_arrays_are_read_like_labels_in_lists() -> None:
    frame = pa.Table.from_pylist(examples(None)).to_pandas()
    assert examples_from(frame.to_dict("records"), RUBRIC) == examples_from(examples(None), RUBRIC)


@pytest.mark.parametrize("level", [np.bool_(True), np.int64(1), np.float32(1), np.str_("MET")], ids=str)
def test_numpy_numbers_are_read_as_levels(level: Any) -> None:
    row = {"id": np.int64(7), "criteria": {"polite": level}, "overall": np.float32(1), "pass": np.bool_(True)}
    (rating,) = ratings_from([row], RUBRIC)
    assert (rating.id, rating.criteria["polite"].level, rating.overall, rating.passed) == ("7", 1.0, 1.0, True)


@pytest.mark.parametrize("empty", EMPTY.values(), ids=EMPTY)
def test_empty_cells_inside_an_example_of_a_data_frame_are_left_out(empty: Any) -> None:
    row = {"id": "a", "response": "x", "weight": empty, "split": empty, "metadata": {"language": empty, "turns": 3}}
    (example,) = examples_from([row], RUBRIC).examples
    assert (dict(example.metadata), example.weight, example.split) == ({"turns": "3"}, 1.0, None)


def test_an_entry_in_a_list_of_rows_that_is_not_a_mapping_is_refused_by_its_index() -> None:
    with pytest.raises(RatingError, match="ratings:1: a rating is an object, found 7"):
        ratings_from([7], RUBRIC)  # type: ignore[list-item]


def test_the_recipe_for_large_data_grades_each_data_frame_of_an_iterator() -> None:
    page = (Path(__file__).parents[1] / "docs" / "howto" / "large-data.md").read_text(encoding="utf-8")
    recipe = page.partition('title="graded.py"\n')[2].partition("```")[0]
    program: dict[str, Any] = {}
    exec(recipe, program)
    rubric = Rubric.from_dict([{"name": "place", "weight": 1, "requirement": "Names a town"}])
    judge = ScriptedJudge(lambda prompt, _: {"place": "MET" if "Leeds" in prompt.user else "UNMET"})
    asked: list[Any] = []

    def grader(*words: Any, **options: Any) -> Grader:
        asked.append((words, options))
        return Grader(rubric, judge, **options)

    program["Grader"] = grader
    frames = [pd.DataFrame({"response": ["Leeds", "Soon"]}), pd.DataFrame({"response": ["In Leeds"]})]
    assert [frame["score"].tolist() for frame in program["graded"](iter(frames))] == [[1.0, 0.0], [1.0]]
    assert asked == [(("support-reply", "openai:my-model"), {"concurrency": 64})]
