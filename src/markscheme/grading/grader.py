"""Grade from any thread, whether or not an event loop is running there."""

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar
from weakref import WeakSet, WeakValueDictionary, finalize

from markscheme.errors import BudgetError, UsageError
from markscheme.grading.grades import Grade, grade_json
from markscheme.grading.grading import Grading, as_of_today, scorers_for
from markscheme.judges.ask_many import ask_many
from markscheme.judges.judge import Judge, make_room
from markscheme.judges.options import ASK_OPTIONS, AskOptions, refuse_opening
from markscheme.judges.threads import run_loop
from markscheme.options.in_force import hold, split_reading
from markscheme.options.settings import find_settings
from markscheme.options.table import read_options
from markscheme.prompts.submission import Submission, refuse_frame, submission_of
from markscheme.rubrics.file import rubric_given
from markscheme.rubrics.keys import ROW_RULES, RowRule
from markscheme.rubrics.of_rows import ROWS_ALONE
from markscheme.rubrics.rubric import Rubric

_T = TypeVar("_T")


class BackgroundLoop:
    """An event loop on its own thread, which runs until it is closed or no longer referenced."""

    _shared: ClassVar["WeakValueDictionary[int, BackgroundLoop]"] = WeakValueDictionary()
    _lock = threading.Lock()

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=run_loop, args=(self._loop,), name="markscheme", daemon=True)
        self._process = os.getpid()
        self._users: WeakSet[object] = WeakSet()
        self._thread.start()
        self.close = finalize(self, _stop, self._loop, self._thread, self._process)

    @classmethod
    def shared(cls, user: object) -> "BackgroundLoop":
        """Return the event loop that all graders of the process share, so that they can share judges.

        Args:
            user: The object that uses the loop. The loop is closed once none of its users is left.
        """
        with cls._lock:
            loop = cls._shared.get(os.getpid())
            if loop is None or not loop.close.alive:
                loop = cls._shared[os.getpid()] = cls()
            loop._users.add(user)
            return loop

    def leave(self, user: object) -> None:
        """Record that one user of the loop is done, and close the loop after the last one."""
        with self._lock:
            self._users.discard(user)
            if not self._users:
                self.close()

    def start(self, work: Coroutine[Any, Any, _T]) -> "Future[_T]":
        """Start a coroutine in the loop, and return the future of its result.

        Raises:
            RuntimeError: This is a fork of the process that created the loop.
        """
        if os.getpid() != self._process:
            work.close()
            raise RuntimeError("this process is a fork, and the thread that grades stayed behind: make a Grader here")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait_for(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Wait for a coroutine and return its result, or raise the error that the coroutine raised.

        Raises:
            RuntimeError: It is called from the loop's own thread, which would deadlock.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("a judge can't wait for a grade in the loop that asks it: await `Grader.grade` instead")
        running = self.start(work)
        try:
            return running.result()
        except BaseException:
            running.cancel()  # Ctrl-C cancels the requests too
            raise


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread, process: int) -> None:
    if os.getpid() != process:  # a fork inherits the loop's file descriptors but not its thread
        return
    loop.call_soon_threadsafe(loop.stop)
    if threading.current_thread() is not thread:
        thread.join()


class Grader:
    """A grader with one rubric and one judge, for programs and frameworks; it can be called from any thread.

    Call it from any number of threads, and from inside a running event loop. All graders of a process share one loop on
    its own thread, so they may share a judge. Close a grader, or use it in a `with` statement; the thread ends with the
    last one. If its judge is given by name, a grader can be pickled for workers on other hosts, which open it again.

    Attributes:
        rubric: The rubric to grade by.
        judge: The judge.
        concurrency: Largest number of submissions graded at once. A judge opened without a limit of its own takes as
            many requests at once.

    Args:
        rubric: A Rubric, the path of its file, or a name as on the command line; None if each response brings a rubric
            as its input `rubric`: a list of criteria, a mapping, or a rubric's name.
        judge: A judge, which stays open, or a name as on the command line, such as `anthropic`. By default the judge in
            the settings file, else the rubric's own, else one that is available.
        concurrency: Largest number of submissions graded at once, at least 1; by default that in the settings file,
            else 8.
        rows: How a response's own rubric is used next to `rubric`: "add", "instead", "ignore" or "refuse".
        options: How the judge is asked, as on the command line: `samples=3`, `budget=2`.

    Raises:
        NoJudge: No judge was named, and none is available.
        UsageError: The rubric, the judge or an option is unknown.
        RubricError: The rubric's file can't be read.
        ValueError: The concurrency is below 1.

    Example:
        >>> from markscheme import ScriptedJudge
        >>> rubric = Rubric.from_dict([{"weight": 2, "requirement": "Names a town", "name": "place"}])
        >>> with Grader(rubric, ScriptedJudge([{"place": "MET"}, {"place": "UNMET"}])) as grader:
        ...     grade = grader.grade_sync("It is in Leeds.", query="Where is my parcel?")
        ...     (row,) = grader.grade_rows([{"id": "p2", "response": "Soon."}])
        >>> grade.score, grade.by_criterion, grade.reason
        (1.0, {'place': 1.0}, '1.00, pass: place 1 (scripted)')
        >>> row["id"], row["score"], row["pass"]
        ('p2', 0.0, False)
    """

    def __init__(
        self,
        rubric: Rubric | str | Path | None,
        judge: Judge | str | None = None,
        *,
        rows: RowRule | None = None,
        concurrency: int | None = None,
        **options: Any,
    ) -> None:
        if concurrency is not None and concurrency < 1:
            raise ValueError(f"concurrency must be a whole number from 1, got {concurrency}")
        self._reading, [(options_of_asking, _)] = split_reading([(options, "{}")], ASK_OPTIONS)
        asking = ask_options(judge, {"concurrency": concurrency, **options_of_asking})
        if rows not in (None, *ROW_RULES):
            raise UsageError(f"rows must be one of {', '.join(ROW_RULES)}; got {rows!r}")
        self.rubric = asking.of(ROWS_ALONE if rubric is None else rubric_given(rubric))
        self._opened = judge is None or isinstance(judge, str)
        core = None if rubric is None else self.rubric
        self._again = partial(Grader, core, rows=rows, **{**options, **_set_of(asking)})
        named = asking.judge_for(self.rubric, [], None) if judge is None or isinstance(judge, str) else judge
        self.judge = as_of_today(named, self.rubric)
        self.concurrency = asking.concurrency
        scorers = scorers_for(self.rubric, asking.scorers)
        self._grading = Grading(self.rubric, self.judge, scorers=scorers, rows=rows, has_core=rubric is not None)
        make_room(self.judge, asking.concurrency)
        self._at_once = asking.at_once
        self._places = asyncio.Semaphore(asking.at_once)
        self._background: BackgroundLoop | None = BackgroundLoop.shared(self)
        self._under_way: set[asyncio.Task[Any] | None] = set()

    def __repr__(self) -> str:
        return f"Grader({self.rubric.name!r}, {self.judge.identity.name!r})"

    def __reduce__(self) -> tuple["partial[Grader]", tuple[()]]:
        """Return what pickle stores: a function, with arguments, that opens an equal grader again.

        Raises:
            TypeError: The judge was given as an object, which may not be possible to pickle.
        """
        if not self._opened:
            raise TypeError(f"{self!r} can't be pickled, since its judge is an object: give the judge's name instead")
        return self._again, ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def grade(self, response: Any, **inputs: Any) -> Grade:
        """Grade one response; if the judge fails, return an ungraded Grade with the reason.

        Args:
            response: A text, a number, a boolean, a list (such as one of tool calls), a mapping, a trace, or a
                Submission.
            inputs: The response's inputs by name (`query=…`); None means that an input is missing.

        Raises:
            SubmissionError: The response or an input is bytes, or an object that isn't JSON data.
            NoJudge: The judge cannot be used at all, since its key or package is missing.
            BudgetError: The budget would not cover another call.
            RuntimeError: The grader is closed.
        """
        with hold(self._reading):
            return await asyncio.wrap_future(self._loop.start(self._graded(Submission.of(response, inputs))))

    def grade_sync(self, response: Any, **inputs: Any) -> Grade:
        """Grade one response as `grade` does, for callers that don't use async."""
        with hold(self._reading):
            return self._loop.wait_for(self._graded(Submission.of(response, inputs)))

    def grade_rows(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Grade each row, in order, and return the grades as plain data.

        Args:
            rows: Rows with `response` (or `output`), optionally an `id`, and the inputs by name.

        Returns:
            The grades in the form that `markscheme grade --json` prints. For a row that could not be graded, such as
            one whose response is None, `score` is None and `error` says why.

        Raises:
            ValueError: A row has no key for a response, or a response that no judge can be shown (SubmissionError).
            UsageError: A data frame was passed instead of its rows.
            NoJudge: The judge cannot be used at all.
        """
        refuse_frame(rows)
        with hold(self._reading):
            submissions = [submission_of(row, ordinal) for ordinal, row in enumerate(rows, start=1)]
            grades = self._loop.wait_for(self._graded_rows(submissions))
        return [grade_json(grade, self.rubric) for grade in grades]

    def close(self) -> None:
        """Wait for responses still being graded, and close the judge if this grader opened it by name."""
        background = self._background
        self._background = None
        if background is not None:
            background.wait_for(self._end())
            background.leave(self)

    @property
    def _loop(self) -> BackgroundLoop:
        if self._background is None:
            raise RuntimeError("this grader is closed")
        return self._background

    async def _graded(self, submission: Submission) -> Grade:
        task = asyncio.current_task()
        self._under_way.add(task)
        try:
            async with self._places:
                return await self._grading.grade(submission)
        finally:
            self._under_way.discard(task)

    async def _graded_rows(self, submissions: Sequence[Submission]) -> list[Grade]:
        grades = {index: grade async for index, grade in ask_many(self._row, submissions, concurrency=self._at_once)}
        return [grades[index] for index in range(len(submissions))]

    async def _row(self, submission: Submission) -> Grade:
        try:
            return await self._graded(submission)
        except BudgetError as error:
            return self._grading.ungraded(submission, str(error))

    async def _end(self) -> None:
        await asyncio.gather(*filter(None, self._under_way), return_exceptions=True)
        if self._opened:
            await self.judge.aclose()


def _set_of(asking: AskOptions) -> dict[str, Any]:
    """Return the options for asking a judge that the user changed from their defaults, by name."""
    unset = AskOptions()
    return {key: value for key in ASK_OPTIONS if (value := getattr(asking, key)) != getattr(unset, key)}


def ask_options(judge: Judge | str | None, options: Mapping[str, Any]) -> AskOptions:
    """Read the options for asking a judge: each from the caller or, if not given there, from the settings file."""
    settings = find_settings(Path.cwd())
    if judge is not None and not isinstance(judge, str):
        refuse_opening(options)
    named = {"judge": judge} if isinstance(judge, str) else {}
    return read_options(AskOptions, ({**options, **named}, "{}"), settings.source_of(AskOptions))
