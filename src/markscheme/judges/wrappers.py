"""The table of features' wrappers that send a judge's prompts in batches instead of single requests."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.judges.asking import Asking
    from markscheme.judges.judge import Judge
    from markscheme.judges.limited import Limited
    from markscheme.judges.price import Price

JudgeWrapper: TypeAlias = "Callable[[Any, Limited, Asking, Price | None], Judge]"
"""Wraps a judge, which has `batches()`; next come the same judge for live requests, what the run's judges share, and
the price of a live request. It raises UsageError where the judge can't be asked so."""
WRAPPERS: OpenTable[JudgeWrapper] = OpenTable()
"""What asks in batches, the first of which is taken."""
