"""Prices of tokens as users write them, and unknown costs, which aren't 0."""

import asyncio
import math
from functools import cache, partial

import pytest

from markscheme.errors import UsageError
from markscheme.judges.judge import Identity, Reply, Usage
from markscheme.judges.limited import Limited, Limiter
from markscheme.judges.price import Price, list_price
from markscheme.judges.scripted import ScriptedJudge
from markscheme.prompts.prompt import Prompt


def test_a_price_is_read_from_two_numbers_for_input_and_output_tokens() -> None:
    assert Price.parse("0.25:1.25") == Price(0.25, 1.25)
    assert Price.parse(" 3 : 15 ") == Price(3, 15)
    assert Price.parse("0:0") == Price(0, 0)


@pytest.mark.parametrize("text", ["", "3", "3:", ":15", "3:15:1", "three:15", "-3:15", "nan:1", "1:inf", "$3:$15"])
def test_a_price_that_is_not_two_numbers_is_refused_with_the_expected_form(text: str) -> None:
    with pytest.raises(UsageError, match="IN:OUT"):
        Price.parse(text)


@pytest.mark.parametrize("price", [-1.0, math.nan, math.inf])
def test_a_price_cannot_be_negative_or_infinite(price: float) -> None:
    with pytest.raises(ValueError, match="from 0"):
        Price(1.0, price)


def test_the_cost_of_a_call_is_computed_from_its_tokens() -> None:
    assert Price(3, 15).of(Usage(1, 1_000_000, 2_000_000)) == 33.0
    assert Price(3, 15).of(Usage(1, 0, 0)) == 0.0


@pytest.mark.parametrize("usage", [Usage(1), Usage(1, 5, None), Usage(1, None, 5)])
def test_the_cost_of_a_call_is_unknown_if_its_tokens_are_unknown(usage: Usage) -> None:
    assert Price(3, 15).of(usage) is None


MINI = "gpt-4o-mini"
"""A model whose list price hasn't changed since 2024: $0.15 in, $0.60 out (OpenAI's price list)."""


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:8000/v1"])
def test_a_known_model_behind_a_gateway_has_its_list_price(address: str) -> None:
    assert list_price(Identity(f"openai:{MINI}", MINI, address=address), "openai") == Price(0.15, 0.60)


def test_a_provider_known_by_its_address_has_a_price_of_its_own() -> None:
    model = f"openai/{MINI}"
    price = list_price(Identity(f"openai:{model}", model, address="https://openrouter.ai/api/v1"), "openai")
    assert price == Price(0.15, 0.60)


@pytest.mark.parametrize(
    "identity",
    [
        Identity("openai:some-model", "some-model"),
        Identity("openai:llama3", "llama3", address="http://127.0.0.1:8000/v1"),
        Identity("openai"),
    ],
    ids=str,
)
def test_a_model_that_is_not_in_the_price_list_has_no_price(identity: Identity) -> None:
    assert list_price(identity, "openai") is None


@pytest.mark.parametrize(("model", "price"), [(MINI, Price(0.15, 0.60)), ("some-model", None)])
def test_a_call_s_cost_follows_the_list_price_even_if_the_price_is_looked_up_only_after_the_call(
    model: str, price: Price | None
) -> None:
    used = Usage(1, 1_000_000, 2_000_000)
    judge = ScriptedJudge([Reply("", usage=used)])
    look_up = cache(partial(list_price, Identity(f"openai:{model}", model), "openai"))
    late = Limited(judge, Limiter(tokens_per_minute=10_000_000), look_up)
    assert asyncio.run(late.reply(Prompt("", "", {}, ()))).usage.usd == (price.of(used) if price else None)
    assert look_up.cache_info().misses == 1
