"""One order for all readers, and the part of it that is a random draw."""

from markscheme.features.discover.order import ReadingOrder
from markscheme.features.discover.reading import OutputReading

IDS = [f"o{n}" for n in range(20)]


def read(*ids: str, chosen: bool = False) -> list[OutputReading]:
    return [OutputReading(id, "ann", is_chosen=chosen) for id in ids]


def test_outputs_that_join_later_leave_the_order_of_the_others() -> None:
    before = ReadingOrder.of(IDS, seed=3).ids
    after = ReadingOrder.of([*IDS, "new"], seed=3).ids
    assert [id for id in after if id != "new"] == list(before)
    assert ReadingOrder.of(IDS, seed=4).ids != before


def test_the_random_part_is_what_was_read_without_a_gap() -> None:
    order = ReadingOrder.of(IDS)
    first, second, _, fourth, *_ = order.ids
    assert order.random_part(read(first, second, fourth)) == (first, second)


def test_outputs_shown_out_of_turn_join_when_the_order_reaches_them_and_not_before() -> None:
    order = ReadingOrder.of(IDS)
    first, second, third, *_ = order.ids
    chosen = read(second, chosen=True)
    assert order.random_part([*read(first), *chosen]) == (first,)
    assert order.random_part([*read(first, third), *chosen]) == (first, second, third)


def test_when_everything_was_read_all_of_it_counts() -> None:
    order = ReadingOrder.of(IDS)
    assert order.random_part(read(*IDS, chosen=True)) == order.ids


def test_a_drawn_file_comes_first_in_its_own_order() -> None:
    order = ReadingOrder.of(IDS, ["o5", "x", "o1"])
    assert order.ids[:3] == ("o5", "x", "o1")
    assert order.random_part(read("o5", "x", "o1")) == ("o5", "x", "o1")


def test_notes_without_a_pool_and_without_the_users_word_are_no_random_draw() -> None:
    assert ReadingOrder.of([], []).random_part(read("o1", "o2")) == ()
