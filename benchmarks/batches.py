"""20,000 prompts in batches, before stand-ins for both batch APIs, with the client killed three times.

    python -m benchmarks.batches

The real SDKs talk to a server on 127.0.0.1 that plays the APIs: 5 % of entries errored and 5 % expired, one reply in 50
not usable, one state in four answered with 500, results in another order. The client is killed before it hears of its
first batches, while it waits, and while it reads results; then the server goes away for a second. The meter is the
server's.
"""

import os
import resource
import tempfile
import time
from pathlib import Path

from markscheme.features.batches.ledger import BatchLedger
from tests.features.batches.batch_client import PRICE
from tests.features.batches.batch_server import TOKENS, BatchServer
from tests.features.batches.test_judge import run_killed_three_times

N = 20_000
HEADINGS = (
    "API and re-asks",
    "prompts",
    "graded",
    "batches",
    "answers in batches",
    "prompts answered twice",
    "metered $ / half price $",
    "live answers",
    "seconds",
    "peak MB of a client",
)


def row(kind: str, reasks: str, n: int = N) -> list[str]:
    """What came of n prompts."""
    full = PRICE.cost(*TOKENS)
    with (
        tempfile.TemporaryDirectory() as folder,
        BatchServer(delay=3600, errored=20, expired=20, unusable=50, bad_polls=4) as server,
    ):
        began = time.monotonic()
        found = run_killed_three_times(server, kind, Path(folder), n, reasks)
        seconds = time.monotonic() - began
        metered = sum(batch.usage.usd or 0.0 for batch in BatchLedger(Path(folder)).batches())
    answers, live = server.paid
    twice = sum(times > 1 for times in server.answered.values())
    assert found["graded"] == n, found
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    cost = f"{metered:.6f} / {answers * full / 2:.6f}"
    extra = f"{live:,} (${live * full:.4f} at full price)" if live else "0"
    figures = [f"{n:,}", f"{found['graded']:,}", str(server.creates), f"{answers:,}", str(twice), cost, extra]
    return [f"{kind}, {reasks}", *figures, f"{seconds:.0f}", f"{peak:.0f}"]


def main() -> None:
    """Print the table."""
    os.environ |= {"ANTHROPIC_API_KEY": "none", "OPENAI_API_KEY": "none"}
    print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}")
    for kind, reasks in (("anthropic", "batch"), ("anthropic", "live"), ("openai", "batch")):
        print(f"| {' | '.join(row(kind, reasks))} |", flush=True)


if __name__ == "__main__":
    main()
