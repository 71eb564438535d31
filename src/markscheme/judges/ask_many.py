"""Asking a judge about many submissions with a limit on simultaneous calls, until the budget ends."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Iterable, Iterator
from contextvars import Context, copy_context
from typing import Any, Generic, TypeVar

from markscheme.errors import BudgetError

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


async def ask_many(
    ask: Callable[[_Job], Awaitable[_Result]], jobs: Iterable[_Job], *, concurrency: int
) -> AsyncGenerator[tuple[int, _Result], None]:
    """Yield each job's index and result as it is ready, while at most `concurrency` jobs run at once.

    It takes from `jobs` only as fast as its results are taken, so that a long iterable needs little memory: jobs under
    way and waiting results are fewer than twice `concurrency`. Jobs that are under way when the loop over the results
    ends are cancelled. Each job runs in a copy of the caller's context, as it was when the loop began.

    Args:
        ask: Function that asks the judge about one job.
        jobs: The jobs to ask about.
        concurrency: Largest number of jobs that run at once, at least 1.

    Raises:
        BudgetError: The budget doesn't cover another call. No job is begun after that; the error is raised once those
            under way have ended.
        ValueError: The concurrency is below 1.
        Exception: Asking raises an error of another kind; the first one is raised.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency must be a whole number from 1, got {concurrency}")
    workers = _Workers(ask, jobs, concurrency)
    budget_error: BudgetError | None = None
    try:
        while workers.begin():
            try:
                result = await workers.next_result()
            except BudgetError as error:
                budget_error = error
                continue
            yield result
    finally:
        await workers.cancel()
    if budget_error is not None:
        raise budget_error


class _Workers(Generic[_Job, _Result]):
    """Tasks that work on a list of jobs, such as submissions to grade; each does one job after another.

    A task that ends a job begins the next job at once. With a new task for each job, all connections to a provider
    would be idle between two jobs, and an HTTP client would check each of them for every request.
    """

    def __init__(self, ask: Callable[[_Job], Awaitable[_Result]], jobs: Iterable[_Job], concurrency: int) -> None:
        self._ask = ask
        self._jobs: Iterator[tuple[int, _Job]] = enumerate(jobs)
        self._concurrency = concurrency
        self._under_way = 0
        self._waiting: deque[tuple[int, _Job]] = deque()
        self._context = copy_context()
        self._tasks: set[asyncio.Task[None]] = set()
        self._yet_to_begin: set[asyncio.Task[None] | None] = set()
        self._ended: deque[tuple[int, _Result] | BaseException] = deque()
        self._someone_ended: asyncio.Future[None] | None = None

    def begin(self) -> bool:
        """Start as many jobs as may run at once; return True if any is running or has a result that isn't taken yet."""
        while (numbered := self._next_job()) is not None:
            self._waiting.append(numbered)
            task = asyncio.create_task(self._work())
            self._tasks.add(task)
            self._yet_to_begin.add(task)
            task.add_done_callback(self._leave)
        return bool(self._under_way or self._ended)

    async def next_result(self) -> tuple[int, _Result]:
        """Wait for a result and return it with its job's index; raise the job's error if it raised one."""
        if not self._ended:
            self._someone_ended = asyncio.get_running_loop().create_future()
            await self._someone_ended
        result = self._ended.popleft()
        if isinstance(result, BaseException):
            raise result
        return result

    async def cancel(self) -> None:
        """Cancel the running jobs, and wait until they have ended."""
        self._stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _work(self) -> None:
        """Run jobs until none is left: first those that were fetched but not begun, then new ones from `jobs`."""
        self._yet_to_begin.discard(asyncio.current_task())
        try:
            while (numbered := self._waiting.popleft() if self._waiting else self._next_job()) is not None:
                index, job = numbered
                self._end((index, await _InContext(self._context.copy(), self._asked(job))))
        except BaseException as error:  # raised again where results are taken
            self._stop()
            self._end(error)
            if not isinstance(error, Exception | asyncio.CancelledError):
                raise

    async def _asked(self, job: _Job) -> _Result:
        return await self._ask(job)

    def _leave(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # it was raised where results are taken; asyncio warns of unseen errors
        elif task in self._yet_to_begin and self._waiting:  # somebody else cancelled it
            self._waiting.pop()
            self._stop()
            self._end(asyncio.CancelledError())

    def _next_job(self) -> tuple[int, _Job] | None:
        """Take the next job with its index; None if there is none, too many are running, or too many results wait."""
        if self._under_way >= self._concurrency or len(self._ended) >= self._concurrency:
            return None
        self._under_way += 1
        try:
            numbered = next(self._jobs, None)
        except Exception as error:  # raised after the results that wait
            self._stop()
            self._end(error)
            return None
        if numbered is None:
            self._under_way -= 1
        return numbered

    def _end(self, result: tuple[int, _Result] | BaseException) -> None:
        self._under_way -= 1
        self._ended.append(result)
        if self._someone_ended is not None and not self._someone_ended.done():
            self._someone_ended.set_result(None)

    def _stop(self) -> None:
        """Begin no further job, and drop the iterator of jobs, which may read from an open file."""
        self._jobs = iter(())
        self._under_way -= len(self._waiting)
        self._waiting.clear()


class _InContext(Generic[_Result]):
    """A coroutine with its own copy of context variables, so that jobs don't see what other jobs set."""

    __slots__ = ("_context", "_work")

    def __init__(self, context: Context, work: Coroutine[Any, Any, _Result]) -> None:
        self._context = context
        self._work = work

    def __await__(self) -> Generator[Any, Any, _Result]:
        step: Callable[[Any], Any] = self._work.send
        argument: Any = None
        while True:
            try:
                awaited = self._context.run(step, argument)
            except StopIteration as end:
                result: _Result = end.value
                return result
            try:
                argument = yield awaited
                step = self._work.send
            except GeneratorExit:
                self._context.run(self._work.close)
                raise
            except BaseException as error:  # a cancellation, for the job to see
                argument = error
                step = self._work.throw
