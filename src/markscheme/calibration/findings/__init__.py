"""A Comparison to Findings: which faults judge, rubric or labels have, each with its evidence and what to edit.

A fault is reported where it is significant, with Holm's allowance for all criteria looked at, and large enough to
matter. One cause is reported once: a judge that gives one level hides everything else on that criterion, a halo makes
a judge look as if it kept to the middle and were noisy, keeping to the middle makes it look noisy.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from markscheme.calibration.comparison import Comparison
from markscheme.calibration.decision import NO_MERIT, Finding
from markscheme.calibration.findings.advice import SEVERITIES
from markscheme.calibration.findings.evidence import Evidence, Seen
from markscheme.calibration.findings.judge import invented_quotes, narrow, no_skill, noisy, shifted, stuck, unclear
from markscheme.calibration.findings.overall import (
    at_equal_length,
    beaten_by_constant,
    blind_decisions,
    broken_slice,
    halo_of,
    length,
    unreadable,
)
from markscheme.calibration.findings.rubric import flat, of_labels, redundant, split, unused, unvaried
from markscheme.calibration.findings.slices import Slice
from markscheme.ratings.rating import Rating

LEAST_LEFT = 30
"""Examples outside the broken parts that are enough to diagnose the judge on."""


def findings_of(
    comparison: Comparison, ratings: Sequence[Rating] = (), *, slices: Sequence[Slice] = (), elsewhere: bool = False
) -> tuple[Finding, ...]:
    """What is at fault, the costliest in agreement first.

    Where a part of the examples is broken, the judge is diagnosed on the rest, so that one broken part is not taken
    for a fault of the whole.

    Args:
        comparison: The judge beside gold.
        ratings: The judge's; several of one example show how often it changes its mind.
        slices: The judge on parts of the examples.
        elsewhere: Whether the ratings were made elsewhere, so that one which tells nothing but an error was a reply
            that could not be read.
    """
    whole = Evidence.of(comparison, ratings)
    by_length = list(length(whole))
    broken = [part for part in slices if part.stands_out and not (by_length and part.part.by == "length")]
    of_criteria = list(_of_criteria(_outside(whole, broken), by_length))
    found = [
        *_without_skill(whole, of_criteria),
        *of_criteria,
        *by_length,
        *(broken_slice(whole, part) for part in broken),
        *unreadable(whole, elsewhere=elsewhere),
        *invented_quotes(whole),
        *of_labels(whole),
    ]
    return tuple(sorted(found, key=lambda one: (-one.cost, SEVERITIES.index(one.severity))))


def _outside(whole: Evidence, broken: Sequence[Slice]) -> Evidence:
    """The examples of no broken part; all of them where too few would be left."""
    if not broken:
        return whole
    hidden = np.any([part.part.inside for part in broken], axis=0)
    enough = int((~hidden).sum()) >= max(LEAST_LEFT, len(hidden) / 2)
    return whole.without(hidden) if enough else whole


def _without_skill(whole: Evidence, of_criteria: Sequence[Finding]) -> list[Finding]:
    """What decisions and scores show of skill, unless the only criterion has told it already."""
    if len(whole.seen) == 1 and any(found.code in NO_MERIT for found in of_criteria):
        return []
    return list(blind_decisions(whole)) or list(beaten_by_constant(whole))


def _of_criteria(evidence: Evidence, by_length: Sequence[Finding]) -> Iterator[Finding]:
    """Faults of judge, criterion and people on single criteria, in the order in which one hides another.

    A judge that rewards length moves all criteria together, which looks like a halo and like noise: then these must
    stand at equal length.
    """
    seen = evidence.seen
    hardly_differ = flat(evidence, seen)
    one_level = stuck(evidence, _but(seen, hardly_differ))
    blind = no_skill(evidence, _but(seen, hardly_differ, one_level))
    untried = unvaried(evidence, _but(seen, hardly_differ, one_level, blind))
    still = {name: found for name, found in blind.items() if found.evidence["correlation"] is None}
    leaning = shifted(evidence, _but(seen, one_level, still))
    even = at_equal_length(evidence) if by_length else evidence
    coloured = halo_of(even)
    straight = {} if coloured else _but(seen, hardly_differ, one_level, blind, untried)
    middling = narrow(evidence, straight)
    noise = noisy(even, {name: even.seen[name] for name in _but(straight, middling)})
    scattered = noisy(evidence, {name: seen[name] for name in noise}) if by_length else noise
    disputed = split(evidence, _but(seen, hardly_differ, untried))
    untold = unclear(evidence, _but(straight, middling, scattered, leaning))
    explained = {**hardly_differ, **one_level, **blind, **untried, **leaning, **middling}
    unasked = unused(evidence, seen, blamed=explained.keys())
    yield from coloured
    yield from redundant(evidence, _but(seen, hardly_differ, untried))
    for found in (
        hardly_differ,
        one_level,
        blind,
        untried,
        leaning,
        middling,
        scattered,
        disputed,
        untold,
        unasked,
    ):
        yield from found.values()


def _but(seen: Mapping[str, Seen], *explained: Mapping[str, Finding]) -> dict[str, Seen]:
    """The criteria on which nothing has been found yet."""
    return {name: one for name, one in seen.items() if not any(name in found for found in explained)}
