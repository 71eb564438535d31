"""Which responses to compare with each other."""

from collections import Counter
from dataclasses import replace

import pytest

from markscheme.errors import UsageError
from markscheme.features.label.pair_design import pair_design
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import DrawnBy, Example
from markscheme.ratings.pairing import pair_of


def outputs(systems: str, n: int) -> list[Example]:
    return [
        Example(Submission(f"{system} on {place}", {"query": f"question {place}"}, f"{system}-{place}"), system=system)
        for place in range(n)
        for system in systems
    ]


def test_for_two_systems_all_pairs_of_responses_to_the_same_inputs_are_made() -> None:
    design = pair_design(outputs("ab", 12))
    assert len(design.pairs) == design.possible == 12
    assert design.systems == {"a": 12, "b": 12}


def test_for_several_systems_each_prompt_gets_one_pair_and_systems_are_paired_about_equally_often() -> None:
    design = pair_design(outputs("abcd", 60))
    assert (len(design.pairs), design.prompts, design.possible) == (60, 60, 360)
    times = Counter(pair.system for pair in design.pairs)
    assert len(times) == 6
    assert max(times.values()) - min(times.values()) <= 1


def test_the_first_pairs_drawn_for_labelling_cover_all_pairs_of_systems_about_equally() -> None:
    pairs = pair_design(outputs("abc", 30), most=90).pairs
    times = Counter(pair.system for pair in pairs[:30])
    assert max(times.values()) - min(times.values()) <= 1
    assert len({pair.id for pair in pairs}) == 90


def test_a_pair_is_stored_in_the_order_of_the_ids_of_its_responses() -> None:
    for pair in pair_design(outputs("ba", 5)).pairs:
        assert pair.sides is not None
        assert str(pair.sides[0].id) < str(pair.sides[1].id)
        assert pair.submission.response.startswith(str(pair.sides[0].system))


def test_pairs_of_responses_to_one_prompt_have_the_same_group() -> None:
    pairs = pair_design(outputs("abc", 10), most=30).pairs
    assert len({pair.group for pair in pairs}) == 10


@pytest.mark.parametrize(
    ("ways", "of_pair", "of_design"),
    [
        ((None, None), None, "random"),
        (("random", "random"), "random", "random"),
        (("random", None), None, "random"),
        (("random", "chosen"), "chosen", "chosen"),
        ((None, "by-verdict"), "by-verdict", "by-verdict"),
    ],
)
def test_a_pair_is_recorded_as_drawn_at_random_only_if_neither_response_was_chosen_in_another_way(
    ways: tuple[DrawnBy | None, DrawnBy | None], of_pair: str | None, of_design: str
) -> None:
    first, second = (replace(output, drawn=way) for output, way in zip(outputs("ab", 1), ways, strict=True))
    assert pair_of(first, second).drawn == of_pair
    assert pair_design([first, second]).pairs[0].drawn == of_design


def test_a_pair_keeps_the_metadata_on_which_both_responses_agree() -> None:
    first, second = outputs("ab", 1)
    first = replace(first, metadata={"language": "de", "temperature": "0", "turns": "3"})
    second = replace(second, metadata={"temperature": "1", "language": "de"})
    assert pair_of(first, second).metadata == {"language": "de"}


def test_the_same_random_seed_gives_the_same_design_of_pairs() -> None:
    first, again, second = (pair_design(outputs("abc", 20), seed=seed).pairs for seed in (1, 1, 2))
    assert [pair.id for pair in first] == [pair.id for pair in again]
    assert [pair.id for pair in first] != [pair.id for pair in second]


def test_outputs_of_one_system_cannot_be_paired() -> None:
    with pytest.raises(UsageError, match="no two systems"):
        pair_design(outputs("a", 5))
