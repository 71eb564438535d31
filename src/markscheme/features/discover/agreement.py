"""Agreement of readers on which modes (kinds of fault) an output shows, and on which modes a note belongs to."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from markscheme.features.discover.figures import ReadOutputs, sets_by_rater
from markscheme.features.discover.unseen import masi_credit
from markscheme.stats import Estimate
from markscheme.stats import agreement as coefficient

POOR = 0.6
"""Agreement below which the two modes most often confused are named, since their definitions overlap."""


@dataclass(frozen=True)
class Exchanged:
    """The two modes (kinds of fault) that readers confuse most, how often they do, and the text of a note in each."""

    modes: tuple[str, str]
    times: int
    notes: tuple[str, str]


@dataclass(frozen=True)
class SetAgreement:
    """Agreement of readers on which modes (kinds of fault) an output shows, or to which a note belongs.

    Attributes:
        alpha: Krippendorff's alpha with MASI distance; the empty set counts as a value.
        units: Number of outputs that two people read, or of notes that two people sorted.
        kappa: Kappa of readers on whether a unit has a mode, by mode.
        both: For each mode, the share of units to which all their readers give it, among the units to which at least
            one gives it; None if no reader gives it.
        exchanged: The two modes most often confused; None if agreement isn't poor, or if no modes are confused.
    """

    alpha: Estimate
    units: int
    kappa: Mapping[str, Estimate] = field(default_factory=dict)
    both: Mapping[str, float | None] = field(default_factory=dict)
    exchanged: Exchanged | None = None


def finding_agreement(outputs: ReadOutputs) -> SetAgreement | None:
    """Measure how far readers agree on the failure modes of an output; None if no two people read the same output."""
    return _agreement(sets_by_rater(outputs), outputs)


def grouping_agreement(outputs: ReadOutputs) -> SetAgreement | None:
    """Measure how far people agree on the failure modes of a note; None if no two people sorted the same note."""
    by_note: dict[str, dict[str, frozenset[str]]] = {}
    for recoded in outputs.codebook.recoded:
        first = outputs.codebook.modes_of(recoded.note)
        if first and recoded.note in outputs.notes:
            resolved = (outputs.codebook.resolved(name) for name in recoded.modes)
            second = frozenset(name for name in resolved if name is not None)
            by_note[recoded.note] = {"first": frozenset(first), "second": second}
    return _agreement(by_note, outputs)


def _agreement(by_unit: Mapping[str, Mapping[str, frozenset[str]]], outputs: ReadOutputs) -> SetAgreement | None:
    if not by_unit:
        return None
    raters = sorted({rater for sets in by_unit.values() for rater in sets})
    sets = sorted({names for of_unit in by_unit.values() for names in of_unit.values()}, key=sorted)
    numbers = _table(by_unit, raters, lambda names: float(sets.index(names)))
    levels = [float(index) for index in range(len(sets))]
    alpha = (
        coefficient(numbers, "krippendorff_alpha", levels=levels, weights=masi_credit(sets))
        if len(sets) > 1
        else Estimate.without_value("all have the same modes", n=len(by_unit), method="krippendorff_alpha")
    )
    names = [mode.name for mode in outputs.codebook.listed]
    kappa = {name: _kappa(by_unit, raters, name) for name in names}
    both = {name: _both(by_unit, name) for name in names}
    is_poor = alpha.value is not None and alpha.value < POOR
    return SetAgreement(
        alpha, len(by_unit), kappa, both, _most_confused_modes(by_unit.values(), outputs) if is_poor else None
    )


def _table(
    by_unit: Mapping[str, Mapping[str, frozenset[str]]],
    raters: Sequence[str],
    number: Callable[[frozenset[str]], float],
) -> "np.typing.NDArray[np.float64]":
    rows = [[number(sets[rater]) if rater in sets else np.nan for rater in raters] for sets in by_unit.values()]
    return np.array(rows, dtype=np.float64)


def _kappa(by_unit: Mapping[str, Mapping[str, frozenset[str]]], raters: Sequence[str], name: str) -> Estimate:
    table = _table(by_unit, raters, lambda names: float(name in names))
    which = "cohen_kappa" if len(raters) == 2 else "conger_kappa"
    return coefficient(table, which, levels=[0, 1])


def _both(by_unit: Mapping[str, Mapping[str, frozenset[str]]], name: str) -> float | None:
    having = [[name in names for names in sets.values()] for sets in by_unit.values()]
    noted = [marks for marks in having if any(marks)]
    return sum(all(marks) for marks in noted) / len(noted) if noted else None


def _most_confused_modes(by_unit: Iterable[Mapping[str, frozenset[str]]], outputs: ReadOutputs) -> Exchanged | None:
    """Find the two failure modes that readers most often confuse; None if readers never name different modes.

    Args:
        by_unit: For each output, or each note, the names of the modes that each reader gave it.
        outputs: The outputs that were read, from which a note of each mode is quoted.
    """
    times = Counter[tuple[str, str]]()
    for sets in by_unit:
        for first, second in combinations(sets.values(), 2):
            times.update((min(a, b), max(a, b)) for a in first - second for b in second - first)
    if not times:
        return None
    ((pair, most),) = times.most_common(1)
    one_note_each = [next((note.text for note in outputs.notes_in[name].values()), "") for name in pair]
    return Exchanged(pair, most, (one_note_each[0], one_note_each[1]))
