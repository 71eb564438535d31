"""A circuit breaker that pauses or ends the calls to a judge that keeps failing."""

import asyncio
import math
import warnings
from dataclasses import dataclass, field
from typing import Final

from markscheme.errors import JudgeBusy, JudgeError, JudgeSilent, JudgeUnavailable, NoJudge

WAYS_OUT: Final = {
    401: "check the key",
    402: "check the account's credit",
    403: "check what the key may use",
    404: "check the model's name and the address",
}
"""HTTP statuses that every further call would get too once one call gets them, with the advice on what to check."""
FAILURES: Final = 10
"""Number of failures in a row after which no further call is made."""
TIMED_OUT: Final = 4
"""Number of failures that a failed call counts as, if it took half the deadline or more."""
FIRST_TRIAL_PAUSE: Final = 2.0
"""Seconds before the first trial call; each further pause is twice as long."""
LONGEST_TRIAL_PAUSE: Final = 15.0
"""Largest number of seconds between two trial calls to a judge that is down."""
SHORTEST_TRY: Final = 15.0
"""Smallest timeout of a trial call in seconds."""
BUSY: Final = 30.0
"""Seconds without an answer from a judge that asks to wait, after which the user gets a message."""
REST: Final = 120.0
"""Seconds after giving up a judge before another call is tried."""


@dataclass(eq=False)
class Circuit:
    """Circuit breaker of one judge: while the judge is down, only one trial call at a time goes through.

    It serves one event loop at a time, and any number of event loops one after another.
    """

    _answers: int = field(default=0, init=False)
    _failures: int = field(default=0, init=False)
    _refusals: int = field(default=0, init=False)
    _busy_since: float | None = field(default=None, init=False)
    _cause: JudgeUnavailable | None = field(default=None, init=False)
    _given_up: bool = field(default=False, init=False)
    _until: float = field(default=0.0, init=False)
    _next: float = field(default=0.0, init=False)
    _pause: float = field(default=FIRST_TRIAL_PAUSE, init=False)
    _trying: bool = field(default=False, init=False)
    _waiting: "list[asyncio.Future[None]]" = field(default_factory=list, init=False)

    @property
    def is_open(self) -> bool:
        """True if the judge is down, so that only trial calls are made."""
        return self._cause is not None

    async def enter(self) -> float | None:
        """Wait while the judge is down; return the deadline for a trial call, None for an ordinary call.

        Raises:
            JudgeUnavailable: The judge has been given up.
        """
        loop = asyncio.get_running_loop()
        while self._cause is not None:
            if self._given_up and loop.time() < self._next:
                raise JudgeUnavailable(f"{self._cause}; not asked again for now", status=self._cause.status)
            if not self._trying:
                self._trying = True
                try:
                    await asyncio.sleep(max(0.0, self._next - loop.time()))
                except BaseException:
                    self.leave()
                    raise
                return max(self._until, loop.time() + SHORTEST_TRY)
            waiting: asyncio.Future[None] = loop.create_future()
            self._waiting.append(waiting)
            await waiting
        return None

    def leave(self) -> None:
        """End a trial call that neither succeeded nor failed, and let the next caller try."""
        self._trying = False
        waiting, self._waiting = self._waiting, []
        for caller in waiting:
            if not caller.done():
                caller.set_result(None)

    def answered(self) -> None:
        """Record that the judge answered, so that calls are no longer paused."""
        self._answers += 1
        self._failures = self._refusals = 0
        self._busy_since = None
        self._cause, self._given_up, self._pause = None, False, FIRST_TRIAL_PAUSE
        self.leave()

    def failed(self, error: JudgeError, *, patience: float, was_try: bool, timed_out: bool) -> None:
        """Record that a call to the judge failed, which may mean that the judge is down.

        Args:
            error: The error of the call.
            patience: Seconds for which a judge that is down is tried again, before it is given up.
            was_try: True for a trial call: while the judge is down, one call at a time is made to try it.
            timed_out: True if the call took half the deadline or more.

        Raises:
            NoJudge: The judge refuses every call, and has answered none.
        """
        status = getattr(error, "status", None)
        if isinstance(error, JudgeBusy):
            self._was_busy(error)
        if isinstance(error, JudgeUnavailable) and status is not None and status < 500 and not error.transient:
            self._refused(error, status)
        elif isinstance(error, JudgeSilent) or (isinstance(error, JudgeUnavailable) and (status or 0) >= 500):
            self._failures += TIMED_OUT if timed_out else 1
            if self._failures >= FAILURES and self._cause is None:
                self._open(error, patience)
        if was_try:
            self._try_later(error)
            self.leave()

    def _was_busy(self, error: JudgeBusy) -> None:
        clock = asyncio.get_running_loop().time()
        if self._busy_since is None:
            self._busy_since = clock
        elif clock - self._busy_since >= BUSY:
            self._busy_since = math.inf  # said once, until it answers
            warnings.warn(
                f"{error}; no call was answered for {BUSY:g} s, each is tried again until its deadline",
                RuntimeWarning,
                stacklevel=2,
            )

    def _refused(self, error: JudgeUnavailable, status: int) -> None:
        self._refusals += 1
        if not self._answers and (status in WAYS_OUT or self._refusals >= FAILURES):
            way_out = WAYS_OUT.get(status, "the provider refuses what it is asked")
            raise NoJudge(f"{error}; nothing was graded: {way_out}") from error
        if status in WAYS_OUT and self._refusals >= FAILURES and self._cause is None:
            self._open(error, 0.0)

    def _open(self, error: JudgeUnavailable, patience: float) -> None:
        now = asyncio.get_running_loop().time()
        self._cause = error
        self._until = now + patience
        self._next = now + self._pause
        if patience:
            warnings.warn(
                f"{error}; calls failed in a row: paused, trying one call at a time for up to {patience:g} s",
                RuntimeWarning,
                stacklevel=2,
            )
        else:
            self._give_up(now)

    def _try_later(self, error: JudgeError) -> None:
        now = asyncio.get_running_loop().time()
        self._pause = min(LONGEST_TRIAL_PAUSE, 2 * self._pause)
        self._next = now + self._pause
        if isinstance(error, JudgeUnavailable):
            self._cause = error
        if self._next > self._until:
            self._give_up(now)

    def _give_up(self, now: float) -> None:
        self._given_up = True
        self._next = now + REST
