"""`markscheme improve` on a shipped rubric, with recorded replies to three other wordings: no key, no call."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import ROOT, run

FOLDER = ROOT / "calibration" / "error-messages"
CANDIDATES = [str(path.relative_to(ROOT)) for path in sorted((FOLDER / "candidates").glob("*.yaml"))]


@pytest.fixture(scope="module")
def improvement(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    page = tmp_path_factory.mktemp("page") / "page.html"
    command = ("markscheme", "improve", "error-messages", "--candidates", *CANDIDATES, "--outside")
    done = run(*command, "--json", "--html", str(page), env={"MARKSCHEME_CACHE": str(page.parent / "cache")})
    assert done.returncode == 1, done.stderr
    return {**json.loads(done.stdout), "page": page.read_text(encoding="utf-8")}


def test_three_wordings_with_recorded_replies_are_tested_by_improve_without_a_call_and_none_is_confirmed(
    improvement: dict[str, Any],
) -> None:
    assert improvement["finalists"] == ["borders", "in-steps", "plain"]
    assert (improvement["adopted"], improvement["refused"], improvement["calls"], improvement["graded"]) == (
        None,
        [],
        0,
        5 * 55,
    )
    assert improvement["asked_again"] is True
    assert improvement["opening"] == 1
    assert not (FOLDER / "opened.jsonl").exists(), "looks at a shipped set are not recorded in the package"
    assert improvement["tasks"] == {"dev": 11, "sealed": 11}
    assert improvement["because"].startswith(
        "The labels don't confirm any of the new wordings; yours stays. With 55 labelled"
    )


def test_the_page_of_improve_shows_each_finalist_side_by_side_with_the_user_s_wording(
    improvement: dict[str, Any],
) -> None:
    for name in improvement["finalists"]:
        assert f"{name}, side by side with yours" in improvement["page"]
    assert "<del>" in improvement["page"]
    assert "<ins>" in improvement["page"]


def test_improve_refuses_the_shipped_set_on_error_messages_which_has_too_few_tasks_to_hold_out() -> None:
    done = run("markscheme", "improve", "error-messages", "--candidates", *CANDIDATES)
    assert done.returncode == 4
    assert "4 dev and 7 held-out tasks (the outputs of a group are one task), and 10 and 20 are needed" in done.stderr
    assert '"split"' not in Path(FOLDER / "examples.jsonl").read_text(encoding="utf-8")


def test_with_recorded_replies_of_a_single_run_improve_says_that_differences_between_runs_are_unknown(
    tmp_path: Path,
) -> None:
    replies = (FOLDER / "replies" / "claude.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "once.jsonl").write_text("".join(line for line in replies if json.loads(line)["sample"] == 0))
    judge = f"recorded:{tmp_path / 'once.jsonl'}"
    command = ("improve", "error-messages", "--judge", judge, "--candidates", CANDIDATES[0], "--outside")
    assert "how far two runs of the judge differ isn't covered" in " ".join(run("markscheme", *command).stdout.split())
