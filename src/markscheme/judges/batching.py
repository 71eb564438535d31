"""Settings of batches, and the state of a batch as an adapter to a provider's batch API reports it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from markscheme.errors import JudgeError

SENDING: Final = 600.0
"""Seconds that sending a batch may take."""
CLOCKS_APART: Final = 600.0
"""Seconds by which a provider's clock may differ from this machine's."""


def _ignore_message(_: str) -> None:
    """Do nothing with a message about batches."""


@dataclass(frozen=True, slots=True)
class Batching:
    """Settings for sending prompts in batches.

    Attributes:
        reasks: How prompts whose reply couldn't be used are sent again: "batch" for another batch, "live" for single
            requests at full price.
        quiet: Seconds without another prompt after which the gathered prompts are sent.
        poll: Seconds before the first poll; each further wait is half as long again.
        longest_poll: Largest number of seconds between two polls.
        grace: Seconds after which a batch that a killed process sent, and that the provider doesn't list, counts as
            never received.
        patience: Seconds for which an unreachable provider is tried again.
        attempts: Largest number of batches in which a prompt is sent, if it fails each time with an error that may be
            transient.
        notify: Called with a sentence when a batch is sent, resumed or read.

    Raises:
        ValueError: A time or number isn't above 0.
    """

    reasks: Literal["batch", "live"] = "batch"
    quiet: float = 0.5
    poll: float = 10.0
    longest_poll: float = 120.0
    grace: float = 60.0
    patience: float = 3600.0
    attempts: int = 3
    notify: Callable[[str], None] = _ignore_message

    def __post_init__(self) -> None:
        times = (self.quiet, self.poll, self.longest_poll, self.grace, self.patience)
        if min(times) <= 0 or self.attempts < 1:
            raise ValueError("the times and attempts of Batching must be above 0")


@dataclass(frozen=True, slots=True)
class BatchState:
    """The state of a batch as its provider reports it.

    Attributes:
        id: The provider's id of the batch.
        ended: True if its results can be read.
        processed: Number of prompts done so far; 0 if the provider reports it only at the end.
        fault: The reason why the provider refused the whole batch; None if it didn't.
        certain: True if the batch carries markscheme's token; otherwise only its results can show that markscheme sent
            it.
    """

    id: str
    ended: bool
    processed: int = 0
    fault: JudgeError | None = None
    certain: bool = False
