"""One order for all readers, and the part of it that is a random draw."""

from markscheme.features.discover.order import ReadingOrder
from markscheme.features.discover.reading import OutputReading

IDS = [f"o{n}" for n in range(20)]


def read(*ids: str, chosen: bool = False) -> list[OutputReading]:
    return [OutputReading(id, "ann", is_chosen=chosen) for id in ids]


def test_outputs_that_are_added_to_the_pool_later_do_not_change_the_order_of_the_earlier_ones() -> None:
    before = ReadingOrder.of(IDS, seed=3).ids
    after = ReadingOrder.of([*IDS, "new"], seed=3).ids
    assert [id for id in after if id != "new"] == list(before)
    assert ReadingOrder.of(IDS, seed=4).ids != before


def test_the_random_part_consists_of_the_outputs_read_without_a_gap_from_the_start_of_the_order() -> None:
    order = ReadingOrder.of(IDS)
    first, second, _, fourth, *_ = order.ids
    assert order.random_part(read(first, second, fourth)) == (first, second)


def test_an_output_that_was_chosen_to_be_read_early_joins_the_random_part_when_the_order_reaches_it() -> None:
    order = ReadingOrder.of(IDS)
    first, second, third, *_ = order.ids
    chosen = read(second, chosen=True)
    assert order.random_part([*read(first), *chosen]) == (first,)
    assert order.random_part([*read(first, third), *chosen]) == (first, second, third)


def test_once_the_whole_pool_was_read_every_output_counts_as_random() -> None:
    order = ReadingOrder.of(IDS)
    assert order.random_part(read(*IDS, chosen=True)) == order.ids


def test_outputs_of_a_random_draw_in_a_file_come_first_and_in_the_file_s_order() -> None:
    order = ReadingOrder.of(IDS, ["o5", "x", "o1"])
    assert order.ids[:3] == ("o5", "x", "o1")
    assert order.random_part(read("o5", "x", "o1")) == ("o5", "x", "o1")


def test_notes_without_a_pool_are_no_random_draw_unless_the_user_states_it() -> None:
    assert ReadingOrder.of([], []).random_part(read("o1", "o2")) == ()
