"""Awaiting of several calls at once, without loading asyncio for code that only writes prompts."""

from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

_Result = TypeVar("_Result")


async def all_or_first_error(calls: Iterable[Coroutine[Any, Any, _Result]]) -> list[_Result]:
    """Return the results of all calls; if some fail, wait until all have ended and raise the first error."""
    calls = list(calls)
    if len(calls) == 1:  # the usual case needs no task
        return [await calls[0]]
    import asyncio

    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]
