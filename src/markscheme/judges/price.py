"""Prices of judges' tokens: the price that the user states, else a known model's list price, else unknown."""

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from markscheme.errors import UsageError
from markscheme.judges.judge import Identity, Usage

PER_MILLION = 1_000
"""Number of tokens whose price is looked up: a million would fall into the higher price tier of very long prompts."""


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a model's input and output tokens, in US dollars per million.

    Tokens that a provider wrote to or read from its own cache count as input at the full price: reading them is
    usually cheaper, writing them slightly more expensive.

    Raises:
        ValueError: A price is negative or not finite.
    """

    input_per_million: float
    output_per_million: float

    def __post_init__(self) -> None:
        for price in (self.input_per_million, self.output_per_million):
            if not math.isfinite(price) or price < 0:
                raise ValueError(f"a price is a number of dollars from 0, found {price}")

    @classmethod
    def parse(cls, text: str) -> "Price":
        """Parse a price in the form `IN:OUT`, in dollars per million tokens.

        Raises:
            UsageError: The text isn't a pair of numbers.
        Example:
            >>> Price.parse("3:15")
            Price(input_per_million=3.0, output_per_million=15.0)
        """
        read, _, written = text.partition(":")
        try:
            return cls(float(read), float(written))
        except ValueError:
            raise UsageError(
                f"a price must be IN:OUT, dollars for a million tokens read and written, such as 3:15; got {text!r}"
            ) from None

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Compute the cost of a call in dollars from its input and output tokens.

        >>> Price(3.0, 15.0).cost(1_000, 200)
        0.006
        """
        return (input_tokens * self.input_per_million + output_tokens * self.output_per_million) / 1_000_000

    def of(self, usage: Usage) -> float | None:
        """Compute what a usage cost in dollars; None if its numbers of tokens are unknown."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return self.cost(usage.input_tokens, usage.output_tokens)


def list_price(identity: Identity, provider: str) -> Price | None:
    """Look up today's list price of a judge's model in the data of genai-prices; None if unknown.

    For a server at another address, it is the price of the provider there if known, else that of the model's maker, as
    gateways charge. Nothing is downloaded.

    Args:
        identity: Identity of the judge.
        provider: The model's maker, as genai-prices names it.

    Example:
        >>> list_price(Identity("openai:gpt-4o-mini", "gpt-4o-mini"), "openai")
        Price(input_per_million=0.15, output_per_million=0.6)
    """
    if not identity.model:
        return None
    import genai_prices  # loads all models of all providers

    tokens = genai_prices.Usage(input_tokens=PER_MILLION, output_tokens=PER_MILLION)
    lookups: list[dict[str, Any]] = [{"provider_id": provider}]
    if identity.address:
        lookups.insert(0, {"provider_api_url": identity.address})
    for lookup in lookups:
        with suppress(LookupError):
            price = genai_prices.calc_price(tokens, identity.model, **lookup)
            return Price(float(price.input_price * PER_MILLION), float(price.output_price * PER_MILLION))
    return None
