"""What values in a table mean, by rules that refuse what they can't tell."""

import math

import pytest

from markscheme.errors import UsageError
from markscheme.readers.table_meaning import ValueOptions
from markscheme.readers.value_kinds import ReadValues, read_values, scales_that_differ
from tests.reference.table_values import TABLE_VALUES, TableValuesCase
from tests.stats.shared_numbers import block


def of(judge: list[str], human: list[str], options: ValueOptions | None = None) -> ReadValues:
    return read_values({"verdict": judge, "label": human}, ["verdict"], options or ValueOptions())


@pytest.mark.parametrize("case", TABLE_VALUES, ids=lambda case: f"{case.judge} {case.human}")
def test_values_are_read_as_in_the_worked_cases(case: TableValuesCase) -> None:
    if case.read == "refused":
        with pytest.raises(UsageError, match=case.ask):
            of(case.judge, case.human)
        return
    values = of(case.judge, case.human)
    assert values.kind == case.read
    if case.ends is not None:
        assert values.scale.ends == case.ends
    if case.step is not None:
        assert values.scale.values[1] - values.scale.values[0] == case.step
    if case.order:
        assert list(values.scale.choices) == case.order
    if case.note:
        assert case.note in values.notes
    assert [values.level("label", cell) for cell in case.human].count(None) == case.missing


def test_every_table_of_the_reference_is_among_them() -> None:
    keys = {"ask": "ask", "order": "order", "warn": "note", "left_out": "missing"}
    cases = []
    for case in block("verdict3.yaml", "tables"):
        ends = (case["low"], case["high"]) if "low" in case else None
        step = case.get("step", 1 if case["read"] == "levels" and ends else None)
        more = {ours: case[key] for key, ours in keys.items() if key in case}
        cases.append(TableValuesCase(case["judge"], case["human"], case["read"], ends=ends, step=step, **more))
    assert cases == TABLE_VALUES


def test_each_column_has_its_own_words_for_pass_and_fail() -> None:
    values = of(["pass", "fail"], ["1.0", "0"])
    assert [values.level("verdict", word) for word in ("PASS ", "fail")] == [1, 0]
    assert [values.level("label", word) for word in ("1.0", "0")] == [1, 0]
    assert values.words == {"verdict": "pass/fail", "label": "1.0/0 (1.0 passes)"}


def test_a_word_in_composed_and_in_decomposed_letters_is_the_same() -> None:
    columns = {"judge": ["tr\u00e8s bien", "passable", "nul"] * 5, "human": ["tre\u0300s bien", "passable", "nul"] * 5}
    read = read_values(columns, {"judge"}, ValueOptions())
    assert read.by_column["judge"] == read.by_column["human"]
    assert len(read.by_column["human"]) == 3


def test_nan_and_other_words_for_nothing_are_missing() -> None:
    values = of(["1", "0", "NaN", "n/a"], ["1", "0", "1", "0"])
    assert [values.level("verdict", cell) for cell in ("NaN", "n/a", " - ")] == [None, None, None]


def test_words_that_do_not_all_have_a_meaning_are_never_half_guessed() -> None:
    values = of(["good", "ok", "bad", "ok"], ["good", "ok", "ok", "bad"])
    assert values.kind == "categories"
    assert "--levels worst,…,best" in values.notes[0]
    in_order = of(["good", "ok", "bad", "ok"], ["good", "ok", "ok", "bad"], ValueOptions(levels="bad,ok,good"))
    assert (in_order.kind, in_order.scale.choices) == ("levels", ("bad", "ok", "good"))


def test_the_refusal_of_scales_that_differ_offers_both_scales() -> None:
    with pytest.raises(UsageError, match=r"--scale judge=0\.\.1 --scale human=1\.\.5"):
        of(["0.3", "0.9", "0.6"], ["1", "4", "5"])


def test_scales_that_are_named_put_both_sides_on_one() -> None:
    values = of(["0", "0.25", "1"], ["1", "2", "5"], ValueOptions(scales={"judge": (0, 1), "human": (1, 5)}))
    assert (values.kind, values.scale.ends) == ("score", (0, 1))
    assert [values.level("verdict", cell) for cell in ("0", "0.25", "1")] == [0, 0.25, 1]
    assert [values.level("label", cell) for cell in ("1", "2", "5")] == [0, 0.25, 1]


@pytest.mark.parametrize(
    ("scales", "why"),
    [
        ({"judge": (0.0, 1.0)}, "no scale is named for column 'label'"),
        ({"judge": (0, 1), "human": (1, 4)}, "'5' isn't"),
    ],
)
def test_a_scale_that_is_missing_or_does_not_fit_is_refused(scales: dict[str, tuple[float, float]], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        of(["0.3", "0.9", "0.6"], ["1", "4", "5"], ValueOptions(scales=scales))


def test_a_word_may_pass_a_number_may_be_the_mark_and_a_value_may_be_left_out() -> None:
    assert of(["A", "B"], ["A", "A"], ValueOptions(passes="A")).level("verdict", "B") == 0
    marked = of(["0.3", "0.9"], ["fail", "pass"], ValueOptions(pass_mark=0.5))
    assert [marked.level("verdict", "0.9"), marked.level("label", "fail")] == [1, 0]
    without = of(["true", "false", "maybe"], ["true", "false", "false"], ValueOptions(levels="maybe="))
    assert (without.kind, without.level("verdict", "maybe")) == ("decision", None)


def test_texts_are_not_verdicts() -> None:
    with pytest.raises(UsageError, match="looks like text"):
        of([f"answer {n}" for n in range(30)], [f"answer {n}" for n in range(30)])


def test_a_scale_with_many_levels_agrees_on_the_same_level_only() -> None:
    numbers = [str(n) for n in range(11)]
    values = of(numbers, numbers)
    assert values.kind == "levels"
    assert values.tolerance < 1 / 10


@pytest.mark.parametrize(
    ("first", "second", "differ"),
    [
        ([0.3, 0.6], [2, 5], True),
        ([1, 2, 3], [2, 4, 6], True),
        ([0, 2, 4], [1, 3, 5], True),
        ([1, 2], [2, 5], False),
        ([1, 4, 5], [2, 3, 4], False),
        ([0, 2, 5], [1, 3, 5], False),
    ],
)
def test_numbers_on_different_scales_are_noticed_either_way(
    first: list[float], second: list[float], differ: bool
) -> None:
    numbers = [list(map(float, side)) for side in (first, second)]
    assert scales_that_differ(*numbers) is scales_that_differ(*reversed(numbers)) is differ
    assert not scales_that_differ([], [math.inf])
