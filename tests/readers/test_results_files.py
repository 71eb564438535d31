"""Recognition of files with Promptfoo's results by how they begin."""

import json
from pathlib import Path
from typing import Any

from markscheme.readers.rated import has_results
from tests.commands.console import run
from tests.promptfoo.rated_run import written


def test_promptfoo_s_results_are_recognized_as_json_and_as_json_lines(
    rated_results: dict[str, Any], tmp_path: Path
) -> None:
    rows = rated_results["results"]["results"]
    (tmp_path / "out.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert has_results(tmp_path / "out.jsonl")
    assert has_results(written(rated_results, tmp_path / "out.json"))


def test_a_rubric_or_a_file_of_ratings_is_not_recognized_as_promptfoo_s_results(tmp_path: Path) -> None:
    (tmp_path / "rubric.json").write_text('{"criteria": [{"name": "a", "description": "b"}]}')
    (tmp_path / "ratings.jsonl").write_text('{"id": "a", "criteria": {}}\n')
    assert not has_results(tmp_path / "rubric.json")
    assert not has_results(tmp_path / "ratings.jsonl")


def test_naming_a_rubric_together_with_promptfoo_s_results_is_refused(
    rated_results: dict[str, Any], tmp_path: Path
) -> None:
    results = written(rated_results, tmp_path / "out.json")
    done = run("calibrate", str(results), "code-quality", cwd=tmp_path)
    assert done.returncode == 2
    assert "code-quality contains no results of Promptfoo" in done.stderr
