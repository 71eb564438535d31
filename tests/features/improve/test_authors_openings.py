"""The level at which new words are tested, and what shares it."""

from dataclasses import replace
from pathlib import Path

from markscheme.calibration.recorded_trials import RecordedTrial, example_digests, record_settings
from markscheme.features.improve.confirmation import Ledger
from markscheme.features.improve.fitting.numbers_fit import ALPHA_WEIGHTS
from markscheme.features.improve.fitting.proposal import ALPHA_MARK
from markscheme.features.improve.setting import ImprovableSet
from markscheme.ratings.examples import ExampleSet
from markscheme.rubrics.file import load_rubric
from tests.features.improve.reading import make_project
from tests.stats.shared_numbers import block


def test_the_significance_level_for_new_words_is_divided_by_the_number_of_settings_tried_on_held_out_labels() -> None:
    ledger = Ledger(ExampleSet(()), "2026-11-27", "", settings=4)
    assert [ledger.alpha(opening) for opening in (1, 2)] == [0.0125, 0.00625]
    assert block("authors.yaml", "openings")["words_with_4_settings_on_test"] == [0.0125, 0.00625]
    for mark in ("alpha_weights", "alpha_mark"):
        levels = block("authors.yaml", "openings")[mark]
        ours = {"alpha_weights": ALPHA_WEIGHTS, "alpha_mark": ALPHA_MARK}[mark]
        assert [ours / 2 ** (opening - 1) for opening in (1, 2, 3, 4)] == levels


def test_the_current_rubric_and_judge_do_not_count_among_the_settings_tried_on_held_out_labels(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path, split=True)
    rubric = load_rubric(project / "rubrics" / "manners.yaml")

    def settings_on_held_out() -> int:
        setting = ImprovableSet.of(
            rubric,
            project / "calibration" / "manners" / "examples.jsonl",
            gold=None,
            outside=False,
            opens=False,
            day="2026-11-27",
        )
        return replace(setting, folder=project / "calibration" / "manners").settings_on_held_out

    def tried(name: str, fingerprint: str, *ids: str) -> None:
        digests = example_digests(ids)
        now = RecordedTrial("2026-11-27", name, fingerprint, "j", len(ids), None, digests)
        record_settings(project / "calibration" / "manners" / "settings.jsonl", [now])

    assert settings_on_held_out() == 1
    tried("own", rubric.fingerprint, "ex-001")
    tried("read only", "other", "ex-000")
    assert settings_on_held_out() == 1
    for name in ("a", "b", "c"):
        tried(name, f"words {name}", "ex-001")
    assert settings_on_held_out() == 3
    tried("another judge", rubric.fingerprint, "ex-002")
    assert settings_on_held_out() == 4
