"""`pass-rate` of a table that counts its rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.stats.prevalence import corrected_pass_rate
from tests.commands.console import run
from tests.worked_cases import cases_under

CASES = Path(__file__).parents[4] / "shared" / "statistics" / "counts.yaml"
SIDES = ("fail", "pass")


@pytest.mark.parametrize("case", cases_under(CASES, "pass_rate"))
def test_a_pass_rate_from_a_table_of_counts_equals_that_in_the_file_of_reference_values(case: dict[str, Any]) -> None:
    """Compare its value; the case's limits are normal ones, which gave way to those of rates.yaml."""
    rate = corrected_pass_rate(case["labelled"], case["pool"], drawn=case["drawn"])
    assert rate.value == pytest.approx(case["corrected"][0], abs=1e-9, rel=0)


def test_the_pass_rate_command_corrects_a_table_of_counts_by_the_labels_in_the_table(tmp_path: Path) -> None:
    labelled = [[30, 4], [6, 60]]
    pool = [4000, 6000]
    rows = [("label", "verdict", "n")]
    rows += [(SIDES[a], SIDES[b], str(labelled[a][b])) for a in (0, 1) for b in (0, 1)]
    rows += [("", SIDES[b], str(pool[b] - labelled[0][b] - labelled[1][b])) for b in (0, 1)]
    (tmp_path / "counted.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    options = ("--human", "label", "--judge", "verdict", "--drawn", "by-verdict", "--json")
    data = json.loads(run("markscheme", "pass-rate", "counted.csv", *options, cwd=tmp_path).stdout)
    rate = corrected_pass_rate(labelled, pool, drawn="by-verdict")
    corrected = [data["corrected"][limit] for limit in ("value", "low", "high", "n")]
    assert corrected == pytest.approx([rate.value, rate.low, rate.high, 100], abs=1e-9)
    assert data["raw"]["n"] == 10_000
