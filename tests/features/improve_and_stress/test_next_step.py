"""The command that `stress` suggests after a change moved the judge."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run

RUBRIC = "criteria:\n  - {name: polite, requirement: The reply is polite, weight: 1}\n"
JUDGES = """
import re

def impressed(system_prompt, user_prompt):
    number = int(re.search(r"reply (\\d+)", user_prompt)[1])
    is_longer = not re.search(r"reply \\d+\\s*</response", user_prompt)
    level = "MET" if number % 2 == 0 or is_longer else "UNMET"
    return {"verdicts": {"polite": {"quote": "nothing to quote", "reason": "so", "level": level}}}


impressed.environment = ()
"""


@pytest.mark.parametrize(("n_labelled", "suggested"), [(29, "calibrate polite"), (30, "improve polite --proposer")])
def test_a_stress_test_suggests_improve_only_if_enough_of_the_rubric_s_own_examples_are_labelled(
    tmp_path: Path, n_labelled: int, suggested: str
) -> None:
    home = tmp_path / "calibration" / "polite"
    home.mkdir(parents=True)
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.yaml").write_text(RUBRIC, encoding="utf-8")
    (tmp_path / "judges.py").write_text(JUDGES, encoding="utf-8")
    lines = [
        {
            "id": f"e{number}",
            "response": f"reply {number}",
            "labels": [{"rater": "ana", "criteria": {"polite": number % 2 == 0}}] if number < n_labelled else [],
        }
        for number in range(40)
    ]
    (home / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    env = {"MARKSCHEME_CACHE": str(tmp_path / "cache"), "COLUMNS": "200"}
    done = run("markscheme", "stress", "polite", "--judge", "function:judges:impressed", cwd=tmp_path, env=env)
    assert done.returncode == 1, done.stderr
    assert f"markscheme {suggested}" in done.stdout
