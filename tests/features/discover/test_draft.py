"""What is written from modes: which label a note gives, in which order criteria come, and what their words hint at."""

import dataclasses

import numpy as np
import pytest

from markscheme.features.discover.draft import code_hint, labelled_examples, lets_through, ratings_of, weight_of
from markscheme.features.discover.figures import ReadOutputs
from markscheme.features.discover.modes import Assignment, Codebook, Mode
from markscheme.features.discover.order import ReadingOrder
from markscheme.features.discover.reading import AgainAnswer, Note, OutputReading, ReadState
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.rubrics.rubric import Criterion, Rubric

MODE = Mode("m", "It shows m.", by="ann")
RUBRIC = Rubric((Criterion(-2.0, "It shows m.", "m"),), name="reply")
NOTED = (Note(1, "shows it", line=1),)


def outputs(*readings: OutputReading, assigned: dict[str, str] | None = None) -> ReadOutputs:
    """Readings, and who put which note into the mode: a person's word, or a model's."""
    book = Codebook((MODE,))
    for key, kind in (assigned or {}).items():
        book = book.assign(Assignment(key, ("m",), "ann" if kind == "human" else "model", kind))  # type: ignore[arg-type]
    return ReadOutputs(readings, book, ReadingOrder.of([], [reading.id for reading in readings]))


def reading(
    state: ReadState = "noted", *, notes: tuple[Note, ...] = (), rater: str = "ann", listed: bool = False
) -> OutputReading:
    under = {"m": MODE.fingerprint} if listed else {}
    return OutputReading("o1", rater, read=state, notes=notes, listed=under, line=1)


def label(read: ReadOutputs) -> float | None:
    """The level on m that the readings give; None for no label."""
    levels = [rating.criteria["m"].level for rating in ratings_of(read, RUBRIC) if rating.criteria]
    return levels[0] if levels else None


@pytest.mark.parametrize(
    ("what", "read", "level"),
    [
        ("noted and put there by a person", outputs(reading(notes=NOTED), assigned={"ann/o1/1": "human"}), 1.0),
        ("noted, the mode only suggested", outputs(reading(notes=NOTED), assigned={"ann/o1/1": "model"}), None),
        ("read before the mode had a name", outputs(reading()), None),
        ("read with the mode listed, not confirmed", outputs(reading(listed=True)), None),
        ("read in full with the mode listed", outputs(reading("in full", listed=True)), 0.0),
        ("read in full before the mode had a name", outputs(reading("in full")), None),
        ("good as a whole", outputs(dataclasses.replace(reading(), passed=True)), None),
        ("can't judge", outputs(reading("unclear", listed=True)), None),
    ],
)
def test_labels_drafted_from_notes_contain_only_what_a_person_stated(
    what: str, read: ReadOutputs, level: float | None
) -> None:
    assert label(read) == level, what


def test_a_reader_s_yes_or_no_to_a_failure_mode_of_an_output_becomes_a_label_on_that_criterion() -> None:
    for answer, level in (("there", 1.0), ("not there", 0.0), ("can't tell", None)):
        answered: tuple[AgainAnswer, str] = (answer, MODE.fingerprint)  # type: ignore[assignment]
        assert label(outputs(dataclasses.replace(reading(), again={"m": answered}))) == level


def test_labels_of_two_readers_who_disagree_are_both_kept_and_gold_is_undefined() -> None:
    read = outputs(reading(notes=NOTED), reading("in full", rater="ben", listed=True), assigned={"ann/o1/1": "human"})
    labels = tuple(ratings_of(read, RUBRIC))
    assert [(rating.rater, rating.criteria["m"].level) for rating in labels] == [("ann", 1.0), ("ben", 0.0)]
    gold = gold_of(ExampleSet((Example(Submission("text", {}, "o1"), labels),)), RUBRIC)
    # The worked case says "the median 0.5"; an even split over yes and no has no gold anywhere else, here neither.
    assert np.isnan(gold.levels["m"]).all()
    assert gold.even_splits == (("o1", "m"),)
    settled = dataclasses.replace(labels[0], rater="eve", kind="adjudicated")
    adjudicated = gold_of(ExampleSet((Example(Submission("text", {}, "o1"), (*labels, settled)),)), RUBRIC)
    assert (adjudicated.levels["m"].tolist(), adjudicated.even_splits) == ([1.0], ())


def test_reworded_criteria_get_no_labels_from_notes_on_the_old_wording() -> None:
    read = outputs(reading(notes=NOTED), assigned={"ann/o1/1": "human"})
    assert ratings_of(read, Rubric((Criterion(-2.0, "It shows something else.", "m"),))) == []
    (rating,) = ratings_of(read, RUBRIC)
    assert rating.criteria["m"].under == RUBRIC.criteria[0].wording


def test_turning_a_failure_mode_into_a_merit_reverses_the_labels_and_makes_the_weight_positive() -> None:
    read = outputs(reading(notes=NOTED), assigned={"ann/o1/1": "human"})
    turned = dataclasses.replace(read, codebook=read.codebook.turn("m"))
    assert label(turned) == 0.0
    assert weight_of(turned.codebook.mode("m")) == 2.0


def test_labelled_outputs_become_dev_examples_and_count_as_a_random_draw_only_if_every_output_was_labelled() -> None:
    examples = {f"o{n}": Example(Submission("text", {}, f"o{n}")) for n in (1, 2)}
    first = reading("in full", listed=True)
    second = dataclasses.replace(first, id="o2")
    whole = outputs(first, second)
    written = labelled_examples(whole, examples, ratings_of(whole, RUBRIC), RUBRIC)
    assert {(example.split, example.drawn) for example in written} == {("dev", "random")}
    partly = outputs(first, dataclasses.replace(second, read="noted"))
    (only,) = labelled_examples(partly, examples, ratings_of(partly, RUBRIC), RUBRIC)
    assert (only.split, only.drawn) == ("dev", "chosen")


@pytest.mark.parametrize(
    ("name", "severity", "weight"), [("wrong price", 3, -3), ("too long", 1, -1), ("no source", 2, -2), ("rude", 3, -3)]
)
def test_a_drafted_criterion_s_weight_follows_the_severity_of_the_failure_mode(
    name: str, severity: int, weight: float
) -> None:
    assert weight_of(Mode(name, severity=severity)) == weight


def test_failure_modes_are_sorted_by_share_times_severity() -> None:
    shares = {"wrong price": (0.24, 3), "too long": (0.30, 1), "no source": (0.12, 2), "rude": (0.06, 3)}
    n = 100
    readings = []
    book = Codebook(tuple(Mode(name, "D.", severity=severity) for name, (_, severity) in shares.items()))
    for place in range(n):
        named = [name for name, (share, _) in shares.items() if place < share * n]
        notes = tuple(Note(k, name, line=place + 1) for k, name in enumerate(named, start=1))
        listed = {mode.name: mode.fingerprint for mode in book.modes}
        readings.append(OutputReading(f"o{place}", "ann", notes=notes, listed=listed, line=place + 1))
        for k, name in enumerate(named, start=1):
            book = book.assign(Assignment(f"ann/o{place}/{k}", (name,), "ann"))
    read = ReadOutputs(tuple(readings), book, ReadingOrder.of([], [r.id for r in readings]))
    figures = [(f.mode.name, round(f.importance, 2)) for f in read.mode_figures]
    assert figures == [("wrong price", 0.72), ("too long", 0.3), ("no source", 0.24), ("rude", 0.18)]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("The reply isn't valid JSON", "check: json_valid"),
        ("The reply is longer than 100 words", "when-code"),
        ("The reply lacks a link", "when-code"),
        ("The reply is in another language", "when-code"),
        ("The reply is rude", ""),
    ],
)
def test_discover_suggests_a_check_by_code_if_the_words_of_a_failure_mode_s_definition_allow_one(
    words: str, hint: str
) -> None:
    assert (hint in code_hint(words)) if hint else code_hint(words) == ""


def test_discover_says_how_many_small_faults_a_response_may_have_and_still_pass_under_the_drafted_rubric() -> None:
    assert lets_through([Mode("a", severity=1), Mode("b", severity=1)]).endswith("1 small fault")
