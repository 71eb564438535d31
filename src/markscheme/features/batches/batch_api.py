"""The interface of adapters to a provider's batch API."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from markscheme.errors import JudgeError
from markscheme.judges.batching import BatchState
from markscheme.judges.judge import Reply
from markscheme.prompts.prompt import Prompt


class BatchApi(Protocol):
    """Interface of a provider's batch API, in which each method makes one request; errors are JudgeErrors.

    Attributes:
        most: Largest number of prompts in a batch.
        most_bytes: Largest size of a batch in bytes, as JSON.
    """

    most: ClassVar[int]
    most_bytes: ClassVar[int]

    def request(self, key: str, prompt: Prompt, sample: int) -> Mapping[str, Any]:
        """Build the entry of a batch for a prompt, under a key that its result will have."""
        ...

    async def create(self, token: str, requests: Sequence[Mapping[str, Any]]) -> BatchState:
        """Send requests as a batch; if this fails, the provider may have received the batch all the same.

        Args:
            token: Our id for the batch, chosen before the provider gives its id.
            requests: The batch's entries, as `request` builds them.
        """
        ...

    async def find(self, token: str, since: float, prompts: int) -> list[BatchState]:
        """Return the provider's batches that may be the one sent with a token, for a batch whose id was never received.

        Args:
            token: Our id for the batch.
            since: Time after which it was sent, in seconds since 1970.
            prompts: Number of prompts in it.
        """
        ...

    async def state(self, id: str) -> BatchState:
        """Return the current state of a batch, as its provider reports it."""
        ...

    def results(self, id: str) -> AsyncGenerator[tuple[str, Reply | JudgeError]]:
        """Yield each prompt's key in a batch that has ended, with the reply or the error, in any order.

        Args:
            id: The provider's id of the batch.
        """
        ...

    async def cancel(self, id: str) -> None:
        """Cancel a batch; prompts that were answered before are charged, and their replies can still be read."""
        ...
