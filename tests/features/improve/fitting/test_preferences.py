"""`markscheme improve --numbers --preferences`: weights from people's preferences between two outputs."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands.console import run

NAMES = ("warm", "short", "exact")
PEOPLES = np.array([4.0, 1.0, 1.0])
"""Weights by which people prefer."""
RUBRIC = """\
name: plate
passingThreshold: 0.5
criteria:
  - {name: warm, weight: WARM, requirement: The reply is warm., scale: {min: 0, max: 4}}
  - {name: short, weight: 1, requirement: The reply is short., scale: {min: 0, max: 4}}
  - {name: exact, weight: 1, requirement: The reply is exact., scale: {min: 0, max: 4}}
"""
PAIRS = """\
name: nicer
compare: pairs
inputs: [query]
criteria:
  - {name: better, prefer: The reply that you would rather send.}
"""


class Plates:
    """A rubric with labelled outputs, and preferences between two of them for each question."""

    def __init__(self, folder: Path, warm: float, n: int = 120, **preferring: Any) -> None:
        self.folder = folder
        self.rubric = folder / "rubrics" / "plate.yaml"
        self.rubric.parent.mkdir(parents=True)
        self.rubric.write_text(RUBRIC.replace("WARM", f"{warm:g}"))
        (folder / "rubrics" / "nicer.yaml").write_text(PAIRS)
        draw = np.random.default_rng(5)
        levels = draw.integers(0, 5, (2 * n, 3))
        outputs = [self._output(index, row.tolist()) for index, row in enumerate(levels)]
        self.examples = self._file("plate", outputs)
        sides = list(pairwise(range(2 * n)))[::2]
        leans = [(levels[second] - levels[first]) @ PEOPLES / 24 + draw.normal(0, 0.02) for first, second in sides]
        self.pairs = self._file(
            "nicer",
            [
                self._pair(*both, "tie" if abs(lean) < 0.03 else "second" if lean > 0 else "first", preferring)
                for both, lean in zip(sides, leans, strict=True)
            ],
        )

    def _file(self, rubric: str, lines: Sequence[dict[str, Any]]) -> Path:
        path = self.folder / "calibration" / rubric / "examples.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    @staticmethod
    def _output(index: int, levels: Sequence[int]) -> dict[str, Any]:
        label = {"rater": "ann", "kind": "human", "criteria": dict(zip(NAMES, levels, strict=True))}
        return {"id": f"o{index}", "query": f"Question {index // 2}", "response": f"Reply {index}", "labels": [label]}

    @staticmethod
    def _pair(first: int, second: int, better: str, preferring: dict[str, Any]) -> dict[str, Any]:
        label = {"rater": "ann", "kind": "human", "criteria": {"better": better}, **preferring}
        sides = {
            side: {"id": f"o{index}", "response": f"Reply {index}"}
            for side, index in (("first", first), ("second", second))
        }
        return {"id": f"o{first}~o{second}", "query": f"Question {first // 2}", **sides, "labels": [label]}

    def improve(self, *options: str) -> tuple[int, dict[str, Any], str]:
        """Run `improve` on the rubric, and return exit status, JSON and standard error."""
        done = run("markscheme", "improve", "plate", "--numbers", *options, "--json", cwd=self.folder)
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr

    def shown(self, *options: str) -> str:
        """Run `improve` on the rubric, and return what the terminal shows, on one line."""
        return " ".join(run("markscheme", "improve", "plate", "--numbers", *options, cwd=self.folder).stdout.split())


def test_better_weights_are_found_from_preferences_and_the_pass_mark_stays(tmp_path: Path) -> None:
    plates = Plates(tmp_path, warm=1)
    status, report, error = plates.improve("--preferences", "nicer", "--open")
    numbers = report["numbers"]
    assert (status, numbers["from"], numbers["adopted"]) == (0, "preferences", "weights"), error
    after = numbers["weights"]["after"]
    assert after["warm"] > 1.9 * max(after["short"], after["exact"])
    assert (numbers["mark_p"], numbers["pass_mark"]) == (None, {"before": 0.5, "after": 0.5})
    assert (report["evidence"]["preferences"], report["evidence"]["pairs"]) == (120, "nicer")
    assert report["evidence"]["ties"] > 0
    shown = plates.shown("--preferences", "nicer", "--open")
    assert "120 preferences by ann" in shown
    assert "the preferences speak against yours" in shown
    assert "The pass mark stays" in shown
    assert "markscheme improve plate --numbers --preferences nicer --write" in shown
    assert plates.improve("--preferences", "nicer", "--write")[1]["numbers"]["opening"] == 1
    assert f"name: warm, weight: {after['warm']:g}" in plates.rubric.read_text()
    moved = json.loads((plates.examples.parent / "tuned.jsonl").read_text())
    assert len(moved["ids"]) == 240


def test_improve_leaves_weights_that_already_fit_the_preferences_as_they_are(tmp_path: Path) -> None:
    plates = Plates(tmp_path, warm=4)
    status, report, _ = plates.improve("--preferences", "nicer", "--open")
    assert (status, report["numbers"]["adopted"]) == (1, None)
    shown = plates.shown("--preferences", "nicer", "--open")
    assert "The chance to find a change worth over 5 points is 9 in 10 with 120." in shown
    assert "The rubric prefers as people do in" in shown


def test_improve_without_the_open_option_says_that_preferences_can_fit_weights_but_not_the_pass_mark(
    tmp_path: Path,
) -> None:
    plates = Plates(tmp_path, warm=1)
    _, report, _ = plates.improve("--preferences", "nicer")
    assert (report["can_try"]["weights"], report["can_try"]["pass_mark"]) == (True, False)
    assert report["next"][0] == "markscheme improve plate --numbers --preferences nicer --open"
    assert "preferences have none" in plates.shown("--preferences", "nicer")
    assert not (plates.examples.parent / "opened.jsonl").exists()


def test_fitting_weights_again_after_preferences_changed_counts_as_a_second_use_of_the_preferences(
    tmp_path: Path,
) -> None:
    plates = Plates(tmp_path, warm=4)
    assert plates.improve("--preferences", "nicer", "--open")[1]["numbers"]["opening"] == 1
    lines = plates.pairs.read_text().splitlines(keepends=True)
    plates.pairs.write_text("".join(lines[1:]))
    assert plates.improve("--preferences", "nicer", "--open")[1]["numbers"]["opening"] == 2


def test_weights_are_fitted_to_preferences_with_a_judge_s_levels_if_no_annotator_rated_both_outputs(
    tmp_path: Path,
) -> None:
    plates = Plates(tmp_path, warm=1)
    lines = [json.loads(line) for line in plates.examples.read_text().splitlines()]
    rated = [{"id": line["id"], "judge": "j", "criteria": line["labels"][0]["criteria"]} for line in lines]
    (tmp_path / "j.jsonl").write_text("".join(json.dumps(rating) + "\n" for rating in rated))
    for line in lines:
        line["labels"][0]["rater"] = "kim"
    plates.examples.write_text("".join(json.dumps(line) + "\n" for line in lines))
    status, _, error = plates.improve("--preferences", "nicer", "--open")
    assert (status, "nobody said in nicer which of two outputs of plate is better" in error) == (4, True)
    assert "120 others without levels that count" in error
    status, report, error = plates.improve("--preferences", "nicer", "--open", "--ratings", "j.jsonl")
    assert (status, report["evidence"]["judge"], report["numbers"]["adopted"]) == (0, "j", "weights"), error
    assert report["evidence"]["raters"] == ["ann"]


def test_improve_refuses_too_few_preferences_and_preferences_given_with_the_judge_s_answer_in_view(
    tmp_path: Path,
) -> None:
    status, _, error = Plates(tmp_path / "shown", warm=1, n=50, blind=False).improve("--preferences", "nicer", "--open")
    assert (status, "50 preferences were given next to a verdict" in error) == (4, True)
    status, _, error = Plates(tmp_path / "few", warm=1, n=30).improve("--preferences", "nicer", "--open")
    assert (status, "30 preferences by annotators" in error) == (4, True)


@pytest.mark.parametrize(
    ("source", "refused"),
    [("plate", "judges single responses"), ("nicest", "there is no rubric named 'nicest'; did you mean 'nicer'?")],
)
def test_the_preferences_option_of_improve_refuses_an_unknown_rubric_and_a_rubric_of_single_responses(
    tmp_path: Path, source: str, refused: str
) -> None:
    status, _, error = Plates(tmp_path, warm=1, n=2).improve("--preferences", source)
    assert status == 2
    assert refused in error


def test_improve_refuses_to_fit_weights_to_preferences_if_the_rubric_of_pairs_has_several_criteria(
    tmp_path: Path,
) -> None:
    plates = Plates(tmp_path, warm=1, n=2)
    with (tmp_path / "rubrics" / "nicer.yaml").open("a") as file:
        file.write("  - {name: tone, prefer: The reply that reads kinder.}\n")
    status, _, error = plates.improve("--preferences", "nicer")
    assert (status, "nicer asks 2 questions about a pair" in error) == (2, True)
