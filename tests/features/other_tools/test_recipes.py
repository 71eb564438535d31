"""What a recipe of CONTRIBUTING.md adds to the tools: a reader of labels."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.recipes import copy_of_package, follow, markscheme

CRITERION = '{"name": "one", "criteria": [{"name": "good", "requirement": "It is good"}]}'


def choice(place: int, answer: str, *accept: str) -> dict[str, Any]:
    """Return a line as `prodigy db-out` writes it."""
    common = {"text": f"Answer {place}", "_input_hash": place, "_task_hash": -place, "_annotator_id": "ana"}
    return {**common, "answer": answer, "accept": list(accept)}


@pytest.mark.proof
def test_import_reads_a_file_with_a_reader_that_was_added_by_following_the_documented_recipe(tmp_path: Path) -> None:
    home = copy_of_package(tmp_path / "package")
    follow("Add a reader of another tool's labels", home)
    (tmp_path / "one.json").write_text(CRITERION, encoding="utf-8")
    lines = [choice(1, "accept", "MET"), choice(2, "accept", "no"), choice(3, "ignore")]
    made = tmp_path / "choices.jsonl"
    made.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = markscheme(home, "import", str(made), "--rubric", "one.json", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["taken_for"], report["examples"]) == ("choices of Prodigy", 3)
    assert [(line["id"], line["rater"], line["criteria"]["good"]["level"]) for line in report["lines"]] == [
        ("1", "ana", 1.0),
        ("2", "ana", 0.0),
    ]
    assert report["lost"] == {"answers 'ignore'": 1}
    (tmp_path / "other.xml").write_text("<xml/>", encoding="utf-8")
    again = markscheme(home, "import", "other.xml", "--rubric", "one.json", cwd=tmp_path)
    assert (again.returncode, "choices of Prodigy" in again.stderr) == (2, True)
