"""A model's suggestion never counts: over random sequences of suggest, accept, merge, split, rename and undo."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.errors import UsageError
from markscheme.features.discover.draft import confirmed_modes, ratings_of
from markscheme.features.discover.figures import ReadOutputs
from markscheme.features.discover.modes import Assignment, Codebook, Mode
from markscheme.features.discover.order import ReadingOrder
from markscheme.features.discover.reading import Note, OutputReading
from markscheme.features.discover.store import DiscoveryFolder
from markscheme.rubrics.rubric import Criterion, Rubric

OUTPUTS = 12
READINGS = tuple(
    OutputReading(f"o{place}", "ann", notes=(Note(1, f"note {place}", line=place),), line=place)
    for place in range(1, OUTPUTS + 1)
)
KEYS = [f"ann/o{place}/1" for place in range(1, OUTPUTS + 1)]
NAMES = ["a", "b", "c", "d"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["suggest", "accept", "assign", "merge", "split", "rename", "define", "undo"]),
        st.integers(0, OUTPUTS - 1),
        st.integers(0, 7),
        st.integers(0, 7),
    ),
    max_size=25,
)


def outputs_of(book: Codebook) -> ReadOutputs:
    return ReadOutputs(READINGS, book, ReadingOrder.of([], [reading.id for reading in READINGS]))


def stepped(history: list[Codebook], step: tuple[str, int, int, int], number: int) -> Codebook | None:
    """The codebook after a step; None where undoing takes one away."""
    what, note, first, second = step
    book = history[-1]
    names = [mode.name for mode in book.modes] or ["none"]
    left, two = names[first % len(names)], names[second % len(names)]
    fresh = f"m{number}"
    match what:
        case "suggest":
            name = NAMES[first % len(NAMES)]
            if not any(name in mode.names for mode in book.modes):
                book = book.name_mode(Mode(name, f"It shows {name}.", by="model", kind="model"))
            return book.assign(Assignment(KEYS[note], (name,), "model", "model"))
        case "accept":
            return book.accept([KEYS[note]], "ann", "t")
        case "assign":
            return book.assign(Assignment(KEYS[note], (left,), "ann"))
        case "merge":
            return book.merge([left, two], Mode(fresh, "Joined.", by="ann"))
        case "split":
            return book.split(left, [Mode(f"{fresh}x", "X.", by="ann"), Mode(f"{fresh}y", "Y.", by="ann")])
        case "rename":
            return book.rename(left, fresh)
        case "define":
            return book.define(left, f"Meaning {number}.", f"t{number}", same_meaning=bool(second % 2))
    return None


def without_suggestions(book: Codebook) -> Codebook:
    """The codebook as if no model had been asked."""
    return replace(book, suggested={}, modes=tuple(mode for mode in book.modes if mode.kind != "model"))


def counted(book: Codebook) -> object:
    """Everything that is counted, labelled or shown of a codebook."""
    outputs = outputs_of(book)
    names = [figures.mode.name for figures in outputs.mode_figures]
    criteria = tuple(
        Criterion(-1.0, f.mode.definition or name, name) for f, name in zip(outputs.mode_figures, names, strict=True)
    )
    labels = ratings_of(outputs, Rubric(criteria)) if criteria else []
    figures = [(f.mode.name, f.count, f.read_for, f.share.value, f.again) for f in outputs.mode_figures]
    confirmed = [f.mode.name for f in confirmed_modes(outputs)]
    return sorted(figures), outputs.new_modes, outputs.modes_as_read, outputs.modes_averaged, labels, sorted(confirmed)


def without_human_trace(book: Codebook) -> bool:
    return not book.assigned and not any(mode.kind == "human" for mode in book.modes)


@settings(max_examples=150, deadline=None)
@given(STEPS)
@pytest.mark.proof
def test_a_model_s_suggestion_counts_for_no_failure_mode_before_a_person_accepts_the_suggestion(
    steps: list[tuple[str, int, int, int]],
) -> None:
    history = [Codebook()]
    for number, step in enumerate(steps):
        try:
            after = stepped(history, step, number)
        except UsageError:  # a name that isn't there, or nothing to merge
            continue
        if after is not None:
            history.append(after)
        elif len(history) > 1:
            history.pop()
        book = history[-1]
        shown = {name for key in KEYS for name in book.modes_of(key)}
        assert shown <= {mode.name for mode in book.listed}
        assert all(mode.kind == "human" for mode in book.listed)
        by_people = {key for key, assignment in book.assigned.items() if assignment.kind == "human"}
        assert {key for key in KEYS if book.modes_of(key)} <= by_people
        if not any(assignment.modes for assignment in book.assigned.values()):
            assert counted(book) == counted(without_suggestions(book))


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_removing_a_model_s_suggestions_from_a_codebook_changes_no_count(
    steps: list[tuple[str, int, int, int]],
) -> None:
    book = Codebook()
    for number, step in enumerate(step for step in steps if step[0] != "undo"):
        try:
            book = stepped([book], step, number) or book
        except UsageError:
            continue
    assert counted(book) == counted(replace(book, suggested={}))


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_a_codebook_of_failure_modes_is_read_back_from_its_files_unchanged(
    tmp_path_factory: object, steps: list[tuple[str, int, int, int]]
) -> None:
    folder = DiscoveryFolder(Path(str(tmp_path_factory.mktemp("discovery"))))  # type: ignore[attr-defined]
    history = [Codebook()]
    for number, step in enumerate(steps):
        try:
            after = stepped(history, step, number)
        except UsageError:
            continue
        before = history[-1]
        if after is None:
            history = history[:-1] or [Codebook()]
        else:
            history.append(after)
        folder.save(before, history[-1])
    book = folder.codebook()
    assert [mode.to_json() for mode in book.modes] == [mode.to_json() for mode in history[-1].modes]
    assert {key: book.modes_of(key) for key in KEYS} == {key: history[-1].modes_of(key) for key in KEYS}
    assert book.waiting(KEYS) == history[-1].waiting(KEYS)
