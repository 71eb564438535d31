"""One order for all readers, and the part of it that is a random draw."""

from markscheme.features.discover.order import ReadingOrder
from markscheme.features.discover.reading import OutputReading

IDS = [f"o{n}" for n in range(20)]


def read(*ids: str, chosen: bool = False) -> list[OutputReading]:
    return [OutputReading(id, "ann", is_chosen=chosen) for id in ids]


def test_outputs_added_to_the_file_later_do_not_change_the_reading_order_of_earlier_outputs() -> None:
    before = ReadingOrder.of(IDS, seed=3).ids
    after = ReadingOrder.of([*IDS, "new"], seed=3).ids
    assert [id for id in after if id != "new"] == list(before)
    assert ReadingOrder.of(IDS, seed=4).ids != before


def test_outputs_read_without_a_gap_from_the_start_of_the_reading_order_count_as_a_random_draw() -> None:
    order = ReadingOrder.of(IDS)
    first, second, _, fourth, *_ = order.ids
    assert order.random_part(read(first, second, fourth)) == (first, second)


def test_an_output_read_early_counts_as_drawn_at_random_once_all_outputs_before_it_in_the_order_were_read() -> None:
    order = ReadingOrder.of(IDS)
    first, second, third, *_ = order.ids
    chosen = read(second, chosen=True)
    assert order.random_part([*read(first), *chosen]) == (first,)
    assert order.random_part([*read(first, third), *chosen]) == (first, second, third)


def test_once_all_outputs_were_read_every_output_counts_as_drawn_at_random() -> None:
    order = ReadingOrder.of(IDS)
    assert order.random_part(read(*IDS, chosen=True)) == order.ids


def test_outputs_that_the_user_drew_at_random_are_read_first_in_the_user_s_order_and_count_as_a_random_draw() -> None:
    order = ReadingOrder.of(IDS, ["o5", "x", "o1"])
    assert order.ids[:3] == ("o5", "x", "o1")
    assert order.random_part(read("o5", "x", "o1")) == ("o5", "x", "o1")


def test_notes_without_a_file_of_outputs_do_not_count_as_a_random_draw() -> None:
    assert ReadingOrder.of([], []).random_part(read("o1", "o2")) == ()
