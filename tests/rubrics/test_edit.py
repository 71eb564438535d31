"""Editing of numbers in a rubric's file, without any other change."""

import json
import math
import re
import shutil
from pathlib import Path

import pytest

from markscheme.errors import RubricError
from markscheme.rubrics.edit import Changes, edit, edited
from markscheme.rubrics.file import load_rubric, rubric_from_text
from markscheme.rubrics.gray_zone import GrayZone

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(path for path in (ROOT / "rubrics").glob("*.yaml"))
PLAIN = """\
# Ours.
name: polite   # by the team
passingThreshold: 0.50
criteria:
  - name: "kind"
    requirement: >-
      Is it kind,
      and warm?
    weight: 0.5   # was 0.4

  - name: 'brief'
    weight: -1
    requirement: It is long-winded
"""


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_editing_weights_and_pass_mark_of_a_shipped_rubric_changes_nothing_else_in_its_file(
    path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / path.name
    shutil.copy(path, copy)
    rubric = load_rubric(copy)
    weights = {criterion.name: round(criterion.weight + 0.05, 2) for criterion in rubric.criteria}
    changes = Changes(weights=weights, pass_mark=0.55)
    edit(copy, changes).write()
    before, after = path.read_text().splitlines(), copy.read_text().splitlines()
    differing = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(differing) == len(weights) + 1
    for old, new in differing:
        assert re.sub(r"[\d.]+", "#", old) == re.sub(r"[\d.]+", "#", new)
    assert load_rubric(copy) == changes.applied_to(rubric)


def test_editing_weights_and_pass_mark_keeps_comments_and_order_and_quotes_and_folded_texts() -> None:
    after = edited(PLAIN, "yaml", Changes(weights={"kind": 0.6, "brief": -2}, pass_mark=0.7))
    assert after == PLAIN.replace("0.5   #", "0.6   #").replace("weight: -1", "weight: -2").replace("0.50", "0.7")


@pytest.mark.parametrize(
    "old", ["0.1", "{passes: 0.1, fails: none}", "\n  passes: 0.1  # few\n  fails: none"], ids=["one", "flow", "block"]
)
def test_a_gray_zone_of_different_width_for_passes_and_fails_replaces_the_gray_zone_in_the_file(old: str) -> None:
    text = PLAIN.replace("passingThreshold: 0.50\n", f"ask_within: {old}\npassingThreshold: 0.50\n")
    sided = edited(text, "yaml", Changes(ask_within=GrayZone(0.12, math.inf)))
    assert rubric_from_text(sided, "yaml").ask_within == GrayZone(0.12, math.inf)
    assert "{passes: 0.12, fails: all}\npassingThreshold: 0.50\n" in sided
    assert edited(sided, "yaml", Changes(ask_within=0.1)) == PLAIN.replace(
        "passingThreshold: 0.50\n", "ask_within:" + (" \n  " if "\n" in old else " ") + "0.1\npassingThreshold: 0.50\n"
    )


def test_a_gray_zone_of_different_width_for_passes_and_fails_can_be_added_to_yaml_and_json() -> None:
    zone = Changes(ask_within=GrayZone(0.12, 0.0))
    assert "passingThreshold: 0.50\nask_within: {passes: 0.12, fails: none}\n" in edited(PLAIN, "yaml", zone)
    text = '{"passingThreshold": 0.5, "criteria": [{"requirement": "Kind?", "weight": 1}]}'
    after = edited(text, "json", zone)
    assert json.loads(after)["ask_within"] == {"passes": 0.12, "fails": "none"}


@pytest.mark.parametrize(
    "says", ["an output fails with 2 small faults", "faults of one kind alone don't fail an output"]
)
def test_editing_the_pass_mark_removes_the_drafted_comment_on_the_old_pass_mark(says: str) -> None:
    drafted = PLAIN.replace("0.50\n", f"0.50  # {says}\n")
    assert "passingThreshold: 0.7\n" in edited(drafted, "yaml", Changes(pass_mark=0.7))
    assert "passingThreshold: 0.50\n" in edited(drafted, "yaml", Changes(weights={"kind": 0.6}))
    assert says in edited(drafted, "yaml", Changes(ask_within=0.1))
    assert "0.7  # by us" in edited(drafted.replace(says, "by us"), "yaml", Changes(pass_mark=0.7))


def test_setting_a_number_that_the_rubric_file_lacks_inserts_it_next_to_related_keys() -> None:
    after = edited(PLAIN, "yaml", Changes(ask_within=0.05))
    lines = after.splitlines()
    assert lines[lines.index("passingThreshold: 0.50") + 1] == "ask_within: 0.05"


@pytest.mark.parametrize(
    ("text", "changes", "wanted"),
    [
        ("- {requirement: A, weight: 2}\n", Changes(weights={"c1": 3}), "- {requirement: A, weight: 3}\n"),
        ("- requirement: A", Changes(weights={"c1": 3}), "- requirement: A\n  weight: 3\n"),
        (
            "criteria:\n- requirement: |\n    A\n    B\n",
            Changes(weights={"c1": 3}),
            "criteria:\n- requirement: |\n    A\n    B\n  weight: 3\n",
        ),
        ("sections:\n- criteria:\n  - {requirement: A}\n", Changes(weights={"c1": 0.7}),
         "sections:\n- criteria:\n  - {requirement: A, weight: 0.7}\n"),
        ("rubric:\n  criteria:\n  - {requirement: A}\npassingThreshold: 0.5\n", Changes(pass_mark=0.6),
         "rubric:\n  criteria:\n  - {requirement: A}\npassingThreshold: 0.6\n"),
        ("pass_mark: 0.5\ncriteria: [{requirement: A}]\n", Changes(pass_mark=0.6),
         "pass_mark: 0.6\ncriteria: [{requirement: A}]\n"),
        ("criteria: [{requirement: A, weight: &w 2.0}]\n", Changes(weights={"c1": 3}),
         "criteria: [{requirement: A, weight: &w 3.0}]\n"),
        ("name: a\r\ncriteria: [{requirement: é}]\r\n", Changes(pass_mark=0.6),
         "name: a\r\npassingThreshold: 0.6\r\ncriteria: [{requirement: é}]\r\n"),
        ("\ufeffcriteria: [{requirement: A, weight: 1}]", Changes(weights={"c1": 2}),
         "\ufeffcriteria: [{requirement: A, weight: 2}]"),
    ],
)  # fmt: skip
def test_weights_and_pass_marks_can_be_edited_in_every_supported_notation_of_a_rubric_file(
    text: str, changes: Changes, wanted: str
) -> None:
    assert edited(text, "yaml", changes) == wanted


def test_editing_weights_and_pass_mark_keeps_the_layout_of_a_json_rubric() -> None:
    text = '{\n\t"name": "a",\n\t"criteria": [{"requirement": "A", "weight": 1.5}]\n}\n'
    after = edited(text, "json", Changes(weights={"c1": 2}, pass_mark=0.6))
    assert json.loads(after) == {
        "name": "a",
        "passingThreshold": 0.6,
        "criteria": [{"requirement": "A", "weight": 2.0}],
    }
    assert "\n\t" in after


def test_a_number_that_two_criteria_share_by_a_yaml_anchor_is_not_edited() -> None:
    text = "criteria:\n- {requirement: A, weight: &w 2}\n- {requirement: B, weight: *w}\n"
    with pytest.raises(RubricError, match="is used in two places at once"):
        edited(text, "yaml", Changes(weights={"c1": 3}))


def test_a_pass_mark_cannot_be_added_to_a_rubric_that_is_a_bare_list_of_criteria() -> None:
    with pytest.raises(RubricError, match="bare list"):
        edited("- {requirement: A}\n", "yaml", Changes(pass_mark=0.6))


def test_a_rubric_file_that_changed_in_the_meantime_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "polite.yaml"
    path.write_text(PLAIN)
    proposed = edit(path, Changes(pass_mark=0.7))
    path.write_text(PLAIN + "# later\n")
    with pytest.raises(RubricError, match="changed since"):
        proposed.write()
    assert path.read_text().endswith("# later\n")


def test_writing_an_edited_rubric_file_keeps_its_line_ends_and_permissions(tmp_path: Path) -> None:
    path = tmp_path / "polite.yaml"
    path.write_bytes(PLAIN.replace("\n", "\r\n").encode())
    path.chmod(0o640)
    proposed = edit(path, Changes(pass_mark=0.7))
    proposed.write()
    assert path.read_bytes() == proposed.after.encode()
    assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n") > 1
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_the_diff_of_an_edited_rubric_names_the_file_and_shows_old_and_new_lines() -> None:
    path = ROOT / "rubrics" / "code-quality.yaml"
    diff = edit(path, Changes(pass_mark=0.65)).diff
    assert "-passingThreshold: 0.7" in diff.splitlines()
    assert "+passingThreshold: 0.65" in diff.splitlines()
    assert edit(path, Changes()).diff == ""


def test_an_edited_rubric_file_reads_as_the_rubric_with_only_the_edit_applied() -> None:
    rubric = rubric_from_text(PLAIN, "yaml")
    changes = Changes(weights={"kind": 0.123456}, ask_within=0.025)
    assert rubric_from_text(edited(PLAIN, "yaml", changes), "yaml") == changes.applied_to(rubric)
