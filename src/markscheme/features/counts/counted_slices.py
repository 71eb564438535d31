"""Agreement and bias of a judge on slices of the counted examples: the examples with one value of a field."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from markscheme.features.counts.counts_file import CountsFile, exact
from markscheme.rubrics.rubric import Rubric
from markscheme.stats import Estimate
from markscheme.stats.agreement_figures import close
from markscheme.stats.intervals import Groups
from markscheme.stats.severity import pair_statistic
from markscheme.stats.shares import share


@dataclass(frozen=True)
class CountedSlice:
    """Agreement and bias of a judge on one slice: the counted examples with one value of a field.

    Attributes:
        by: Name of the field.
        name: The field's value.
        agreement: Share of the slice's examples on which the judge's score agrees with gold's.
        signed_error: Bias on the slice: judge minus gold, in score.
        rest: Share of the examples with other values on which the judge's score agrees; None without scores.
    """

    by: str
    name: str
    agreement: Estimate
    signed_error: Estimate
    rest: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of the slice, with null for figures that counts don't give."""
        return {
            "by": self.by,
            "name": self.name,
            "n": self.agreement.n,
            "agreement": self.agreement.to_json(),
            "signed_error": self.signed_error.to_json(),
            "agreement_rest": self.rest,
            **dict.fromkeys(("p", "stands_out", "criteria", "figure", "by_criterion")),
        }


def slices_counted(counts: CountsFile, rubric: Rubric) -> tuple[CountedSlice, ...]:
    """Return all slices, field by field, and within each field the slice with the most examples first."""
    return tuple(counted_slice for field in counts.slices for counted_slice in _of_field(counts, field, rubric))


def _of_field(counts: CountsFile, field: str, rubric: Rubric) -> Iterator[CountedSlice]:
    rows, names = counts.slices[field]
    values = np.array(names)
    gold = exact(rows.gold)
    judge = exact(rows.judge)
    hits = close(gold, judge, rubric.tolerance)
    has_sets = not np.isnan(rows.sets).all()
    is_scored = np.isfinite(hits)
    sizes = {name: float(rows.n[(values == name) & is_scored].sum()) for name in dict.fromkeys(names)}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        inside = values == name
        groups = Groups.counted(rows.n[inside], rows.sets[inside].astype(np.int64) if has_sets else None)
        elsewhere = ~inside & is_scored
        n_elsewhere = float(rows.n[elsewhere].sum())
        yield CountedSlice(
            field,
            name,
            share(hits[inside], groups),
            pair_statistic(gold[inside], judge[inside], "signed_error", groups=groups, levels=[0.0, 1.0]),
            float(hits[elsewhere] @ rows.n[elsewhere]) / n_elsewhere if n_elsewhere else None,
        )
