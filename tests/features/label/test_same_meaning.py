"""The author's statement that a criterion's new wording means the same as the old one."""

from dataclasses import replace
from pathlib import Path

from markscheme.features.label.relabelling import record_same_meaning
from markscheme.features.label.worded_criteria import recorded_words
from markscheme.ratings.wordings import record_words, same_meaning
from tests.calibration.made import rubric

RUBRIC = rubric("polite", "short")


def test_the_author_may_state_that_a_new_wording_means_the_same_as_all_earlier_wordings(tmp_path: Path) -> None:
    record_words(tmp_path, RUBRIC, "2026-11-01")
    polite, short = RUBRIC.criteria
    reworded = replace(polite, requirement="Is it polite to the customer?")
    assert record_same_meaning(tmp_path, short, "2026-11-02") == ()
    assert record_same_meaning(tmp_path, reworded, "2026-11-02") == (polite.wording,)
    assert same_meaning(tmp_path, [reworded, short]) == {"polite": frozenset([polite.wording])}
    assert same_meaning(tmp_path, RUBRIC.criteria) == {}
    assert recorded_words(tmp_path)[reworded.wording]["text"] == reworded.requirement
