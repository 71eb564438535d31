"""A judge that sends prompts in batches, and replies once the batch has ended.

A batch is recorded in the ledger before it is sent and until all its results are read. A killed run, restarted here or
on another computer with the same cache, therefore continues where it stopped, and nothing is paid for twice.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar
from uuid import uuid4

from markscheme.errors import (
    JudgeBusy,
    JudgeError,
    JudgeSilent,
    JudgeUnavailable,
    MarkschemeError,
    UnreadableReply,
    UsageError,
)
from markscheme.features.batches.batch_api import BatchApi
from markscheme.features.batches.ledger import BatchLedger
from markscheme.judges.batching import Batching, BatchState
from markscheme.judges.judge import Identity, Judge, Reply, Usage
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.limited import Limited, Limiter, forecast
from markscheme.judges.price import Price
from markscheme.judges.remembering import Memory, Remembering
from markscheme.phrases import counted, number
from markscheme.prompts.prompt import Prompt

Response = TypeVar("Response")
FREE: Final = Usage()
READ_AT_ONCE: Final = 500
"""Number of replies that are written to disk in one transaction."""


def batched(opened: Any, limited: Limited, context: JudgeContext, price: Price | None) -> "Batched":
    """Wrap a judge so that it asks in batches.

    Args:
        opened: A judge that calls a provider, whose method `batches()` returns the provider's batch API.
        limited: The judge for live requests, within the limits of the run.
        context: Settings that the judges of the run share.
        price: Price of the judge's tokens outside batches; None if unknown.

    Raises:
        UsageError: Replies are not cached.
    """
    if context.memory is None:
        raise UsageError("batches keep their replies in the cache: leave out -o cache=off, or --batch")
    at_half = Price(price.input_per_million / 2, price.output_per_million / 2) if price else None  # as providers charge
    batching = context.batch or Batching()
    queue = BatchQueue(opened.identity, opened.batches(), batching, context.memory, limited.limiter, at_half)
    return Batched(limited, context.memory, queue)


@dataclass(frozen=True)
class Batched(Remembering):
    """A judge that returns cached replies, and sends prompts without a cached reply to its provider in batches.

    Attributes:
        queue: Queue that sends the batches and reads their results.
    """

    queue: "BatchQueue"

    @property
    def live(self) -> Judge:
        """Judge that answers a single prompt immediately, without a batch, at the full price."""
        return self.judge

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the cached reply to a prompt, or else wait for the reply that a batch brings.

        A prompt that is asked again after an unusable reply is sent alone if `reasks` of the batching is "live".

        Args:
            prompt: The prompt.
            sample: Number of the sample, from 0.

        Raises:
            BudgetError: The prompt could cost more than the budget leaves.
            JudgeError: The last batch with the prompt brought no reply to it, or could not be sent.
        """
        reply = self.cached_reply(prompt, sample)
        if reply is not None:
            return reply
        key = self.key(prompt, sample)
        if prompt.again and self.queue.batching.reasks == "live" and not self.queue.ledger.where([key]):
            return await super().reply(prompt, sample)
        self.memory.asked_again += self.memory.tries(key) > 0
        return await self.queue.ask(key, prompt, sample)

    async def aclose(self) -> None:
        """Stop waiting for batches, which go on at their provider, and close judge and cache."""
        await self.queue.aclose()
        await super().aclose()


@dataclass(slots=True, eq=False)
class _Question:
    """A prompt that waits for its reply, alone or in a batch.

    Attributes:
        prompt: The prompt.
        sample: Index of the sample, from 0.
        answer: The future that gets the reply.
        failures: Number of failed attempts.
        reserved: Largest possible cost in US dollars, reserved while the prompt is in a batch; None outside a batch.
    """

    prompt: Prompt
    sample: int
    answer: "asyncio.Future[Reply]"
    failures: int = 0
    reserved: float | None = None


@dataclass(eq=False)
class BatchQueue:
    """A queue of prompts that sends them in batches, waits for the results, and returns each reply to its caller.

    Args:
        judge: The judge that answers.
        api: The batch API of the judge's provider.
        batching: Settings of batches.
        memory: Cache of replies.
        limiter: Reserves the cost within the budget.
        price: Price of tokens in batches; None if unknown.
    """

    judge: Identity
    api: BatchApi
    batching: Batching
    memory: Memory
    limiter: Limiter
    price: Price | None

    def __post_init__(self) -> None:
        self.ledger = BatchLedger(self.memory.folder)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._questions: dict[str, _Question] = {}
        self._unsent: dict[str, _Question] = {}
        self._followed: dict[str, asyncio.Task[None]] = {}
        self._keys: dict[str, set[str]] = {}  # for each batch that is followed, the keys with callers waiting
        self._sender: asyncio.Task[None] | None = None

    async def ask(self, key: str, prompt: Prompt, sample: int) -> Reply:
        """Return the reply that a batch brings to a prompt.

        Callers with the same prompt share the reply, and only the first one pays for it.

        Args:
            key: The key of the prompt and sample in the cache of replies.
            prompt: The prompt.
            sample: Index of the sample, from 0.

        Raises:
            BudgetError: The prompt could cost more than the budget leaves.
            JudgeError: The last batch with the prompt brought no reply to it, or could not be sent.
        """
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._sender = loop, None
            for state in (self._questions, self._unsent, self._followed, self._keys):
                state.clear()
        if key in self._questions:
            reply = await asyncio.shield(self._questions[key].answer)
            return replace(reply, usage=FREE, source="cache")
        question = _Question(prompt, sample, loop.create_future())
        self._questions[key] = question
        self._put_back(key)
        return await question.answer

    async def aclose(self) -> None:
        """Stop waiting for batches; they continue at their provider."""
        tasks = [task for task in (self._sender, *self._followed.values()) if task is not None]
        if self._loop is asyncio.get_running_loop():
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self.ledger.close()

    # sending

    def _put_back(self, key: str) -> None:
        """Queue a prompt again, release the cost reserved for it, and make sure that a task is sending the queue.

        Args:
            key: The key of the prompt's reply in the cache.
        """
        self._unsent[key] = self._release(key)
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send_gathered())

    async def _send_gathered(self) -> None:
        try:
            while self._unsent:
                gathered = -1
                while gathered < len(self._unsent) < self.api.most:
                    gathered = len(self._unsent)
                    await asyncio.sleep(self.batching.quiet)
                self._take_up()
                portion = self._portion()
                if portion:
                    self._send(portion)
                elif self._unsent:  # the budget doesn't cover them before a batch has ended
                    await asyncio.sleep(self.batching.poll)
        except Exception as error:
            for key in list(self._unsent):
                self._end(key, error)

    def _take_up(self) -> None:
        """Remove queued prompts that an earlier batch contains, whichever run sent it, and wait for that batch."""
        keys_of: dict[str, set[str]] = {}
        for key, token in self.ledger.where(self._unsent).items():
            keys_of.setdefault(token, set()).add(key)
        for token, keys in keys_of.items():
            for key in keys:
                self._reserve(self._unsent.pop(key), already_sent=True)
            if token in self._keys:
                self._keys[token] |= keys
                continue
            record = self.ledger.batch(token)
            if record is not None:
                minutes = (time.time() - record.began) / 60
                name = record.remote or "whose id is being looked up"
                self.batching.notify(
                    f"batch {name}: {counted(record.prompts, 'prompt')}, sent {number(minutes, 0)} min ago"
                )
            self._start(token, keys, self._follow(token))

    def _portion(self) -> dict[str, Mapping[str, Any]]:
        """Take the next prompts from the queue, as many as a batch and the budget allow; return their requests."""
        portion: dict[str, Mapping[str, Any]] = {}
        size = 0
        for key, question in list(self._unsent.items()):
            request = self.api.request(key, question.prompt, question.sample)
            size += len(json.dumps(request))
            if portion and (len(portion) == self.api.most or size > self.api.most_bytes):
                break
            try:
                if not self._reserve(question):
                    break
            except MarkschemeError as error:
                self._end(key, error)
                continue
            portion[key] = request
            del self._unsent[key]
        return portion

    def _reserve(self, question: _Question, *, already_sent: bool = False) -> bool:
        _, usd = forecast(self.judge, self.price, question.prompt)
        if not self.limiter.reserve(usd, already_sent=already_sent):
            return False
        question.reserved = usd
        return True

    def _send(self, entries: dict[str, Mapping[str, Any]]) -> None:
        """Record a batch and send it in a task of its own; leave out prompts that another process has sent already.

        Args:
            entries: The request for each prompt, by the prompt's key.
        """
        token = uuid4().hex
        reserved = sum(self._questions[key].reserved or 0.0 for key in entries)
        mine = set(self.ledger.intend(token, self.judge, list(entries), reserved))
        for key in entries.keys() - mine:
            self._put_back(key)
        if not mine:
            self.ledger.forget(token)
            return
        self._start(token, mine, self._sent(token, {key: entries[key] for key in entries if key in mine}))

    def _start(self, token: str, keys: set[str], work: Awaitable[None]) -> None:
        async def followed() -> None:
            try:
                await work
            except Exception as error:  # any failure must reach the callers, or they would wait forever
                for key in self._keys[token] & self._questions.keys():
                    self._end(key, error)
            finally:
                del self._followed[token], self._keys[token]

        self._keys[token] = keys
        self._followed[token] = asyncio.create_task(followed())

    async def _sent(self, token: str, entries: dict[str, Mapping[str, Any]]) -> None:
        prompts = counted(len(entries), "prompt")

        def create() -> Awaitable[BatchState]:
            self.ledger.trying(token)
            return self.api.create(token, list(entries.values()))

        try:
            state = await self._patiently(create, lambda error: isinstance(error, JudgeBusy))
        except JudgeError as error:
            if not _may_have_arrived(error):
                self.ledger.forget(token)
                raise
        else:
            self.ledger.sent(token, state.id)
            self.batching.notify(
                f"batch {state.id}: {prompts} sent. You can stop here: run the same command again to take it up"
            )
        entries.clear()
        await self._follow(token, is_ours=True)

    # waiting

    async def _follow(self, token: str, *, is_ours: bool = False) -> None:
        """Wait for a batch, return its replies to their callers, and queue the prompts again that got none.

        `is_ours` is True if this process has just sent the batch.
        """
        remote = await self._remote_id(token, is_ours=is_ours)
        if not remote:
            for key in self._keys[token]:
                self._put_back(key)
            return
        state = await self._ended(token, remote)
        errors = {} if state.fault else await self._patiently(lambda: self._read(token, remote))
        self.ledger.close_batch(token)
        asked_again = 0
        for key in self._keys[token] & self._questions.keys():
            reply = self.memory.recall(key)  # if another process read the result first
            error = errors.get(key) or state.fault or JudgeUnavailable(f"batch {remote} left it out", transient=True)
            if reply is not None:
                self._answer(key, reply)
            else:
                asked_again += self._again(key, error)
        again = f"; {asked_again:,} go in another" if asked_again else ""
        record = self.ledger.batch(token)
        usage = record.usage if record else FREE
        usd = "price unknown" if usage.usd is None else f"${number(usage.usd, 4)}"
        self.batching.notify(f"batch {remote}: {counted(usage.calls, 'reply', 'replies')}, {usd} at half price{again}")
        if state.fault is not None and asked_again:
            await asyncio.sleep(self.batching.longest_poll)

    async def _remote_id(self, token: str, *, is_ours: bool) -> str:
        """Return a batch's id at its provider, which is searched for there if no id is recorded.

        If the provider never received the batch, forget it and return "".

        Args:
            token: The batch's own token.
            is_ours: True if this process sent the batch; False to wait while another process is still sending it.
        """
        record = self.ledger.batch(token)
        while record is not None and record.is_being_sent and not is_ours:
            await asyncio.sleep(min(1.0, self.batching.poll))
            record = self.ledger.batch(token)
        if record is None or record.remote:
            return record.remote if record else ""
        others = {batch.remote for batch in self.ledger.batches()}
        while True:
            is_late = time.time() > record.began + self.batching.grace
            for state in await self._patiently(lambda: self.api.find(token, record.began, record.prompts)):
                if state.id not in others and (state.certain or await self._is_ours(token, state.id)):
                    self.ledger.sent(token, state.id)
                    return state.id
                others.add(state.id)
            if is_late:
                self.ledger.forget(token)
                return ""
            await asyncio.sleep(min(self.batching.poll, self.batching.grace))

    async def _is_ours(self, token: str, remote: str) -> bool:
        """Wait for a provider's batch to end; return True if its results show that it is the batch with the token.

        Args:
            token: The name of a batch in the ledger, which records all batches that markscheme sent.
            remote: The provider's id of the batch to wait for.
        """
        await self._ended(token, remote)

        async def first() -> str:
            async with aclosing(self.api.results(remote)) as results:
                async for key, _ in results:
                    return key
            return ""

        return await self._patiently(first) in self.ledger.keys(token)

    async def _ended(self, token: str, remote: str) -> BatchState:
        wait = self.batching.poll
        processed = 0
        while not (state := await self._patiently(lambda: self.api.state(remote))).ended:
            if state.processed > processed:
                processed = state.processed
                self.ledger.processed(token, processed)
            await asyncio.sleep(wait)
            wait = min(self.batching.longest_poll, 1.5 * wait)
        return state

    async def _patiently(
        self, ask: Callable[[], Awaitable[Response]], passing: Callable[[JudgeError], bool] | None = None
    ) -> Response:
        """Return the result of a call to the provider; repeat the call for a while if it fails with a transient error.

        Args:
            ask: Function that makes the call.
            passing: Function that returns True for a transient error; by default `_may_pass`.
        """
        clock = time.monotonic
        wait = self.batching.poll
        give_up = clock() + self.batching.patience
        while True:
            try:
                return await ask()
            except JudgeError as error:
                pause = max(wait, getattr(error, "retry_after", None) or 0.0)
                if not (passing or _may_pass)(error) or clock() + pause > give_up:
                    raise
            await asyncio.sleep(pause)
            wait = min(self.batching.longest_poll, 2 * wait)

    # reading

    async def _read(self, token: str, remote: str) -> dict[str, JudgeError]:
        """Store a batch's replies and give them to the waiting callers; return failed prompts' errors by prompt key.

        Args:
            token: Our own name of the batch, by which it is recorded on this machine.
            remote: The provider's id of the batch.
        """
        errors: dict[str, JudgeError] = {}
        replies: list[tuple[str, Reply]] = []
        async with aclosing(self.api.results(remote)) as results:
            async for key, result in results:
                if isinstance(result, JudgeError):
                    errors[key] = result
                    continue
                replies.append((key, self._priced(result)))
                if len(replies) == READ_AT_ONCE:
                    self._keep(token, replies)
                    replies.clear()
                    await asyncio.sleep(0)
        self._keep(token, replies)
        return errors

    def _priced(self, reply: Reply) -> Reply:
        usd = self.price.of(reply.usage) if self.price else None
        return replace(reply, usage=replace(reply.usage, usd=usd, batched=reply.usage.calls, batched_usd=usd))

    def _keep(self, token: str, replies: list[tuple[str, Reply]]) -> None:
        new = self.ledger.keep(token, replies)
        for key, reply in replies:
            if key in new and key in self._questions:
                cached = self.memory.recall(key)
                self._answer(key, replace(cached or reply, usage=reply.usage, source="live"))

    # answering

    def _answer(self, key: str, reply: Reply) -> None:
        question = self._release(key, reply.usage)
        del self._questions[key]
        if not question.answer.done():
            question.answer.set_result(reply)

    def _again(self, key: str, error: JudgeError) -> bool:
        """Queue a failed prompt again if that may help, and return True; else end its caller's wait with the error.

        Args:
            key: The key of the prompt's reply in the cache.
            error: The error of the prompt.
        """
        question = self._release(key)
        question.failures += 1
        if _may_pass(error) and question.failures < self.batching.attempts:
            self._put_back(key)
            return True
        self._end(key, error)
        return False

    def _end(self, key: str, error: BaseException) -> None:
        question = self._release(key)
        self._unsent.pop(key, None)
        del self._questions[key]
        if not question.answer.done():
            question.answer.set_exception(error)

    def _release(self, key: str, usage: Usage = FREE) -> _Question:
        """Replace the cost reserved for a prompt by the cost of its actual usage, and return the prompt.

        Args:
            key: Key of the prompt.
            usage: Tokens and cost of the prompt's reply; none by default.
        """
        question = self._questions[key]
        if question.reserved is not None:
            self.limiter.settle(question.reserved, usage)
            question.reserved = None
        return question


def _may_pass(error: JudgeError) -> bool:
    return isinstance(error, UnreadableReply) or bool(getattr(error, "transient", False))


def _may_have_arrived(error: JudgeError) -> bool:
    """Return True if the provider may have received a batch in spite of this error in sending it."""
    return isinstance(error, JudgeSilent) or (_may_pass(error) and not isinstance(error, JudgeBusy))
