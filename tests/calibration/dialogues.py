"""223 dialogues that one person each rated, with the distribution that gpt-3.5-turbo-16k gave its levels: LLM-Rubric.

Source: github.com/microsoft/LLM-Rubric, licence MIT (Hashemi et al. 2024, ACL). The data lie beside the repository.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[3] / "shared" / "data" / "llm_rubric" / "items.jsonl.gz"
JUDGE = "gpt-3.5-turbo-16k"
RUBRIC = """\
name: dialogue
passingThreshold: 0.66
tolerance: 0.1
criteria:
- {name: Q0, description: The user is satisfied with the dialogue., scale: {min: 1, max: 4}, threshold: 0.66}
"""
"""A dialogue passes at level 3 or 4."""


def rows() -> list[dict[str, Any]]:
    """Read the dialogues; skip the test if the data isn't there."""
    if not DATA.exists():
        pytest.skip("runs where ../shared/data/llm_rubric/items.jsonl.gz is there")
    with gzip.open(DATA, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def project(folder: Path) -> Path:
    """Write a project with the rubric, people's labels and decisions, and the judge's ratings in `judge.jsonl`."""
    (folder / "rubrics").mkdir(parents=True)
    (folder / "rubrics" / "dialogue.yaml").write_text(RUBRIC)
    examples, ratings = [], []
    for row in rows():
        labels = [
            {"rater": who, "kind": "human", "criteria": {"Q0": levels["Q0"]}, "pass": levels["Q0"] >= 3}
            for who, levels in row["labels"].items()
            if levels.get("Q0") is not None
        ]
        examples.append({"id": row["id"], "query": row["input"] or "…", "response": row["output"], "labels": labels})
        shares = row["judge_dist"].get(JUDGE, {}).get("Q0")
        if shares is None:
            continue
        whole = sum(shares)
        probabilities = {str(level): share / whole for level, share in enumerate(shares, start=1)}
        line = {"id": row["id"], "rater": JUDGE, "kind": "model", "criteria": {"Q0": {"probabilities": probabilities}}}
        ratings.append(line)
    of_rubric = folder / "calibration" / "dialogue"
    of_rubric.mkdir(parents=True)
    (of_rubric / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in examples))
    (folder / "judge.jsonl").write_text("".join(json.dumps(line) + "\n" for line in ratings))
    return folder
