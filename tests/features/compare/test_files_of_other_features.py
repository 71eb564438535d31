"""Sides of `compare` that other features know: files that answer by themselves, and judges in one file."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from markscheme import Calibration, calibrate
from markscheme.calibration.file_answers import JUDGES_IN_FILES, SIDES_ANSWERS
from markscheme.calibration.options import LabelOptions
from markscheme.cli import main
from markscheme.seam import Addition, Feature, features, offer
from tests.commands.judged_project import make_project

Add = Callable[[Addition], None]


@pytest.fixture
def add() -> Iterator[Add]:
    """Offers one more feature, which adds a row to a table."""
    before = features()
    yield lambda addition: offer(lambda: [*before, Feature("of_a_test", addition)])
    offer(lambda: before)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return make_project(tmp_path)


def calibration_of(judge: str) -> Calibration:
    return calibrate("manners", ratings=f"{judge}.jsonl")


def test_compare_prints_an_optional_feature_s_answer_on_its_own_kind_of_file_in_every_format(
    project: Path, add: Add, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[tuple[Sequence[str], str | None]] = []

    def answer(sides: Sequence[str], rubric: str | None, labels: LabelOptions) -> Calibration:
        calls.append((sides, rubric))
        return calibration_of("claude")

    add(SIDES_ANSWERS(lambda sides, rubric, labels: None, answer))
    expected = calibration_of("claude")
    assert main(["compare", "old.sums", "new.sums", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agreement"] == expected.to_json()["agreement"]
    assert main(["compare", "old.sums", "new.sums", "--rubric", "manners", "--markdown"]) == 0
    assert "claude" in capsys.readouterr().out
    assert main(["compare", "old.sums", "new.sums", "--html", "page.html"]) == 0
    assert "claude" in capsys.readouterr().out
    assert "claude" in (project / "page.html").read_text(encoding="utf-8")
    assert [(list(sides), rubric) for sides, rubric in calls] == [
        (["old.sums", "new.sums"], rubric) for rubric in (None, "manners", None)
    ]


def test_compare_chooses_between_the_judges_in_a_file_whose_format_a_feature_has_registered(
    project: Path, add: Add, capsys: pytest.CaptureFixture[str]
) -> None:
    def judges_in(path: Path, labels: LabelOptions) -> list[Calibration] | None:
        return [calibration_of(name) for name in ("gpt", "claude")] if path.suffix == ".sums" else None

    add(JUDGES_IN_FILES(judges_in))
    assert main(["compare", "judges.sums", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["recommended"] == "claude"
    assert main(["compare", "gpt.jsonl", "claude.jsonl", "--rubric", "manners", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["recommended"] == "claude"
