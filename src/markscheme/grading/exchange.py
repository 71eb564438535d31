"""An exchange with a judge: its replies to questions, the outcomes read from them, and retries of those unreadable."""

import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

from markscheme.errors import JudgeError, JudgeUnavailable, NoJudge
from markscheme.grading.verdict import Holistic, Outcome, Unread, wrapper_of
from markscheme.judges.all_calls import all_or_first_error
from markscheme.judges.judge import Judge, Reply, forget
from markscheme.judges.sight import why_unseen
from markscheme.prompts.prompt import Prompt

_Reading = TypeVar("_Reading", Outcome, Holistic | Unread)
"""Outcome read for a criterion or for the whole response; Unread if nothing could be read."""

AS_A_WHOLE = ""
"""Key of the outcome for the response as a whole, where others have a criterion's name."""


JudgeQuestion: TypeAlias = tuple[Prompt, Callable[[Reply], Mapping[str, _Reading]]]
"""A prompt, and the function that reads a reply to it as outcomes by the name of each criterion or AS_A_WHOLE."""


@dataclass(frozen=True, slots=True)
class Exchange(Generic[_Reading]):
    """Questions to a judge with its replies, the outcomes read from them (readings), and any error in asking.

    Attributes:
        readings: The outcome by the name of each criterion, or under `AS_A_WHOLE`; Unread with the reason if none could
            be read.
        replies: Replies as received.
        unusable: Cached replies in which nothing could be read, each with the names of the criteria that it is about.
        error: The reason why a question has no reply; None if each question has a reply.
    """

    readings: Mapping[str, _Reading]
    replies: tuple[Reply, ...] = ()
    unusable: tuple[tuple[Reply, tuple[str, ...]], ...] = ()
    error: JudgeError | None = None

    @property
    def unread(self) -> list[str]:
        """Names of the criteria whose outcome could not be read from the replies."""
        return [name for name, reading in self.readings.items() if isinstance(reading, Unread)]

    def then(self, second: "Exchange[_Reading]") -> "Exchange[_Reading]":
        """Return this exchange with the results of a second one, which asked again about its unread criteria.

        If the second exchange failed, the reasons why these criteria are unread end with its error.
        """
        readings = {**self.readings, **second.readings}
        for name in self.unread:
            if name not in second.readings:
                readings[name] = _still_unread(readings[name], second.error)
        return Exchange(readings, self.replies + second.replies, self.unusable + second.unusable, self.error)


def _still_unread(reading: _Reading, error: JudgeError | None) -> _Reading:
    if error is None or not isinstance(reading, Unread):
        return reading
    return replace(reading, why=f"{reading.why}; asked again: {error}")


def together(exchanges: Sequence[Exchange[_Reading]]) -> Exchange[_Reading]:
    """Merge exchanges with a judge about different criteria into one; its error is the first one of theirs."""
    if len(exchanges) == 1:
        return exchanges[0]
    return Exchange(
        {name: reading for exchange in exchanges for name, reading in exchange.readings.items()},
        tuple(reply for exchange in exchanges for reply in exchange.replies),
        tuple(unusable for exchange in exchanges for unusable in exchange.unusable),
        next((exchange.error for exchange in exchanges if exchange.error is not None), None),
    )


async def ask_twice(
    ask: Callable[[Sequence[str], bool], Awaitable[Exchange[_Reading]]], names: Sequence[str]
) -> Exchange[_Reading]:
    """Ask about all criteria, then once more about those whose outcome couldn't be read; return both exchanges merged.

    Args:
        ask: Function that asks about the criteria with given names; its second argument is True the second time.
        names: Names of the criteria to ask about, or AS_A_WHOLE for the whole response.
    """
    first = await ask(names, False)
    unread = first.unread
    if first.error is not None or not unread:
        return first
    return first.then(await ask(unread, True))


async def ask_judge(
    judge: Judge,
    questions: Callable[[Sequence[str], bool], Iterable[JudgeQuestion[_Reading]]],
    names: Sequence[str],
    *,
    twice: bool = True,
) -> Exchange[_Reading]:
    """Ask a judge, and once more about what couldn't be read; wholly unreadable replies leave the judge's cache.

    Args:
        judge: The judge.
        questions: Function that makes the questions about the criteria with given names; its second argument is True
            for a retry.
        names: Names of the criteria to ask about, or AS_A_WHOLE for the whole response.
        twice: True to ask once more about the criteria whose outcome could not be read.

    Raises:
        NoJudge: The judge cannot be asked at all.
        BudgetError: The budget would not cover another call.
    """

    async def ask(names: Sequence[str], again: bool) -> Exchange[_Reading]:
        return together(await all_or_first_error(_answer(judge, question) for question in questions(names, again)))

    exchange = await (ask_twice(ask, names) if twice else ask(names, False))
    for reply, asked_about in exchange.unusable:
        settled = not any(isinstance(exchange.readings[name], Unread) for name in asked_about)
        forget(judge, reply, settled=settled)
    return exchange


async def _answer(judge: Judge, question: JudgeQuestion[_Reading]) -> Exchange[_Reading]:
    prompt, read = question
    try:
        if prompt.parts and (why := await why_unseen(judge, prompt.parts)) is not None:
            raise JudgeUnavailable(why)
        reply = await judge.reply(prompt)
    except NoJudge:
        raise
    except JudgeError as error:
        return Exchange({}, error=error)
    exchange = Exchange(read(reply), (reply,))
    _say_wrappers(judge, exchange)
    unusable = tuple(_unusable(exchange, read)) if reply.parts or exchange.unread else ()
    return replace(exchange, unusable=unusable) if unusable else exchange


def _say_wrappers(judge: Judge, exchange: Exchange[_Reading]) -> None:
    """Warn if a judge puts something around its JSON replies that wasn't asked for, such as a code fence."""
    if all(isinstance(reading, Unread) for reading in exchange.readings.values()):
        return
    for wrapper in {wrapper_of(piece.text) for reply in exchange.replies for piece in reply.single} - {""}:
        warnings.warn(
            f"{judge.identity.name} doesn't keep to the JSON schema: the {wrapper} around its object is taken off",
            RuntimeWarning,
            stacklevel=2,
        )


def _unusable(
    exchange: Exchange[_Reading], read: Callable[[Reply], Mapping[str, _Reading]]
) -> Iterator[tuple[Reply, tuple[str, ...]]]:
    """Yield each cached reply in which nothing could be read, with the names of the criteria it was asked about.

    Args:
        exchange: An exchange with a single reply, which may have parts.
        read: Function that reads a reply as outcomes by criterion.
    """
    (reply,) = exchange.replies
    for piece in reply.single:
        if piece.key:
            readings = exchange.readings if piece is reply else read(piece)
            if all(isinstance(reading, Unread) for reading in readings.values()):
                yield piece, tuple(readings)
