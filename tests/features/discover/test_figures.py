"""Which outputs count for a mode, which to read again for it, and what is unseen."""

from dataclasses import replace

import pytest

from markscheme.features.discover.figures import ReadOutputs
from markscheme.features.discover.modes import Assignment, Mode
from markscheme.features.discover.order import ReadingOrder
from markscheme.features.discover.reading import Note, OutputReading
from tests.features.discover.readers import read_outputs

OUTPUTS = "- a - b a - c ab - a"


def counts(outputs: ReadOutputs, name: str) -> tuple[float, int, list[str]]:
    """Outputs that count and show a mode, those that count, and those to read again."""
    figures = outputs.figures_of(outputs.codebook.mode(name))
    hits = (figures.share.value or 0) * figures.read_for
    return round(hits, 9), figures.read_for, list(figures.again)


def ids(*places: int) -> list[str]:
    return [f"o{place}" for place in places]


def test_an_output_read_before_a_failure_mode_s_first_note_does_not_count_for_the_mode_s_share() -> None:
    outputs = read_outputs(OUTPUTS)
    assert counts(outputs, "a") == (3, 8, ids(1))
    assert counts(outputs, "b") == (1, 6, ids(1, 2, 3))
    assert counts(outputs, "c") == (0, 3, ids(1, 2, 3, 4, 5, 6))


def test_a_failure_mode_s_share_counts_earlier_outputs_once_they_were_read_again_for_the_mode() -> None:
    outputs = read_outputs(OUTPUTS, again={"b": [1, 2, 3], "c": [1, 2, 3, 4, 5, 6]})
    assert counts(outputs, "a") == (3, 8, ids(1))
    assert counts(outputs, "b") == (2, 10, [])
    assert counts(outputs, "c") == (1, 10, [])


def merged(outputs: ReadOutputs) -> ReadOutputs:
    book = outputs.codebook.merge(["a", "b"], Mode("d", "It shows a or b.", by="ann"))
    return replace(outputs, codebook=book)


def test_outputs_read_before_both_merged_failure_modes_were_noted_do_not_count_for_the_merged_mode_s_share() -> None:
    assert counts(merged(read_outputs(OUTPUTS)), "d") == (3, 6, ids(1, 3))


def test_a_merged_failure_mode_s_share_counts_all_outputs_once_its_earlier_outputs_were_read_again() -> None:
    outputs = merged(read_outputs(OUTPUTS))
    under = outputs.codebook.mode("d").fingerprint
    again = tuple(
        replace(reading, again={"d": ("not there", under)}) if reading.id in ids(1, 3) else reading
        for reading in outputs.readings
    )
    assert counts(replace(outputs, readings=again), "d") == (5, 10, [])


def test_merging_one_failure_mode_into_another_gives_the_same_counts_as_merging_both_into_a_new_mode() -> None:
    outputs = read_outputs(OUTPUTS)
    book = outputs.codebook.merge(["a", "b"], outputs.codebook.mode("a"))
    assert [mode.name for mode in book.listed] == ["c", "a"]
    assert counts(replace(outputs, codebook=book), "a") == (3, 6, ids(1, 3))


def test_the_share_of_merged_failure_modes_without_definitions_counts_only_outputs_read_after_the_first_note() -> None:
    outputs = read_outputs(OUTPUTS)
    book = outputs.codebook
    undefined = replace(book, modes=tuple(replace(mode, definition="") for mode in book.modes))
    joined = undefined.merge(["a", "b"], Mode("d", "It shows a or b.", by="ann"))
    assert counts(replace(outputs, codebook=joined), "d") == (4, 8, ids(1))


def test_the_share_of_a_failure_mode_counts_all_outputs_if_a_second_reader_checked_them_all_for_the_mode() -> None:
    outputs = read_outputs(OUTPUTS)
    listed = {"a": outputs.codebook.mode("a").fingerprint}
    second = tuple(OutputReading(reading.id, "ben", listed=listed, line=reading.line) for reading in outputs.readings)
    both = replace(outputs, readings=(*outputs.readings, *second))
    assert counts(both, "a") == (4, 10, [])


def test_outputs_read_before_a_failure_mode_s_meaning_changed_no_longer_count_for_its_share() -> None:
    outputs = read_outputs(OUTPUTS, again={"a": [1]})
    assert counts(outputs, "a") == (4, 10, [])
    reworded = outputs.codebook.define("a", "It shows something else.", "2026-11-24", same_meaning=False)
    assert counts(replace(outputs, codebook=reworded), "a")[1] == 0
    better = outputs.codebook.define("a", "It shows an a.", "2026-11-24", same_meaning=True)
    assert counts(replace(outputs, codebook=better), "a") == (4, 10, [])


def test_renaming_a_failure_mode_changes_no_count() -> None:
    outputs = read_outputs(OUTPUTS, again={"a": [1]})
    renamed = replace(outputs, codebook=outputs.codebook.rename("a", "first"))
    assert counts(renamed, "first") == (4, 10, [])


def test_after_a_failure_mode_is_split_its_notes_belong_to_no_mode_until_they_are_assigned_to_one() -> None:
    outputs = read_outputs(OUTPUTS)
    book = outputs.codebook.split("a", [Mode("a1", by="ann"), Mode("a2", by="ann")])
    halved = replace(outputs, codebook=book)
    assert len(halved.unsorted) == 4
    assert counts(halved, "a1")[1] == 8
    sorted_again = replace(halved, codebook=book.assign(Assignment("ann/o5/1", ("a1",), "ann")))
    assert counts(sorted_again, "a1") == (1, 8, ids(1, 2))


def test_outputs_that_a_reader_marked_unclear_count_for_no_failure_mode_s_share() -> None:
    outputs = read_outputs(OUTPUTS)
    unclear = tuple(replace(r, read="unclear") if r.id == "o9" else r for r in outputs.readings)
    without = replace(outputs, readings=unclear)
    assert counts(without, "a") == (3, 7, ids(1))
    assert without.unclear_ids == ("o9",)


def test_after_a_late_note_on_an_early_output_the_outputs_read_in_between_do_not_count_for_the_note_s_mode() -> None:
    readings = tuple(
        OutputReading(f"o{place}", "ann", notes=(Note(1, "late", line=4),) if place == 1 else (), line=place)
        for place in range(1, 7)
    )
    book = read_outputs("a").codebook
    outputs = ReadOutputs(readings, book, ReadingOrder.of([], [r.id for r in readings]))
    assert counts(outputs, "a")[1] == 2


def test_a_task_counts_as_showing_a_new_failure_mode_only_if_the_task_s_first_output_shows_one() -> None:
    text = "t1:a t1:ab t2:b t2:- t3:c t3:c t1:d t4:-"
    outputs = read_outputs(" ".join(entry.partition(":")[2] for entry in text.split()))
    groups = {f"o{place}": entry.partition(":")[0] for place, entry in enumerate(text.split(), start=1)}
    assert replace(outputs, groups=groups).new_by_task == (True, False, True, False)


@pytest.mark.parametrize(("read", "pool", "more", "all"), [(30, None, 15, 73), (60, None, 0, 43), (30, 200, 7, 73)])
def test_the_more_outputs_were_read_the_fewer_further_outputs_discover_asks_to_read(
    read: int, pool: int | None, more: int, all: int
) -> None:
    outputs = read_outputs(" ".join(["-"] * read))
    if pool is not None:
        others = [f"p{place}" for place in range(pool - read)]
        outputs = replace(outputs, order=ReadingOrder.of(others, [r.id for r in outputs.readings]))
    assert outputs.read_more().more == more
    assert outputs.read_more().all == all


def test_each_note_without_a_failure_mode_counts_as_one_mode_in_the_bound_on_unseen_modes() -> None:
    sorted_notes = read_outputs("a a - a " + "- " * 40)
    unsorted = replace(sorted_notes, codebook=replace(sorted_notes.codebook, assigned={}))
    assert unsorted.new_modes.bound > sorted_notes.new_modes.bound
    assert sorted_notes.new_modes.last_new == 43


def test_the_curve_of_failure_modes_ends_at_the_number_of_failure_modes_seen() -> None:
    outputs = read_outputs(OUTPUTS)
    assert outputs.modes_as_read == (0, 1, 1, 2, 2, 2, 3, 3, 3, 3)
    assert outputs.modes_averaged[-1] == pytest.approx(3)
