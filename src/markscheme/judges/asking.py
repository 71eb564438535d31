"""What all judges of one run share."""

from dataclasses import dataclass, field
from typing import Any

from markscheme.errors import UsageError
from markscheme.judges.batching import Batching
from markscheme.judges.judge import Identity
from markscheme.judges.limited import Limiter
from markscheme.judges.price import ListPrice, Price, list_price
from markscheme.judges.remembering import Memory


@dataclass(frozen=True)
class Asking:
    """Settings shared by all judges of one run, with one limiter and one cache.

    Attributes:
        limiter: Limits concurrent requests, requests per minute and cost.
        price: Price of the judge's tokens, if given.
        memory: Cache of replies; None for no cache.
        expected: Whether to score the expected level where a provider gives log-probabilities.
        temperature: Sampling temperature, for models that take one; None asks for the likeliest answer.
        max_tokens: Maximum tokens of an answer; None for the adapter's default.
        batch: Settings of batches, for judges with a batch API; None sends each prompt as its own request.
        list_prices: Whether to use the list price of a known model if no price is given, also without a budget.
    """

    limiter: Limiter = field(default_factory=Limiter)
    price: Price | None = None
    memory: Memory | None = field(default_factory=Memory)
    expected: bool = False
    temperature: float | None = None
    max_tokens: int | None = None
    batch: Batching | None = None
    list_prices: bool = False

    def price_of(self, identity: Identity) -> Price | None:
        """The price of that judge's tokens: the price given, else the list price if it is wanted and known."""
        if self.price is None and (self.list_prices or self.limiter.budget is not None):
            return list_price(identity)
        return self.price

    def price_of_calls(self, identity: Identity) -> Price | ListPrice | None:
        """The same for calls that may never be made; a list price that no budget needs is loaded with the first one."""
        if self.price is None and self.list_prices and self.limiter.budget is None:
            return ListPrice(identity)
        return self.price_of(identity)

    def settings(self, *names: str) -> dict[str, Any]:
        """Temperature and max_tokens, as far as they are given, for a model that takes the parameters in `names`.

        Raises:
            UsageError: One is given that the model doesn't take.
        """
        given = {name: getattr(self, name) for name in ("temperature", "max_tokens")}
        there = {name: value for name, value in given.items() if value is not None}
        refused = [name for name in there if name not in names]
        if refused:
            raise UsageError(f"this kind of model takes no {' and no '.join(refused)}; leave it out")
        return there
