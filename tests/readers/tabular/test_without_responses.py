"""Tables without responses, at the commands that read responses."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run

ROWS = [{"id": f"t{row}", "judge": "pass", "human": "fail"} for row in range(20)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "kind.yaml").write_text("criteria: [{name: kind, requirement: The reply is kind.}]\n")
    (tmp_path / "t.csv").write_text("\n".join([",".join(ROWS[0]), *(",".join(row.values()) for row in ROWS)]))
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return tmp_path


@pytest.mark.parametrize("file", ["t.csv", "t.jsonl"])
def test_the_grade_command_refuses_a_table_without_responses_with_the_option_that_names_their_column(
    project: Path, file: str
) -> None:
    done = run("markscheme", "grade", "kind", file, "--judge", "recorded:replies.jsonl", "--json", cwd=project)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (2, "no-responses")
    assert error["commands"] == [f"markscheme grade kind {file} --judge recorded:replies.jsonl --response COLUMN"]
