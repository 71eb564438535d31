"""What changed between two runs, and whose levels each change can have moved."""

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.noisy_judge import NAMES, rubric
from markscheme.calibration.earlier_runs.run_identity import (
    RunIdentity,
    SettingChange,
    changes_between,
    need_replay,
)
from markscheme.judges.judge import Identity
from markscheme.rubrics.rubric import Criterion, Rubric, Scale

JUDGE = Identity("anthropic", "large-1", {"max_tokens": 4096, "stops": ["a", "b"]})
ALL = frozenset(NAMES)


def _setting(asked: Rubric, identity: Identity | None = JUDGE, **rest: Any) -> RunIdentity:
    return RunIdentity(asked, rest.pop("template", "t"), str(identity or "ratings"), identity, **rest)


def _changes(then: Rubric, now: Rubric) -> dict[str, SettingChange]:
    return {change.key: change for change in changes_between(_setting(then), _setting(now))}


def _with(asked: Rubric, name: str, **changes: Any) -> Rubric:
    return replace(asked, criteria=tuple(replace(c, **changes) if c.name == name else c for c in asked.criteria))


def test_two_runs_with_the_same_rubric_and_judge_have_no_change_between_them() -> None:
    assert changes_between(_setting(rubric()), _setting(rubric())) == ()


@pytest.mark.parametrize(
    ("strategy", "reached"), [("per_criterion", {"tone"}), ("one_shot", ALL), ("double_pass", ALL)]
)
def test_rewording_a_criterion_can_change_levels_on_it_and_on_all_criteria_in_the_same_prompt(
    strategy: str, reached: set[str]
) -> None:
    changes = _changes(rubric(strategy), rubric(strategy, changed=["tone"]))
    assert changes.keys() == {"text:tone"}
    assert changes["text:tone"].criteria == reached
    assert changes["text:tone"].what == "the text of criterion 'tone'"


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"good": "thanks"}, "text:tone"),
        ({"not_applicable": True}, "text:tone"),
        ({"scale": Scale.numbered(1, 7)}, "scale:tone"),
        ({"weight": -1.0}, "fault:tone"),
        ({"sees": ()}, "sees:tone"),
        ({"check": "json_valid"}, "check:tone"),
    ],
)
def test_a_change_of_one_criterion_can_change_no_other_criterion_s_levels_if_each_has_its_own_prompt(
    changes: dict[str, Any], key: str
) -> None:
    changes_found = _changes(rubric("per_criterion"), _with(rubric("per_criterion"), "tone", **changes))
    assert key in changes_found
    assert changes_found[key].side == "rubric"
    assert changes_found[key].criteria == {"tone"}


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"weight": 2.0}, "weight:tone"),
        ({"required": True}, "passing:tone"),
        ({"threshold": 0.9}, "passing:tone"),
    ],
)
def test_changing_the_weight_or_threshold_of_a_criterion_can_change_scores_but_no_level(
    changes: dict[str, Any], key: str
) -> None:
    changes_found = _changes(rubric(), _with(rubric(), "tone", **changes))
    assert changes_found.keys() == {key}
    assert changes_found[key].side == "score"
    assert changes_found[key].criteria == frozenset()


@pytest.mark.parametrize(("changes", "key"), [({"pass_mark": 0.8}, "pass_mark"), ({"tolerance": 0.2}, "tolerance")])
def test_changing_the_pass_mark_changes_no_level_and_is_reported_with_the_old_and_the_new_pass_mark(
    changes: dict[str, Any], key: str
) -> None:
    changes_found = _changes(rubric(), replace(rubric(), **changes))
    assert changes_found.keys() == {key}
    assert (changes_found[key].then, changes_found[key].now) in {("0.5", "0.8"), ("0.1", "0.2")}


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"description": "another"}, "description"),
        ({"guidelines": "be kind"}, "guidelines"),
        ({"inputs": ("query", "reference")}, "inputs"),
        ({"strategy": "per_criterion"}, "strategy"),
        ({"samples": 3}, "samples"),
    ],
)
def test_a_change_that_affects_all_prompts_can_change_the_levels_of_every_criterion(
    changes: dict[str, Any], key: str
) -> None:
    changes_found = _changes(rubric(), replace(rubric(), **changes))
    assert changes_found.keys() == {key}
    assert changes_found[key].criteria == ALL


def test_adding_or_removing_a_criterion_can_change_the_levels_of_the_criteria_in_the_same_prompt() -> None:
    more = replace(rubric(), criteria=(*rubric().criteria, Criterion(1.0, "is short", "length")))
    assert _changes(rubric(), more)["added:length"].criteria == {*NAMES, "length"}
    assert _changes(more, rubric())["removed:length"].criteria == ALL
    alone = replace(more, strategy="per_criterion")
    assert _changes(rubric("per_criterion"), alone)["added:length"].criteria == {"length"}


def test_a_new_order_of_criteria_can_change_levels_only_if_one_prompt_asks_about_all_criteria() -> None:
    turned = replace(rubric(), criteria=tuple(reversed(rubric().criteria)))
    assert _changes(rubric(), turned)["order"].criteria == ALL
    assert _changes(rubric("per_criterion"), replace(turned, strategy="per_criterion"))["order"].criteria == set()


@pytest.mark.parametrize(
    ("now", "key", "then_now"),
    [
        (replace(JUDGE, model="large-2"), "judge:model", ("large-1", "large-2")),
        (replace(JUDGE, name="openai:x"), "judge:name", ("anthropic", "openai:x")),
        (replace(JUDGE, address="https://here"), "judge:address", ("nothing", "https://here")),
        (
            replace(JUDGE, parameters={"max_tokens": 2048, "stops": ("a", "b")}),
            "judge:parameter:max_tokens",
            ("4096", "2048"),
        ),
    ],
)
def test_a_change_of_the_judge_is_reported_with_its_old_and_new_values(
    now: Identity, key: str, then_now: tuple[str, str]
) -> None:
    (change,) = changes_between(_setting(rubric()), _setting(rubric(), now))
    assert (change.key, change.side, change.criteria) == (key, "judge", ALL)
    assert (change.then, change.now) == then_now
    assert f"({then_now[0]} → {then_now[1]})" in change.sentence


def test_a_change_of_the_judge_cannot_change_levels_on_a_criterion_that_code_checks() -> None:
    coded = _with(rubric(), "format", check="json_valid")
    (change,) = changes_between(_setting(coded), _setting(coded, replace(JUDGE, model="large-2")))
    assert change.criteria == ALL - {"format"}


def test_another_model_name_in_the_replies_counts_as_a_change_of_the_judge() -> None:
    then = _setting(rubric(), answered_by=("large-1-0501",))
    (change,) = changes_between(then, _setting(rubric(), answered_by=("large-1-0801",)))
    assert change.sentence == "the model that answers, as it names itself (large-1-0501 → large-1-0801)"
    assert changes_between(then, _setting(rubric())) == ()


def test_judges_known_only_by_their_ratings_are_distinguished_by_name() -> None:
    mine, theirs = RunIdentity(rubric(), "t", "mine"), RunIdentity(rubric(), "t", "theirs")
    assert [change.key for change in changes_between(mine, theirs)] == ["judge"]
    assert changes_between(mine, mine) == ()


def test_a_change_of_the_prompt_template_can_change_the_levels_of_every_criterion() -> None:
    (change,) = changes_between(_setting(rubric()), _setting(rubric(), template="other"))
    assert (change.key, change.criteria) == ("template", ALL)


def test_grading_again_by_the_old_rubric_is_needed_only_if_the_rubric_s_words_and_the_judge_both_changed() -> None:
    text, judge = rubric(changed=["tone"]), replace(JUDGE, model="two")
    assert not need_replay(changes_between(_setting(rubric()), _setting(text)))
    assert not need_replay(changes_between(_setting(rubric()), _setting(rubric(), judge)))
    assert not need_replay(changes_between(_setting(rubric()), _setting(_with(rubric(), "tone", weight=2.0), judge)))
    assert need_replay(changes_between(_setting(rubric()), _setting(text, judge)))
    assert need_replay(changes_between(_setting(rubric()), _setting(text, template="other")))


def test_a_model_name_of_500_characters_is_cut_to_60_in_the_stated_change_between_two_runs() -> None:
    (change,) = changes_between(_setting(rubric()), _setting(rubric(), replace(JUDGE, model="m" * 500)))
    assert len(str(change.now)) == 60
