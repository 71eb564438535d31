"""What all judges of one run share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from markscheme.errors import UsageError
from markscheme.judges.judge import Identity
from markscheme.judges.limited import Limiter
from markscheme.judges.price import Price
from markscheme.judges.remembering import Memory

if TYPE_CHECKING:
    from markscheme.judges.batching import Batching


@dataclass(frozen=True)
class Asking:
    """Settings shared by all judges of one run, with one limiter and one cache.

    Attributes:
        limiter: Limits concurrent requests, requests per minute and cost.
        price: Price of the judge's tokens, if given.
        memory: Cache of replies; None for no cache.
        brief: Cache of replies that may not be kept for later processes; None where a process outlives what they
            depend on, such as a session.
        expected: Whether to score the expected level where a provider gives log-probabilities.
        parameters: Parameters of the model that are set, such as its temperature, by name.
        batch: Settings of batches, for judges with a batch API; None sends each prompt as its own request.
        tests_sight: Whether a judge is tried, before it is first shown what isn't text, if it can see.
        list_prices: Whether to use the list price of a known model if no price is given, also without a budget.
    """

    limiter: Limiter = field(default_factory=Limiter)
    price: Price | None = None
    memory: Memory | None = field(default_factory=Memory)
    brief: Memory | None = field(default_factory=lambda: Memory(is_brief=True))
    expected: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    batch: "Batching | None" = None
    list_prices: bool = False
    tests_sight: bool = True

    @classmethod
    def for_run(cls, limits: Mapping[str, Any], *, price: str | None, cache: bool) -> "Asking":
        """Return the settings of a run: with a new limiter, and with list prices where no price is given.

        Args:
            limits: The arguments of the limiter.
            price: Price as a user writes it, `IN:OUT`.
            cache: Whether replies are read from the cache and kept there.

        Raises:
            UsageError: The price cannot be read.
        """
        return cls(
            limiter=Limiter(**limits),
            price=Price.parse(price) if price else None,
            memory=Memory() if cache else None,
            list_prices=True,
        )

    @property
    def wants_list_price(self) -> bool:
        """True if the list price of a model should be looked up."""
        return self.price is None and (self.list_prices or self.limiter.budget is not None)

    def memory_for(self, judge: Identity) -> Memory | None:
        """Return the cache that keeps a judge's replies, or None for no cache."""
        return self.memory if judge.lasting or self.memory is None else self.brief

    def settings(self, *names: str) -> dict[str, Any]:
        """Return the parameters that are set, for a model that takes those in `names`.

        Raises:
            UsageError: One is set that the model doesn't take.
        """
        refused = [name for name in self.parameters if name not in names]
        if refused:
            raise UsageError(f"this kind of model takes no {' and no '.join(refused)}; leave it out")
        return dict(self.parameters)
