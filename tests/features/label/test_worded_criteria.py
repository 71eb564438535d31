"""The words of criteria that the labelling page shows."""

from pathlib import Path

from markscheme.features.label.worded_criteria import current_words, recorded_words
from markscheme.ratings.wordings import record_words
from tests.ratings.test_wordings import RUBRIC


def test_the_text_and_levels_of_an_earlier_wording_of_a_criterion_are_looked_up_by_the_wording_s_digest(
    tmp_path: Path,
) -> None:
    record_words(tmp_path, RUBRIC, "2026-11-01")
    polite, short = RUBRIC.criteria
    words = recorded_words(tmp_path)
    assert words[polite.wording] == {"text": "Is it polite?", "levels": ("1 · rude: It insults.", "3 · kind")}
    assert words[short.wording] == current_words(short)


def test_reading_earlier_wordings_of_criteria_skips_lines_and_levels_that_are_not_json_objects(tmp_path: Path) -> None:
    (tmp_path / "wordings.jsonl").write_text('[1]\n{"under": "a", "text": 7, "scale": [3, {"choice": "x"}]}\n')
    assert recorded_words(tmp_path) == {"a": {"text": "7", "levels": ("x",)}}
    assert recorded_words(tmp_path / "elsewhere") == {}
