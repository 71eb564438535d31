"""Which findings are one cause, in which order causes are resolved, and what fixing them would change."""

from dataclasses import replace

import numpy as np
import pytest

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import (
    AMBIGUOUS,
    DRIFT_BY_JUDGE,
    DRIFT_GOLD,
    LENGTH,
    LENIENT,
    NOISY,
    NOISY_JUDGE_OR_LABELS,
    SOME_UNREADABLE,
    TOO_FEW_LABELS,
    UNREADABLE,
    FindingKind,
)
from markscheme.report import document as doc
from markscheme.report.html import render_html
from markscheme.report.json import plain
from markscheme.report.markdown import inline, render_markdown
from markscheme.report.sections.fix_first import WORTH_KNOWING, by_cause, fix_first
from markscheme.report.views.calibration import json_of, view
from markscheme.rubrics.rubric import Criterion, Rubric
from tests.calibration.made import examples, judged, rubric
from tests.calibration.unsafe_replies import SAFE_AND_STEPS, unsafe_replies


def finding(kind: FindingKind, criterion: str | None = None) -> Finding:
    """Make a finding of a kind on a criterion."""
    return Finding(kind, criterion, "medium", "")


def causes(*findings: Finding) -> list[list[tuple[str, str | None]]]:
    """Return the groups of findings by cause, each finding as its code and criterion."""
    return [[(member.code, member.criterion) for member in group] for group in by_cause(findings)]


def test_findings_of_one_kind_on_several_criteria_are_shown_together() -> None:
    on_criteria = [finding(NOISY, "tone"), finding(NOISY_JUDGE_OR_LABELS, "facts")]
    assert causes(*on_criteria, finding(NOISY)) == [[("noisy", "tone"), ("noisy", "facts")], [("noisy", None)]]


def test_a_judge_s_error_on_a_criterion_on_which_the_judge_drifted_is_reported_as_part_of_the_drift() -> None:
    findings = [finding(DRIFT_BY_JUDGE, "tone"), finding(LENIENT, "tone"), finding(LENIENT, "facts"), finding(LENGTH)]
    assert causes(*findings) == [
        [("drift", "tone"), ("lenient", "tone")],
        [("lenient", "facts")],
        [("length", None)],
    ]


def test_lower_agreement_on_a_criterion_is_a_separate_finding_only_if_the_judge_did_not_drift_on_the_criterion() -> (
    None
):
    findings = [finding(DRIFT_BY_JUDGE, "tone"), finding(DRIFT_GOLD, "tone"), finding(DRIFT_GOLD, "facts")]
    assert causes(*findings) == [[("drift", "tone")], [("drift-gold", "facts")]]


def test_a_fall_of_agreement_without_drift_is_listed_separately_from_other_findings_on_the_criterion() -> None:
    assert causes(finding(DRIFT_GOLD, "tone"), finding(LENIENT, "tone")) == [
        [("drift-gold", "tone")],
        [("lenient", "tone")],
    ]


def test_findings_are_in_the_order_unreadable_replies_then_labels_then_the_judge_then_missing_labels() -> None:
    findings = [finding(TOO_FEW_LABELS), finding(LENIENT, "tone"), finding(AMBIGUOUS, "tone"), finding(UNREADABLE)]
    codes = ["unreadable", "ambiguous", "lenient", "too-few-labels"]
    assert [group[0].code for group in by_cause(findings)] == codes
    few = [finding(LENIENT, "tone"), finding(SOME_UNREADABLE), finding(AMBIGUOUS, "tone")]
    assert [group[0].code for group in by_cause(few)] == ["ambiguous", "lenient", "unreadable"]


# --- what fixing it would change --------------------------------------------------------------------------------------


def calibrated(of: Rubric, gold: object, judge: object) -> Calibration:
    """A calibration of a judge with two annotators who agree."""
    labels = examples(of, {"p1": gold, "p2": gold})  # type: ignore[dict-item]
    return calibration_of(of, labels, judged(of, judge), Rater("judge", "", "ratings"))  # type: ignore[arg-type]


def cards(section: doc.Section) -> list[doc.Card]:
    return [card for block in section.blocks if isinstance(block, doc.Cards) for card in block.cards]


def worth_knowing(section: doc.Section) -> list[doc.Card]:
    """Return the cards under the heading of findings that change no decision."""
    inner = (block for block in section.blocks if isinstance(block, doc.Section) and block.title == WORTH_KNOWING)
    return [card for block in inner for card in cards(block)]


def test_the_report_names_a_required_criterion_to_fix_first_and_how_many_false_passes_this_would_stop() -> None:
    calibration = calibrated(SAFE_AND_STEPS, *unsafe_replies())
    section = fix_first(calibration)
    first = cards(section)[0]
    assert first.title == doc.Name("safe", "c0")
    assert first.severity == "high"
    assert first.text.endswith("Fixing it alone would stop 20 of the 20 fails that pass.")
    assert len(first.examples.ids) == 20
    assert set(first.examples.ids) == set(calibration.comparison.false_passes)
    assert [card.title for card in worth_knowing(section)] == [doc.Name("steps", "c1")]
    assert worth_knowing(section)[0].text.endswith("changes no decision here.")


def test_the_sentence_on_how_many_decisions_a_fix_corrects_is_the_same_in_json_and_markdown_and_html() -> None:
    calibration = calibrated(SAFE_AND_STEPS, *unsafe_replies())
    sentence = "Fixing it alone would stop 20 of the 20 fails that pass."
    report = plain(json_of(calibration))
    first = report["findings"][0]
    assert (first["criterion"], first["severity"]) == ("safe", "high")
    assert first["message"].endswith(sentence)
    assert first["repairs"] == report["repairs"]["criteria"]["safe"]
    assert (first["repairs"]["false_passes"], first["repairs"]["broken"]) == (20, 0)
    assert report["repairs"]["wrong"] == 20
    assert sentence in render_markdown(view(calibration))
    assert sentence in render_html(view(calibration))


def test_for_a_criterion_with_two_findings_the_report_says_once_what_fixing_it_changes() -> None:
    generator = np.random.default_rng(5)
    of = rubric("tone", "facts")
    truth = generator.integers(1, 6, (150, 2)).astype(float)
    judge = truth.copy()
    judge[:, 0] = np.clip(np.rint(truth[:, 0] + 0.7 + 0.9 * generator.normal(size=150)), 1, 5)
    section = fix_first(calibrated(of, truth, judge))
    about_tone = [card for card in cards(section) if card.title == doc.Name("tone", "c0")]
    assert len(about_tone) > 1
    assert sum("Fixing it alone" in card.text for card in about_tone) == 1


def test_two_criteria_are_named_to_be_fixed_together_if_fixing_only_one_stops_no_false_pass() -> None:
    of = Rubric(tuple(Criterion(1.0, name, name=name) for name in ("a", "b", "c")), pass_mark=0.6)
    calibration = calibrated(of, [[0, 0, 1]] * 20 + [[1, 1, 1]] * 20, [[1, 1, 1]] * 40)
    lines = [
        line for block in fix_first(calibration).blocks if isinstance(block, doc.Paragraph) for line in block.lines
    ]
    (pair,) = map(inline, lines)
    assert "fixing a and b together would stop 20 of the 20 fails that pass" in pair
    assert "e0, e1" in pair


@pytest.mark.parametrize("cause", [DRIFT_BY_JUDGE, None])
def test_a_finding_whose_fix_corrects_no_decision_is_listed_last_unless_it_is_part_of_another_finding(
    cause: FindingKind | None,
) -> None:
    from markscheme.report.sections.fix_first import changes_no_decision

    calibration = calibrated(SAFE_AND_STEPS, *unsafe_replies())
    idle = next(found for found in calibration.findings if found.criterion == "steps")
    others = [finding(cause, "steps")] if cause else []
    assert changes_no_decision(idle, [*others, idle]) == (cause is None)


def test_if_fixing_no_finding_would_correct_a_decision_the_report_says_so_and_still_lists_the_findings() -> None:
    calibration = calibrated(SAFE_AND_STEPS, *unsafe_replies())
    idle = tuple(member for member in calibration.findings if member.criterion == "steps")
    section = fix_first(replace(calibration, findings=idle))
    assert not cards(section)
    assert not any(isinstance(block, doc.Notes) for block in section.blocks)
    assert any(isinstance(block, doc.Paragraph) and "correct a decision" in str(block) for block in section.blocks)
    assert [card.title for card in worth_knowing(section)] == [doc.Name("steps", "c1")]
