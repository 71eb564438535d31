"""`calibrate --ratings` as a user runs it: the faults of a judge in the terminal, in Markdown and in JSON."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.calibration.made import Floats, Made, rounded
from tests.commands.console import run

NAMES = ("clarity", "facts", "tone", "order")
MADE = Made(80, seed=5)
ENOUGH = Made(240, seed=5)
"""Labels that show that a judge about as good as a person stops 70% of what people fail."""
SYSTEMS = np.array(list("abcd"))[np.arange(80) % 4]


def written(folder: Path, judge: Floats, made: Made = MADE) -> list[str]:
    """Write a rubric, labelled examples and a judge's ratings; return the command that calibrates with them."""
    criteria = "".join(f"  - {{name: {name}, description: {name}?, weight: 1}}\n" for name in NAMES)
    (folder / "made.yaml").write_text(f"name: made\ncriteria:\n{criteria}", encoding="utf-8")
    examples = [
        {
            "id": f"e{i}",
            "response": f"response {i}",
            "system": str(SYSTEMS[i % len(SYSTEMS)]),
            "labels": [
                {"rater": person, "kind": "human", "criteria": dict(zip(NAMES, levels[i].tolist(), strict=True))}
                for person, levels in made.people.items()
            ],
        }
        for i in range(len(judge))
    ]
    ratings = [
        {"id": f"e{i}", "judge": "strange", "criteria": dict(zip(NAMES, judge[i].tolist(), strict=True))}
        for i in range(len(judge))
    ]
    for name, lines in (("examples", examples), ("ratings", ratings)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return ["calibrate", "made.yaml", "--examples", "examples.jsonl", "--ratings", "ratings.jsonl"]


def test_a_lenient_judge_is_reported_with_the_criterion_and_with_the_edit_to_make(tmp_path: Path) -> None:
    judge = MADE.judge
    judge[:, 1] = rounded(MADE.truth[:, 1] + MADE.noise[:, 1] + 1.2)
    done = run(*written(tmp_path, judge), "--json", "report.json", "--markdown", "report.md", cwd=tmp_path)
    assert done.stderr == ""
    assert "facts · the judge is too lenient" in " ".join(done.stdout.split())
    assert "→ markscheme improve made.yaml" in done.stdout
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [(finding["code"], finding["criterion"]) for finding in report["findings"]] == [("lenient", "facts")]
    assert {part["by"] for part in report["slices"]} == {"system"}
    assert not any(part["stands_out"] for part in report["slices"])
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "slices does worse than the rest" in page
    assert "in the description of level" in page


@pytest.mark.proof
def test_a_slice_on_which_the_judge_fails_is_shown_in_a_table(tmp_path: Path) -> None:
    judge = MADE.judge
    judge[SYSTEMS == "c"] = rounded(3 + 1.4 * MADE.fresh[SYSTEMS == "c"])
    done = run(*written(tmp_path, judge), "--json", "report.json", "--markdown", "report.md", "--details", cwd=tmp_path)
    assert "system: c" in done.stdout
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [part["name"] for part in report["slices"] if part["stands_out"]] == ["c"]
    assert {finding["code"] for finding in report["findings"]} == {"broken-slice"}
    assert "| system: c |" in (tmp_path / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("stuck", [3.0, 5.0])
def test_calibrating_a_judge_that_gives_one_level_to_every_response_exits_1_and_names_the_level(
    tmp_path: Path, stuck: float
) -> None:
    done = run(*written(tmp_path, np.full((80, 4), stuck)), "--details", cwd=tmp_path)
    assert done.returncode == 1
    assert f"the judge gave level {stuck:g} to every response" in done.stdout


def test_the_report_on_a_sound_judge_says_that_no_issues_were_found(tmp_path: Path) -> None:
    done = run(*written(tmp_path, ENOUGH.judge, ENOUGH), cwd=tmp_path)
    assert done.returncode == 0
    assert "Nothing: no issues found." in done.stdout
