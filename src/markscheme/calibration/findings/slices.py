"""Parts of the examples beside the rest: a judge may look fine on the whole and be broken on one of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.calibration.comparison import Comparison
from markscheme.calibration.findings.evidence import Evidence, Seen
from markscheme.ratings.rating import KINDS
from markscheme.stats import Estimate
from markscheme.stats.change import holm
from markscheme.stats.contrast import Contrast, mean_contrast, share_contrast
from markscheme.stats.distortion import slope_on_people
from markscheme.stats.severity import pair_statistic, within_tolerance

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

SMALLEST_PART = 5
SMALLEST_REST = 10
MOST_PARTS = 50
"""Parts of one kind beyond which the examples are cut too fine to say which of them is broken."""
SHORTEST_SET = 30
"""Examples below which lengths are not cut in three."""
SIGNIFICANT = 0.05
LOWER_AGREEMENT = 0.20
SHIFT_IN_SCORE = 0.10
FARTHER_OFF = 0.10
SHIFT_ON_SCALE = 0.15
"""How much worse a part must be: in agreement, in score, over all criteria and on one as a share of its range."""
OF_WHOLE = 3
"""Looks at a part that are not at a single criterion."""


@dataclass(frozen=True)
class Part:
    """Some of the examples, by what they have in common.

    Attributes:
        by: What was looked at: group, system, label kind or length.
        name: What they have in common.
        inside: Which they are, shape (n_examples,).
    """

    by: str
    name: str
    inside: Flags

    @property
    def called(self) -> str:
        """The part in a sentence: "system b", "responses of up to 300 characters"."""
        return f"responses of {self.name}" if self.by == "length" else f"{self.by} {self.name}"


@dataclass(frozen=True)
class Slice:
    """How a judge does on one part of the examples.

    Attributes:
        part: Which part.
        n: Examples of it with a score of the judge and of gold.
        agreement: Share of these on which the judge agrees.
        signed_error: Judge minus gold, in score.
        rest: Agreement on all other examples; None without scores.
        p: How likely so large a difference from the rest is by chance, the smallest over all looks at the part and
            allowing for all looks at all parts.
        stands_out: Whether the judge does worse here, by more than chance and by enough to matter.
        criteria: On which criteria it stands out; none where only the score does.
        on_the_whole: Whether it stands out for more than one criterion.
        shift: Judge minus gold here less the same elsewhere, where that stands out most: in score, or on the criterion
            as a share of its range; None where it doesn't stand out or levels have no order.
    """

    part: Part
    n: int
    agreement: Estimate
    signed_error: Estimate
    rest: float | None
    p: float
    stands_out: bool = False
    criteria: tuple[str, ...] = ()
    on_the_whole: bool = False
    shift: float | None = None

    def to_json(self) -> dict[str, Any]:
        """As in the JSON of a calibration."""
        return {
            "by": self.part.by,
            "name": self.part.name,
            "n": self.n,
            "agreement": self.agreement.to_json(),
            "signed_error": self.signed_error.to_json(),
            "agreement_rest": self.rest,
            "p": self.p,
            "stands_out": self.stands_out,
            "criteria": list(self.criteria),
        }


@dataclass(frozen=True)
class _Look:
    """One comparison of a part with the rest."""

    criterion: str | None
    contrast: Contrast
    shift: float | None
    matters: bool


def parts_of(comparison: Comparison) -> list[Part]:
    """The parts of an example set that hold enough examples: by group, system, label kind and length of response."""
    examples = comparison.gold.examples
    found = [
        *_by_name("group", [example.group for example in examples]),
        *_by_name("system", [example.system for example in examples]),
        *_by_name("label kind", [_kind(comparison, place) for place in range(len(examples))]),
    ]
    return found + _by_length(np.array([len(example.submission.response) for example in examples]))


def slices_of(comparison: Comparison) -> tuple[Slice, ...]:
    """The judge on every part of the examples, with those that stand out marked.

    A part in which the judge is worse only because it keeps to the middle of its scale, and the part's levels don't,
    is not marked; nor is one whose examples belong mostly to a part that is worse still.
    """
    evidence, parts = Evidence.of(comparison), parts_of(comparison)
    looks = [_looks(evidence, part, _levels(evidence)) for part in parts]
    adjusted = _adjusted(looks)
    slices = [_slice(evidence, part, min(ps, default=1.0)) for part, ps in zip(parts, adjusted, strict=True)]
    suspects = []
    for place, (ps, found) in enumerate(zip(adjusted, looks, strict=True)):
        telling = [which for which, look in enumerate(found) if look.matters and ps[which] <= SIGNIFICANT]
        if telling:
            suspects.append((min(ps[which] for which in telling), place, telling))
    taken = np.zeros(len(evidence.ids), dtype=bool)
    for _, place, telling in sorted(suspects):
        left = _still_standing(evidence, parts[place], telling, taken)
        if left:
            worst = min(left, key=lambda which: adjusted[place][which])
            names = tuple(dict.fromkeys(name for which in left if (name := looks[place][which].criterion) is not None))
            alone = _alone_to_blame(evidence, parts[place], names)
            slices[place] = replace(
                slices[place],
                stands_out=True,
                criteria=names if alone is None else (alone,),
                on_the_whole=alone is None,
                shift=looks[place][worst].shift,
            )
            taken |= parts[place].inside
    return tuple(slices)


def _still_standing(evidence: Evidence, part: Part, telling: Sequence[int], taken: Flags) -> list[int]:
    """Looks at which the part is still worse with the judge's slopes put right and without examples of a worse part."""
    left = Part(part.by, part.name, part.inside & ~taken)
    if left.inside.sum() < SMALLEST_PART:
        return []
    looks = _looks(evidence.without(taken), left, _unbent(evidence, outside=part))
    return [which for which in telling if looks[which].matters and looks[which].contrast.p <= SIGNIFICANT]


def _alone_to_blame(evidence: Evidence, part: Part, standing: Sequence[str]) -> str | None:
    """The one criterion without whose errors the part would be no worse on the whole; None if there isn't just one.

    Args:
        evidence: The judge beside gold.
        part: A part that stands out.
        standing: Criteria on which it stands out by themselves.
    """
    to_blame = []
    for name, seen in evidence.seen.items():
        whole = _looks(evidence, part, {**_levels(evidence), name: seen.held_to})[:OF_WHOLE]
        if not any(look.matters and look.contrast.p <= SIGNIFICANT for look in whole):
            to_blame.append(name)
    if standing:
        return standing[0] if len(standing) == 1 and standing[0] in to_blame else None
    return to_blame[0] if len(to_blame) == 1 else None


def _slice(evidence: Evidence, part: Part, p: float) -> Slice:
    comparison = evidence.comparison
    groups = None if part.by == "group" or comparison.gold.groups is None else np.array(comparison.gold.groups)
    given = comparison.gold.overall[part.inside], comparison.scores[part.inside]
    inside = None if groups is None else groups[part.inside]
    hits = _hits(evidence, evidence.misses)[~part.inside]
    return Slice(
        part=part,
        n=int(np.isfinite(given[0] + given[1]).sum()),
        agreement=within_tolerance(*given, comparison.tolerance, groups=inside),
        signed_error=pair_statistic(*given, "signed_error", groups=inside, levels=[0.0, 1.0]),
        rest=float(np.nanmean(hits)) if np.isfinite(hits).any() else None,
        p=p,
    )


def _looks(evidence: Evidence, part: Part, levels: Mapping[str, Floats]) -> list[_Look]:
    """Score and criteria, by how far off and by which way; the same looks in the same order for every part."""
    seen_groups = next(iter(evidence.seen.values())).groups
    groups = None if part.by == "group" else seen_groups
    misses = evidence.misses
    for name, theirs in levels.items():
        seen = evidence.seen[name]
        moved = seen.position(theirs) - seen.position(seen.judge)
        misses = misses + evidence.share(seen) * np.nan_to_num(moved)
    agreement = share_contrast(_hits(evidence, misses), part.inside)
    if groups is not None:
        by_group = mean_contrast(_hits(evidence, misses), part.inside, groups=groups)
        agreement = replace(agreement, p=max(agreement.p, by_group.p))
    shift = mean_contrast(misses, part.inside, groups=groups)
    distance = mean_contrast(_distances(evidence, levels), part.inside, groups=groups)
    looks = [
        _Look(None, agreement, shift.difference, _enough(agreement) and -agreement.difference >= LOWER_AGREEMENT),
        _Look(None, shift, shift.difference, _farther(shift, SHIFT_IN_SCORE)),
        _Look(None, distance, shift.difference, _enough(distance) and distance.difference >= FARTHER_OFF),
    ]
    for name, seen in evidence.seen.items():
        theirs = levels.get(name, seen.judge)
        if not seen.scale.ordered:
            parted = mean_contrast(seen.off, part.inside, groups=groups)
            looks.append(_Look(name, parted, None, _enough(parted) and parted.difference >= LOWER_AGREEMENT))
            continue
        errors = (theirs - seen.held_to) / seen.span
        way = mean_contrast(errors, part.inside, groups=groups)
        size = mean_contrast(np.abs(errors), part.inside, groups=groups)
        looks += [
            _Look(name, way, way.difference, _farther(way, SHIFT_ON_SCALE)),
            _Look(name, size, way.difference, _enough(size) and size.difference >= SHIFT_ON_SCALE),
        ]
    return looks


def _distances(evidence: Evidence, levels: Mapping[str, Floats]) -> Floats:
    """How far off each example is on the usual criterion, by weight, as a share of the range."""
    weights = np.array([[abs(evidence.share(seen))] for seen in evidence.seen.values()])
    off = np.stack([replace(seen, judge=levels[name]).off for name, seen in evidence.seen.items()])
    there = np.isfinite(off)
    known = (weights * there).sum(axis=0)
    return np.where(known > 0, np.nansum(weights * off, axis=0) / np.maximum(known, 1e-12), np.nan)


def _enough(contrast: Contrast) -> bool:
    return contrast.n_inside >= SMALLEST_PART and contrast.n_outside >= SMALLEST_REST


def _farther(contrast: Contrast, least: float) -> bool:
    """Whether the part is shifted against the rest, and it is the part that is off rather than the rest."""
    return _enough(contrast) and abs(contrast.difference) >= least and abs(contrast.inside) > abs(contrast.outside)


def _adjusted(looks: Sequence[Sequence[_Look]]) -> list[list[float]]:
    """Holm's p of every look, those at the whole and those at the criteria each in a family of their own."""
    found = [[look.contrast.p for look in of_part] for of_part in looks]
    for family in (slice(0, OF_WHOLE), slice(OF_WHOLE, None)):
        raw = [p for ps in found for p in ps[family]]
        adjusted = iter(holm(raw).tolist()) if raw else iter(())
        for ps in found:
            ps[family] = [next(adjusted) for _ in ps[family]]
    return found


def _levels(evidence: Evidence) -> dict[str, Floats]:
    return {name: seen.judge for name, seen in evidence.seen.items()}


def _unbent(evidence: Evidence, *, outside: Part) -> dict[str, Floats]:
    """The judge's levels as they would be if, outside a part, they rose with the true level one for one."""
    levels, rest = {}, evidence.without(outside.inside)
    for name, seen in evidence.seen.items():
        slope = _slope(rest.seen[name])
        centred = seen.held_to - np.nanmean(seen.held_to) if seen.n else seen.held_to
        levels[name] = seen.judge + (1 - slope) * centred
    return levels


def _slope(seen: Seen) -> float:
    """How far the judge's levels rise with the truth, from people's shared variance where several rated; else 1."""
    if not seen.scale.ordered or len(seen.levels) < 3:
        return 1.0
    if seen.several:
        found = slope_on_people(seen.people, seen.judge)
        return 1.0 if found.value is None else min(1.0, found.value)
    ratio, along = (pair_statistic(seen.held_to, seen.judge, name) for name in ("sd_ratio", "pearson"))
    if ratio.value is None or along.value is None:
        return 1.0
    return min(1.0, ratio.value * max(0.0, along.value))


def _hits(evidence: Evidence, misses: Floats) -> Floats:
    close = np.round(np.abs(misses), 9) < evidence.comparison.tolerance
    return np.where(np.isfinite(misses), close.astype(np.float64), np.nan)


def _by_name(by: str, names: Sequence[str]) -> Iterator[Part]:
    found, place, counts = np.unique(np.array(names), return_inverse=True, return_counts=True)
    large = [i for i, name in enumerate(found.tolist()) if name and counts[i] >= SMALLEST_PART]
    if 0 < len(large) <= MOST_PARTS and (found != "").sum() > 1:
        for i in large:
            yield Part(by, str(found[i]), place.reshape(-1) == i)


def _by_length(lengths: npt.NDArray[np.int64]) -> list[Part]:
    if len(lengths) < SHORTEST_SET:
        return []
    low, high = (round(float(edge)) for edge in np.quantile(lengths, [1 / 3, 2 / 3]))
    if not lengths.min() < low < high < lengths.max():
        return []
    return [
        Part("length", f"up to {low} characters", lengths <= low),
        Part("length", f"{low + 1} to {high} characters", (lengths > low) & (lengths <= high)),
        Part("length", f"over {high} characters", lengths > high),
    ]


def _kind(comparison: Comparison, place: int) -> str:
    """The strongest kind of label that counts for an example."""
    given = {label.kind for label in comparison.gold.examples[place].labels}
    return next((kind for kind in KINDS if kind in given and kind in comparison.gold.kinds), "")
