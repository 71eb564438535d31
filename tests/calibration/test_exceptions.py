"""Excepted slices: a judge that is broken on one slice may decide the other examples, and people decide the slice."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.ratings.examples import ExampleSet
from markscheme.report.views.calibration import json_of, view
from markscheme.rubrics.rubric import YES_NO
from markscheme.stats.shares import grouped_share
from tests.calibration.made import examples, judged, rubric, yes_no_rubric
from tests.report.reading import text_of
from tests.stats.shared_numbers import block

RUBRIC = yes_no_rubric()
AT_95 = 0.975
EXCEPT = [
    ("rest is clear", (170, 200), (18, 40), (152, 160), (0.9039, 0.9782), "gate, except"),
    ("whole is open, rest is clear", (158, 200), (14, 40), (144, 160), (0.8427, 0.9418), "gate, except"),
    ("rest is open", (90, 110), (14, 22), (76, 88), (0.7739, 0.9275), "as the whole"),
    ("part is more than half", (120, 200), (50, 110), (70, 90), (0.6779, 0.8587), "as the whole"),
]
"""Hits and examples of the whole, of the part and of the rest, the rest's 95% interval, and what may be decided;
computed once, away from this package."""


def calibrated(
    part: tuple[int, int],
    rest: tuple[int, int],
    *,
    raters: Sequence[str] = ("p1", "p2"),
    settings: int = 1,
    by: str = "system",
) -> Calibration:
    """Calibrate a judge with given hits on system X and on two other systems; gold is half MET, half UNMET."""
    hits = np.array([place < part[0] for place in range(part[1])] + [place < rest[0] for place in range(rest[1])])
    # Neighbours share a system and differ in gold, so that the part isn't harder by its gold
    order = np.concatenate([np.arange(part[1]), part[1] + np.arange(rest[1])])
    gold = (order % 2).astype(float)
    judge = np.where(hits, gold, 1 - gold)
    systems = ["X"] * part[1] + ["Y" if place % 4 < 2 else "Z" for place in range(rest[1])]
    labelled = examples(RUBRIC, dict.fromkeys(raters, gold[:, None]), systems=systems)
    if by != "system":
        labelled = ExampleSet(
            tuple(
                replace(example, system="", metadata={by: name})
                for example, name in zip(labelled.examples, systems, strict=True)
            )
        )
    made = calibration_of(RUBRIC, labelled, judged(RUBRIC, judge[:, None]), Rater("judge", "", "ratings"))
    return made.after(settings) if settings > 1 else made


@pytest.mark.parametrize(
    ("whole", "part", "rest", "interval", "use"), [case[1:] for case in EXCEPT], ids=[case[0] for case in EXCEPT]
)
def test_a_judge_that_fails_on_one_slice_may_decide_all_other_responses_if_it_is_shown_good_on_them(
    whole: tuple[int, int],
    part: tuple[int, int],
    rest: tuple[int, int],
    interval: tuple[float, float],
    use: str,
) -> None:
    share = grouped_share(np.arange(rest[1]) < rest[0])
    assert (share.lower(AT_95), share.upper(AT_95)) == pytest.approx(interval, abs=6e-5)
    calibration = calibrated(part, rest)
    decision = calibration.decision
    assert calibration.comparison.agreement.value == pytest.approx(whole[0] / whole[1])
    if use == "as the whole":
        assert not decision.excepted
        assert decision.use != "gate"
        return
    assert (decision.verdict, decision.use) == ("ok", "gate")
    ((excepted, agreement),) = decision.excepted.items()
    assert (excepted.by, excepted.name, excepted.elsewhere) == ("system", "X", frozenset({"Y", "Z"}))
    assert agreement.value == pytest.approx(part[0] / part[1])
    assert decision.gate_answer is not None
    assert (decision.gate_answer.same.low, decision.gate_answer.same.high) == pytest.approx(interval, abs=6e-5)


def test_the_figures_on_excepted_slices_that_these_tests_expect_equal_those_in_the_file_of_reference_values() -> None:
    cases = [
        (
            case["name"],
            tuple(case["whole"]),
            tuple(case["part"]),
            (case["rest"]["hits"], case["rest"]["n"]),
            (case["rest"]["low"], case["rest"]["high"]),
            case["use"].removesuffix(" the part"),
        )
        for case in block("verdict3.yaml", "except")
    ]
    assert cases == EXCEPT


def test_the_report_names_the_excepted_slice_and_says_that_people_decide_it() -> None:
    calibration = calibrated((14, 40), (144, 160))
    text = text_of(view(calibration))
    assert "Can gate, except system X." in text
    assert "On system X it agrees on 35% of 40: let people decide there and on any system not labelled." in text
    assert ": good for trends elsewhere." in text
    assert "Elsewhere: it stops 90% of what people fail (81–96)" in text
    assert json_of(calibration)["decision"]["except"][0] == {
        "by": "system",
        "name": "X",
        "agreement": next(iter(calibration.decision.excepted.values())),
    }
    assert calibration.exit_status == 0


def test_if_a_slice_is_excepted_from_a_gate_because_of_one_criterion_the_report_names_the_criterion() -> None:
    two = rubric("right", "tone", scale=YES_NO, weights=[19, 1])
    right = (np.arange(200) % 2).astype(float)
    tone = (np.arange(200) // 2 % 2).astype(float)
    systems = ["X" if place < 40 else "YZ"[place // 4 % 2] for place in range(200)]
    labelled = examples(two, dict.fromkeys(("p1", "p2"), np.column_stack([right, tone])), systems=systems)
    tone_of_judge = np.where(np.arange(200) < 40, 1.0, tone)
    ratings = judged(two, np.column_stack([right, tone_of_judge]))
    text = text_of(view(calibration_of(two, labelled, ratings, Rater("judge", "", "ratings"))))
    assert "Can gate, except system X." in text
    assert (
        "On system X it agrees on 100% of 40, but is worse than elsewhere "
        "(tone: bias +0.50 levels, elsewhere at the same gold 0.00): let people decide there"
    ) in text


def test_a_report_names_the_slice_on_which_a_judge_is_worse_than_on_the_rest_as_the_reason_against_a_gate() -> None:
    text = text_of(view(calibrated((83, 110), (90, 90))))
    assert "Use for trends: it is worse on system X than on the rest." in " ".join(text.split())


def test_a_slice_excepted_from_a_gate_may_be_defined_by_a_value_of_the_metadata() -> None:
    calibration = calibrated((14, 40), (144, 160), by="language")
    (part,) = calibration.decision.excepted
    assert (part.by, part.name, part.elsewhere) == ("language", "X", frozenset({"Y", "Z"}))
    assert "Can gate, except language X." in text_of(view(calibration))


def test_with_labels_by_one_annotator_a_judge_that_fails_on_one_slice_may_show_trends_on_all_other_responses() -> None:
    decision = calibrated((14, 40), (144, 160), raters=("p1",)).decision
    assert (decision.verdict, decision.use) == ("ok", "trend")
    assert [part.called for part in decision.excepted] == ["system X"]


@pytest.mark.proof
def test_a_gate_from_which_one_slice_is_excepted_needs_more_agreement_if_more_settings_were_tried() -> None:
    assert calibrated((14, 40), (144, 160), settings=20).decision.use == "gate"
    assert calibrated((14, 40), (139, 160), settings=1).decision.use == "gate"
    assert calibrated((14, 40), (139, 160), settings=20).decision.excepted == {}


def test_no_slice_is_excepted_from_the_gate_of_a_judge_that_is_equally_good_on_all_slices() -> None:
    decision = calibrated((38, 40), (152, 160)).decision
    assert (decision.use, decision.excepted) == ("gate", {})
