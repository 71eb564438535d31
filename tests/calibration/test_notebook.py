"""What a notebook shows of a calibration: a report of bounded size, a data frame, counts and sentences."""

import pickle
from dataclasses import replace

import pandas
import pytest

from markscheme import Calibration, Rubric, agreement, calibrate
from markscheme.report import results
from markscheme.report.document import Callout, Document
from tests.calibration.test_api import RUBRIC, rows, verdicts

WRITTEN = "The parcel left on Monday and arrives on Thursday, if the weather holds. " * 20
"""A response of 1.5 kB."""


def calibration(n: int = 40, *, wrong: int = 5) -> Calibration:
    """Calibrate a judge that passes and fails some examples wrongly."""
    texts = [{**row, "response": f"{row['response']}. {WRITTEN}"} for row in rows(n)]
    return calibrate(RUBRIC, texts, ratings=verdicts(n, wrong=wrong))


@pytest.mark.parametrize("n", [12, 400])
def test_the_result_of_calibrate_takes_at_most_60_kb_in_a_notebook(n: int) -> None:
    result = calibration(n)
    shown = result._repr_html_()
    assert len(shown.encode()) <= 60_000
    assert shown.startswith('<iframe srcdoc="')
    assert "to_html() returns the whole page" in shown.replace("`", "").replace("&lt;code&gt;", "").replace(
        "&lt;/code&gt;", ""
    )
    assert WRITTEN[:200] not in shown
    assert len(result.to_html()) > 60_000 or n < 100


def test_a_notebook_s_view_of_a_calibration_with_60_criteria_still_shows_the_verdict_on_the_judge_in_60_kb() -> None:
    names = [f"a rather long name of a criterion, number {n}" for n in range(60)]
    rubric = Rubric.from_dict([{"name": f"c{n}", "requirement": name} for n, name in enumerate(names)])
    examples = [
        {
            "id": f"e{i}",
            "response": f"x{i}",
            "labels": [{"rater": "a", "criteria": {c.name: i % 2 for c in rubric.criteria}}],
        }
        for i in range(12)
    ]
    ratings = [{"id": f"e{i}", "criteria": {c.name: (i + 1) % 2 for c in rubric.criteria}} for i in range(12)]
    result = calibrate(rubric, examples, ratings=ratings)
    assert len(result._repr_html_().encode()) <= 60_000
    assert result.decision.verdict in repr(result)


def test_a_calibration_can_be_pickled_after_a_notebook_showed_it() -> None:
    shown = calibration()
    shown._repr_html_()
    assert repr(pickle.loads(pickle.dumps(shown))) == repr(shown)


def test_a_notebook_shows_only_the_verdict_on_the_judge_if_the_first_screen_is_too_large() -> None:
    long = replace(Document("title", "source", (Callout("good", "Yes."),)), sections=())
    documents = list(results._ever_shorter(long))
    assert [len(document.blocks) for document in documents] == [1, 2, 2, 1]


def test_the_confusion_matrix_has_counts_that_match_the_ids_of_false_passes_and_false_fails() -> None:
    result = calibration()
    counts = result.confusion
    assert counts is not None
    assert counts.table == ((18, 3), (2, 17))
    assert (counts.false_passes, counts.false_fails) == (len(result.false_passes), len(result.false_fails))
    assert sum(map(sum, counts.table)) == result.counts.graded == 40
    assert repr(counts).splitlines()[1].split() == ["judge", "passes", "18", "3"]
    assert "<td>18</td><td>3</td>" in counts._repr_html_()


def test_a_calibration_without_a_pass_mark_has_no_confusion_matrix_of_passes_and_fails() -> None:
    scores = [{"id": str(n), "human": n % 5 + 1, "judge": n % 4 + 1} for n in range(40)]
    assert calibrate(scores, judge="judge", human="human").confusion is None


def test_each_row_of_a_calibration_s_data_frame_has_an_example_s_text_and_decisions_and_levels() -> None:
    frame = calibration(wrong=1).to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == [
        "id",
        "text",
        "gold",
        "judge",
        "gold_pass",
        "judge_pass",
        "polite.gold",
        "polite.judge",
    ]
    first = frame.iloc[0].to_dict()
    assert (first["id"], first["gold"], first["judge"], first["gold_pass"], first["judge_pass"]) == (
        "e0",
        0.0,
        1.0,
        False,
        True,
    )
    assert first["text"].startswith("reply 0. The parcel")
    assert len(frame) == 40


def test_the_data_frame_of_a_calibration_has_no_texts_of_held_out_examples() -> None:
    examples = [{**row, "split": "test" if n < 20 else "dev"} for n, row in enumerate(rows())]
    frame = calibrate(RUBRIC, examples, ratings=verdicts()).to_frame()
    assert frame["text"].isna().sum() == 20
    assert frame["gold"].notna().all()


def test_printing_a_finding_in_python_gives_its_sentence_and_what_to_do() -> None:
    (first, *_) = calibration(wrong=15).findings
    assert str(first) == f"{first.message} {first.suggestion}"
    assert repr(first) == f"<{first.severity}: {first}>"
    assert "FindingKind" not in str(calibration(wrong=15).findings)


def test_the_agreement_of_annotators_prints_as_one_line_and_shows_as_a_report_in_a_notebook() -> None:
    result = agreement([{"ana": 1, "ben": 2}, {"ana": 1, "ben": 1}, {"ana": 3, "ben": 3}, {"ana": 2, "ben": 2}])
    assert repr(result) == "<Agreement of ana and ben on 4 units, ordinal: Krippendorff's alpha 0.79>"
    assert result._repr_html_().startswith("<iframe")
