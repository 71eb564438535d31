"""Held-out examples count in every figure of `calibrate`, and none of their texts is shown before they are read."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run

RUBRIC = """\
name: plate
passingThreshold: 0.5
criteria:
  - {name: warm, weight: 1, requirement: The reply is warm.}
  - {name: short, weight: 1, requirement: The reply is short.}
"""
HELD_OUT = 53
N = 80


def planted(place: int, where: str) -> str:
    return f"zx{where}{place:03}"


def example(place: int) -> dict[str, Any]:
    label = {
        "rater": "ann",
        "kind": "human",
        "criteria": {
            "warm": {"level": place % 2, "reason": planted(place, "said"), "quote": planted(place, "marked")},
            "short": place % 3 == 0,
        },
        "note": planted(place, "note"),
    }
    part = "dev" if place < N - HELD_OUT else "test"
    return {"id": f"o{place}", "query": f"Say {planted(place, 'asked')}.", "response": planted(place, "answered"),
            "split": part, "labels": [label]}  # fmt: skip


def judged(place: int) -> dict[str, Any]:
    if place == N - 1:
        return {"id": f"o{place}", "rater": "j", "kind": "model", "error": f"no answer: {planted(place, 'failed')}"}
    criteria = {
        "warm": {"level": 1, "reason": planted(place, "because"), "quote": planted(place, "answered")},
        "short": {"level": int(place % 3 == 0), "reason": planted(place, "since")},
    }
    return {"id": f"o{place}", "rater": "j", "kind": "model", "criteria": criteria}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "plate.yaml").write_text(RUBRIC)
    home = tmp_path / "calibration" / "plate"
    home.mkdir(parents=True)
    (home / "examples.jsonl").write_text("".join(json.dumps(example(place)) + "\n" for place in range(N)))
    (tmp_path / "j.jsonl").write_text("".join(json.dumps(judged(place)) + "\n" for place in range(N)))
    return tmp_path


def everything_shown(project: Path, *options: str) -> dict[str, str]:
    """Return the text of a report in each of its forms, by name."""
    files = ("--json", "r.json", "--html", "r.html", "--markdown", "r.md", "--junit", "r.xml", "--sarif", "r.sarif")
    command = ("markscheme", "calibrate", "plate", "--ratings", "j.jsonl", "--details", *files, *options)
    done = run(*command, cwd=project)
    assert done.returncode in (0, 1, 4), done.stderr
    return {"terminal": done.stdout} | {name: (project / name).read_text() for name in files[1::2]}


def unread_words(text: str) -> list[str]:
    words = ("asked", "answered", "said", "marked", "note", "because", "since", "failed")
    return [planted(place, word) for place in range(N - HELD_OUT, N) for word in words if planted(place, word) in text]


@pytest.mark.proof
def test_no_form_of_a_report_shows_the_text_of_a_held_out_example(project: Path) -> None:
    for name, text in everything_shown(project).items():
        assert not unread_words(text), name
        if name in ("r.html", "r.json"):
            assert planted(0, "because") in text


def test_held_out_examples_count_in_all_figures_and_the_report_says_how_many_false_passes_are_held_out(
    project: Path,
) -> None:
    shown = everything_shown(project)
    report = json.loads(shown["r.json"])
    assert len(report["examples"]) == N
    wrong = [int(unit[1:]) for unit in report["false_passes"]]
    unread = sum(place >= N - HELD_OUT for place in wrong)
    assert 0 < unread < len(wrong)
    assert f"{HELD_OUT} examples count here and stay unread, {unread} of {len(wrong)} false passes among them" in (
        " ".join(shown["terminal"].split())
    )
    assert not (project / "calibration" / "plate" / "opened.jsonl").exists()


def test_reports_show_the_texts_of_examples_once_these_are_no_longer_held_out(project: Path) -> None:
    shown = everything_shown(project, "--all-texts")
    assert planted(N - 2, "answered") in shown["r.html"]
    assert "stay unread" not in shown["terminal"]
    lines = (project / "calibration" / "plate" / "examples.jsonl").read_text().splitlines()
    assert {json.loads(line)["split"] for line in lines} == {"dev"}
    again = everything_shown(project)
    assert planted(N - 2, "answered") in again["r.html"]


@pytest.mark.parametrize(
    "options", [("--ratings", "missing.jsonl"), ("--ratings", "bad.jsonl"), ("--judge", "function:broken:judge")]
)
def test_examples_stay_held_out_if_the_run_that_was_to_show_their_texts_fails(
    project: Path, options: tuple[str, ...]
) -> None:
    (project / "bad.jsonl").write_text('{"id": "o1", "rater": "j", "kind": "judge", "criteria": {"warm": 1}}\n')
    (project / "broken.py").write_text("def judge(system_prompt, user_prompt):\n    raise RuntimeError('down')\n")
    examples = project / "calibration" / "plate" / "examples.jsonl"
    before = examples.read_bytes()
    done = run("markscheme", "calibrate", "plate", *options, "--all-texts", cwd=project)
    assert done.returncode not in (0, 1, 4), done.stdout
    assert examples.read_bytes() == before


def test_the_judge_s_card_that_is_written_with_an_accepted_run_has_no_texts_of_held_out_examples(project: Path) -> None:
    everything_shown(project)
    done = run("markscheme", "calibrate", "plate", "--ratings", "j.jsonl", "--accept", "--force", cwd=project)
    assert (project / "calibration" / "plate" / "card.json").is_file(), (done.returncode, done.stdout, done.stderr)
    for path in (project / "calibration" / "plate").glob("*"):
        if (path.is_file() and path.suffix in (".json", ".md", ".html")) or path.name == "card.json":
            assert not unread_words(path.read_text()), path
    assert not unread_words(done.stdout)
