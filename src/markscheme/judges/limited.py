"""Rate limits, retries and budgets of calls to judges.

One `Limiter` serves a whole process; every judge that calls a provider is wrapped in a `Limited` that shares it. All
retries happen here: the adapters send each request once.

Rate limits don't apply to batches (`wrappers.py`); only their cost is reserved here.
"""

import asyncio
import copy
import math
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markscheme.errors import (
    BudgetError,
    JudgeBusy,
    JudgeError,
    JudgeSilent,
    JudgeUnavailable,
    MarkschemeError,
    UnreadableReply,
    UsageError,
)
from markscheme.judges.circuit import Circuit
from markscheme.judges.judge import Identity, Reply, Usage, Wrapping, total
from markscheme.judges.open_files import calls_that_fit, lacks_files
from markscheme.judges.price import Price
from markscheme.judges.timeouts import REQUEST_TIMEOUT
from markscheme.phrases import brief, counted, number
from markscheme.prompts.prompt import Prompt

MINUTE: Final = 60.0
"""Number of seconds over which providers count requests and tokens."""
LONGEST_PAUSE: Final = 3600.0
"""Longest pause in seconds: if a provider asks for a longer one, it is asked again after an hour."""
LONGEST_BACKOFF: Final = 30.0
"""Largest number of seconds between two attempts, however often the wait was doubled."""
PATIENCE: Final = 60.0
"""Seconds for which a judge that is down is tried again before it is given up."""
CALLS_AT_ONCE: Final = 8
"""Default number of concurrent calls, if neither the limiter nor a caller sets one."""
RECOVERY: Final = 0.25
"""Number of concurrent calls that are added to the limit for each answered call, after it was halved."""
BYTES_PER_TOKEN: Final = 3
"""Number of bytes of text per token, fewer than in most texts, so that estimates of tokens are rather too high."""
LONGEST_ANSWER: Final = 4096
"""Assumed largest length of an answer in tokens, for judges that don't report their own limit."""


@dataclass(slots=True, eq=False)
class Permit:
    """Permission for one call, from the moment it is requested until it is returned.

    Attributes:
        tokens: Upper estimate of the number of tokens of the call's input and output together.
        usd: Upper estimate of the call's cost in US dollars, which is reserved once the call is permitted.
        patience: Longest pause in seconds, requested by the provider, that the caller accepts.
        granted: Future that is done when the call may be made, or fails if it may not.
        at: Time at which the call was permitted, by the event loop's clock.
        halvings: Number of times that the limiter had halved concurrency when the call was permitted.
        in_minute: Number of tokens that the call takes from the limit of its minute; None if tokens aren't limited, or
            once the minute is over.
    """

    tokens: int
    usd: float
    patience: float
    granted: "asyncio.Future[None]"
    at: float = 0.0
    halvings: int = 0
    in_minute: int | None = None


@dataclass(eq=False)
class Limiter:
    """Queue for all calls of a process that keeps them within limits of rate and cost, first come first served.

    Concurrency is halved when a provider asks to wait, only once for all calls under way, and grows again with each
    answer. While a provider has asked to wait for a given time, no call is let through. A limiter serves one event loop
    at a time, and any number of them one after another.

    Attributes:
        concurrency: Largest number of concurrent calls; None for as many as callers ask for, at first CALLS_AT_ONCE.
        requests_per_minute: Largest number of calls begun in any 60 seconds; None for no limit.
        tokens_per_minute: Largest number of tokens in any 60 seconds, estimated until a call is answered; None for no
            limit.
        budget: Largest total cost in US dollars; None for no limit.

    Raises:
        ValueError: A limit isn't above 0.
    """

    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    budget: float | None = None

    _answered: Usage = field(default=Usage(), init=False, repr=False)
    _calls: int = field(default=0, init=False, repr=False)
    _spent: float = field(default=0.0, init=False, repr=False)
    _reserved: float = field(default=0.0, init=False, repr=False)
    _set_aside: float = field(default=0.0, init=False, repr=False)
    _in_batches: int = field(default=0, init=False, repr=False)
    _under_way: int = field(default=0, init=False, repr=False)
    _most: float = field(default=0.0, init=False, repr=False)
    _places: float = field(default=0.0, init=False, repr=False)
    _halvings: int = field(default=0, init=False, repr=False)
    _resumes: float = field(default=-math.inf, init=False, repr=False)
    _recent: deque[Permit] = field(default_factory=deque, init=False, repr=False)
    _recent_tokens: int = field(default=0, init=False, repr=False)
    _new: deque[Permit] = field(default_factory=deque, init=False, repr=False)
    _again: deque[Permit] = field(default_factory=deque, init=False, repr=False)
    _timer: asyncio.TimerHandle | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("concurrency", "requests_per_minute", "tokens_per_minute", "budget"):
            limit = getattr(self, name)
            if limit is not None and not (math.isfinite(limit) and limit > 0):
                raise ValueError(f"{name} must be above 0, found {limit}")
        self._most = self._places = self._fitting(self.concurrency) if self.concurrency else 0.0

    @property
    def usage(self) -> Usage:
        """Usage of all calls so far: their number, and the tokens and dollars of those that were answered."""
        return replace(self._answered, calls=self._calls)

    @property
    def committed(self) -> float:
        """Dollars that are spent, reserved for running calls, or perhaps charged for calls that were cut off."""
        return self._spent + self._reserved + self._set_aside

    def make_room(self, calls: int) -> None:
        """Allow `calls` calls at once, unless the limiter allows a fixed number of calls, or allows more already."""
        fitting = self._fitting(calls)
        if self.concurrency is None and fitting > self._most:
            self._places += fitting - self._most
            self._most = fitting

    def _fitting(self, calls: int) -> float:
        """Return `calls`, the wanted number of calls at once, or fewer if this process may open only few files.

        A lower number comes with a warning.
        """
        fit = calls_that_fit()
        if fit is None or calls <= fit:
            return float(calls)
        warnings.warn(
            f"{counted(calls, 'call')} at once need more open files than this process may have: {fit} go at once "
            "(ulimit -n N allows more)",
            RuntimeWarning,
            stacklevel=3,
        )
        return float(fit)

    # requesting permits

    async def enter(self, tokens: int, usd: float, *, patience: float, again: bool = False) -> Permit:
        """Wait until the limits allow a call; return the permit for it.

        Args:
            tokens: Number of tokens of input and output that the call may use.
            usd: Cost in US dollars that the call may have.
            patience: Longest pause in seconds, requested by the provider, that the caller accepts.
            again: True for a retry, which goes before first attempts.

        Raises:
            BudgetError: The call could cost more than the budget leaves, and no call under way could release any of it.
            JudgeBusy: The provider asks for a longer pause than `patience`.
        """
        if not self._most:
            self.make_room(CALLS_AT_ONCE)
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        permit = Permit(tokens, usd, patience, granted)
        (self._again if again else self._new).append(permit)
        self._admit()
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled() and granted.exception() is None:
                self.unused(permit)
            raise
        return permit

    def unused(self, permit: Permit) -> None:
        """Take back the permit of a call that wasn't made, so that it counts towards no limit."""
        self._calls -= 1
        self._close(permit, tokens=0, usd=0.0)

    def answered(self, permit: Permit, usage: Usage) -> None:
        """Take back the permit of an answered call, and count its tokens and cost as stated, else as estimated."""
        self._answered += usage
        self._places = min(self._most, self._places + RECOVERY)
        is_counted = usage.input_tokens is not None and usage.output_tokens is not None
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0) if is_counted else permit.tokens
        self._close(permit, tokens=tokens, usd=permit.usd if usage.usd is None else usage.usd)

    def failed(self, permit: Permit, error: BaseException) -> None:
        """Take back the permit for a call that got no answer.

        A refused call costs nothing. A call that was cut off may have been charged, so its estimated cost counts.
        """
        if isinstance(error, JudgeBusy):
            self._slow_down(permit, error.retry_after or 0.0)
        if isinstance(error, JudgeUnavailable) and not isinstance(error, JudgeSilent):
            self._close(permit, tokens=0, usd=0.0)
        else:
            self._close(permit, tokens=permit.tokens, usd=permit.usd)

    # batches

    def reserve(self, usd: float, *, already_sent: bool = False) -> bool:
        """Reserve the possible cost of a prompt in a batch; return False if other calls must end first.

        Args:
            usd: The possible cost in US dollars.
            already_sent: True if an earlier run has sent the prompt, so that it can't be held back.

        Raises:
            BudgetError: The prompt could cost more than the budget leaves, and no call under way could release any of
                it.
        """
        if not already_sent and not self._affordable(usd):
            return False
        self._in_batches += 1
        self._set_aside += usd
        return True

    def settle(self, usd: float, usage: Usage) -> None:
        """Replace a batched prompt's reserved cost by the actual one; if that is unknown, count the reserved one.

        Args:
            usd: The cost in US dollars that was reserved.
            usage: Tokens and cost of the reply; an empty Usage if there is no reply, which costs nothing.
        """
        self._in_batches -= 1
        self._set_aside = self._set_aside - usd if self._in_batches else 0.0
        self._answered += usage
        self._calls += usage.calls
        self._spent += 0.0 if not usage.calls else usd if usage.usd is None else usage.usd

    # granting permits

    def _admit(self) -> None:
        """Give permits to the waiting callers, in order, as far as the limits allow.

        If a caller has to wait longer, this method is scheduled to run again when its call will be allowed.
        """
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while (queue := self._first_queue()) is not None:
            now = loop.time()
            try:
                wait = self._wait(queue[0], now)
            except MarkschemeError as error:
                queue.popleft().granted.set_exception(error)
                continue
            if wait > 0:
                if wait < math.inf:
                    self._timer = loop.call_later(wait, self._admit)
                return
            self._grant(queue.popleft(), now)

    def _first_queue(self) -> deque[Permit] | None:
        """Return the queue with the next caller: retries go before first attempts; None if nobody waits."""
        for queue in (self._again, self._new):
            while queue and queue[0].granted.done():
                queue.popleft()
            if queue:
                return queue
        return None

    def _wait(self, first: Permit, now: float) -> float:
        """Return the seconds until the first waiting call may begin; infinite if another call must end first.

        Args:
            first: The permit of the first call that waits.
            now: The present time in seconds.

        Raises:
            JudgeBusy: The provider asks for a longer pause than the call accepts.
        """
        pause = self._resumes - now
        if pause > first.patience:
            raise JudgeBusy(
                f"the provider asks to wait {number(pause, 0)} s more, longer than the deadline of "
                f"{number(first.patience, 0)} s",
                retry_after=pause,
            )
        if pause > 0:
            return pause
        if self._under_way >= int(self._places) or not self._affordable(first.usd):
            return math.inf
        return self._wait_for_rates(first.tokens, now)

    def _affordable(self, usd: float) -> bool:
        """Return True if the budget covers a call now, False if it may once running calls end; else raise an error.

        Args:
            usd: The most that the call may cost, in US dollars.
        """
        if self.budget is None or self.committed + usd <= self.budget:
            return True
        if self._reserved > 0 or self._in_batches:
            return False
        remaining = self.budget - self._spent
        raise BudgetError(
            f"the next call may cost ${number(usd, 4)} and the budget of ${self.budget:g} has "
            f"${number(max(0.0, remaining), 4)} left"
        )

    def _wait_for_rates(self, tokens: int, now: float) -> float:
        while self._recent and self._recent[0].at <= now - MINUTE:
            permit = self._recent.popleft()
            self._recent_tokens -= permit.in_minute or 0
            permit.in_minute = None
        wait = 0.0
        if self.requests_per_minute is not None and len(self._recent) >= self.requests_per_minute:
            wait = self._recent[len(self._recent) - self.requests_per_minute].at + MINUTE - now
        if self.tokens_per_minute is not None:
            over = self._recent_tokens + tokens - self.tokens_per_minute
            for permit in self._recent:
                if over <= 0:
                    break
                over -= permit.in_minute or 0
                wait = max(wait, permit.at + MINUTE - now)
        return wait

    def _grant(self, permit: Permit, now: float) -> None:
        permit.at = now
        permit.halvings = self._halvings
        self._calls += 1
        self._under_way += 1
        self._reserved += permit.usd
        if self.requests_per_minute is not None or self.tokens_per_minute is not None:
            permit.in_minute = permit.tokens
            self._recent.append(permit)
            self._recent_tokens += permit.tokens
        permit.granted.set_result(None)

    # returning permits

    def _close(self, permit: Permit, *, tokens: int, usd: float) -> None:
        self._under_way -= 1
        self._reserved = self._reserved - permit.usd if self._under_way else 0.0
        self._spent += usd
        if permit.in_minute is not None:
            self._recent_tokens += tokens - permit.in_minute
            permit.in_minute = tokens
        self._admit()

    def _slow_down(self, permit: Permit, pause: float) -> None:
        now = asyncio.get_running_loop().time()
        self._resumes = max(self._resumes, now + min(pause, LONGEST_PAUSE))
        if permit.halvings == self._halvings:
            self._places = max(1.0, self._places / 2)
            self._halvings += 1


@dataclass(frozen=True, slots=True)
class Limited(Wrapping):
    """Judge that calls another judge within the limits of a limiter, and retries failures that may be transient.

    After a transient failure, the call is tried again after the time that the provider names, else after `first_wait`
    seconds, twice that, and so on, without jitter. A reply that can't be read is asked for once more. A judge that
    refuses every call ends the run; one that only fails is paused, tried one call at a time, and given up after
    `patience`.

    Attributes:
        judge: The judge that calls a provider; each member of a panel is wrapped separately.
        limiter: The limiter, which all judges of a process share.
        price: Price of the judge's tokens, or a function without arguments that returns the price and is called before
            each call of the judge; None if the price is unknown.
        deadline: Seconds for one reply from the first attempt on, including waits and retries; `math.inf` for a judge
            whose requests queue behind one another, such as a local model.
        attempts: Largest number of attempts.
        first_wait: Seconds before the second attempt.
        patience: Seconds for which a judge that is down is tried again.

    Raises:
        UsageError: The limiter has a budget, but there is no price.
        ValueError: There is less than one attempt, or a time isn't above 0.
    """

    limiter: Limiter
    price: Price | Callable[[], Price | None] | None = None
    deadline: float = REQUEST_TIMEOUT
    attempts: int = 6
    first_wait: float = 0.5
    patience: float = PATIENCE
    _circuit: Circuit = field(default_factory=Circuit, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.attempts < 1 or not self.deadline > 0 or not self.first_wait > 0:
            raise ValueError("attempts, deadline and first_wait must be above 0")
        if self.limiter.budget is not None and self.price is None:
            raise UsageError(
                f"a budget needs a price, and none is known for {self.judge.identity}: -o price=IN:OUT, in dollars per "
                "million tokens read and written"
            )

    @property
    def _price(self) -> Price | None:
        """Price of the judge's tokens; None if unknown."""
        return self.price() if callable(self.price) else self.price

    def make_room(self, calls: int) -> None:
        """Allow `calls` calls at once, unless the limiter has a fixed number."""
        self.limiter.make_room(calls)

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the judge's answer, with usage and cost of all attempts.

        Raises:
            BudgetError: The next call could cost more than the budget leaves.
            NoJudge: The judge refuses every call, and has answered none.
            JudgeError: The last attempt failed.
        """
        clock = asyncio.get_running_loop().time
        price = self._price  # looked up before sockets leave no file to open for it
        tokens, usd = self._estimate(prompt, price)
        end = math.inf
        failures: list[JudgeError] = []
        while True:
            try_until = await self._circuit.enter()
            permit = await self._permit(tokens, usd, end, try_until) if clock() < end else None
            if clock() >= end:  # waiting took what time there was; the judge is not to blame for that
                self._unused(permit, try_until)
                raise _last_failure(failures, f"the deadline of {self.deadline:g} s leaves no time to ask again")
            if permit is None:
                continue
            end = min(end, clock() + self.deadline)
            try:
                return _with_calls(await self._ask(permit, prompt, sample, end, try_until), len(failures))
            except JudgeError as error:
                failures.append(error)
            await asyncio.sleep(0)  # calls that failed at the same moment are counted before anyone asks again
            wait = self._wait_after(failures)
            if wait is None:
                raise _last_failure(failures)
            if clock() + wait > end:
                raise _last_failure(failures, f"the deadline of {self.deadline:g} s leaves no time to ask again")
            if not getattr(failures[-1], "retry_after", None):  # else the wait is spent in the limiter's queue
                await asyncio.sleep(wait)

    async def _permit(self, tokens: int, usd: float, end: float, try_until: float | None) -> Permit | None:
        """Wait for a permit to call the judge; None if the judge turns out to be down in the meantime.

        Args:
            tokens: Estimated tokens of the call.
            usd: Estimated cost of the call in US dollars.
            end: Time on the event loop's clock until which failed calls may be repeated; infinite before the first
                call.
            try_until: Deadline of a trial call, which finds out if the judge answers again; None for an ordinary call.
        """
        began = end < math.inf
        patience = max(0.0, end - asyncio.get_running_loop().time()) if began else self.deadline
        try:
            permit = await self.limiter.enter(tokens, usd, patience=patience, again=began)
        except BaseException:
            if try_until is not None:
                self._circuit.leave()
            raise
        if try_until is None and self._circuit.is_open:
            self.limiter.unused(permit)
            return None
        return permit

    def _unused(self, permit: Permit | None, try_until: float | None) -> None:
        """Give back a permit that came too late to be used; if it was for a trial call, end the trial.

        Args:
            permit: The permit; None if there is none to give back.
            try_until: Deadline of a trial call, which finds out if the judge answers again; None for an ordinary call.
        """
        if permit is not None:
            self.limiter.unused(permit)
        if try_until is not None:
            self._circuit.leave()

    async def _ask(self, permit: Permit, prompt: Prompt, sample: int, end: float, try_until: float | None) -> Reply:
        """Ask the judge once, and give the permit back to the limiter whether or not an answer comes.

        Args:
            permit: The limiter's permit for this call.
            prompt: The prompt.
            sample: Index of the sample, from 0.
            end: Time on the event loop's clock at which the call is given up.
            try_until: Time by which the call is given up even before `end`, if it only tries whether a judge that was
                failing answers again; None for any other call.
        """
        clock = asyncio.get_running_loop().time
        began = clock()
        end = min(end, try_until or math.inf)
        try:
            try:
                async with asyncio.timeout_at(end) as limit:
                    reply = self._priced(await self.judge.reply(prompt, sample))
            except TimeoutError as error:
                if not limit.expired():
                    raise
                raise JudgeSilent(f"{self.identity.name} gave no answer within {brief(end - began, 3)} s") from error
            except (OSError, ImportError, JudgeSilent) as error:
                if not lacks_files(error):
                    raise
                raise JudgeBusy(
                    f"{self.identity.name} can't be asked: no more files may be opened (ulimit -n)"
                ) from error
        except BaseException as error:
            self.limiter.failed(permit, error)
            if isinstance(error, JudgeError):
                timed_out = clock() - began >= self.deadline / 2
                self._circuit.failed(error, patience=self.patience, was_try=try_until is not None, timed_out=timed_out)
            elif try_until is not None:
                self._circuit.leave()
            raise
        self.limiter.answered(permit, total(piece.usage for piece in reply.single))
        self._circuit.answered()
        return reply

    def _wait_after(self, failures: Sequence[JudgeError]) -> float | None:
        """Return the seconds to wait before trying again after these failures; None if no further try is to be made."""
        error = failures[-1]
        backoff = min(LONGEST_BACKOFF, self.first_wait * 2.0 ** (len(failures) - 1))
        if len(failures) >= self.attempts:
            return None
        if isinstance(error, JudgeBusy):
            return error.retry_after or backoff
        if isinstance(error, UnreadableReply):
            return backoff if sum(isinstance(failure, UnreadableReply) for failure in failures) == 1 else None
        return backoff if isinstance(error, JudgeUnavailable) and error.transient else None

    def _estimate(self, prompt: Prompt, price: Price | None) -> tuple[int, float]:
        """Estimate the tokens and dollars of a call; both are 0 if neither is limited."""
        if self.limiter.budget is None and self.limiter.tokens_per_minute is None:
            return 0, 0.0
        return forecast(self.judge.identity, price, prompt)

    def _priced(self, reply: Reply) -> Reply:
        if reply.parts:
            return replace(reply, parts=tuple(self._priced(piece) for piece in reply.parts))
        price = self._price
        if price is None or not reply.usage.calls:
            return reply
        usd = price.of(reply.usage)
        return reply if usd is None else replace(reply, usage=replace(reply.usage, usd=usd))


def forecast(judge: Identity, price: Price | None, prompt: Prompt) -> tuple[int, float]:
    """Estimate the most tokens and dollars that the answer to a prompt may take; 0 dollars without a price.

    Args:
        judge: The judge's identity, which states the largest length of an answer.
        price: Price of the judge's tokens; None if unknown.
        prompt: The prompt, whose tokens count too.
    """
    configured = judge.parameters.get("max_tokens")
    written = configured if isinstance(configured, int) else LONGEST_ANSWER
    read = sum(len(text.encode()) for text in (prompt.system, prompt.user, str(prompt.schema))) // BYTES_PER_TOKEN
    read += sum(shown_part.tokens for shown_part in prompt.parts)
    return read + written, price.cost(read, written) if price else 0.0


def _last_failure(failures: Sequence[JudgeError], why_ended: str | None = None) -> JudgeError:
    """Return the last failure, whose message also has the number of attempts and why there is no further one.

    Args:
        failures: The failures, the latest last.
        why_ended: The reason why the judge isn't asked again; None to add none.
    """
    error = failures[-1]
    if len(failures) == 1 and why_ended is None:
        return error
    explained = copy.copy(error)
    attempts = f"asked {'once' if len(failures) == 1 else f'{len(failures)} times'}"
    explained.args = (f"{error} ({attempts if why_ended is None else f'{attempts}; {why_ended}'})",)
    explained.__cause__ = error
    return explained


def _with_calls(reply: Reply, more: int) -> Reply:
    """Return a reply whose usage also counts `more` failed calls that came before it."""
    if not more:
        return reply
    if reply.parts:
        return replace(reply, parts=(_with_calls(reply.parts[0], more), *reply.parts[1:]))
    return replace(reply, usage=replace(reply.usage, calls=reply.usage.calls + more))
