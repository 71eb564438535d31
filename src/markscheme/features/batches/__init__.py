"""Batches: prompts that a provider answers together at half the price, and the command for the batches under way."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.judges import REPLIES_FILE, cache_folder
from markscheme.judges.wrappers import WRAPPERS
from markscheme.report.under_way import UNDER_WAY
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.judges.judge import Judge
    from markscheme.judges.judge_context import JudgeContext
    from markscheme.judges.limited import Limited
    from markscheme.judges.price import Price


def _command() -> CommandFunction:
    from markscheme.features.batches.command import batches

    return batches


def _batched(opened: Any, limited: "Limited", context: "JudgeContext", price: "Price | None") -> "Judge":
    from markscheme.features.batches.judge import batched

    return batched(opened, limited, context, price)


def _under_way() -> tuple[Sequence[str], Mapping[str, Any]]:
    if not (cache_folder() / REPLIES_FILE).is_file():
        return [], {"batches": []}
    from markscheme.features.batches.batch_file import is_batch_under_way

    if not is_batch_under_way():
        return [], {"batches": []}
    from markscheme.features.batches.under_way import batch_json, batch_line, batches_here

    under_way = batches_here()
    return [f"batch {batch_line(batch)}" for batch in under_way], {"batches": [*map(batch_json, under_way)]}


BATCHES = Feature(
    "batches",
    COMMANDS(CommandRow("batches", "More", "list, cancel or forget batches under way", _command, rank=10)),
    WRAPPERS(_batched),
    UNDER_WAY(_under_way),
)
