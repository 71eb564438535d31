"""A set of 60 that two annotators have labelled, and a criterion reworded since."""

import json
from pathlib import Path

from markscheme.ratings.rating import Rated, Rating, asked_under
from markscheme.ratings.wordings import record_words
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from tests.features.label.labelled_project import RUBRIC

EXAMPLES = 60
OLD_WORDS = "Is the reply polite?"
NEW_WORDS = "Is the reply polite to the customer?"
ANNOTATORS = ("ann", "ben")


def polite(place: int) -> float:
    """Return the level on `polite` that annotators gave a reply before the rewording."""
    return 1.0 + place % 3


def make_reworded(folder: Path) -> Path:
    """Write rubric `manners` with `polite` reworded, and its 60 examples with earlier labels by ann and ben."""
    (folder / "rubrics").mkdir()
    (folder / ".git").mkdir()
    home = folder / "calibration" / "manners"
    (home / "ratings").mkdir(parents=True)
    path = folder / "rubrics" / "manners.yaml"
    path.write_text(RUBRIC)
    rubric = load_rubric(path)
    lines = [{"id": f"r{n}", "inputs": {"query": "?"}, "response": f"reply {n}"} for n in range(EXAMPLES)]
    (home / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    record_words(home, rubric, "2026-11-01")
    for rater in ANNOTATORS:
        labels = [labelled(rubric, rater, n, polite(n)) for n in range(EXAMPLES)]
        text = "".join(json.dumps(label.to_json()) + "\n" for label in labels)
        (home / "ratings" / f"{rater}.jsonl").write_text(text)
    path.write_text(RUBRIC.replace(OLD_WORDS, NEW_WORDS))
    return folder


def labelled(rubric: Rubric, rater: str, place: int, level: float) -> Rating:
    """Make a label of a reply under a rubric's wording: a level of `polite`, and no fault."""
    levels = {"polite": level, "waffle": 0.0}
    criteria = {name: Rated(value, under=rubric.criterion(name).wording) for name, value in levels.items()}
    return Rating(f"r{place}", rater, "human", criteria, at="2026-11-01", under=asked_under(rubric))
