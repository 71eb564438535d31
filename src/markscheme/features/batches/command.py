"""`markscheme batches`: the batches under way."""

import asyncio
from json import dumps
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag
from markscheme.errors import UsageError
from markscheme.features.batches.under_way import batch_json, batch_line, batches_here, cancel, forget


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
    batches_named = [batch for batch in batches_here() if id in (None, batch.remote, batch.token)]
    if id and not batches_named:
        raise UsageError(f"no batch {id} is under way; `markscheme batches` lists them")
    if action == "cancel":
        asyncio.run(cancel(batches_named))
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
