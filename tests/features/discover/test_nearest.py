"""Which notes are alike by their words."""

from markscheme.features.discover.nearest import in_likeness_order, least_like, most_like, nearest_modes

NOTES = {
    "1": "the price is wrong",
    "2": "far too long",
    "3": "price wrong again",
    "4": "much too long",
    "5": "the price is wrong",
}


def test_for_each_note_outside_failure_modes_the_three_most_similar_modes_are_listed_nearest_first() -> None:
    modes = {"price": ["1"], "length": ["2"], "tone": ["x"], "a": ["1"], "b": ["2"]}
    nearest = nearest_modes(NOTES, modes)
    assert set(nearest) == {"3", "4", "5"}
    assert nearest["3"][0] in ("price", "a")
    assert nearest["4"][0] in ("length", "b")
    assert all(len(names) == 3 for names in nearest.values())


def test_no_similar_failure_modes_are_listed_for_a_note_if_there_are_no_failure_modes() -> None:
    assert nearest_modes(NOTES, {}) == dict.fromkeys(NOTES, ())


def test_nearly_identical_notes_are_listed_next_to_each_other() -> None:
    order = in_likeness_order(NOTES)
    assert order.index("5") - order.index("1") == 1
    assert set(order) == set(NOTES)


def test_outputs_most_similar_to_the_notes_of_a_failure_mode_are_listed_first() -> None:
    outputs = {"o1": "We ship on Monday.", "o2": "The price is 49 euros.", "o3": "Hello."}
    assert most_like(["the price is wrong"], outputs)[0] == "o2"
    assert most_like([], outputs) == tuple(outputs)
    assert least_like(["The price is 50 euros."], outputs)[-1] == "o2"
