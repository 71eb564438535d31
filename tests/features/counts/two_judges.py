"""A folder with counts of two judges, and commands in it."""

import random
from pathlib import Path
from typing import Any

from markscheme import calibrate
from markscheme.features.counts.count_ratings import write_counts
from markscheme.features.counts.counting import counts_of
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run
from tests.features.counts.made import random_examples

RUBRIC = """pass_mark: 0.5
criteria:
- {name: clear, description: Is it clear?, scale: {min: 1, max: 5}}
"""


def counted_judges(folder: Path) -> Path:
    """Fill the folder that one works in with a rubric, and counts of two judges of the same labels; return it."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "answers.yaml").write_text(RUBRIC)
    rubric = load_rubric(folder / "rubrics" / "answers.yaml")
    examples, _ = random_examples(rubric, random.Random(4), n=240, groups=0, people=1)
    labelled = [example for example in examples if example["labels"]]
    for name, right in (("old", 0.9), ("new", 0.5)):
        draw = random.Random(name)
        ratings = [
            {
                "id": example["id"],
                "criteria": example["labels"][0]["criteria"] if draw.random() < right else {"clear": 3},
            }
            for example in labelled
        ]
        write_counts(counts_of(calibrate(rubric, labelled, ratings=ratings).comparison), folder / f"{name}.csv")
    return folder


def answer(project: Path, *words: str) -> Any:
    done = run("markscheme", *words, cwd=project)
    assert done.returncode in (0, 1, 4), done.stderr
    return done
