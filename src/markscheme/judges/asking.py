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
    """What all judges of one run share: one limiter, one memory.

    Attributes:
        limiter: Bounds how many questions are under way, how many a minute, and what they may cost.
        price: Of a judge's tokens; None where none is given.
        memory: Where replies are kept; None keeps none.
        expected: Whether to score the expected level where a provider gives log-probabilities.
        temperature: How freely a model answers, of those that take one; None asks for the likeliest answer.
        max_tokens: The longest answer; None leaves the adapter's own.
        batch: How prompts go in batches, of judges whose provider takes them; None asks live.
        list_prices: Whether the list price of a known model counts where none is given, also without a budget.
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
        """What that judge's tokens cost: the price given, else the list price where it is wanted and known."""
        if self.price is None and (self.list_prices or self.limiter.budget is not None):
            return list_price(identity)
        return self.price

    def price_of_calls(self, identity: Identity) -> Price | ListPrice | None:
        """The same for calls that may not come; a list price that no budget needs is left to the first of them."""
        if self.price is None and self.list_prices and self.limiter.budget is None:
            return ListPrice(identity)
        return self.price_of(identity)

    def settings(self, *names: str) -> dict[str, Any]:
        """Those of temperature and max_tokens that are given, for a model that takes the ones named.

        Raises:
            UsageError: One is given that it doesn't take.
        """
        given = {name: getattr(self, name) for name in ("temperature", "max_tokens")}
        there = {name: value for name, value in given.items() if value is not None}
        refused = [name for name in there if name not in names]
        if refused:
            raise UsageError(f"this kind of model takes no {' and no '.join(refused)}; leave it out")
        return there
