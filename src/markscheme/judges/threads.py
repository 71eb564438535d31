"""Calls of a user's function in a thread, so that a hanging one doesn't hold up the run, its deadline or Ctrl-C.

The threads are daemons, so that a program can end even if one of its threads never does.
"""

import asyncio
import contextvars
import os
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

_Answer = TypeVar("_Answer")


THREAD_IDLE_SECONDS = 10.0
"""Seconds for which an idle thread waits for another call: starting one costs as much CPU as half of what grading a
response takes."""


class _Worker:
    """A daemon thread that makes one call at a time; after a call that hangs, it isn't used again."""

    def __init__(self) -> None:
        self.calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._work, name="markscheme function", daemon=True).start()

    def _work(self) -> None:
        while True:
            try:
                call = self.calls.get(timeout=THREAD_IDLE_SECONDS)
            except Empty:
                try:
                    _idle.remove(self)
                except ValueError:  # taken at this moment: a call is on its way
                    continue
                return
            call()
            del call  # it holds the answer


_idle: list[_Worker] = []
if hasattr(os, "register_at_fork"):  # a fork has no threads but its own; Windows has no forks
    os.register_at_fork(after_in_child=_idle.clear)


async def in_thread(work: Callable[[], _Answer]) -> _Answer:
    """Call a function in another thread and return its result; a cancelled caller doesn't wait for the thread."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[_Answer] = loop.create_future()
    context = contextvars.copy_context()

    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()

    def call() -> None:
        try:
            result = context.run(work)
        except BaseException as error:
            _idle.append(worker)
            _from_thread(loop, _fail, answer, error)
        else:
            _idle.append(worker)
            _from_thread(loop, _succeed, answer, result)

    worker.calls.put(call)
    return await answer


class ThreadLoop:
    """An event loop in its own thread, for coroutines that may block; it starts with the first coroutine."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0

    async def result(self, work: Awaitable[_Answer]) -> _Answer:
        """Run a coroutine in the thread's event loop and return its result; cancel it if the caller is cancelled."""
        future = asyncio.run_coroutine_threadsafe(_outcome(work), self._running())
        outcome: tuple[Any, BaseException | None] = await asyncio.wrap_future(future)
        answer, error = outcome
        if error is not None:
            raise error
        result: _Answer = answer
        return result

    def stop(self) -> None:
        """Cancel the running coroutines and end the thread, without waiting for it."""
        loop = self._loop
        self._loop = None
        if loop is not None and self._process == os.getpid():
            _from_thread(loop, loop.stop)

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None or self._process != os.getpid():  # a fork has the loop but not its thread
            self._loop = asyncio.new_event_loop()
            self._process = os.getpid()
            threading.Thread(target=run_loop, args=(self._loop,), name="markscheme function", daemon=True).start()
        return self._loop


def run_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Run an event loop until it is stopped, then cancel its remaining tasks and close it."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.get_loop().run_forever()


async def _outcome(work: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    """Wait for a result; return the result and None, or None and the error.

    The error is returned, not raised, since some errors end the event loop if they are raised in it.
    """
    try:
        return await work, None
    except (asyncio.CancelledError, GeneratorExit):
        raise
    except BaseException as error:
        return None, error


def _from_thread(loop: asyncio.AbstractEventLoop, callback: Callable[..., object], *arguments: Any) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(callback, *arguments)


def _succeed(answer: "asyncio.Future[Any]", result: Any) -> None:
    if not answer.done():
        answer.set_result(result)


def _fail(answer: "asyncio.Future[Any]", error: BaseException) -> None:
    if not answer.done():
        as_raised = RuntimeError("StopIteration") if isinstance(error, StopIteration) else error  # no future takes one
        answer.set_exception(as_raised)
