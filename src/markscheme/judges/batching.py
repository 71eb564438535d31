"""How prompts go in batches, and what an adapter to a provider's batch API does."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Protocol

from markscheme.errors import JudgeError
from markscheme.judges.judge import Reply
from markscheme.prompt import Prompt

SENDING: Final = 600.0
"""Seconds that sending a batch may take."""
CLOCKS_APART: Final = 600.0
"""Seconds by which a provider's clock may differ from ours."""


def _nothing(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class Batching:
    """How prompts go in batches.

    Attributes:
        reasks: Whether prompts whose reply couldn't be used go in another batch, or live at full price.
        quiet: Seconds without another prompt after which those gathered are sent.
        poll: Seconds before a provider is asked for the first time how far it is; then half as long again, and so on.
        longest_poll: Seconds between two such questions at most.
        grace: Seconds after which a batch that a killed process sent, and the provider doesn't list, is taken as not
            received.
        patience: Seconds for which a provider that can't be asked is tried.
        attempts: Batches that one prompt goes in at most, where replies to it fail in a way that may pass.
        notify: Called with a sentence when a batch is sent, taken up, or read.

    Raises:
        ValueError: A time or a number that is not above 0.
    """

    reasks: Literal["batch", "live"] = "batch"
    quiet: float = 0.5
    poll: float = 10.0
    longest_poll: float = 120.0
    grace: float = 60.0
    patience: float = 3600.0
    attempts: int = 3
    notify: Callable[[str], None] = _nothing

    def __post_init__(self) -> None:
        times = (self.quiet, self.poll, self.longest_poll, self.grace, self.patience)
        if min(times) <= 0 or self.attempts < 1:
            raise ValueError("the times and attempts of Batching must be above 0")


@dataclass(frozen=True, slots=True)
class BatchState:
    """What a provider tells of a batch.

    Attributes:
        id: The provider's.
        status: In its own word.
        ended: Whether its results can be read.
        processed: Prompts done so far; 0 where it tells them only at the end.
        fault: Why the provider refused all of it; None where it didn't.
        certain: Whether it carries our token; else only its results can show whose it is.
    """

    id: str
    status: str
    ended: bool
    processed: int = 0
    fault: JudgeError | None = None
    certain: bool = False


class BatchApi(Protocol):
    """A provider's batch API, asked once for each call; errors are JudgeErrors.

    Attributes:
        most: Prompts that a batch may hold.
        most_bytes: Bytes that they may have together, as JSON.
    """

    most: ClassVar[int]
    most_bytes: ClassVar[int]

    def request(self, key: str, prompt: Prompt, sample: int) -> Mapping[str, Any]:
        """A prompt as an entry of a batch, under its key."""
        ...

    async def create(self, token: str, requests: Sequence[Mapping[str, Any]]) -> BatchState:
        """Send a batch. After a JudgeSilent, or any other failure, the provider may have it all the same."""
        ...

    async def find(self, token: str, since: float, asked: int) -> list[BatchState]:
        """The batches that may be the one of that token, sent after `since` (s since 1970) with so many prompts."""
        ...

    async def state(self, id: str) -> BatchState:
        """How far it is."""
        ...

    def results(self, id: str) -> AsyncGenerator[tuple[str, Reply | JudgeError]]:
        """Of an ended batch, keys with replies, or with why there is none, in any order."""
        ...

    async def cancel(self, id: str) -> None:
        """Have it end; what is answered by then can be read and is paid."""
        ...
