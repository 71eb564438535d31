"""Calibrations read back from their JSON reports, and ratings read without a rubric."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.errors import RatingError
from markscheme.judges.judge import Usage
from markscheme.prompts.submission import Submission
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.readers.calibrations import gold_between, is_calibration, written_calibrations
from markscheme.readers.infer_rubric import infer_rubric
from markscheme.readers.peek import Peek
from markscheme.readers.reported import JudgeCost, WrittenCalibration
from markscheme.report.json import dumps
from markscheme.report.views.calibration import json_of as calibration_json

RUBRIC = Rubric.from_dict({"name": "manners", "criteria": [
    {"name": "polite", "description": "Polite", "weight": 3}, {"name": "short", "requirement": "Short", "weight": -1},
]})  # fmt: skip


def rated(unit: int, rater: str, polite: float | None, short: float) -> Rating:
    levels = {
        "short": Rated(short),
        "polite": Rated(polite) if polite is not None else Rated(None, "?", declined="unread"),
    }
    return Rating(f"e{unit}", rater, "human" if rater == "a" else "model", levels)


def calibration(folder: Path, name: str = "c.json", *, response: str = "r", shift: float = 0) -> Path:
    """Write the JSON report of a calibration on 12 examples, one of them ungraded."""
    examples = ExampleSet(
        tuple(
            Example(Submission(f"{response}{i}", {}, f"e{i}"), (rated(i, "a", 1 + (i + shift) % 5, i % 2),))
            for i in range(12)
        )
    )
    judged = [rated(i, "j", None if i == 3 else 1 + (i + 1) % 5, i % 2) for i in range(12)]
    made = calibration_of(RUBRIC, examples, judged, Rater("gpt", "f", "live"), cost=Usage(8, 10, 10, 0.5), from_cache=4)
    (folder / name).write_text(dumps(calibration_json(made)))
    return folder / name


def calibration_in(path: Path) -> WrittenCalibration:
    (written,) = written_calibrations(Peek(path))
    return written


def test_a_calibration_read_from_its_json_equals_the_calibration_that_was_written(tmp_path: Path) -> None:
    written = calibration_in(calibration(tmp_path))
    assert (written.judge, written.rubric.name, written.fingerprint) == ("gpt", "manners", RUBRIC.fingerprint)
    assert [c.scale.values for c in written.rubric.criteria] == [c.scale.values for c in RUBRIC.criteria]
    assert (written.judge_cost, written.reference) == (JudgeCost(Usage(8, 10, 10, 0.5), 4, 12), "one-person")
    by_id = {rating.id: rating for rating in written.ratings}
    assert by_id["e0"].criteria["polite"].level == 2.0
    assert (by_id["e3"].error, by_id["e3"].overall, by_id["e3"].criteria["short"].level) == ("not graded", None, 1.0)
    assert {name: level.level for name, level in written.gold["e0"].criteria.items()} == {"polite": 1.0, "short": 0.0}


def test_gold_read_from_a_report_equals_gold_from_the_labels(tmp_path: Path) -> None:
    written = calibration_in(calibration(tmp_path))
    gold, differing = gold_between([written], written.rubric)
    again = gold_of(
        ExampleSet(tuple(Example(Submission("r", {}, f"e{i}"), (rated(i, "a", 1 + i % 5, i % 2),)) for i in range(12))),
        RUBRIC,
    )
    assert (gold.ids, differing) == (again.ids, 0)
    assert gold.scores.tolist() == pytest.approx(again.scores.tolist(), abs=1e-12)
    assert gold.decisions.tolist() == again.decisions.tolist()
    assert gold.levels["polite"].tolist() == again.levels["polite"].tolist()


def test_labels_that_changed_between_two_reports_are_counted_and_the_later_labels_are_used(tmp_path: Path) -> None:
    first, second = calibration(tmp_path), calibration(tmp_path, "d.json", shift=1)
    gold, differing = gold_between([calibration_in(first), calibration_in(second)], RUBRIC)
    assert differing == 12
    assert gold.levels["polite"][0] == 2.0


def test_only_a_json_report_of_calibrate_is_recognized_as_a_calibration(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"rated": 3}')
    (tmp_path / "y.json").write_text("{")
    assert is_calibration(Peek(calibration(tmp_path)))
    assert not any(is_calibration(Peek(tmp_path / name)) for name in ("x.json", "y.json", "none.json", "c.jsonl"))


@pytest.mark.parametrize("broken", ["examples", "criteria", "rated", "cost", "raters"])
def test_a_report_of_calibrate_with_an_invalid_part_is_refused(tmp_path: Path, broken: str) -> None:
    data: dict[str, Any] = json.loads(calibration(tmp_path).read_text())
    data[broken] = {"judge": 3}
    (tmp_path / "b.json").write_text(json.dumps(data))
    with pytest.raises(RatingError, match=r"b\.json: isn't a calibration that can be read"):
        calibration_in(tmp_path / "b.json")


# --- ratings without a rubric ---------------------------------------------------------------------------------------


def lines(folder: Path, *levels_of_lines: Any) -> Path:
    path = folder / "r.jsonl"
    path.write_text(
        "".join(json.dumps({"id": str(i), "criteria": one}) + "\n" for i, one in enumerate(levels_of_lines))
    )
    return path


def test_an_inferred_rubric_has_the_scales_that_the_ratings_use(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        {"a": 2, "b": "MET", "c": True, "d": {"level": 0.25}, "e": {"abstained": "?"}},
        {"a": 5, "b": "unmet", "c": 0, "d": {"level": 0.75}},
    )
    rubric = infer_rubric([path])
    scales = {c.name: c.scale.values for c in rubric.criteria}
    assert scales == {"a": (2, 3, 4, 5), "b": (0, 1), "c": (0, 1), "d": (0.25, 0.75)}
    path.write_text(path.read_text().replace(', "e": {"abstained": "?"}', ""))
    assert len(load_ratings(path, rubric)) == 2


def test_from_ratings_that_are_all_3_a_scale_with_the_levels_3_and_4_is_inferred(tmp_path: Path) -> None:
    assert infer_rubric([lines(tmp_path, {"a": 3})]).criteria[0].scale.values == (3, 4)


def test_levels_that_are_words_of_unknown_order_cannot_be_read_without_a_rubric(tmp_path: Path) -> None:
    with pytest.raises(RatingError, match="words whose order is not known here; name its rubric by --rubric"):
        infer_rubric([lines(tmp_path, {"a": "fair"}, {"a": "good"})])


def test_invalid_levels_are_ignored_when_a_rubric_is_inferred_and_reported_when_ratings_are_loaded(
    tmp_path: Path,
) -> None:
    path = lines(tmp_path, {"a": 1}, {"a": [2]}, {"a": {"level": {"b": 1}}})
    rubric = infer_rubric([path])
    with pytest.raises(RatingError, match=r"r\.jsonl:2: a: \[2\] isn't a level"):
        load_ratings(path, rubric)


def test_ratings_without_any_level_cannot_be_read_without_a_rubric(tmp_path: Path) -> None:
    with pytest.raises(RatingError, match="rates no criterion"):
        infer_rubric([lines(tmp_path, {}, None)])
