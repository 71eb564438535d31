"""Figures on the pages equal those in the benchmarks' result files."""

import re

import pytest

from tests.commands.console import ROOT
from tests.docs.pages import PAGES

RESULTS = ROOT / "benchmarks" / "results"
MEASURED = ROOT / "benchmarks" / "README.md"
QUOTES = [
    (page, name, quote)
    for page in [*PAGES, MEASURED]
    for name, quote in re.findall(r'<!-- from ([\w.]+): "(.+?)" -->', page.read_text(encoding="utf-8"))
]
"""What a comment beside a sentence says the sentence rests on."""


@pytest.mark.parametrize(("page", "name", "quote"), QUOTES, ids=lambda value: str(value)[-40:])
def test_every_figure_quoted_on_a_page_is_in_the_result_file_it_comes_from(page: object, name: str, quote: str) -> None:
    assert quote in (RESULTS / name).read_text(encoding="utf-8"), page


def test_the_pages_quote_figures_from_at_least_six_files_of_benchmark_results() -> None:
    assert len({name for _, name, _ in QUOTES}) >= 6


def test_the_benchmarks_page_shows_the_table_of_tuned_weights_of_the_result_file_unchanged() -> None:
    shown = MEASURED.read_text(encoding="utf-8").partition("\n## Tuning\n")[2]
    assert shown.count("\n| right | noisy |") == 6
    assert shown[shown.index("Weights tuned") :].strip() in (RESULTS / "tuning.md").read_text(encoding="utf-8")
