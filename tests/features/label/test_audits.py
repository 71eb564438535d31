"""`label RUBRIC --audits`: what a stream drew to be labelled, oldest week first, in the order of its hash."""

import json
from pathlib import Path

import pytest

from markscheme.errors import RatingError
from markscheme.features.label.pool import SetFile
from markscheme.features.label.setup import keep_examples, open_work
from tests.commands.console import run

RUBRIC = "name: reply\ncriteria:\n  - name: solves\n    requirement: The reply solves the problem.\n"
DRAWN = [("2025-W41", "late"), ("2025-W40", "second"), ("2025-W40", "first"), ("2025-W40", "second")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics/reply.yaml").write_text(RUBRIC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def draw(folder: Path, stream: str = "main") -> None:
    home = folder / "calibration/reply/rates" / stream
    home.mkdir(parents=True)
    lines = [
        {"at": "2025-10-13T00:00:00+00:00", "week": week, "id": unit, "inputs": {}, "response": unit, "drawn": "random"}
        for week, unit in DRAWN
    ]
    (home / "audits.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_responses_drawn_for_audit_in_older_weeks_are_labelled_first(
    folder: Path,
) -> None:
    draw(folder)
    work = open_work("reply", folder, rater="ann", audits=True)
    try:
        assert [step.id for step in work.steps] == ["second", "first", "late"]
        assert {example.drawn for example in work.examples.values()} == {"random"}
        keep_examples(work)
        assert {example.id for example in SetFile.within(folder / "calibration/reply", work.rubric).read()} == {
            "second",
            "first",
            "late",
        }
    finally:
        work.file.close()


def test_the_label_command_refuses_the_audits_option_without_a_tracked_stream_and_names_the_track_option(
    folder: Path,
) -> None:
    (folder / "calibration/reply").mkdir(parents=True)
    with pytest.raises(RatingError, match="--track"):
        open_work("reply", folder, rater="ann", audits=True)
    done = run("markscheme", "label", "reply", "--audits", "--next", "3", cwd=folder)
    assert (done.returncode, "--audits is a pool" in done.stderr) == (2, True)
