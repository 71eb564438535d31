"""Datasets of autorubric: examples, and the labels of one rater."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.errors import RatingError
from markscheme.ratings.rating import Rating
from markscheme.readers.imported import Columns
from markscheme.readers.rated import RatedFile, open_rated

ONE = Rubric.from_dict({"name": "one", "criteria": [{"name": "good", "requirement": "It is good"}]})
TWO = Rubric.from_dict(
    {
        "name": "two",
        "criteria": [
            {"name": "code-quality", "description": "Well made", "weight": 2},
            {"name": "rude", "requirement": "It is rude", "weight": -1},
        ],
    }
)
BY_NAME = Columns(rater="person", kind="human")
OPTIONS = [{"label": "1", "value": 0}, {"label": "5", "value": 1}]
THEIR_CRITERIA = [
    {"name": "Code Quality", "requirement": "x", "weight": 1, "options": OPTIONS},
    {"name": "rude", "requirement": "y", "weight": -1},
    {"name": "charm", "requirement": "z", "weight": 1},
]
REASONS = ["fine", "", ""]
ITEMS = [
    {
        "submission": "Paris.",
        "description": "right",
        "ground_truth": ["5", "UNMET", "MET"],
        "ground_truth_reasons": REASONS,
    },
    {"submission": "Shut up.", "ground_truth": ["1", "MET", "UNMET"], "prompt": "Be nice", "colour": "red"},
    {"submission": "Hm", "ground_truth": ["1", "CANNOT_ASSESS", None]},
    {"submission": "No truth"},
    {"submission": "Short", "ground_truth": ["1"]},
]


def imported(path: Path, rubric: Rubric = ONE) -> RatedFile:
    return open_rated([path], rubric, expected="anything", columns=BY_NAME).as_one_file


def levels_of(rating: Rating) -> dict[str, Any]:
    return {name: rated.level for name, rated in rating.criteria.items()}


def dataset(folder: Path, **changes: Any) -> Path:
    data: dict[str, Any] = {"name": "capitals", "prompt": "Name the capital.", "reference_submission": "Paris"}
    data |= {"rubric": THEIR_CRITERIA, "items": ITEMS}
    (folder / "d.json").write_text(json.dumps({**data, **changes}))
    return folder / "d.json"


def test_a_dataset_of_autorubric_is_read_as_examples_with_one_rater_s_labels(tmp_path: Path) -> None:
    content = imported(dataset(tmp_path), TWO)
    assert [(r.id, r.rater, r.kind, levels_of(r)) for r in content.ratings] == [
        ("right", "ground_truth", "human", {"code-quality": 5.0, "rude": 0.0}),
        ("item-2", "ground_truth", "human", {"code-quality": 1.0, "rude": 1.0}),
        ("item-3", "ground_truth", "human", {"code-quality": 1.0, "rude": None}),
    ]
    assert content.ratings[0].criteria["code-quality"].reason == "fine"
    assert content.ratings[2].criteria["rude"].declined == "abstained"
    lines = [example.to_json() for example in content.examples]
    assert lines[0] == {
        "id": "right",
        "inputs": {"query": "Name the capital.", "reference": "Paris"},
        "response": "Paris.",
    }
    assert lines[1]["inputs"]["query"] == "Be nice"
    assert len(lines) == 5


def test_the_import_command_counts_contents_of_an_autorubric_dataset_that_have_no_equivalent_in_ratings(
    tmp_path: Path,
) -> None:
    lost = imported(dataset(tmp_path, version=2), TWO).lost
    assert lost == {
        "criterion 'charm', which the rubric does not have": 1,
        "'colour' of an item": 1,
        "ground truths that aren't a list of 3 levels": 1,
        "'version' of the dataset": 1,
    }


def test_autorubric_criteria_with_unknown_names_are_matched_to_the_rubric_s_criteria_by_their_order(
    tmp_path: Path,
) -> None:
    rubric = [{"name": "a", "requirement": "x", "weight": 1}]
    content = imported(dataset(tmp_path, rubric=rubric, items=[{"submission": "s", "ground_truth": ["MET"]}]))
    assert levels_of(content.ratings[0]) == {"good": 1.0}
    assert content.notes == ("no criterion of the dataset is named as in the rubric one: they are taken by place",)


def test_a_faulty_rubric_in_an_autorubric_dataset_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RatingError, match="holds a rubric that cannot be read"):
        imported(dataset(tmp_path, rubric=[{"weight": 0}]), TWO)
