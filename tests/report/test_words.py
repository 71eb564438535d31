"""Statistics and calibrations have codes and facts; their sentences are in `report/words.py` alone."""

import ast
import inspect
from collections.abc import Iterator

import pytest

from markscheme.report.words import REASONS
from markscheme.stats.estimate import Caveat, Reason, ScaleLevel
from markscheme.stats.wording import Fact
from tests.house import SOURCE
from tests.syntax import nodes_in


def reasons_given() -> Iterator[tuple[str, frozenset[str] | None]]:
    """Yield each code of a Reason in the source, with the names of its facts; None if these are computed elsewhere."""
    for path in (*(SOURCE / "stats").rglob("*.py"), *(SOURCE / "calibration").rglob("*.py")):
        for node in nodes_in(path):
            match node:
                case ast.Call(func=ast.Name(id="Reason"), args=[ast.IfExp(body=body, orelse=orelse), *facts]):
                    names = _names_of(*facts) if facts else frozenset()
                    yield from ((ast.literal_eval(code), names) for code in (body, orelse))
                case ast.Call(func=ast.Name(id="Reason"), args=[code]):
                    yield ast.literal_eval(code), frozenset()
                case ast.Call(func=ast.Name(id="Reason"), args=[code, facts_of_code]):
                    yield ast.literal_eval(code), _names_of(facts_of_code)


def _names_of(facts: ast.expr) -> frozenset[str] | None:
    match facts:
        case ast.Dict(keys=keys):
            return frozenset(ast.literal_eval(key) for key in keys if key)
    return None


def test_every_code_for_a_missing_figure_has_one_sentence_and_every_sentence_belongs_to_a_code() -> None:
    assert {code for code, _ in reasons_given()} == {*REASONS}


def test_each_reason_s_sentence_uses_exactly_the_facts_that_are_passed_with_the_reason_s_code() -> None:
    for code, facts in reasons_given():
        wanted = frozenset(inspect.signature(REASONS[code]).parameters)
        assert facts is None or facts == wanted, code


TAKES_A_REASON = ("without_value", "withhold", "noted", "mark_rough")


def test_modules_of_statistics_give_reasons_for_missing_figures_as_codes_and_never_as_sentences() -> None:
    sentences = [
        f"{path.name}:{node.lineno}"
        for path in (SOURCE / "stats").rglob("*.py")
        for node in nodes_in(path)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", None)) in TAKES_A_REASON
        and any(isinstance(of, ast.JoinedStr | ast.Constant) and not is_number(of) for of in node.args)
    ]
    assert not sentences


def is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float | int)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason("few-off", {"off": 1, "grouped": False}), "only 1 example outside the most common level"),
        (Reason("few-labels", {"labels": 8.0, "needed": None}), "8 labels, label more responses"),
        (Reason("few-labels", {"labels": 8.0, "needed": 12}), "8 labels, 12 more would show it"),
        (
            Reason("few-of-stratum", {"labelled": 0, "stratum": "judge's fails", "share": 0.4, "least": 1}),
            "none of the judge's fails labelled, 40% of the pool: label some of the judge's fails",
        ),
    ],
)
def test_each_reason_for_a_missing_or_approximate_figure_is_written_out_as_the_expected_sentence(
    reason: Reason, words: str
) -> None:
    assert str(reason) == words


def test_a_caveat_on_an_interval_names_levels_by_number_unless_it_is_given_their_names() -> None:
    facts: dict[str, Fact] = {
        "first": "gold",
        "level": ScaleLevel(1.0),
        "second": "judge",
        "other_level": ScaleLevel(2.0),
    }
    caveat = Caveat("withheld", Reason("both-stuck", facts))
    assert str(caveat) == "withheld: gold never leaves level 1; judge never leaves level 2"
    named = caveat.why_with_levels({1.0: "UNMET", 2.0: "MET"}.__getitem__)
    assert named == "gold never leaves UNMET; judge never leaves MET"


def test_the_text_of_a_caveat_on_an_interval_is_parsed_into_its_kind_and_its_reason() -> None:
    assert Caveat.read("withheld: too few fails") == Caveat("withheld", "too few fails")
