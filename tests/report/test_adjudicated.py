"""Reports on labels that were adjudicated where annotators differ."""

from dataclasses import replace

import numpy as np

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.report.markdown import render_markdown
from markscheme.report.views.calibration import json_of, view
from tests.calibration.made import examples, judged, yes_no_rubric

RUBRIC = yes_no_rubric()
N = 60
DIFFERING = range(0, N, 5)
"""The examples on which the two annotators differ."""


def with_labels(labelled: ExampleSet, *more: Rating) -> ExampleSet:
    return ExampleSet(
        tuple(
            replace(example, labels=(*example.labels, *(label for label in more if label.id == example.id)))
            for example in labelled.examples
        )
    )


def labels_of_two() -> tuple[ExampleSet, list[Rating], np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """Labels of two annotators, the decisions of a third person where they differ, and a judge's levels."""
    anna = (np.arange(N) % 3 > 0).astype(float)[:, None]
    ben = anna.copy()
    ben[list(DIFFERING)] = 1 - ben[list(DIFFERING)]
    settled = [
        Rating(f"e{index}", "carl", "adjudicated", {"right": Rated(float(anna[index, 0]))}) for index in DIFFERING
    ]
    judge = anna.copy()
    judge[0] = 1 - judge[0]
    return examples(RUBRIC, {"anna": anna, "ben": ben}), settled, judge


def calibrated(labelled: ExampleSet, judge: object) -> Calibration:
    ratings = [
        replace(rating, criteria={"right": replace(rating.criteria["right"], reason="It answers.")})
        for rating in judged(RUBRIC, judge)  # type: ignore[arg-type]
    ]
    return calibration_of(RUBRIC, labelled, ratings, Rater("judge", "", "ratings"))


def screen(calibration: Calibration) -> str:
    return render_markdown(view(calibration))


def test_a_judge_s_reason_stored_among_labels_is_shown_as_a_reason_of_the_judge_and_not_of_a_person() -> None:
    labelled, settled, judge = labels_of_two()
    verdicts = [Rating(f"e{index}", "gpt", "model", {"right": Rated(1.0, "It answers.")}) for index in range(N)]
    page = screen(calibrated(with_labels(labelled, *settled, *verdicts), judge))
    assert "People on right: UNMET. Judge: MET, “It answers.”" in page


def test_the_bar_of_annotators_in_a_report_shows_their_agreement_before_adjudication() -> None:
    labelled, settled, judge = labels_of_two()
    calibration = calibrated(with_labels(labelled, *settled), judge)
    assert json_of(calibration)["agreement_person"].value == 0.8
    bars = [line for line in screen(calibration).splitlines() if line.lstrip("| ").startswith("annotators ")]
    assert bars
    assert all("80%" in bar for bar in bars)


def test_the_suggestion_to_adjudicate_disputed_labels_is_printed_only_while_there_are_disputed_labels() -> None:
    labelled, settled, judge = labels_of_two()
    for decided, is_left in ((settled[:-1], True), (settled, False)):
        page = screen(calibrated(with_labels(labelled, *decided), judge))
        assert "annotators disagree with each other" in page
        assert ("--disputed" in page) == is_left
        assert ("Adjudicate the examples" in page) == is_left
