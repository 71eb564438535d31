"""Labels that came in without `--current-words`: their words aren't known, so after a rewording they are old ones."""

from pathlib import Path

import pytest

from markscheme.calibration.carried_labels import CarriedLabels, carried_labels
from markscheme.ratings.examples import load_examples
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run

RUBRIC = """name: desk
criteria:
- {name: answers, requirement: Answers., required: true}
- {name: step, requirement: Names a step.}
"""
REWORDED = RUBRIC.replace("Names a step.", "Names a step that the customer can take.")
N = 60


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Make a project with a rubric, 60 responses, and a table of labels by each of two people."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics/desk.yaml").write_text(RUBRIC)
    folder = tmp_path / "calibration/desk"
    folder.mkdir(parents=True)
    lines = (f'{{"id": "d{index}", "response": "reply {index}"}}\n' for index in range(N))
    (folder / "examples.jsonl").write_text("".join(lines))
    rows = "".join(f"d{index},{'yes' if index % 3 else 'no'},yes\n" for index in range(N))
    for name in ("ann", "ben"):
        (tmp_path / f"{name}.csv").write_text(f"id,answers,step\n{rows}")
    return tmp_path


def add_labels(desk: Path, name: str, *more: str) -> None:
    target = f"calibration/desk/ratings/{name}.jsonl"
    words = ("import", f"{name}.csv", "--rubric", "desk", "--rater", name, "--kind", "human", "--to", target, *more)
    done = run("markscheme", *words, cwd=desk)
    assert done.returncode == 0, done.stderr


def carried(desk: Path) -> CarriedLabels | None:
    rubric = load_rubric(desk / "rubrics/desk.yaml")
    folder = desk / "calibration/desk"
    return carried_labels(load_examples(folder / "examples.jsonl", rubric, ratings=folder / "ratings"), rubric)


@pytest.mark.parametrize("first", [(), ("--current-words",)], ids=["neither knows", "one knows"])
def test_imported_labels_of_unknown_wording_count_as_labels_from_before_a_rewording(
    desk: Path, first: tuple[str, ...]
) -> None:
    add_labels(desk, "ann", *first)
    add_labels(desk, "ben")
    assert carried(desk) is None
    (desk / "rubrics/desk.yaml").write_text(REWORDED)
    after = carried(desk)
    assert after is not None
    assert after.reworded == ("step",)
    assert (len(after.old), after.relabelled, after.state) == (N, (), "too few")
    assert not after.for_gate
    assert "were labelled under the old words of step or under words that aren't known" in after.sentence


def test_after_a_rewording_labels_of_unknown_wording_do_not_let_a_judge_gate(desk: Path) -> None:
    add_labels(desk, "ann")
    add_labels(desk, "ben")
    lines = (
        f'{{"id": "d{index}", "rater": "bot", "kind": "model", "criteria": '
        f'{{"answers": {int(bool(index % 3))}, "step": 1}}}}\n'
        for index in range(N)
    )
    (desk / "bot.jsonl").write_text("".join(lines))
    assert "Can gate" in run("calibrate", "desk", "--ratings", "bot.jsonl", cwd=desk).stdout
    (desk / "rubrics/desk.yaml").write_text(REWORDED)
    page = run("calibrate", "desk", "--ratings", "bot.jsonl", cwd=desk).stdout
    assert "Use for trends: labels are from before a rewording." in page
