"""Outputs to label whose column of responses has another name than ours."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.outputs_of_promptfoo import results_file
from tests.readers.tabular.named_otherwise import OTHER_NAMES, OUTPUT_FORMS, outputs


@pytest.mark.parametrize("name", OTHER_NAMES)
@pytest.mark.parametrize("form", OUTPUT_FORMS)
def test_outputs_are_labelled_whatever_their_column_of_responses_is_called(
    tmp_path: Path, form: str, name: str
) -> None:
    outputs(tmp_path, form, name)
    pool = ("--pool", f"t.{form}")
    drawn = run("markscheme", "label", "r", *pool, "--next", "5", "--to", "q.jsonl", cwd=tmp_path)
    assert (drawn.returncode, len((tmp_path / "q.jsonl").read_text().splitlines())) == (0, 5), drawn.stderr
    sheet = run("markscheme", "label", "r", *pool, "--rater", "me", "--sheet", "s.html", cwd=tmp_path)
    assert "text 49." in (tmp_path / "s.html").read_text(encoding="utf-8"), sheet.stderr


@pytest.mark.parametrize("form", OUTPUT_FORMS)
def test_the_next_option_of_label_draws_responses_from_the_column_that_the_response_option_names(
    tmp_path: Path, form: str
) -> None:
    outputs(tmp_path, form, "txt")
    pool = ("--pool", f"t.{form}", "--response", "txt")
    named = run("markscheme", "label", "r", *pool, "--next", "5", "--to", "q.jsonl", cwd=tmp_path)
    assert named.returncode == 0, named.stderr
    drawn = [json.loads(line)["response"] for line in (tmp_path / "q.jsonl").read_text().splitlines()]
    assert len(drawn) == 5
    assert all(response.startswith("text ") for response in drawn)


@pytest.mark.parametrize("kind", ["", "contains", "llm-rubric"])
def test_every_output_in_promptfoo_s_results_can_be_labelled_unless_its_provider_failed(
    tmp_path: Path, kind: str
) -> None:
    (tmp_path / "polite.yaml").write_text("- {weight: 1, requirement: It is polite.}\n")
    results_file(tmp_path / "results.json", [("Sure.", ""), ("Yes.", ""), ("No.", kind), (None, "")])
    plan = run("markscheme", "label", "polite.yaml", "--plan", "--pool", "results.json", cwd=tmp_path)
    assert "Label all 3 that are left in results.json first." in " ".join(plan.stdout.split()), plan.stderr
    on_sheet = ["--pool", "results.json", "--rater", "zoe", "--sheet", "sheet.html"]
    sheet = run("markscheme", "label", "polite.yaml", *on_sheet, cwd=tmp_path)
    assert sheet.stdout.startswith("sheet.html: 3 to label by zoe."), sheet.stderr
