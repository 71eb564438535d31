"""The table of features' wrappers that send a judge's prompts in batches instead of single requests."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.judges.judge import Judge
    from markscheme.judges.judge_context import JudgeContext
    from markscheme.judges.limited import Limited
    from markscheme.judges.price import Price

JudgeWrapper: TypeAlias = "Callable[[Any, Limited, JudgeContext, Price | None], Judge]"
"""Function that wraps a judge with `batches()` so that it asks in batches; it also gets the judge for live requests,
the settings that the run's judges share, and the price of live requests. It raises UsageError if the judge can't be
asked in batches."""
WRAPPERS: OpenTable[JudgeWrapper] = OpenTable()
"""Functions that wrap a judge so that it asks in batches, the first of which is used."""
