"""Every share that a report prints about the same hits has one interval."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from markscheme.calibration.accepted.acceptance import accept
from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.comparison import compare
from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.rates.pass_rates import pass_rates
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.gold import gold_of
from markscheme.report.document import Document
from markscheme.report.html import render_html
from markscheme.report.json import plain
from markscheme.report.markdown import render_markdown
from markscheme.report.terminal import render_terminal
from markscheme.report.views import calibration as of_calibration
from tests.calibration.made import examples, judged, yes_no_rubric
from tests.decided import decision_table

RUBRIC = yes_no_rubric()
GROUPINGS = {
    "each by itself": None,
    "groups of four": [f"task {i // 4}" for i in range(120)],
    "seven groups": [f"task {i % 7}" for i in range(120)],
    "three groups": [f"task {i % 3}" for i in range(120)],
}
SHARE = re.compile(r"\d+% \(\d+–\d+\)(?: ~)?|\d+ of 120\b(?! examples| fails| passes)")
"""A share with its interval, or as a count where it has none."""


def calibrated(folder: Path, groups: list[str] | None, n_hits: int = 103) -> Calibration:
    """Calibrate a judge on one yes/no question, so that agreement, exact agreement and accuracy have the same hits."""
    draw = np.random.default_rng(7)
    gold = draw.integers(0, 2, (120, 1))
    levels = np.where(draw.permutation(120)[:, None] < n_hits, gold, 1 - gold)
    systems = ["new" if i % 3 else "old" for i in range(120)]
    labelled = examples(RUBRIC, {"person": gold}, groups=groups, systems=systems)
    ratings, rater = judged(RUBRIC, levels), Rater("judge", "", "ratings")
    accept(calibration_of(RUBRIC, labelled, ratings, rater), folder / "accepted.json")
    since = AcceptedBasis(load_accepted(folder / "accepted.json"))
    return calibration_of(RUBRIC, labelled, ratings, rater, since=since)


def estimates(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every estimate in the JSON of a result."""
    if isinstance(value, dict):
        if {"value", "low", "high", "n", "method"} <= value.keys():
            yield value
        for part in value.values():
            yield from estimates(part)
    elif isinstance(value, list):
        for part in value:
            yield from estimates(part)


def refuse_other_intervals(calibration: Calibration, data: object, *, least: int) -> None:
    """Assert that the JSON has at least `least` shares of the same hits as agreement, all with its interval."""
    agreement = plain(calibration.comparison.agreement)
    same = [found for found in estimates(plain(data)) if (found["value"], found["n"]) == (agreement["value"], 120)]
    assert len(same) >= least
    assert {(found["low"], found["high"], found["note"]) for found in same} == {
        (agreement["low"], agreement["high"], agreement["note"])
    }


def refuse_other_shares(document: Document) -> None:
    """Assert that every format of a report prints one interval for all shares of the same hits."""
    screen = io.StringIO()
    render_terminal(document, screen, width=100)
    for page in (render_markdown(document), render_html(document), " ".join(screen.getvalue().split())):
        shares = [share for share in SHARE.findall(page) if share.startswith(("86%", "103 of 120"))]
        assert len(shares) >= 2
        assert len(set(shares)) == 1


@pytest.fixture(params=GROUPINGS)
def calibration(request: pytest.FixtureRequest, tmp_path: Path) -> Calibration:
    return calibrated(tmp_path, GROUPINGS[request.param])


def test_figures_in_the_json_that_count_the_same_examples_have_the_same_interval(calibration: Calibration) -> None:
    refuse_other_intervals(calibration, of_calibration.json_of(calibration), least=5)


def test_a_share_of_the_same_hits_has_the_same_interval_everywhere_in_the_report(
    calibration: Calibration,
) -> None:
    refuse_other_shares(of_calibration.view(calibration))


def test_the_interval_of_agreement_on_a_slice_equals_that_of_a_comparison_on_the_slice_s_examples_alone(
    calibration: Calibration,
) -> None:
    by_system = [one for one in calibration.slices if one.part.by == "system"]
    assert len(by_system) == 2
    for part in by_system:
        alone = compare(calibration.comparison.table.rows(part.part.inside))
        assert part.agreement == alone.agreement
        assert part.by_criterion["right"]["exact_agreement"] == part.agreement


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_a_pass_rate_of_graded_responses_has_the_interval_that_a_calibration_gives_for_the_judge_s_passes(
    grouping: str, tmp_path: Path
) -> None:
    groups = GROUPINGS[grouping]
    calibration = calibrated(tmp_path, groups)
    passes = calibration.comparison.overall["prevalence_judge"]
    of_tests = groups or [""] * 120
    responses = [Example(Submission("", {}, f"e{i}"), group=of_tests[i]) for i in range(120)]
    graded = decision_table(RUBRIC, responses, judge=[bool(passed) for passed in calibration.comparison.passes])
    rate = pass_rates(graded, decision_table(RUBRIC, [], gold=[], judge=[])).raw
    assert (rate.value, rate.low, rate.high, rate.n) == (passes.value, passes.low, passes.high, passes.n)
    assert rate.note == passes.note


@pytest.mark.parametrize("groups", [None, ["a", "b", "c", "d"]])
def test_a_share_of_fewer_than_five_examples_is_given_as_a_count(groups: list[str] | None) -> None:
    gold = gold_of(examples(RUBRIC, {"person": np.array([[1], [0], [1], [0]])}, groups=groups), RUBRIC)
    comparison = compare(gold.judged(RUBRIC, judged(RUBRIC, np.array([[1], [0], [1], [1]]))))
    assert comparison.agreement.note == "few: 3 of 4"
