"""Functions that find, describe, cancel and forget the batches recorded in this machine's cache."""

import time
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from markscheme.errors import UsageError
from markscheme.features.batches.ledger import BatchLedger, BatchRecord, batches_under_way
from markscheme.judges import cache_folder
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.kinds import known_kind
from markscheme.phrases import counted, number


def batches_here() -> list[BatchRecord]:
    """Return the batches under way that the cache knows of, the oldest first."""
    return batches_under_way(cache_folder())


def batch_line(batch: BatchRecord) -> str:
    """Describe a batch under way in one line of text."""
    minutes = int((time.time() - batch.began) / 60)
    age = f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"
    usd = "price unknown" if batch.usage.usd is None else f"${number(batch.usage.usd, 4)} so far"
    most = f", ${number(batch.reserved)} at most" if batch.reserved else ""
    name = batch.remote or f"{batch.token} (not confirmed)"
    return (
        f"{name}: {counted(batch.prompts, 'prompt')} to {batch.judge}, sent {age} ago, "
        f"{batch.processed:,} processed, {batch.usage.calls:,} read, {usd}{most}"
    )


def batch_json(batch: BatchRecord) -> dict[str, Any]:
    """Return a batch under way as a dict for JSON."""
    return {
        "id": batch.remote or None,
        "token": batch.token,
        "judge": str(batch.judge),
        "age_seconds": round(time.time() - batch.began),
        "prompts": batch.prompts,
        "processed": batch.processed,
        "read": batch.usage.calls,
        "usd": batch.usage.usd,
        "usd_at_most": batch.reserved or None,
    }


def forget(batches: Iterable[BatchRecord]) -> None:
    """Drop batches from the cache's record, so that their replies are never read."""
    with closing(BatchLedger(cache_folder())) as ledger:
        for batch in batches:
            ledger.forget(batch.token)


async def cancel(batches: Iterable[BatchRecord]) -> None:
    """Ask the provider of each batch to end it.

    Raises:
        UsageError: The provider hasn't confirmed a batch yet, or a batch is at another address than this environment
            sets.
        NoJudge: The key for a provider isn't set.
    """
    for batch in batches:
        if not batch.remote:
            raise UsageError(
                f"batch {batch.token} has no id of its provider yet: run the command that sent it again, which looks "
                "for it, or forget it"
            )
        judge = _judge_of(batch)
        try:
            await judge.batches().cancel(batch.remote)
        finally:
            await judge.aclose()


def _judge_of(batch: BatchRecord) -> Any:
    """Open the judge that a batch was sent to, with this environment's API key.

    Raises:
        UsageError: In this environment, the judge has another address than the batch.
    """
    kind = known_kind(batch.judge.name)
    judge: Any = kind.open(batch.judge.model or "", JudgeContext(memory=None))
    if judge.identity.address != batch.judge.address:
        needed = batch.judge.address or "its provider's own address"
        raise UsageError(f"batch {batch.remote} is at {needed}; set the base URL of {kind.name} to that")
    return judge
