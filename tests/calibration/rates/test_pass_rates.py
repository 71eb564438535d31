"""Pass rates of groups: from labels of their own responses only, withheld where these are too few."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from markscheme.calibration.rates.pass_rates import PassRates
from markscheme.calibration.rates.pass_rates import pass_rates as rates_of_tables
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import DrawnBy, Example
from markscheme.readers.infer_rubric import rubric_of_wholes
from tests.decided import decision_table

approx = pytest.approx
RUBRIC = rubric_of_wholes()


@dataclass(frozen=True)
class Judged:
    """A response, the judge's verdict on it, its system, and the test that it answers."""

    id: str
    passed: bool
    group: str
    unit: str = ""


@dataclass(frozen=True)
class Labelled:
    """A response that annotators and the judge decided."""

    id: str
    gold: bool
    judge: bool
    drawn: DrawnBy | None = None
    weight: float = 1.0


def pass_rates(judged: Sequence[Judged], labelled: Sequence[Labelled]) -> PassRates:
    """Compute pass rates from graded responses and labelled ones."""
    responses = [Example(Submission("", {}, rating.id), group=rating.unit, system=rating.group) for rating in judged]
    graded = decision_table(RUBRIC, responses, judge=[rating.passed for rating in judged])
    examples = [Example(Submission("", {}, rating.id), drawn=rating.drawn, weight=rating.weight) for rating in labelled]
    both = {"gold": [rating.gold for rating in labelled], "judge": [rating.judge for rating in labelled]}
    return rates_of_tables(graded, decision_table(RUBRIC, examples, **both))


def group(name: str, passes: int, fails: int) -> list[Judged]:
    """Make the graded responses of a group: NAME0, NAME1, …, of which the first `passes` pass."""
    return [Judged(f"{name}{i}", i < passes, name, f"t{i}") for i in range(passes + fails)]


def labels(
    rows: list[Judged], right: int, wrong: int, *, passed: bool, drawn: DrawnBy | None = "by-verdict"
) -> Iterator[Labelled]:
    """Yield labels of responses with the same verdict: people agree with it on `right` of them, not on `wrong`."""
    of_verdict = [row for row in rows if row.passed is passed][: right + wrong]
    for place, one in enumerate(of_verdict):
        yield Labelled(one.id, passed if place < right else not passed, passed, drawn)


def two_groups(*, second: int) -> PassRates:
    a, b = group("a", 150, 50), group("b", 160, 40)
    labelled = [*labels(a, 15, 3, passed=True), *labels(a, 3, 1, passed=False)]
    labelled += [*labels(b, second, second, passed=True), *labels(b, 1, 1, passed=False)]
    return pass_rates([*a, *b], labelled)


def test_each_group_s_corrected_pass_rate_is_computed_from_the_group_s_own_labels() -> None:
    rates = two_groups(second=7)
    a, b = rates.groups["a"], rates.groups["b"]
    assert (a.own_labels, b.own_labels) == (22, 16)
    assert a.corrected.value == approx(0.75 * 15 / 18 + 0.25 * 1 / 4)
    assert b.corrected.value == approx(0.8 * 0.5 + 0.2 * 0.5)
    assert a.raw.value == 0.75


def test_the_difference_in_pass_rate_of_two_groups_is_the_difference_of_their_corrected_pass_rates() -> None:
    rates = two_groups(second=7)
    difference = rates.differences["a", "b"]
    a, b = rates.groups["a"].corrected.value, rates.groups["b"].corrected.value
    assert a is not None
    assert b is not None
    assert difference.difference.value == approx(a - b)
    assert difference.difference.low is not None
    assert (difference.common, difference.on_common) == (200, None)


def test_the_corrected_pass_rate_of_a_system_with_few_labels_is_withheld_whatever_labels_other_systems_have() -> None:
    rates = two_groups(second=1)
    b = rates.groups["b"]
    assert (b.own_labels, b.needed) == (4, 6)
    assert b.corrected.value is None
    assert b.corrected.note == "withheld: 4 labels of its own, 6 more would show it (the judge alone says 80%)"
    assert rates.differences["a", "b"].difference.value is None
    assert rates.differences["a", "b"].difference.note is not None


def test_labels_on_responses_outside_the_pool_correct_the_overall_pass_rate_and_not_that_of_a_single_system() -> None:
    a, b = group("a", 150, 50), group("b", 160, 40)
    second_group = group("x", 30, 20)
    rates = pass_rates(
        [*a, *b], [*labels(second_group, 25, 5, passed=True, drawn=None), *labels(second_group, 15, 5, passed=False)]
    )
    assert rates.how == "elsewhere"
    assert rates.corrected.value is not None
    assert {rate.corrected.undefined for rate in rates.groups.values()} == {"groups need labels of their own responses"}
    assert rates.differences["a", "b"].difference.value is None


def test_if_two_compared_groups_share_only_some_test_cases_the_report_also_gives_pass_rates_on_these_cases() -> None:
    a, b = group("a", 150, 50), group("b", 60, 40)
    labelled = [*labels(a, 15, 3, passed=True), *labels(a, 3, 1, passed=False)]
    labelled += [*labels(b, 10, 3, passed=True), *labels(b, 6, 2, passed=False)]
    difference = pass_rates([*a, *b], labelled).differences["a", "b"]
    assert difference.common == 100
    assert difference.on_common is not None
    assert difference.on_common[0].rate.value == approx(15 / 18)  # the first hundred of a all pass
    assert difference.on_common[1].rate.value == pass_rates([*a, *b], labelled).groups["b"].corrected.value


def test_a_label_drawn_by_another_judge_s_verdict_is_put_in_the_stratum_of_the_grading_judge_s_verdict() -> None:
    a, b = group("a", 150, 50), group("b", 160, 40)
    labelled = [Labelled(one.id, gold=True, judge=not one.passed, drawn="by-verdict") for one in [*a[:12], *a[-12:]]]
    rates = pass_rates([*a, *b], labelled)
    assert rates.other_verdicts == 24
    assert rates.groups["a"].corrected.value == 1


def test_a_judge_that_decides_differently_when_asked_again_about_a_response_still_counts_as_the_same_judge() -> None:
    graded = [Judged(f"q{i}", passed, "a") for passed in (True, False) for i in range(20)]
    labelled = [Labelled(f"q{i}", gold=True, judge=True, drawn="by-verdict") for i in range(20)]
    assert pass_rates(graded, labelled).other_verdicts == 0


@pytest.mark.parametrize("drawn", ["random", "by-verdict"])
def test_labels_recorded_with_another_judge_s_verdicts_still_correct_the_pass_rate_of_the_judge_that_graded(
    drawn: DrawnBy,
) -> None:
    """The judge here passes all but ten; the judge of the labels made no error."""
    graded = [Judged(f"q{i}", i >= 10, "a") for i in range(100)]
    labelled = [Labelled(f"q{i}", gold=i >= 40, judge=i >= 40, drawn=drawn) for i in range(0, 100, 2)]
    rates = pass_rates(graded, labelled)
    assert rates.other_verdicts == 15
    assert rates.corrected.value == approx(0.6)


def test_a_label_whose_id_belongs_to_responses_of_two_groups_counts_for_neither_group() -> None:
    a = [Judged(f"q{i}", i % 3 > 0, "a") for i in range(60)]
    b = [Judged(f"q{i}", i % 2 > 0, "b") for i in range(60)]
    labelled = [Labelled(f"q{i}", gold=True, judge=True, drawn="by-verdict") for i in range(40)]
    rates = pass_rates([*a, *b], labelled)
    assert rates.shared_ids == 40
    assert [rate.own_labels for rate in rates.groups.values()] == [0, 0]


def test_a_slice_s_pass_rate_is_not_corrected_if_responses_of_one_verdict_had_unequal_chances_to_be_labelled() -> None:
    a, b = group("a", 150, 50), group("b", 160, 40)

    def weighed(rows: list[Judged], per_pass: int, *, uneven: bool) -> list[Labelled]:
        drawn = [*labels(rows, 15, 5, passed=True, drawn="chosen"), *labels(rows, 8, 2, passed=False, drawn="chosen")]
        return [
            Labelled(one.id, one.gold, one.judge, "chosen", 2.0 if uneven and place % 2 else float(per_pass))
            for place, one in enumerate(drawn)
        ]

    rates = pass_rates([*a, *b], [*weighed(a, 7, uneven=False), *weighed(b, 8, uneven=True)])
    assert rates.how == "by-stratum"
    assert rates.groups["a"].corrected.value is not None
    assert rates.groups["b"].corrected.undefined is not None
    assert "unequal chances" in rates.groups["b"].corrected.undefined


def test_graded_responses_of_a_single_group_have_no_pass_rates_by_group() -> None:
    a = group("a", 150, 50)
    rates = pass_rates(a, list(labels(a, 15, 5, passed=True)))
    assert (rates.groups, rates.differences) == ({}, {})
