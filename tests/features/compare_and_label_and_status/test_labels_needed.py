"""One rubric, one judge, one sitting: every command names the same number of labels."""

import json
import re
from pathlib import Path

import pytest

from tests.commands.sitting import ASKED, make_sitting, printed


@pytest.fixture
def sitting(tmp_path: Path) -> Path:
    """Thirty replies that two people labelled, and a judge that misses three of them."""
    return make_sitting(tmp_path)


def test_the_commands_compare_and_calibrate_and_label_and_status_name_the_same_number_of_labels_needed(
    sitting: Path,
) -> None:
    shown = {
        "compare": printed(sitting, "markscheme", "compare", "judge.jsonl", "other.jsonl", "--rubric", "kind"),
        "calibrate": printed(sitting, "calibrate", "kind", "--ratings", "judge.jsonl", status=4),
        "plan": printed(sitting, "markscheme", "label", "kind", "--plan", "--ratings", "judge.jsonl"),
        "progress": printed(sitting, "markscheme", "label", "kind", "--progress"),
        "status": printed(sitting, "markscheme", "status"),
    }
    assert {name: ASKED in text for name, text in shown.items()} == dict.fromkeys(shown, True)
    for name, text in shown.items():
        assert set(re.findall(r"[Ll]abel about (\d+)", text)) == {"120"}, name
    report = json.loads((sitting / "calibration" / "kind" / "next_labels.json").read_text())
    assert report["labels_needed"] == 120


def test_comparing_judges_after_calibrating_changes_the_number_of_labels_that_every_command_asks_for(
    sitting: Path,
) -> None:
    alone = printed(sitting, "calibrate", "kind", "--ratings", "judge.jsonl", status=4)
    assert "Label about 80 more" in alone
    compared = printed(sitting, "markscheme", "compare", "judge.jsonl", "other.jsonl", "--rubric", "kind")
    assert ASKED in compared
    for command in (
        ("status",),
        ("label", "kind", "--progress"),
        ("label", "kind", "--plan"),
        ("label", "kind", "--plan", "--ratings", "judge.jsonl"),
    ):
        assert set(re.findall(r"[Ll]abel about (\d+)", printed(sitting, "markscheme", *command))) == {"120"}, command
