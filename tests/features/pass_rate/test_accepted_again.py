"""A judge that moves and is accepted again: its stream still names it, until a new period begins."""

import json
import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.features.pass_rate.tracked.anchors import AnchorLook, AnchorWatch, judge_moved
from tests.commands.console import run
from tests.features.pass_rate.planted_worlds import MONDAY, MOVES_IN, WORLDS, begin, responses

JUDGE = ("--judge", "function:stand_in:judge")
ACCEPT = ("calibrate", "reply", *JUDGE, "-o", "cache=off", "--accept", "--replace", "--samples", "5", "--force")
TRACK = ("markscheme", "pass-rate", "--rubric", "reply", "--track")


def looked(folder: Path, *words: str, through: int) -> str:
    """Look at the stream through a week, counted from 0; return the report on one line."""
    sunday = MONDAY + timedelta(weeks=through, days=6)
    done = run(*TRACK, *words, "--through", sunday.isoformat(), cwd=folder)
    assert done.returncode in (0, 1, 4), done.stderr
    return " ".join(done.stdout.split())


def write_weeks(folder: Path, weeks: Iterable[int], draw: random.Random) -> str:
    lines = [line for week in weeks for line, _ in responses(WORLDS["judge stricter"], week, draw)]
    (folder / "traces.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "traces.jsonl"


@pytest.mark.parametrize("is_named_first", [True, False])
def test_a_pass_rate_report_still_names_the_changed_judge_as_the_cause_after_the_changed_judge_was_accepted(
    is_named_first: bool, tmp_path: Path
) -> None:
    begin(tmp_path)
    draw = random.Random("accepted again")
    for week in range(MOVES_IN - 2, MOVES_IN):
        weeks = range(week + 1) if week < MOVES_IN - 1 else [week]
        still = looked(tmp_path, write_weeks(tmp_path, weeks, draw), *JUDGE, through=week)
        assert "judge: still" in still or "judge: not watched yet" in still
    for _ in range(4):
        looked(tmp_path, *JUDGE, through=MOVES_IN - 1)
    (tmp_path / "strict").touch()
    file = write_weeks(tmp_path, range(MOVES_IN, MOVES_IN + 4), draw)
    if is_named_first:
        assert "The judge moved, not your responses." in looked(tmp_path, file, *JUDGE, through=MOVES_IN + 3)
    run(*ACCEPT, cwd=tmp_path)
    report = looked(tmp_path, file, *JUDGE, through=MOVES_IN + 3)
    assert "The judge moved, not your responses. Before its run was accepted again, it decided" in report
    assert "Responses got worse" not in report
    since = (MONDAY + timedelta(weeks=MOVES_IN + 3)).isoformat()
    begun = looked(tmp_path, "--since", since, "--because", "a stricter judge", through=MOVES_IN + 3)
    assert "moved" not in begun.partition("Full report")[0].replace("didn't move", "")


def test_monitoring_of_a_pass_rate_can_be_restarted_on_the_same_day_after_the_changed_judge_is_accepted(
    tmp_path: Path,
) -> None:
    begin(tmp_path)
    draw = random.Random("accepted again")
    looked(tmp_path, write_weeks(tmp_path, range(MOVES_IN), draw), *JUDGE, through=MOVES_IN - 1)
    for _ in range(4):
        looked(tmp_path, *JUDGE, through=MOVES_IN - 1)
    (tmp_path / "strict").touch()
    last = MOVES_IN + 3
    file = write_weeks(tmp_path, range(MOVES_IN, last + 1), draw)
    assert "The judge moved" in looked(tmp_path, file, *JUDGE, through=last)
    later = (MONDAY + timedelta(weeks=last)).isoformat()
    begun = looked(tmp_path, *JUDGE, "--since", later, "--because", "the judge changed", through=last)
    assert "The judge moved" in begun
    run(*ACCEPT, cwd=tmp_path)
    report = looked(tmp_path, through=last)
    assert "it moved at an earlier look" in report
    again = looked(tmp_path, "--since", later, "--because", "accepted again", through=last)
    assert "moved" not in again.partition("Full report")[0].replace("didn't move", "")


def test_earlier_checks_of_the_judge_show_whether_the_judge_had_changed_before_its_latest_run_was_accepted(
    tmp_path: Path,
) -> None:
    begin(tmp_path)
    accepted = load_accepted(tmp_path / "calibration/reply/accepted.json")
    as_accepted = AnchorLook.of_ratings(accepted, accepted.ratings, at="2026-02", day="2026-02-01", setting="s")
    looks_now = [replace(as_accepted, at=f"2026-03-0{day}") for day in range(1, 5)]

    def watch(changed: int, *, begun: str | None = "2026-01", renamed: str = "") -> AnchorWatch:
        """Weigh three looks at an earlier run with other decisions on some examples, or on examples of other names."""
        flipped = {
            f"{renamed}{unit}": passes is (n >= changed) for n, (unit, passes) in enumerate(as_accepted.passes.items())
        }
        earlier = [replace(as_accepted, at=f"2026-02-0{day}", accepted="other", passes=flipped) for day in (1, 2, 3)]
        return judge_moved(accepted, [*earlier, *looks_now], begun=begun)

    assert (watch(25).has_rung, watch(25).otherwise_before) == (True, (25, 100))
    assert (watch(2).has_rung, watch(2).is_unknown_before) == (False, False)
    assert (watch(25, renamed="new-").has_rung, watch(25, renamed="new-").is_unknown_before) == (False, True)
    for begun in (None, "2026-03"):
        assert (watch(25, begun=begun).has_rung, watch(25, begun=begun).is_unknown_before) == (False, False)
