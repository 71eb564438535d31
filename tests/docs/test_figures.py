"""Figures on the pages are those that the benchmarks gave."""

import re

import pytest

from tests.commands.console import ROOT
from tests.docs.pages import PAGES

QUOTES = [
    (page, name, quote)
    for page in PAGES
    for name, quote in re.findall(r'<!-- from ([\w.]+): "(.+?)" -->', page.read_text(encoding="utf-8"))
]
"""What a comment beside a sentence says the sentence rests on."""


@pytest.mark.parametrize(("page", "name", "quote"), QUOTES, ids=lambda value: str(value)[-40:])
def test_a_figure_s_source_says_so(page: object, name: str, quote: str) -> None:
    assert quote in (ROOT / "benchmarks" / "results" / name).read_text(encoding="utf-8"), page


def test_the_statistics_rest_on_results() -> None:
    assert len({name for _, name, _ in QUOTES}) >= 6
