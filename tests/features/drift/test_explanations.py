"""Which changes of rubric and judge can explain that the levels on a criterion moved."""

from dataclasses import replace

from benchmarks.noisy_judge import rubric
from markscheme.calibration.earlier_runs.run_identity import RunIdentity, changes_between
from markscheme.features.drift.account import cause_of
from markscheme.features.drift.baseline import can_explain
from markscheme.judges.judge import Identity
from markscheme.rubrics.rubric import Rubric

JUDGE = Identity("anthropic", "large-1", {"max_tokens": 4096})


def _setting(asked: Rubric, identity: Identity = JUDGE) -> RunIdentity:
    return RunIdentity(asked, "t", str(identity), identity)


def test_a_change_of_rubric_or_judge_explains_shifts_only_on_criteria_whose_levels_it_can_change() -> None:
    reworded = rubric("per_criterion", changed=["tone"])
    criteria = (replace(c, weight=3.0) if c.name == "facts" else c for c in reworded.criteria)
    later = _setting(replace(reworded, criteria=tuple(criteria)), replace(JUDGE, model="two"))
    changes = changes_between(_setting(rubric("per_criterion")), later)
    assert {change.key for change in changes} == {"text:tone", "judge:model", "weight:facts"}
    assert [change.key for change in can_explain(changes, "tone")] == ["text:tone", "judge:model"]
    assert [change.key for change in can_explain(changes, "facts")] == ["judge:model"]


def test_each_change_since_an_earlier_run_is_described_in_a_sentence_that_says_who_or_what_changed() -> None:
    before = _setting(rubric())
    causes = {
        change.key: cause_of(change)
        for later in (
            _setting(rubric(changed=["tone"])),
            _setting(replace(rubric(), criteria=rubric().criteria[1:])),
            _setting(rubric("per_criterion")),
            _setting(rubric(), replace(JUDGE, model="large-2")),
            replace(before, template="u"),
        )
        for change in changes_between(before, later)
    }
    assert causes["text:tone"] == "You reworded tone"
    assert causes["removed:clarity"] == "You removed clarity"
    assert causes["strategy"].startswith("You changed the strategy of asking")
    assert causes["judge:model"] == "The judge's model is now large-2; it was large-1"
    assert causes["template"] == "The wording of the prompts around the rubric changed"
