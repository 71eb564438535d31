"""Every setting that is compared with people's labels is on record, and widens the interval of all of them."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme import Identity, Rubric
from markscheme.calibration.comparison.comparison import measure_of
from markscheme.calibration.tried_settings import SETTINGS, TriedSetting, TriedSettings, setting_digest, tried_settings
from markscheme.errors import RatingError, RatingWarning

PLAIN: dict[str, Any] = {
    "name": "reply",
    "criteria": [
        {"name": "polite", "requirement": "The reply is polite.", "weight": 2},
        {
            "name": "facts",
            "description": "Are the facts right?",
            "levels": [{"value": 1, "description": "None is."}, {"value": 2, "description": "All are."}],
        },
    ],
}
JUDGE = Identity("anthropic", "claude-haiku-4-5", {"temperature": 0})


def digest(judge: Identity | str = JUDGE, of: str | None = None, tolerance: float | None = None, **keys: Any) -> str:
    """The digest of a setting that differs from the plain one in some keys of the rubric."""
    rubric = Rubric.from_dict(PLAIN | keys)
    return setting_digest(rubric, measure_of(rubric, of, tolerance), judge)


def with_criterion(place: int, **keys: Any) -> list[dict[str, Any]]:
    """The criteria, one of them with other keys."""
    return [one | keys if number == place else one for number, one in enumerate(PLAIN["criteria"])]


@pytest.mark.parametrize(
    "criteria",
    [
        with_criterion(0, requirement="the reply  is polite"),
        with_criterion(0, requirement="The reply\nis *polite*!"),
        with_criterion(1, levels=[{"value": 1, "description": "none is"}, {"value": 2, "description": "All are…"}]),
    ],
)
def test_case_white_space_and_punctuation_make_no_other_setting(criteria: list[dict[str, Any]]) -> None:
    assert digest(criteria=criteria) == digest()


@pytest.mark.parametrize("keys", [{"target": 0.9}, {"max_false_pass": 0.1}, {"ask_within": 0.1}])
def test_what_changes_no_agreement_makes_no_other_setting(keys: dict[str, Any]) -> None:
    assert digest(**keys) == digest()


@pytest.mark.parametrize(
    "keys",
    [
        {"criteria": with_criterion(0, requirement="The reply is very polite.")},
        {"criteria": with_criterion(0, weight=3)},
        {"criteria": with_criterion(0, required=True)},
        {"criteria": with_criterion(0, threshold=0.7)},
        {"criteria": with_criterion(1, levels=[{"value": 1, "description": "No."}, {"value": 2}])},
        {"criteria": with_criterion(1, levels=[{"value": 1, "description": "None is."}, {"value": 3}])},
        {"criteria": with_criterion(0)[:1]},
        {"criteria": with_criterion(0)[::-1]},
        {"passingThreshold": 0.6},
        {"strategy": "per_criterion"},
        {"samples": 3},
        {"guidelines": "Be strict."},
        {"tolerance": 0.2},
        {"of": "decision"},
        {"tolerance": 0.15},
        {"judge": "gpt-4"},
        {"judge": replace(JUDGE, model="claude-opus-4-5")},
        {"judge": replace(JUDGE, parameters={"temperature": 1})},
    ],
)
def test_what_may_change_agreement_makes_another_setting(keys: dict[str, Any]) -> None:
    assert digest(**keys) != digest()


def test_tolerance_plays_no_part_in_decisions() -> None:
    assert digest(of="decision", tolerance=0.2) == digest(of="decision")


def tried(setting: str, *examples: str, at: str = "2026-11-02", split: str | None = None) -> TriedSetting:
    """A setting of a rubric with the guidelines `setting`."""
    rubric = Rubric.from_dict(PLAIN | {"guidelines": setting})
    return TriedSetting.of(rubric, measure_of(rubric), "gpt-4", examples, at=at, split=split)


def test_a_missing_record_counts_one_setting() -> None:
    assert TriedSettings().count(["a", "b"]) == 1


def test_settings_on_any_of_the_examples_count_once_each(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS
    assert tried_settings(path, [tried("first", "a", "b")]).count(["a", "b"]) == 1
    assert tried_settings(path, [tried("second", "b", "c")]).count(["b", "c"]) == 2
    assert tried_settings(path, [tried("first", "a", "b")]).count(["a", "b"]) == 2
    assert tried_settings(path, [tried("third", "x", "y")]).count(["x", "y"]) == 1
    assert tried_settings(path, [tried("fourth", "a", "x")]).count(["a", "x"]) == 3


def test_the_same_setting_is_recorded_again_only_for_further_labels(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS
    for examples in (("a", "b"), ("a", "b"), ("a",), ("a", "b", "c"), ("c", "b")):
        assert tried_settings(path, [tried("first", *examples)]).count(examples) == 1
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["n"] for line in lines] == [2, 3]
    assert list(lines[0]) == ["at", "setting", "rubric", "judge", "n", "split", "examples"]
    assert all(len(digest_of_id) == 8 for digest_of_id in lines[1]["examples"])
    assert lines[0]["judge"] == "gpt-4"


def test_the_held_out_part_has_its_own_count(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS
    dev, test = ("a", "b"), ("c", "d")
    for number in range(5):
        tried_settings(path, [tried(f"edit {number}", *dev, split="dev")])
    after = tried_settings(path, [tried("edit 4", *test, split="test")])
    assert after.count(dev) == 5
    assert after.count(test) == 1


def test_wordings_for_which_held_out_labels_were_opened_count_where_they_are_not_on_record(tmp_path: Path) -> None:
    first = tried("first", "c", split="test")
    after = tried_settings(tmp_path / SETTINGS, [first])
    assert after.count(["c"], [first.rubric]) == 1
    assert after.count(["c"], [first.rubric, "0123456789abcdef"]) == 2


def test_settings_recorded_at_once_are_all_there(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS
    threads = [
        threading.Thread(target=tried_settings, args=(path, [tried(f"edit {number}", "a", "b")]))
        for number in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(path.read_text().splitlines()) == 12
    assert tried_settings(path, []).count(["a"]) == 12


def test_without_a_place_for_the_record_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (None, tmp_path / "file" / "reply" / SETTINGS):
        unrecorded = tried_settings(path, [tried("first", "a")])
        assert not unrecorded.is_kept
        assert unrecorded.count(["a"]) == 1


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / SETTINGS).symlink_to(tmp_path / "elsewhere")
    assert not tried_settings(tmp_path / SETTINGS, [tried("first", "a")]).is_kept
    assert (tmp_path / "elsewhere").read_text() == ""


@pytest.mark.parametrize("line", ["[]", "{}", '{"at": 1}', '{"at": "", "setting": "", "rubric": "", "judge": ""}'])
def test_a_line_that_is_none_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / SETTINGS
    path.write_text(line + "\n")
    with pytest.raises(RatingError, match=r"settings\.jsonl:1: a line of this record has at, setting, rubric"):
        tried_settings(path, [tried("first", "a")])


def test_half_a_line_at_the_end_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS
    tried_settings(path, [tried("first", "a")])
    with path.open("a") as record:
        record.write('{"at": "2026')
    with pytest.warns(RatingWarning, match="is not readable JSON; moved to"):
        after = tried_settings(path, [tried("second", "a")])
    assert after.count(["a"]) == 2
    assert len(path.read_text().splitlines()) == 2
