"""Four planted worlds of sixteen weeks, lived through with the commands as printed: each is named rightly."""

import hashlib
import json
from pathlib import Path

import pytest

from markscheme.features.pass_rate.tracked.audits import ALL_LOOKS, is_audited
from markscheme.stats.verdict_rates import rate_by_verdict
from tests.commands.console import run
from tests.features.pass_rate.planted_worlds import MOVES_IN, WORLDS, Lived, live

HEADS = {
    "still": "✓ Nothing moved. People would pass",
    "judge stricter": "✗ The judge moved, not your responses.",
    "responses worse": "✗ Responses got worse.",
    "traffic changed": "✗ The traffic moved.",
}


@pytest.mark.proof
@pytest.mark.parametrize("name", WORLDS)
def test_in_each_simulated_stream_of_responses_the_right_cause_of_a_change_is_named(name: str, tmp_path: Path) -> None:
    world = WORLDS[name]
    lived = live(world, tmp_path)
    assert {look["named"] for look in lived.looks[:MOVES_IN]} == {None}
    assert [look["named"] for look in lived.looks[-3:]] == [world.named] * 3
    assert {look["named"] for look in lived.looks} <= {None, world.named}
    assert lived.statuses == [4, *(0 if look["named"] is None else 1 for look in lived.looks[1:])]
    follows_from_the_files(lived)
    command = ("markscheme", "pass-rate", "--rubric", "reply", "--track", "--through", "2025-09-21")
    printed = run(*command, cwd=tmp_path)
    assert HEADS[name] in " ".join(printed.stdout.split())
    if world.judge:
        accept = ("markscheme", "calibrate", "reply", "--judge", "function:stand_in:judge", "--accept", "--force")
        run(*accept, cwd=tmp_path)
    if world.named is not None:
        since = ("--since", "2025-09-15", "--because", "seen to")
        assert run(*command, *since, cwd=tmp_path).returncode in (0, 4)


def follows_from_the_files(lived: Lived) -> None:
    """Recompute audits and the rate of the last look from the lines of the memory and the labels alone."""
    graded = [json.loads(line) for line in (lived.stream / "graded.jsonl").read_text().splitlines()]
    audits = [json.loads(line)["id"] for line in (lived.stream / "audits.jsonl").read_text().splitlines()]
    (start,) = [json.loads(line) for line in (lived.stream / "stream.jsonl").read_text().splitlines()]
    drawn = {unit for unit in lived.good if is_audited(start["seed"], unit, start["pi"])}
    assert drawn == set(audits)
    assert sum(line["audited"] for line in graded) == len(audits)
    before = [week["week"] for week in lived.looks[-1]["weeks"] if week["closed"]]
    counted = [line for line in graded if line["week"] in before]
    pool = [sum(line["passes"] is side for line in counted) for side in (False, True)]
    traces = {line["id"]: line for line in counted}
    cells: dict[bool, list[bool]] = {False: [], True: []}
    for unit in audits:
        line = traces.get(digest_of(unit))
        if line is not None:
            cells[line["passes"]].append(lived.good[unit])
    passed, labels = [sum(cells[side]) for side in (False, True)], [len(cells[side]) for side in (False, True)]
    rate = rate_by_verdict(passed, labels, pool, level=ALL_LOOKS)
    said = lived.looks[-1]["rate"]
    assert [said["value"], said["low"], said["high"]] == pytest.approx([rate.value, rate.low, rate.high], abs=1e-6)


def digest_of(unit: str) -> str:
    """The digest by which a response is known, spelled out."""
    return hashlib.sha256(unit.encode()).hexdigest()[:16]
