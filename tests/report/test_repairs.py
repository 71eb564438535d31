"""The sentence that says what fixing a finding would change."""

import pytest

from markscheme.calibration.comparison.repairs import Repair, Repairs, Totals
from markscheme.report.repairs import pair_in_words, repair_in_words, stays_wrong_in_words


def repair(
    stopped: int = 0, kept: int = 0, *, held_up: int = 0, let_through: int = 0, passes: int = 20, fails: int = 3
) -> Repair:
    """Return a Repair of so many false passes and false fails, out of `passes` and `fails` in all."""
    stops = tuple(f"p{i}" for i in range(stopped))
    keeps = tuple(f"f{i}" for i in range(kept))
    return Repair(("safe",), Totals(passes, fails, 30), 200, stops, keeps, held_up, let_through, 0, 0)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (repair(20), "Fixing it alone would stop 20 of the 20 fails that pass."),
        (
            repair(20, held_up=2),
            "Fixing it alone would stop 20 of the 20 fails that pass and hold up 2 that are right now.",
        ),
        (
            repair(5, 2, let_through=1),
            "Fixing it alone would stop 5 of the 20 fails that pass, keep 2 of the 3 passes that fail and let through "
            "1 that is right now.",
        ),
        (repair(1, passes=1), "Fixing it alone would stop the only fail that passes."),
        (repair(held_up=1, let_through=1), "Fixing it alone would repair no decision and break 2 that are right now."),
        (repair(), "Fixing it alone changes no decision here."),
    ],
)
def test_the_sentence_on_fixing_a_criterion_counts_decisions_corrected_and_decisions_broken(
    changes: Repair, sentence: str
) -> None:
    assert repair_in_words(changes) == sentence


@pytest.mark.parametrize(
    ("repaired", "broken", "sentence"),
    [
        (3, 0, "Fixing it alone would correct 3 of the 30 scores that are off."),
        (3, 1, "Fixing it alone would correct 3 of the 30 scores that are off and put 1 off that is right now."),
        (0, 0, ""),
    ],
)
def test_the_sentence_on_fixing_a_criterion_counts_corrected_scores_if_there_are_no_decisions(
    repaired: int, broken: int, sentence: str
) -> None:
    undecided = Repair(("safe",), Totals(0, 0, 30), 0, (), (), 0, 0, repaired, broken)
    assert repair_in_words(undecided) == sentence


def test_a_report_mentions_no_criteria_to_fix_together_and_no_decisions_that_stay_wrong_if_there_are_none() -> None:
    pair = Repair(("a", "b"), Totals(2, 0, 2), 2, ("e0", "e1"), (), 0, 0, 2, 0)
    repairs = Repairs(pair.totals, {}, ("e0",), pair)
    assert pair_in_words(repairs) == (
        "No single criterion repairs a fifth of the wrong decisions: fixing a and b together would stop 2 of the 2 "
        "fails that pass."
    )
    assert "1 decision stays wrong" in stays_wrong_in_words(repairs)
    nothing = Repairs(pair.totals, {}, (), None)
    assert pair_in_words(nothing) == stays_wrong_in_words(nothing) == ""
