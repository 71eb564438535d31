"""Pairs on the labelling page: order by rater, answers of the stored order, two panes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from markscheme.features.label.label_order import Step
from markscheme.features.label.label_session import LabelSession, ResponseAnswers
from markscheme.features.label.page import page_of, sheet_of, shown_of
from markscheme.features.label.pair_order import is_turned
from markscheme.features.label.setup import open_work
from markscheme.readers.rated import open_rated
from markscheme.rubrics.file import load_rubric

RUBRIC = """
name: better
compare: pairs
inputs: [query]
criteria:
  - {name: helps, prefer: The reply that gets the customer further.}
"""
N = 30


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project with thirty pairs and no labels."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "better.yaml").write_text(RUBRIC)
    folder = tmp_path / "calibration" / "better"
    folder.mkdir(parents=True)
    lines = [
        {
            "id": f"q{place}:a~b",
            "query": f"question {place}",
            "first": {"id": f"a-q{place}", "system": "a", "response": f"stored first {place}"},
            "second": {"id": f"b-q{place}", "system": "b", "response": f"stored second {place}"},
        }
        for place in range(N)
    ]
    (folder / "examples.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def work(project: Path) -> Iterator[LabelSession]:
    """Open ann's labelling work on the project's pairs."""
    work = open_work("better", here=project, rater="ann")
    yield work
    work.file.close()


def first_shown(work: LabelSession, step: Step) -> str:
    html = shown_of(work, step)
    return "first" if html.index("stored first") < html.index("stored second") else "second"


def test_the_response_of_a_pair_that_is_shown_first_differs_between_pairs_and_between_raters(
    work: LabelSession,
) -> None:
    steps = [step for step in work.steps if step.sample == 0]
    firsts = [first_shown(work, step) for step in steps]
    assert {"first", "second"} == set(firsts)
    assert [is_turned(step, "ann") for step in steps] != [is_turned(step, "ben") for step in steps]


def test_a_pair_shown_a_second_time_has_its_responses_in_reversed_order(work: LabelSession) -> None:
    again = [step for step in work.steps if step.sample == 1]
    assert again
    for step in again:
        assert first_shown(work, step) != first_shown(work, Step(step.id))


def test_the_labelling_page_shows_neither_ids_nor_system_names_of_a_pair(work: LabelSession) -> None:
    for step in work.steps:
        html = shown_of(work, step)
        assert "Response 1" in html
        assert "a-q" not in html
    assert '"system"' not in page_of(work, timed=False)


@pytest.mark.parametrize("turned", [False, True])
def test_an_answer_on_a_pair_shown_in_reversed_order_is_saved_for_the_pair_s_stored_order(
    work: LabelSession, turned: bool
) -> None:
    step = next(step for step in work.steps if work.is_turned(step) == turned)
    work.give(step, ResponseAnswers({"helps": "0"}))  # response 1
    rating = work.file.labels[step]
    assert rating.criteria["helps"].level == (1.0 if turned else -1.0)
    assert rating.shown == ("second-first" if turned else "first-second")
    answered = work.answered(step)
    assert answered is not None
    assert answered.answers == {"helps": "0"}


def test_a_tie_is_saved_as_a_tie_in_either_order_of_the_pair(work: LabelSession) -> None:
    for step in work.steps[:6]:
        work.give(step, ResponseAnswers({"helps": "1"}))
        assert work.file.labels[step].criteria["helps"].level == 0.0


def test_answers_about_pairs_shown_in_reversed_order_on_an_offline_page_are_imported_for_the_stored_order(
    work: LabelSession, project: Path
) -> None:
    """Answers "response 1" to every pair, as the sheet's script does."""
    text = sheet_of(work, timed=False)
    data = json.loads(text.partition('<script type="application/json" id="data">')[2].partition("</script>")[0])
    head = data["sheet"]["head"]
    ratings = []
    for (id, sample), step in zip(head["steps"], data["steps"], strict=True):
        saved = data["sheet"]["turned" if step["shown"] == "second-first" else "rated"]
        ratings.append(
            {
                "id": id,
                "rater": "ann",
                "kind": "human",
                "sample": sample,
                "criteria": {"helps": saved[0]["0"]},
                "under": head["under"],
                "shown": step["shown"],
                "at": "2026-11-25T10:00:00Z",
            }
        )
    (project / "better-ann.json").write_text(json.dumps({**head, "ratings": ratings}))
    rubric = load_rubric(project / "rubrics" / "better.yaml")
    read = open_rated([project / "better-ann.json"], rubric, expected="anything")
    assert len(read.ratings) == len(work.steps)
    for rating in read.ratings:
        assert rating.criteria["helps"].level == (1.0 if rating.shown == "second-first" else -1.0)
