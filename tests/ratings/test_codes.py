"""The compact store of ratings: each is read back unchanged, and Rating objects are made only on access."""

import cProfile
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from markscheme.cli import main
from markscheme.ratings.code_arrays import equal_rows, rows_in
from markscheme.ratings.codes import RatingCodes, RatingLines, RatingView, load_ratings
from markscheme.ratings.rating import Rated, Rating, RatingReader
from markscheme.ratings.table import column_of, rating_table
from markscheme.rubrics.rubric import Rubric

MOST_MADE = 200
"""Ratings that may be made, however many are read: those of examples that are shown, and one of each kind of line."""
RUBRIC: Rubric = Rubric.from_dict(
    [{"name": name, "weight": 1, "requirement": name, "scale": {"min": 1, "max": 5}} for name in ("clear", "kind")]
)
"""Two criteria of five levels."""
ANSWERS = st.one_of(
    st.sampled_from([1.0, 2.0, 3.5, 5.0]).map(Rated),
    st.builds(lambda reason: Rated(2.0, reason), st.sampled_from(["", "terse", "long"])),
    st.sampled_from([Rated(None, declined="abstained"), Rated(None, declined="not applicable")]),
)
RATINGS = st.builds(
    Rating,
    id=st.sampled_from("abcde"),
    rater=st.sampled_from(["ann", "bob", "judge"]),
    kind=st.sampled_from(["human", "model", "adjudicated"]),
    criteria=st.permutations(["clear", "kind"]).flatmap(
        lambda order: st.fixed_dictionaries({}, optional=dict.fromkeys(order, ANSWERS))
    ),
    overall=st.sampled_from([None, 0.5, 1.0]),
    passed=st.sampled_from([None, True, False]),
    sample=st.integers(0, 2),
    note=st.sampled_from(["", "see above"]),
)
"""Ratings of few examples by few raters, with what most ratings don't have."""


@given(st.lists(RATINGS, max_size=12))
def test_ratings_that_are_stored_as_arrays_of_numbers_are_read_back_equal(ratings: list[Rating]) -> None:
    codes = RatingCodes.of(ratings)
    assert list(codes) == ratings
    assert [list(rating.criteria) for rating in codes] == [list(rating.criteria) for rating in ratings]
    assert codes[::2] == ratings[::2]


@given(st.lists(RATINGS, max_size=8), st.lists(RATINGS, max_size=8))
def test_ratings_on_different_criteria_can_be_joined_when_stored_as_arrays_of_numbers(
    first: list[Rating], second: list[Rating]
) -> None:
    turned = [replace(rating, criteria=dict(reversed([*rating.criteria.items()]))) for rating in second]
    joined = RatingCodes(["kind"]).joined(first, RatingCodes.of(turned))
    assert list(joined) == [*first, *turned]
    assert [list(rating.criteria) for rating in joined] == [list(rating.criteria) for rating in (*first, *turned)]


@given(st.lists(RATINGS, max_size=12))
def test_selecting_from_ratings_stored_as_arrays_gives_the_same_ratings_as_selecting_from_a_list(
    ratings: list[Rating],
) -> None:
    codes = RatingCodes.of(ratings)
    assert codes.of_kinds(("human",)) == [rating for rating in ratings if rating.kind == "human"]
    assert codes.of_ids({"a", "b"}) == [rating for rating in ratings if rating.id in "ab"]
    assert list(codes.by_rater()) == list(dict.fromkeys(rating.rater for rating in ratings))
    assert [rating.rater for part in codes.by_rater().values() for rating in part] == sorted(
        (rating.rater for rating in ratings), key=codes.raters.index
    )
    assert sum(times for _, times in codes.header_counts()) == len(ratings)
    assert sum(times for _, _, times in codes.answer_counts()) == sum(len(rating.criteria) for rating in ratings)


def test_a_selection_of_ratings_stored_as_arrays_of_numbers_equals_a_tuple_of_the_selected_ratings() -> None:
    ratings = [Rating("a", "ann", "human", {"kind": Rated(1.0)}), Rating("a", "bob", "human")]
    view = RatingView(RatingCodes.of(ratings), (1, 0))
    assert (ratings[1], ratings[0]) == view
    assert [header.rater for header in view.headers] == ["bob", "ann"]
    assert RatingCodes.of(view) == [ratings[1], ratings[0]]


LINES: list[dict[str, object]] = [
    {"id": "a", "rater": "ann", "kind": "human", "criteria": {"clear": 1, "kind": 5}},
    {"id": "b", "rater": "ann", "kind": "human", "criteria": {"clear": 1, "kind": 5}},
    {"id": "c", "rater": "ann", "kind": "human", "criteria": {"clear": 1.0, "kind": "5"}},
    {"id": "d", "rater": "ann", "kind": "human", "criteria": {"kind": 5, "clear": 1}},
    {"id": "e", "rater": "ann", "kind": "human", "criteria": {"kind": 5}},
    {"id": "f", "rater": "ann", "kind": "human", "criteria": {"clear": None, "kind": 5}},
    {"id": 7, "judge": "j", "criteria": {"clear": {"level": 2, "reason": "terse"}, "kind": 3}},
    {"id": 8, "judge": "j", "criteria": {"clear": 2, "kind": 3}, "sample": 1, "overall": 0.5},
    {"id": 9, "judge": "j", "criteria": {"clear": 2, "kind": 3}, "sample": 1, "overall": 0.5, "pass": True},
    {"id": 10, "judge": "j", "criteria": {"clear": {"abstained": "no text"}}, "asked_without": [["seed"]]},
]
"""Lines that say levels alone, and lines that say more."""


def test_lines_of_ratings_that_are_read_together_equal_lines_that_are_read_one_by_one() -> None:
    lines = RatingLines(RUBRIC)
    for line in (*LINES, *LINES):
        lines.add(line, kind="model")
    assert list(lines.codes) == [RatingReader(RUBRIC).rating(line, kind="model") for line in (*LINES, *LINES)]


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "id": st.sampled_from(["a", "b", "\\", 7]),
                "criteria": st.sampled_from([{"clear": 1, "kind": 5}, {"kind": 3}]),
            },
            optional={
                "rater": st.sampled_from(["ann", "j"]),
                "kind": st.sampled_from(["human", "adjudicated"]),
                "sample": st.integers(0, 1),
                "note": st.just("}, {"),
                "withdrawn": st.booleans(),
            },
        ),
        max_size=6,
    )
)
def test_a_file_of_ratings_gives_the_same_ratings_whether_its_lines_are_read_together_or_one_by_one(
    lines: list[dict[str, Any]],
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.jsonl"

        def read(written: Iterable[Mapping[str, Any]]) -> list[Rating]:
            path.write_text("".join(f"{json.dumps(line)}\n" for line in written))
            with warnings.catch_warnings(action="ignore"):
                return list(load_ratings(path, RUBRIC))

        assert read(lines) == read(dict(reversed(line.items())) for line in lines)


@pytest.mark.parametrize(
    "fault",
    [
        {"criteria": {"clear": 1, "kind": 9}},
        {"criteria": {"clear": 1, "kind": True}},
        {"criteria": {"clear": 1, "rude": 5}},
        {"sample": True},
        {"id": ""},
        {"id": None},
        {"kind": "robot"},
        {"pass": "yes"},
    ],
)
def test_a_faulty_line_of_ratings_gets_the_same_error_whether_or_not_similar_valid_lines_precede_it(
    fault: dict[str, object],
) -> None:
    lines = RatingLines(RUBRIC)
    good: dict[str, object] = {**LINES[0], "sample": 1, "pass": True}
    lines.add(good)
    lines.add(good)
    with pytest.raises(ValueError) as by_itself:  # noqa: PT011
        RatingReader(RUBRIC).rating({**good, **fault})
    with pytest.raises(ValueError) as among_others:  # noqa: PT011
        lines.add({**good, **fault})
    assert str(among_others.value) == str(by_itself.value)


def test_a_level_off_the_scale_is_kept_as_unreadable_only_if_a_judge_gave_it() -> None:
    lines = RatingLines(RUBRIC, keep_unread=True)
    off = {"id": "a", "criteria": {"clear": 1, "kind": 9}}
    lines.add(off, kind="model")
    assert lines.codes[0].criteria["kind"].declined == "unread"
    with pytest.raises(ValueError, match="isn't a level of its scale"):
        lines.add(off, kind="human")


@given(st.lists(st.tuples(st.sampled_from([np.nan, 0.5, 2.0]), st.integers(-1, 3), st.booleans()), max_size=20))
def test_two_rows_of_an_array_get_the_same_number_if_and_only_if_they_are_equal(
    rows: list[tuple[float, int, bool]],
) -> None:
    columns: list[npt.NDArray[Any]] = [
        np.array([row[column] for row in rows], dtype=kind) for column, kind in enumerate((float, int, bool))
    ]
    first, kind = equal_rows(columns, len(rows))
    numbers: dict[str, set[int]] = {}
    for row, number in zip(rows, kind.tolist(), strict=True):
        numbers.setdefault(repr(row), set()).add(number)
    assert all(len(of_row) == 1 for of_row in numbers.values())
    assert len(first) == len(numbers)
    assert [kind[index] for index in first] == list(range(len(first)))


@given(st.permutations("abc"), st.lists(st.sampled_from("abcz"), max_size=6), st.integers(0, 3))
@example([], ["a"], 0)
def test_each_rating_is_assigned_to_its_example_whatever_the_order_and_number_of_ratings(
    ids: list[str], others: list[str], times: int
) -> None:
    codes = RatingCodes()
    codes.ids = [*(unit for unit in ids for _ in range(times)), *others]
    assert rows_in(tuple(ids), codes).tolist() == [ids.index(unit) if unit in ids else -1 for unit in codes.ids]


@given(st.lists(RATINGS, max_size=14))
def test_a_rater_s_column_in_a_table_does_not_depend_on_the_order_of_ratings(ratings: list[Rating]) -> None:
    once = list({(rating.id, rating.rater, rating.kind, rating.sample): rating for rating in ratings}.values())
    table = rating_table(RUBRIC, list("abcde"), once)
    for column in table.columns:
        own = [rating for rating in once if (rating.rater, rating.kind) == (column.name, column.kind)]
        same = column_of(column.name, reversed(own), RUBRIC, list("abcde"))
        np.testing.assert_allclose(same.scores, column.scores)
        for name, levels in column.levels.items():
            np.testing.assert_allclose(same.levels[name], levels)
            assert same.skipped[name].tolist() == column.skipped[name].tolist()


# --- how many are made ----------------------------------------------------------------------------------------------


def written(folder: Path, n: int) -> tuple[Path, Path]:
    """Write examples with a label each, and a judge's ratings; return both files."""
    levels = np.random.default_rng(4).integers(1, 6, size=(n, 4)).tolist()
    examples, ratings = folder / "examples.jsonl", folder / "ratings.jsonl"

    def lines() -> Iterator[tuple[str, str]]:
        for row, (clear, kind, clear_of_judge, kind_of_judge) in enumerate(levels):
            label = {"rater": "ann", "kind": "human", "criteria": {"clear": clear, "kind": kind}}
            judged = {"clear": clear_of_judge, "kind": kind_of_judge}
            yield (
                json.dumps({"id": f"e{row}", "response": f"answer {row}", "labels": [label]}),
                json.dumps({"id": f"e{row}", "rater": "judge", "criteria": judged}),
            )

    of_examples, of_ratings = zip(*lines(), strict=True)
    examples.write_text("\n".join(of_examples))
    ratings.write_text("\n".join(of_ratings))
    return examples, ratings


def n_made(folder: Path, *command: str) -> int:
    """Run a command in a folder; return how many Rating objects it makes."""
    profile = cProfile.Profile()
    profile.enable()
    try:
        status = main(list(command))
    finally:
        profile.disable()
    assert status in (0, 1, 4), folder
    made = [entry.callcount for entry in profile.getstats() if entry.code is Rating.__init__.__code__]
    return sum(made)


@pytest.mark.parametrize("n", [1_000, pytest.param(20_000, marks=pytest.mark.proof)])
def test_calibrating_many_plain_rows_creates_few_rating_objects(
    n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Calibrate with two ratings of each of 20,000 examples, in 40,000 rows."""
    monkeypatch.chdir(tmp_path)
    rubric = tmp_path / "made.yaml"
    criteria = [
        {"name": c.name, "weight": 1, "description": c.name, "scale": {"min": 1, "max": 5}} for c in RUBRIC.criteria
    ]
    rubric.write_text(json.dumps({"name": "made", "criteria": criteria}))
    examples, ratings = written(tmp_path, n)
    files = ("--examples", str(examples), "--ratings", str(ratings))
    made = n_made(tmp_path, "calibrate", str(rubric), *files, "--json", "report.json", "--markdown", "report.md")
    assert json.loads((tmp_path / "report.json").read_text())["counts"]["graded"] == n
    assert "clear" in capsys.readouterr().out
    assert 0 < made <= MOST_MADE
