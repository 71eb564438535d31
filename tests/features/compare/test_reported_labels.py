"""Who labelled, as a comparison of two reports says it: a report has no labels, but says how many each example has."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.own_labels import write_models_labels


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write reports on two judges whose 60 examples all have labels of ana, and half of them of ben too."""
    write_models_labels(tmp_path)
    for rater, every in (("ana", 1), ("ben", 2)):
        lines = (
            {"id": f"e{number}", "rater": rater, "kind": "human", "criteria": {"ok": number % 3 > 0}}
            for number in range(0, 60, every)
        )
        labels = tmp_path / "calibration" / "desk" / "ratings" / f"{rater}.jsonl"
        labels.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for judge in ("gpt", "haiku"):
        done = run("calibrate", "desk", "--ratings", f"{judge}.jsonl", "--json", f"{judge}.json", cwd=tmp_path)
        assert done.returncode != 2, done.stderr
    return tmp_path


def labels_of_comparison(project: Path) -> str:
    done = run("markscheme", "compare", "gpt.json", "haiku.json", cwd=project)
    return done.stdout.splitlines()[1]


def test_a_comparison_of_reports_says_on_how_many_examples_several_annotators_gave_labels(project: Path) -> None:
    flags = json.loads((project / "gpt.json").read_text())["rated"]["labelled_twice"]
    assert flags == [number % 2 == 0 for number in range(60)]
    assert "60 examples, labels of one annotator, of several on 30 examples; " in labels_of_comparison(project)


def test_if_reports_lack_the_number_of_examples_with_several_annotators_their_comparison_prints_no_number(
    project: Path,
) -> None:
    for judge in ("gpt", "haiku"):
        report = json.loads((project / f"{judge}.json").read_text())
        del report["rated"]["labelled_twice"]
        (project / f"{judge}.json").write_text(json.dumps(report))
    assert "60 examples, labels of several annotators; " in labels_of_comparison(project)
