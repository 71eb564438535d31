"""What a recipe of CONTRIBUTING.md adds to the tools: a reader of labels."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.recipes import copy_of_package, follow, markscheme

CRITERION = '{"name": "one", "criteria": [{"name": "good", "requirement": "It is good"}]}'


def labelled(place: int, *labels: str) -> dict[str, Any]:
    """Return a line as doccano exports it."""
    return {"id": place, "text": f"Answer {place}", "label": list(labels), "Comments": []}


@pytest.mark.proof
def test_the_import_command_reads_a_file_with_a_reader_that_was_added_by_following_the_documented_recipe(
    tmp_path: Path,
) -> None:
    home = copy_of_package(tmp_path / "package")
    follow("Add a reader of another tool's labels", home)
    (tmp_path / "one.json").write_text(CRITERION, encoding="utf-8")
    lines = [labelled(1, "MET"), labelled(2, "no"), labelled(3)]
    made = tmp_path / "ana.jsonl"
    made.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = markscheme(home, "import", str(made), "--rubric", "one.json", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["taken_for"], report["examples"]) == ("labels of doccano", 3)
    assert [(line["id"], line["rater"], line["criteria"]["good"]["level"]) for line in report["lines"]] == [
        ("1", "ana", 1.0),
        ("2", "ana", 0.0),
    ]
    assert report["lost"] == {"texts with 0 labels": 1}
    (tmp_path / "other.xml").write_text("<xml/>", encoding="utf-8")
    again = markscheme(home, "import", "other.xml", "--rubric", "one.json", cwd=tmp_path)
    assert (again.returncode, "labels of doccano" in again.stderr) == (2, True)
