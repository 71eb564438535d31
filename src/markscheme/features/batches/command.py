"""`markscheme batches`: the batches under way."""

import asyncio
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag
from markscheme.errors import UsageError
from markscheme.judges.kinds import known_kind

if TYPE_CHECKING:
    from markscheme.features.batches.ledger import BatchRecord


def batches(
    action: Annotated[
        Literal["list", "cancel", "forget"], Parameter(metavar="list|cancel|forget", help="what to do")
    ] = "list",
    id: Annotated[str | None, Parameter(metavar="ID", help="the batch; without it all that are under way")] = None,
    /,
    *,
    json: JsonFlag = False,
) -> int:
    """List, cancel or forget the batches that `--batch` sent and whose replies are not all read. To read one, run the
    command that sent it again.

    list    what is known of each, without asking its provider
    cancel  have its provider end it; prompts answered by then are paid, and their replies can be read
    forget  drop it from the cache, unread; its prompts are sent again, and paid again, when they are needed

    Example:
        markscheme batches cancel msgbatch_0123

    Exit status:
        0 done, 1 no batch is under way, 2 invalid arguments, 3 no key for its provider.
    """
    from markscheme.features.batches.under_way import batch_json, batch_line, batches_here, forget

    batches_named = [batch for batch in batches_here() if id in (None, batch.remote, batch.token)]
    if id and not batches_named:
        raise UsageError(f"no batch {id} is under way; `markscheme batches` lists them")
    if action == "cancel":
        asyncio.run(_cancel(batches_named))
    elif action == "forget":
        forget(batches_named)
    past = {"list": "", "cancel": "cancelled: ", "forget": "forgotten: "}[action]
    if json:
        print(dumps({"schema": 1, "batches": list(map(batch_json, batches_named))}))
    else:
        print(
            "\n".join(past + batch_line(batch) for batch in batches_named)
            or "no batch is under way; calibrate and grade send one with --batch"
        )
    return 0 if batches_named else 1


async def _cancel(batches: "list[BatchRecord]") -> None:
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


def _judge_of(batch: "BatchRecord") -> Any:
    """Return the judge that was asked, with the key and address of this environment."""
    from markscheme.judges.asking import Asking

    kind = known_kind(batch.judge.name)
    judge: Any = kind.open(batch.judge.model or "", Asking(memory=None))
    if judge.identity.address != batch.judge.address:
        needed = batch.judge.address or "its provider's own address"
        raise UsageError(f"batch {batch.remote} is at {needed}; set the base URL of {kind.name} to that")
    return judge
