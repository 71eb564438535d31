"""Prices: read as users write them, and a cost that is not known is not 0."""

import math

import pytest

from markscheme.errors import UsageError
from markscheme.judges.judge import Usage
from markscheme.judges.price import Price


def test_a_price_is_read_from_two_numbers() -> None:
    assert Price.parse("0.25:1.25") == Price(0.25, 1.25)
    assert Price.parse(" 3 : 15 ") == Price(3, 15)
    assert Price.parse("0:0") == Price(0, 0)


@pytest.mark.parametrize("text", ["", "3", "3:", ":15", "3:15:1", "three:15", "-3:15", "nan:1", "1:inf", "$3:$15"])
def test_anything_else_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(UsageError, match="IN:OUT"):
        Price.parse(text)


@pytest.mark.parametrize("price", [-1.0, math.nan, math.inf])
def test_a_price_cannot_be_negative_or_infinite(price: float) -> None:
    with pytest.raises(ValueError, match="from 0"):
        Price(1.0, price)


def test_cost_follows_the_tokens() -> None:
    assert Price(3, 15).of(Usage(1, 1_000_000, 2_000_000)) == 33.0
    assert Price(3, 15).of(Usage(1, 0, 0)) == 0.0


@pytest.mark.parametrize("usage", [Usage(1), Usage(1, 5, None), Usage(1, None, 5)])
def test_a_cost_of_unknown_tokens_is_unknown(usage: Usage) -> None:
    assert Price(3, 15).of(usage) is None
