"""Joining two single responses into an example of a pair."""

from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import DrawnBy, Example
from markscheme.ratings.pair_sides import PairSide, group_of_inputs, systems_of

_LEAST_TYPICAL_FIRST: tuple[DrawnBy | None, ...] = ("chosen", "by-verdict", None, "random")
"""Ways to draw examples, the least typical first: a pair counts as drawn in the earlier of the ways of its two
responses."""


def pair_of(first_response: Example, second_response: Example) -> Example:
    """Make a pair example from two responses to the same inputs, stored in the order of their ids.

    The pair has the metadata that are equal for both. If one response was drawn at random and the other chosen by hand,
    the pair counts as chosen: of two ways to draw, it gets the one that represents all outputs less well.
    """
    first, second = sorted((first_response, second_response), key=lambda example: example.id)
    sides = (PairSide(first.id, first.system or None), PairSide(second.id, second.system or None))
    submission = Submission(
        first.submission.response, first.submission.inputs, f"{first.id}~{second.id}", second=second.submission.response
    )
    group = first.group or group_of_inputs(first.submission.inputs)
    ways = (first.drawn, second.drawn)
    return Example(
        submission,
        group=group,
        system=systems_of(sides),
        drawn=next(way for way in _LEAST_TYPICAL_FIRST if way in ways),
        metadata={key: value for key, value in first.metadata.items() if second.metadata.get(key) == value},
        sides=sides,
    )
