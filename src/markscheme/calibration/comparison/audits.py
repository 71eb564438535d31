"""The table of audits: what else a judge's ratings are examined for when they are compared with gold."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.comparison.comparison import Comparison

Audit: TypeAlias = "Callable[[Comparison], Mapping[str, Any]]"
"""Returns figures by the keys of a calibration's JSON, with None where the judge gave nothing to examine."""


def _probabilities(comparison: "Comparison") -> Mapping[str, Any]:
    judge = comparison.table[comparison.judge_name]
    if not judge.probabilities:
        return {"probabilities": None}
    from markscheme.calibration.comparison.probabilities import audits_of

    table = comparison.table
    return {"probabilities": audits_of(judge, table[comparison.gold_name], table.rubric, table.groups)}


AUDITS: OpenTable[Audit] = OpenTable(_probabilities)
"""All audits."""
