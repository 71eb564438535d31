"""A decision about a whole response belongs to the response: rewording a criterion makes none stale."""

import json
from dataclasses import replace
from pathlib import Path

from markscheme.ratings.codes import load_ratings
from markscheme.ratings.rating import Rated, Rating, corrected
from markscheme.rubrics.file import load_rubric
from tests.features.label.labelled_project import Server
from tests.features.label.reworded_project import make_reworded
from tests.features.label.test_rewording import OWN, answer_all

BEFORE = Rating("a", "ann", "human", {"polite": Rated(1.0, under="old")}, passed=True, under="old words")
LATER = Rating("a", "ann", "human", {"polite": Rated(0.0, under="new")}, under="new words")


def test_relabelling_a_reworded_criterion_keeps_the_annotator_s_decision_on_the_whole_response() -> None:
    assert corrected(BEFORE, LATER).passed is True
    assert corrected(BEFORE, replace(LATER, passed=False)).passed is False


def test_after_a_rewording_only_the_reworded_criterion_is_asked_again_and_decisions_on_responses_stay(
    tmp_path: Path,
) -> None:
    project = make_reworded(tmp_path)
    path = project / "calibration" / "manners" / "ratings" / "ann.jsonl"
    lines = [json.loads(line) | {"pass": place % 2 == 0} for place, line in enumerate(path.read_text().splitlines())]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Server(project, (*OWN, "-o", "ask_whole=always"), rater="ann") as server:
        assert [step["criteria"] for step in server.get("").data["steps"]] == [[0]] * 20
        asked = answer_all(server)
    rubric = load_rubric(project / "rubrics" / "manners.yaml")
    labels = {label.id: label for label in load_ratings(path, rubric, kind="human")}
    assert {f"r{place}": place % 2 == 0 for place in asked} == {
        f"r{place}": labels[f"r{place}"].passed for place in asked
    }
