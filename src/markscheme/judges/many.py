"""Ask about many things, at most so many at once, until the budget ends."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from typing import Any, Generic, TypeVar

from markscheme.errors import BudgetError

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


async def ask_many(
    ask: Callable[[_Job], Awaitable[_Result]], jobs: Iterable[_Job], *, concurrency: int
) -> AsyncGenerator[tuple[int, _Result], None]:
    """Results as they are ready, each with the index of its job; at most `concurrency` jobs are under way at once.

    Takes from `jobs` only as fast as its results are taken, so that a long iterable needs little memory. Jobs that are
    under way when the loop over the results ends are cancelled.

    Args:
        ask: Asks about one job.
        jobs: What to ask about.
        concurrency: At least 1.

    Raises:
        BudgetError: The budget doesn't cover another call. No job is begun after that; it is raised once those under
            way have ended.
        ValueError: A concurrency below 1.
        Exception: The first error of any other kind that asking raises.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency is a whole number from 1, found {concurrency}")
    tasks = _Tasks[tuple[int, _Result]]()
    numbered = enumerate(jobs)
    budget_error: BudgetError | None = None
    try:
        while True:
            while budget_error is None and tasks.under_way < concurrency:
                job = next(numbered, None)
                if job is None:
                    break
                tasks.begin(_numbered_result(ask, *job))
            if not tasks.under_way:
                break
            try:
                result = (await tasks.next_ended()).result()
            except BudgetError as error:
                budget_error = error
                continue
            yield result
    finally:
        await tasks.cancel()
    if budget_error is not None:
        raise budget_error


async def _numbered_result(ask: Callable[[_Job], Awaitable[_Result]], number: int, job: _Job) -> tuple[int, _Result]:
    return number, await ask(job)


class _Tasks(Generic[_Result]):
    """Tasks under way, and those that have ended and whose result nobody has taken yet."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[_Result]] = set()
        self._ended: deque[asyncio.Task[_Result]] = deque()
        self._someone_ended: asyncio.Future[None] | None = None

    @property
    def under_way(self) -> int:
        """How many they are."""
        return len(self._running) + len(self._ended)

    def begin(self, work: Coroutine[Any, Any, _Result]) -> None:
        """Start a task."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: "asyncio.Task[_Result]") -> None:
        self._running.discard(task)
        self._ended.append(task)
        if self._someone_ended is not None and not self._someone_ended.done():
            self._someone_ended.set_result(None)

    async def next_ended(self) -> "asyncio.Task[_Result]":
        """A task that has ended, as soon as there is one."""
        if not self._ended:
            self._someone_ended = asyncio.get_running_loop().create_future()
            await self._someone_ended
        return self._ended.popleft()

    async def cancel(self) -> None:
        """Cancel the tasks still under way, and wait until they have ended."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, *self._ended, return_exceptions=True)  # asyncio warns of unseen errors


async def all_or_first_error(calls: Iterable[Coroutine[Any, Any, _Result]]) -> list[_Result]:
    """The results of all calls; the first error is raised once all have ended."""
    calls = list(calls)
    if len(calls) == 1:  # the usual case needs no task
        return [await calls[0]]
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]
