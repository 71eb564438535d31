"""The comparison with the accepted run as a reader and as a program gets it."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.drift import baseline
from benchmarks.noisy_judge import CHANGED, NoisyJudge, calibrated, rubric
from markscheme.calibration.accepted.acceptance import accept
from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.earlier_runs.run_identity import Accepted
from markscheme.calibration.options import AcceptingOptions, LabelOptions
from markscheme.features.drift import section as accepted_run
from markscheme.features.drift.account import over_looks
from markscheme.features.drift.baseline import Baseline
from markscheme.judges.options import AskOptions
from markscheme.report.document import Command, Document, Notes
from markscheme.report.json import dumps
from markscheme.report.sections.fix_first import fix_first
from markscheme.report.terminal import render_terminal
from markscheme.report.views.calibration import json_of
from tests.report.reading import text_of


@pytest.fixture(scope="module")
def since(tmp_path_factory: pytest.TempPathFactory) -> AcceptedBasis:
    """An accepted run of a judge without noise, two runs kept."""
    path = tmp_path_factory.mktemp("kept") / "accepted.json"
    accept(calibrated(_still(), rubric("per_criterion"), runs=2), path)
    return AcceptedBasis(load_accepted(path))


def _still(**changes: object) -> NoisyJudge:
    return replace(NoisyJudge.made(seed=8), noise=0.0, **changes)  # type: ignore[arg-type]


def _moved(since: AcceptedBasis) -> Baseline:
    judge = _still(added={"tone": 1.0}, parameters={"temperature": 0.0})
    return baseline(calibrated(judge, rubric("per_criterion", changed=[CHANGED]), since=since))


def _shown(baseline: Baseline) -> list[str]:
    """The section as a screen 200 columns wide shows it, without its title."""
    page = io.StringIO()
    document = Document("", "", (), (accepted_run.section(baseline, "calibrate", is_usable=True),))
    render_terminal(document, page, width=200)
    text = re.sub(r"\d{4}-\d\d-\d\d", "DATE", page.getvalue())
    return [re.sub(" {2,}", "  ", line) for line in text.splitlines()[3:]]


def test_an_unchanged_judge_is_shown_without_drift(since: AcceptedBasis) -> None:
    drift = baseline(calibrated(_still(), rubric("per_criterion"), since=since))
    compared, level, changed, _, score, _, *rows = _shown(drift)
    assert compared == "Accepted run of DATE (2 runs): 60 examples shared."
    assert level.startswith("This is comparison 1 with it. The chance of a false alarm over all comparisons is 5%;")
    assert changed == "Changed since: nothing on record."
    assert score.startswith("Change of the mean score: 0.00 (90% CI −0.04 to +0.04, p 1).")
    assert [row.split("  ")[:2] for row in rows] == [[name, "no drift"] for name in drift.criteria]
    assert accepted_run.headline(drift) is None


def test_the_drift_section_lists_changes_of_rubric_and_judge_and_each_criterion_s_figures(since: AcceptedBasis) -> None:
    _, _, changed, intervals, score, _, *rows, noise = _shown(_moved(since))
    assert changed == "Changed since: the text of criterion 'clarity'; the judge's parameter 'temperature' (1.0 → 0.0)."
    assert intervals.startswith("Intervals here are 90% CIs, ")
    assert score.startswith("Change of the mean score: +0.0")
    assert "Decision flipped on" in score
    cells = {row.split("  ")[0]: row.split("  ")[1:5] for row in rows}
    assert cells["clarity"] == ["drifted", "−0.45 (−0.63 to −0.27)", "0.012", "45% (0% among the accepted runs)"]
    assert cells["tone"] == ["drifted", "+0.78 (+0.60 to +0.96)", "0.001", "78% (0% among the accepted runs)"]
    assert cells["facts"][0] == cells["format"][0] == "no drift"
    assert noise == "Answers differ more than the accepted runs do among themselves: clarity, tone."


def test_the_headline_on_drift_says_if_a_criterion_was_reworded_or_the_judge_changed_or_drifted(
    since: AcceptedBasis,
) -> None:
    reworded = baseline(calibrated(_still(), rubric("per_criterion", changed=[CHANGED]), since=since))
    other_model = baseline(
        calibrated(_still(parameters={"temperature": 0.0}, added={"tone": 1.0}), rubric("per_criterion"), since=since)
    )
    nothing = baseline(calibrated(_still(added={"tone": 1.0}), rubric("per_criterion"), since=since))
    heads = [accepted_run.headline(drift) for drift in (reworded, other_model, nothing)]
    assert [(head.tone, head.head) for head in heads if head is not None] == [
        ("note", "You reworded clarity: label again before it gates."),
        ("bad", "The judge changed: don't use this judge yet."),
        ("bad", "The judge drifted: don't use this judge yet."),
    ]
    assert heads[0] is not None
    assert heads[0].text is not None
    assert heads[0].text.startswith("On the same 60 examples clarity now scores 0.45 levels lower")


def test_a_finding_on_drift_suggests_a_command_that_asks_the_accepted_run_s_judge_and_not_the_new_one(
    since: AcceptedBasis,
) -> None:
    earlier = replace(since, accepted=_by("openai:old", since))
    calibration = calibrated(_still(name="openai:new", added={"tone": 1.0}), rubric("per_criterion"), since=earlier)
    moved = next(finding for finding in calibration.findings if finding.code == "drift")
    assert str(moved.suggestion).startswith("Undo the change, then calibrate again.")
    assert moved.command(calibration.commands) == "markscheme calibrate drift --judge openai:old"
    families = (AcceptingOptions(accepted=Path("then.json")), LabelOptions(split="dev"))
    rater = replace(calibration.rater, examples=Path("more.jsonl"), ask=AskOptions(samples=3), families=families)
    assert moved.command(replace(calibration, rater=rater).commands) == (
        "markscheme calibrate drift --examples more.jsonl --samples 3 -o accepted=then.json --split dev "
        "--judge openai:old"
    )


def test_if_the_judge_s_temperature_changed_the_command_that_restores_the_judge_sets_the_old_temperature(
    since: AcceptedBasis,
) -> None:
    earlier = replace(since, accepted=_by("openai:old", since, temperature=1.0))
    calibration = calibrated(
        _still(name="openai:new", parameters={"temperature": 0.5}, added={"tone": 1.0}),
        rubric("per_criterion"),
        since=earlier,
    )
    moved = next(finding for finding in calibration.findings if finding.code == "drift")
    now = replace(calibration, rater=replace(calibration.rater, ask=AskOptions(temperature=0.5)))
    assert moved.command(now.commands) == "markscheme calibrate drift --judge openai:old -o temperature=1.0"


def _by(judge: str, since: AcceptedBasis, **parameters: float) -> Accepted:
    """Return the accepted runs as if another judge had made them."""
    assert since.accepted is not None
    identity = since.accepted.setting.identity
    assert identity is not None
    renamed = replace(identity, name=judge, model=judge[7:], parameters={**identity.parameters, **parameters})
    setting = replace(since.accepted.setting, judge=judge, identity=renamed)
    return replace(since.accepted, setting=setting)


def test_after_a_parameter_of_the_judge_changed_the_section_on_what_to_fix_ends_with_a_calibrate_command(
    since: AcceptedBasis,
) -> None:
    judge = _still(added={"tone": 1.0}, parameters={"temperature": 0.0})
    calibration = calibrated(judge, rubric("per_criterion"), since=since)
    *_, notes = fix_first(calibration).blocks
    assert notes == Notes((("To calibrate again: ", Command("markscheme calibrate drift")),))


def test_the_report_on_a_run_that_is_accepted_says_whether_it_joins_or_replaces_the_accepted_runs(
    since: AcceptedBasis,
) -> None:
    drift = baseline(calibrated(_still(), rubric("per_criterion"), since=replace(since, accepting=True)))
    assert _shown(drift)[-1] == "This run is added to the accepted ones."
    started_over = replace(since, accepting=True, start_over=True)
    drift = baseline(calibrated(_still(), rubric("per_criterion"), since=started_over))
    assert _shown(drift)[-1] == "This run replaces the accepted ones."


def test_the_drift_report_says_which_number_this_comparison_has_among_the_planned_comparisons(
    since: AcceptedBasis,
) -> None:
    drift = baseline(calibrated(_still(), rubric("per_criterion"), since=replace(since, run=2, planned=13)))
    assert _shown(drift)[1].startswith("This is comparison 2 of 13 planned with it. ")


def test_the_drift_report_says_if_this_comparison_or_all_comparisons_together_raise_the_alarm(
    since: AcceptedBasis,
) -> None:
    drifts = {
        name: baseline(calibrated(_still(**changes), rubric("per_criterion"), since=replace(since, **asked)))
        for name, changes, asked in (
            ("still", {}, {"looks": (0.9, 0.8)}),
            ("not yet", {}, {"looks": (0.9, 3.0)}),
            ("all looks", {}, {"looks": (9.0, 81.0, 2.0)}),
            ("planned", {}, {"looks": (9.0, 81.0), "planned": 13}),
            ("this look", {"added": {"tone": 1.0}}, {"looks": (0.9,)}),
            ("both", {"added": {"tone": 1.0}}, {"looks": (9.0, 81.0)}),
        )
    }
    assert [(drift.alarm, drift.alarm_by) for drift in drifts.values()] == [
        (False, ()),
        (False, ()),
        (True, ("all looks",)),
        (False, ()),
        (True, ("this look",)),
        (True, ("this look", "all looks")),
    ]
    short = {name: accepted_run.in_short(drift) for name, drift in drifts.items()}
    assert "in this comparison (p " in short["still"]
    assert short["still"].endswith("Over 2 comparisons with the accepted run the judge didn't move.")
    assert "may have moved (evidence 3.0; an alarm needs 80): one comparison can't tell; ask again" in short["not yet"]
    assert short["planned"].endswith(
        "the judge moved (evidence 81.0; an alarm needs 80), which is no alarm among planned runs."
    )
    assert "Over" not in short["all looks"]
    assert "(evidence over 1000; an alarm needs 80)" in over_looks(replace(since, looks=(9.0, 6.9e54)))
    heads = {name: accepted_run.headline(drift) for name, drift in drifts.items()}
    assert [name for name, head in heads.items() if head is not None] == ["all looks", "this look", "both"]
    texts = {name: head.text for name, head in heads.items() if head is not None and head.text is not None}
    assert texts["all looks"].startswith("Over 3 comparisons with the accepted run the judge moved")
    assert "Shown in this comparison with the accepted run." in texts["this look"]
    assert "Shown in this comparison, and over all 2 together." in texts["both"]
    spoke = {name: next(line for line in _shown(drift) if line.startswith("Over")) for name, drift in drifts.items()}
    assert spoke["still"].endswith("No alarm, by this comparison or by all.")
    assert spoke["all looks"].endswith("Alarm by all comparisons.")
    assert spoke["both"].endswith("Alarm by this comparison and all comparisons.")


def test_the_json_of_drift_has_every_key_and_no_nan(since: AcceptedBasis) -> None:
    calibration = calibrated(
        _still(added={"tone": 1.0}, parameters={"temperature": 0.0}), rubric(changed=[CHANGED]), since=since
    )
    report = json.loads(dumps(json_of(calibration)))["baseline"]
    assert report.keys() == {
        "accepted", "run", "planned_runs", "level", "alarm", "examples", "agreement", "score", "changes", "criteria",
        "not_compared", "headline", "notes", "samples", "alarm_by", "looks",
    }  # fmt: skip
    assert report["alarm"] is True
    assert report["examples"] == {"shared": 60, "other_response": 0, "gone": 0, "new": 0}
    tone = report["criteria"]["tone"]
    assert tone["verdict"] == "drifted"
    assert tone["shift"]["value"] > 0.5
    assert tone["flips"]["stored"]["value"] == 0.0
    assert tone["causes"]["changes"] == ["text:clarity", "strategy", "judge:parameter:temperature"]
    assert not tone["causes"]["separable"]
    assert {change["key"]: change["now"] for change in report["changes"]} == {
        "text:clarity": None,
        "strategy": "one_shot",
        "judge:parameter:temperature": "0.0",
    }


def test_the_comparison_with_accepted_runs_is_null_in_the_json_of_calibrate_if_no_run_was_accepted(
    tmp_path: Path,
) -> None:
    assert json_of(calibrated(_still(), rubric()))["baseline"] is None


@pytest.mark.parametrize(("samples", "what"), [(1, "this one"), (3, "the 3 samples as runs")])
def test_without_an_accepted_run_the_section_on_drift_suggests_to_accept_this_run(samples: int, what: str) -> None:
    document = Document(
        "", "", (), (accepted_run.section(None, "calibrate clear --accept", is_usable=True, samples=samples),)
    )
    assert f"Accept {what}, and later runs show" in text_of(document)
