"""Settings, limits and cache that all judges of one run share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from markscheme.errors import UsageError
from markscheme.judges.judge import Identity
from markscheme.judges.limited import Limiter
from markscheme.judges.price import Price
from markscheme.judges.remembering import Memory
from markscheme.options.settings import file_that_sets

if TYPE_CHECKING:
    from markscheme.judges.batching import Batching


@dataclass(frozen=True)
class JudgeContext:
    """Settings shared by all judges of one run, with one limiter and one cache of replies.

    Attributes:
        limiter: Limiter of concurrent requests, requests per minute and cost.
        price: Price of the judge's tokens; None if the user doesn't state it.
        memory: Cache of replies on disk; None for no cache.
        brief: Cache of replies that are deleted when this process ends. None if the process, such as a session, may
            outlast a change of something that replies depend on.
        expected: True to use the mean of the levels, weighted by their probabilities, instead of the level that the
            judge writes, if a provider gives log-probabilities.
        parameters: Parameters set for the model, such as its temperature, by name.
        batch: Settings of batches, for judges with a batch API; None to send each prompt as its own request.
        tests_sight: True to test if a judge can see, before it is first shown images or documents.
        list_prices: True to use the list price of a known model if no price is given, even without a budget.
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
    def for_run(cls, limits: Mapping[str, Any], *, price: str | None, cache: bool) -> "JudgeContext":
        """Make the settings of a run, with a new limiter, and with list prices if no price is given.

        Args:
            limits: The arguments of the limiter, by name.
            price: Price as a user writes it, `IN:OUT`; None if it isn't given.
            cache: True to read replies from the cache and store them there.

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
        """Return the cache for a judge's replies; None without caching.

        For a judge whose replies may depend on something unknown, it is the cache that ends with this process.
        """
        return self.memory if judge.lasting or self.memory is None else self.brief

    def settings(self, *names: str) -> dict[str, Any]:
        """Return the parameters that the user set for the model.

        Args:
            names: Names of the parameters that this kind of model takes.

        Raises:
            UsageError: A parameter is set that isn't one of these.
        """
        if refused := [name for name in self.parameters if name not in names]:
            message = f"this kind of model takes no {' and no '.join(refused)}; leave it out"
            file = file_that_sets(*refused)
            raise UsageError(message if file is None else f"{file}: {message}")
        return dict(self.parameters)
