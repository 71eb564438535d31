"""The number of labels that a verdict needs: planned, saved by a calibration, and counted down."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.comparison import compare
from markscheme.calibration.decision import decide, labels_to_begin
from markscheme.calibration.next_labels import (
    FIRST_LABELS,
    NEXT_LABELS,
    NextLabels,
    next_labels,
)
from markscheme.calibration.wanted_labels import keep_next_labels, planned_labels
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of, no_gold
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.report.views.calibration import view
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.labels_needed import DecisiveLabels
from tests.report.reading import text_of

RUBRIC = Rubric.from_dict([{"name": "kind", "requirement": "Is it kind?", "weight": 1}])


def labelled(n: int, kind: Kind = "human") -> ExampleSet:
    """Make examples that two people label equally, every other one as kind."""
    return ExampleSet(
        tuple(
            Example(
                Submission(f"r{i}", {}, f"e{i}"),
                tuple(Rating(f"e{i}", rater, kind, {"kind": Rated(float(i % 2))}) for rater in ("a", "b")),
            )
            for i in range(n)
        )
    )


def calibrated(n: int, wrong: int) -> Calibration:
    """Calibrate a judge that is wrong on `wrong` of n examples."""
    ratings = [
        Rating(f"e{i}", "j", "model", {"kind": Rated(float(1 - i % 2 if i < wrong else i % 2))}) for i in range(n)
    ]
    return calibration_of(RUBRIC, labelled(n), ratings, Rater("j", "", "ratings"))


def keep(calibration: Calibration, folder: Path) -> None:
    """Save the number of labels that a calibration asked for."""
    keep_next_labels(calibration.decision, calibration.comparison.gold, calibration.rater.name, folder)


def test_a_labelling_plan_asks_for_the_same_number_of_labels_as_the_calibration() -> None:
    calibration = calibrated(30, 3)
    truth = gold_of(labelled(30), RUBRIC)
    judged = list(calibration.judge_ratings)
    pilot = compare(truth.judged(RUBRIC, judged))
    assert planned_labels(truth, decide(pilot, target=0.8), 0.8, has_fails=True) == NextLabels(
        calibration.decision.labels, calibration.decision.next_step, because=calibration.decision.because
    )
    assert calibration.labels_needed == 80


def test_the_number_of_labels_needed_for_a_first_verdict_is_named_before_any_judge_was_asked() -> None:
    asked = planned_labels(gold_of(labelled(30), RUBRIC), None, 0.8, has_fails=True)
    assert asked.labels is not None
    assert (asked.labels.more, asked.labels.assumed) == (50, 0.9)
    enough = planned_labels(gold_of(labelled(100), RUBRIC), None, 0.8, has_fails=True)
    assert str(enough.in_words).startswith("Enough examples are labelled for a first verdict")
    assert planned_labels(gold_of(labelled(30), RUBRIC), None, 0.99, has_fails=True).labels is None


def test_examples_that_lack_a_label_on_one_criterion_do_not_reduce_the_labels_needed() -> None:
    two = Rubric.from_dict([{"name": "kind", "requirement": "Is it kind?"}, {"name": "true", "requirement": "True?"}])
    asked = planned_labels(gold_of(labelled(100), two), None, 0.8, has_fails=True)
    assert asked.labels is not None
    assert asked.labels.more == 80
    ratings = [Rating(f"e{i}", "j", "model", {"kind": Rated(float(i % 2)), "true": Rated(1.0)}) for i in range(100)]
    judged = calibration_of(two, labelled(100), ratings, Rater("j", "", "ratings"))
    assert judged.labels_needed == 80


def test_the_constant_for_the_labels_needed_by_an_unlabelled_rubric_equals_the_computed_number(
    tmp_path: Path,
) -> None:
    first = labels_to_begin(no_gold(RUBRIC), RUBRIC.target)
    assert first is not None
    assert (FIRST_LABELS.more, FIRST_LABELS.assumed) == (first.more, first.assumed)
    assert FIRST_LABELS.chance == pytest.approx(first.chance)
    assert next_labels(tmp_path, RUBRIC, labelled(0)) == planned_labels(
        no_gold(RUBRIC), None, RUBRIC.target, has_fails=True
    )
    higher = replace(RUBRIC, target=0.9)
    assert next_labels(tmp_path, higher, labelled(0)) == planned_labels(no_gold(higher), None, 0.9, has_fails=True)


def test_the_number_of_labels_that_a_calibration_asked_for_is_counted_down_while_people_label(tmp_path: Path) -> None:
    calibration = calibrated(30, 3)
    keep(calibration, tmp_path)
    assert next_labels(tmp_path, RUBRIC, labelled(30)) == NextLabels(
        calibration.decision.labels, calibration.decision.next_step, "j", verdict="not-enough-labels"
    )
    later = next_labels(tmp_path, RUBRIC, labelled(45))
    assert later.in_words == "Label about 65 more for an even chance to say whether the judge can gate."
    done = next_labels(tmp_path, RUBRIC, labelled(110))
    assert done.in_words == "As many are labelled as the last calibration asked for: calibrate again."


def test_a_symlink_in_place_of_the_file_with_the_number_of_labels_needed_is_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("mine")
    (tmp_path / NEXT_LABELS).symlink_to(other)
    with pytest.raises(OSError, match="is a link"):
        keep(calibrated(30, 3), tmp_path)
    assert other.read_text() == "mine"


def test_no_labels_are_asked_for_once_it_is_shown_whether_the_judge_can_gate(tmp_path: Path) -> None:
    keep(calibrated(60, 0), tmp_path)
    assert next_labels(tmp_path, RUBRIC, labelled(60)) == NextLabels(None, None, "j", verdict="ok")


def test_if_too_few_examples_have_two_annotators_for_a_gate_a_second_annotator_is_asked_for(
    tmp_path: Path,
) -> None:
    both = labelled(60)
    by_one = ExampleSet(tuple(replace(example, labels=example.labels[:1]) for example in labelled(160).examples[60:]))
    examples = ExampleSet((*both.examples, *by_one.examples))
    ratings = [Rating(f"e{i}", "j", "model", {"kind": Rated(float(i % 2))}) for i in range(160)]
    calibration = calibration_of(RUBRIC, examples, ratings, Rater("j", "", "ratings"))
    assert (calibration.use, calibration.decision.because_code) == ("trend", "one-annotator")
    shown = text_of(view(calibration))
    assert "Use for trends: only 60 of 160 examples have two annotators." in shown
    assert "Gold comes from labels of one annotator, of several on 60 examples." in shown
    assert "one annotator per example" not in shown
    keep(calibration, tmp_path)
    asked = next_labels(tmp_path, RUBRIC, examples)
    assert (asked.labels, asked.to_second) == (None, 84)
    assert str(asked.in_words).startswith("Have a second annotator label about 84 of the examples")
    done = next_labels(tmp_path, RUBRIC, labelled(160))
    assert (done.to_second, done.in_words) == (
        0,
        "As many are labelled as the last calibration asked for: calibrate again.",
    )


def test_the_next_step_saved_by_calibrate_says_if_more_labels_will_not_decide_whether_the_judge_can_gate(
    tmp_path: Path,
) -> None:
    calibration = calibrated(200, 40)
    keep(calibration, tmp_path)
    assert str(next_labels(tmp_path, RUBRIC, labelled(200)).in_words).startswith("More labels won't decide")


def test_the_number_of_labels_needed_is_not_saved_if_no_person_labelled(tmp_path: Path) -> None:
    judged = [Rating(f"e{i}", "j", "model", {"kind": Rated(float(i % 2))}) for i in range(30)]
    keep(calibration_of(RUBRIC, labelled(30, "constructed"), judged, Rater("j", "", "ratings")), tmp_path)
    assert not (tmp_path / NEXT_LABELS).exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"judge": "j", "labelled": "many"}', "null", "[" * 3_000])
def test_a_damaged_file_with_the_number_of_labels_needed_counts_as_missing(tmp_path: Path, text: str) -> None:
    (tmp_path / NEXT_LABELS).write_text(text)
    assert next_labels(tmp_path, RUBRIC, labelled(30)).judge is None


def test_the_file_with_the_labels_needed_also_holds_the_judge_s_name_and_the_chance_that_the_labels_decide(
    tmp_path: Path,
) -> None:
    calibration = calibrated(30, 3)
    keep(calibration, tmp_path)
    kept = json.loads((tmp_path / NEXT_LABELS).read_text())
    assert (kept["judge"], kept["labelled"], kept["verdict"]) == ("j", 30, "not-enough-labels")
    assert (kept["labels_needed"], kept["labels_chance"]) == (80, pytest.approx(0.5333, abs=1e-4))


def test_no_more_labels_are_asked_for_than_unlabelled_responses_are_left() -> None:
    asked = NextLabels(
        DecisiveLabels(40, 0.56), "Label about 80 more for an even chance to say whether the judge can gate."
    )
    assert asked.of(24, "outputs.jsonl") == "Label all 24 that are left in outputs.jsonl."
    assert asked.of(41, "outputs.jsonl") == asked.of(0) == asked.in_words
    assert decide(calibrated(30, 3).comparison).next_step == asked.in_words
    one_left = NextLabels(FIRST_LABELS, "Label about 80 more.")
    assert one_left.of(1) == "Label the one that is left."
    assert one_left.of(1, "pool.jsonl") == "Label the one that is left in pool.jsonl."


def test_the_message_on_labels_still_needed_says_if_labelled_fails_or_labelled_passes_are_too_few(
    tmp_path: Path,
) -> None:
    truth = [0.0] * 20 + [1.0] * 180
    examples = ExampleSet(
        tuple(
            Example(
                Submission(f"r{i}", {}, f"e{i}"),
                tuple(Rating(f"e{i}", rater, "human", {"kind": Rated(level)}) for rater in ("a", "b")),
            )
            for i, level in enumerate(truth)
        )
    )
    wrong = {0, 1, *range(20, 26)}
    ratings = [
        Rating(f"e{i}", "j", "model", {"kind": Rated(1 - level if i in wrong else level)})
        for i, level in enumerate(truth)
    ]
    keep(calibration_of(RUBRIC, examples, ratings, Rater("j", "", "ratings")), tmp_path)
    assert json.loads((tmp_path / NEXT_LABELS).read_text())["scarce"] == {
        "decision": "fail",
        "share": pytest.approx(20.5 / 201),
    }
    label = Rating("e200", "a", "human", {"kind": Rated(1.0)})
    more = ExampleSet(
        (
            *examples.examples,
            *(
                Example(Submission(f"s{i}", {}, f"s{i}"), (Rating(f"s{i}", "a", "human", label.criteria),))
                for i in range(20)
            ),
        )
    )
    left = next_labels(tmp_path, RUBRIC, more)
    assert left.labels is not None
    assert left.labels.more == 20
    assert str(left.in_words).endswith("; about 2 of them will be fails, and those decide.")


def test_the_accept_option_is_not_suggested_for_a_run_that_would_not_be_accepted() -> None:
    ratings = [Rating(f"e{i}", "j", "model", {"kind": Rated(float(i % 2))}) for i in range(200)]
    whole, half = (
        calibration_of(RUBRIC, labelled(200), rated, Rater("j", "", "live")) for rated in (ratings, ratings[:120])
    )
    assert (whole.use, half.use) == ("gate", "gate")
    assert "--accept" in text_of(view(whole))
    assert "--accept" not in text_of(view(half))


def test_the_advice_on_labels_for_a_first_verdict_assumes_a_share_of_fails_except_for_a_rubric_of_pairs(
    tmp_path: Path,
) -> None:
    pairs = Rubric.from_dict({"compare": "pairs", "criteria": [{"name": "better", "prefer": "The better reply."}]})
    assert "if half of them are fails and it agrees on 90%." in str(next_labels(tmp_path, RUBRIC, labelled(0)).in_words)
    assert "if it agrees on 90% of them." in str(next_labels(tmp_path, pairs, ExampleSet(())).in_words)
