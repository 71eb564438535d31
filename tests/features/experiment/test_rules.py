"""Rules that fail a run: a strict grammar, and bounds that rounding does not move."""

import pytest

from markscheme import Rubric
from markscheme.errors import UsageError
from markscheme.features.experiment.definition import Experiment, ExperimentCase, Variant
from markscheme.features.experiment.rules import Rule
from markscheme.features.experiment.table import VariantFigures, figures, marks_table
from markscheme.ratings.rating import Rated, Rating

RUBRIC = Rubric.from_dict({"criteria": [{"name": "tone", "description": "x"}, {"name": "fact.s", "requirement": "y"}]})
EXPERIMENT = Experiment(
    RUBRIC, (Variant("a"), Variant("a.b")), (ExperimentCase("x", {"query": "?"}), ExperimentCase("y", {"query": "!"}))
)


def rows() -> dict[str, VariantFigures]:
    """Return figures of two variants: a has overall 0.8, tone 4.2, fact.s 1 and half pass; a.b has only tone 2."""
    marks = [
        Rating("x", "a", "model", {"tone": Rated(4.0), "fact.s": Rated(1.0)}, overall=0.7, passed=True),
        Rating("y", "a", "model", {"tone": Rated(4.4), "fact.s": Rated(1.0)}, overall=0.9, passed=False),
        Rating("x", "a.b", "model", {"tone": Rated(2.0)}),
        Rating("y", "a.b", "model"),
    ]
    table = marks_table(marks, EXPERIMENT.cases, RUBRIC)
    return {name: figures(table, name) for name in EXPERIMENT.by_name}


@pytest.mark.parametrize(
    ("text", "hit"),
    [
        ("a.overall < 0.8", False),
        ("a.overall <= 0.8", True),
        ("a.overall<0.81", True),
        ("a.overall > 0.8", False),
        ("a.overall >= 0.8", True),
        ("a.pass_rate < 0.6", True),
        ("a.tone < 4", False),
        (" a.tone  <  4.5 ", True),
        ("a.fact.s < 1", False),
        ("a.b.tone < 2.5", True),
        ("tone < 4", True),
        ("tone > 4.5", False),
    ],
)
def test_a_rule_of_the_fail_if_option_fails_an_experiment_if_its_figure_is_beyond_the_rule_s_bound(
    text: str, hit: bool
) -> None:
    hits = Rule.parse(text, EXPERIMENT).hits(rows())
    assert bool(hits) == hit
    assert all("the run fails if" in line for line in hits)


def test_a_fail_if_rule_that_names_no_variant_reports_each_variant_that_breaks_it() -> None:
    assert Rule.parse("tone < 4", EXPERIMENT).hits(rows()) == ["a.b: tone is 2, and the run fails if tone < 4"]


def test_a_rule_of_the_fail_if_option_fails_an_experiment_whose_figure_could_not_be_computed() -> None:
    assert Rule.parse("a.b.overall < 0.1", EXPERIMENT).hits(rows()) == [
        "a.b: overall is not known, so 'a.b.overall < 0.1' can't be checked"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("overall", "must be `worse`, or as in"),
        ("overall = 0.8", "must be `worse`, or as in"),
        ("overall < high", "must be `worse`, or as in"),
        ("overall < 1e-1", "must be `worse`, or as in"),
        ("overall < 0.8 and tone < 3", "must be `worse`, or as in"),
        ("__import__('os').system('x') < 1", "knows no"),
        ("overal < 0.8", "did you mean 'overall'"),
        ("c.overall < 0.8", "knows no 'c.overall'"),
        ("overall < 4.2", "overall lies between 0 and 1"),
        ("tone < 0.5", "tone lies between 1 and 5"),
    ],
)
def test_the_fail_if_option_refuses_a_text_that_is_not_a_rule(text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        Rule.parse(text, EXPERIMENT)
