"""The batches under way here: found, described and forgotten."""

import time
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from markscheme.features.batches.ledger import BatchLedger, BatchRecord, batches_under_way
from markscheme.judges.reply_file import cache_folder
from markscheme.phrases import counted, number


def batches_here() -> list[BatchRecord]:
    """Return the batches under way that the cache knows of, the oldest first."""
    return batches_under_way(cache_folder())


def batch_line(batch: BatchRecord) -> str:
    """Return a batch under way as a line."""
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
    """Return a batch under way as plain data."""
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
    """Drop batches from the cache, unread."""
    with closing(BatchLedger(cache_folder())) as ledger:
        for batch in batches:
            ledger.forget(batch.token)
