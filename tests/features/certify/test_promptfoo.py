"""The whole loop with the stand-in as both judges: audit, tune, and a cascade that decides in the real Promptfoo."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands.console import ROOT, run
from tests.features.certify.cascade_project import RUBRIC
from tests.judges.decision_servers import stand_in
from tests.real.promptfoo import run_eval

JUDGES = ("systemone:fake-1", "decisions:fake-1")
CASES = 14
CASES_AFTER = 2
"""After a change of the rubric all of them are asked alike, and each starts an interpreter."""
SHARPNESS = "5"
"""Of the stand-in: sure enough that some of its decisions can be certified."""


def replies(n: int, first: int = 0) -> list[dict[str, Any]]:
    return [{"id": f"r{first + place}", "response": f"Reply number {first + place}."} for place in range(n)]


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def labelled(folder: Path, environment: dict[str, str]) -> None:
    """A rubric whose fixture labels are drawn from the second judge's probabilities."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "reply.yaml").write_text(RUBRIC.replace("criteria:", "inputs: []\ncriteria:"))
    home = folder / "calibration" / "reply"
    home.mkdir(parents=True)
    examples = replies(240)
    write(folder / "all.jsonl", examples)
    graded = run(
        "markscheme", "grade", "reply", "all.jsonl", "--judge", JUDGES[1], "--json", cwd=folder, env=environment
    )
    generator = np.random.default_rng(1)
    for example, line in zip(examples, graded.stdout.splitlines(), strict=True):
        p = json.loads(line)["criteria"]["tone"]["probabilities"]["MET"]
        polite = bool(generator.random() < p)
        example["labels"] = [{"rater": "ann", "kind": "human", "criteria": {"tone": int(polite)}, "pass": polite}]
    write(home / "examples.jsonl", [{**example, "drawn": "random"} for example in examples])


def promptfoo_results(
    folder: Path, environment: dict[str, str], cases: int
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """For each case, what the grader in Python and that in JavaScript gave."""
    assertions = [
        {"type": kind, "value": f"file://{ROOT / 'graders' / file}", "config": {"rubric": "reply", "judge": "cascade"}}
        for kind, file in (("python", "rubric_grader.py"), ("javascript", "rubric_grader.mjs"))
    ]
    config = {
        "prompts": ["{{reply}}"],
        "providers": ["echo"],
        "defaultTest": {"assert": assertions},
        "tests": [{"vars": {"reply": line["response"]}} for line in replies(cases, first=1_000)],
    }
    (folder / "promptfooconfig.json").write_text(json.dumps(config))
    evaluated = run_eval(folder / "promptfooconfig.json", cwd=folder, env=environment)
    assert evaluated.results, evaluated.stderr
    parts = [case["gradingResult"]["componentResults"] for case in evaluated.results["results"]["results"]]
    return [tuple(part for part in of_case if part.get("metadata", {}).get("decision")) for of_case in parts]


@pytest.mark.proof  # ten seconds; `tests/features/certify/test_command.py` has its steps
def test_after_certify_both_promptfoo_graders_follow_the_certificate_until_the_rubric_changes(tmp_path: Path) -> None:
    with stand_in("--sharpness", SHARPNESS) as url:
        environment = {
            "TYPESAFE_BASE_URL": url,
            "OPENAI_BASE_URL": f"{url}/v1",
            "MARKSCHEME_CACHE": str(tmp_path / "cache"),
            "XDG_RUNTIME_DIR": str(tmp_path),
        }
        labelled(tmp_path, environment)
        audit = run("calibrate", "reply", "--judge", JUDGES[1], "--details", cwd=tmp_path, env=environment)
        assert "Probabilities" in audit.stdout, audit.stdout + audit.stderr
        tuned = run(
            "markscheme", "certify", "reply", "--judge", ",".join(JUDGES), "--write", cwd=tmp_path, env=environment
        )
        assert tuned.returncode == 0, tuned.stdout + tuned.stderr
        stages = json.loads((tmp_path / "calibration" / "reply" / "cascade.json").read_text())["stages"]
        results = promptfoo_results(tmp_path, environment, CASES)
        assert len(results) == CASES
        for python, javascript in results:
            assert python["metadata"]["decision"] == javascript["metadata"]["decision"]
            assert python["reason"] == javascript["reason"]
        decisions = {python["metadata"]["decision"] for python, _ in results}
        assert "ask" in decisions
        assert decisions & {"pass", "fail"}
        for python, _ in results:
            asks = python["metadata"]["decision"] == "ask"
            assert python["pass"] is (python["metadata"]["decision"] == "pass")
            assert python["reason"].startswith("ask a person: no judge is certain enough") is asks
            assert (python["metadata"]["stage"] is None) is asks
            assert python["metadata"]["decidedBy"] in (
                ["ask a person"] if asks else [stage["judge"] for stage in stages]
            )
        changed = (tmp_path / "rubrics" / "reply.yaml").read_text().replace("polite", "kind")
        (tmp_path / "rubrics" / "reply.yaml").write_text(changed)
        after = promptfoo_results(tmp_path, environment, CASES_AFTER)
        assert len(after) == CASES_AFTER
        assert {python["metadata"]["decision"] for python, _ in after} == {"ask"}
        assert all("changed since cascade.json was certified" in python["reason"] for python, _ in after)
