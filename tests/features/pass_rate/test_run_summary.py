"""The summary of a Promptfoo run, from rows as its hook gets them."""

from pathlib import Path
from typing import Any

from markscheme.features.pass_rate.run_summary import RunWorth, run_worth
from markscheme.features.pass_rate.view_run_summary import json_of, view
from markscheme.promptfoo.results import results_of
from markscheme.report.document import Items

NO_KEY = "no key for anthropic"
FUNCTION = "timeout (Promptfoo may count this as passed all the same: assertScoringFunction decides the test: 'f.js')"


def row(test: int, reason: str, *, success: bool = False) -> dict[str, Any]:
    """A row whose one assertion has this reason; it is ungraded where the reason says so."""
    part = {"pass": not reason.startswith("not graded"), "score": 0, "reason": reason, "assertion": {"type": "python"}}
    grading = {"pass": success, "score": 0, "reason": reason, "componentResults": [part]}
    return {
        "testIdx": test,
        "promptIdx": 0,
        "success": success,
        "score": 0,
        "gradingResult": grading,
        "provider": "echo",
    }


def summary(*reasons: str, success: bool = False) -> RunWorth:
    rows = [row(test, reason, success=success) for test, reason in enumerate(reasons)]
    return run_worth(results_of(rows, Path("eval")), None, {})


def lines(worth: RunWorth) -> list[str]:
    (items,) = (block for block in view(worth).blocks if isinstance(block, Items))
    return [str(line) for (line,) in items.items]


def test_the_summary_after_a_promptfoo_run_counts_the_three_most_common_reasons_for_missing_grades() -> None:
    ungraded = [NO_KEY] * 4 + ["too slow"] * 3 + ["too long"] * 2 + ["once"]
    worth = summary("fine", *(f"not graded: {why}" for why in ungraded))
    assert lines(worth)[2] == (
        f"10 outputs not graded, in no rate: 4 × python: {NO_KEY}; 3 × python: too slow; 2 × python: too long; "
        "and 1 more."
    )
    assert json_of(worth)["not_graded_because"] == {
        f"python: {NO_KEY}": 4,
        "python: too slow": 3,
        "python: too long": 2,
        "python: once": 1,
    }


def test_the_summary_after_a_promptfoo_run_counts_ungraded_outputs_that_promptfoo_passes() -> None:
    worth = summary(f"not graded: {FUNCTION}", f"not graded: {FUNCTION}", success=True)
    assert worth.passed_ungraded == 2
    assert lines(worth)[3] == (
        "Promptfoo counts 2 of them as passed: a threshold, a weight of 0 or an `assertScoringFunction` does that."
    )


def test_the_summary_after_a_fully_graded_promptfoo_run_lists_no_reasons_for_missing_grades() -> None:
    worth = summary("fine", "fine", success=True)
    assert worth.reasons_not_graded == ()
    assert lines(worth)[2] == "Not graded: none of 2 outputs."


def test_the_summary_after_a_promptfoo_run_without_labels_and_repeats_says_that_both_are_missing() -> None:
    rate, flips = lines(summary(*["fine"] * 3, "not graded: too slow"))[:2]
    assert rate == "Pass rate: 0 of 3 graded outputs pass. Not corrected: there are no labels."
    assert flips.startswith("How often this gate fails though nothing changed: repeat to know (`npx promptfoo eval")


def test_the_summary_after_a_promptfoo_run_in_which_nothing_is_graded_says_why_it_has_no_pass_rate() -> None:
    assert lines(summary("not graded: too slow"))[0] == "Pass rate: not known (nothing here is graded)."
