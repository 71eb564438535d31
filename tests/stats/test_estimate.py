"""Estimates: their JSON, and that no code branches on the sentences in them."""

import ast
import copy
import json
import pickle

import pytest

from markscheme.stats import Estimate
from markscheme.stats.estimate import Caveat, EstimatesOnDemand, Reason, ScaleLevel
from markscheme.stats.intervals import mark_rough, noted, withhold
from tests.syntax import nodes_of
from tests.test_layers import SOURCE

WITH_INTERVAL = Estimate(0.4, 0.1, 0.8, n=20, method="made up")
STUCK = Reason(
    "both-stuck", {"first": "gold", "level": ScaleLevel(1.0), "second": "judge", "other_level": ScaleLevel(2.5)}
)
LIMITED = {
    "nothing to say": WITH_INTERVAL,
    "withheld": withhold(WITH_INTERVAL, STUCK),
    "approximate": mark_rough(WITH_INTERVAL, "few fails"),
    "a count": Estimate(0.75, n=4, caveat=Caveat("few", "3 of 4")),
    "a remark": noted(WITH_INTERVAL, "from 30 of 31 units"),
    "withheld, with a remark": noted(withhold(WITH_INTERVAL, STUCK), "from 2 of 52 units"),
    "no value": Estimate.without_value(STUCK, n=3, method="made up"),
}


@pytest.mark.parametrize("estimate", LIMITED.values(), ids=LIMITED)
def test_an_estimate_that_is_written_as_json_and_read_again_keeps_its_reasons_not_to_trust_the_interval(
    estimate: Estimate,
) -> None:
    again = Estimate.from_json(estimate.to_json())
    assert again.to_json() == estimate.to_json()
    assert (again.hedge, again.is_count, again.is_approximate) == (
        estimate.hedge,
        estimate.is_count,
        estimate.is_approximate,
    )


def test_the_reason_why_a_figure_is_undefined_names_levels_by_number_or_by_label() -> None:
    assert str(STUCK) == "gold never leaves level 1; judge never leaves level 2.5"
    names = {1.0: "UNMET", 2.5: "MET"}
    assert STUCK.with_levels(names.__getitem__) == "gold never leaves UNMET; judge never leaves MET"
    withheld = LIMITED["withheld, with a remark"].caveat
    assert withheld is not None
    assert withheld.why_with_levels(names.__getitem__).endswith("judge never leaves MET; from 2 of 52 units")


def test_json_that_is_not_an_estimate_raises_the_error_documented_for_it() -> None:
    for damaged in json.loads('[null, [1], {"value": 0.4, "unheard": 1}]'):
        with pytest.raises(TypeError):
            Estimate.from_json(damaged)


def test_estimates_that_are_computed_on_demand_can_be_copied_and_pickled_and_are_printed_like_a_dict() -> None:
    estimates = EstimatesOnDemand([(LIMITED, lambda: LIMITED)])
    assert pickle.loads(pickle.dumps(estimates)) == LIMITED
    assert copy.deepcopy(estimates) == LIMITED
    assert repr(estimates) == repr(LIMITED)


# --- words are for people -------------------------------------------------------------------------------------------

WORDS = ("note", "undefined", "message", "suggestion", "problem")
"""Attributes that hold a sentence: of an estimate, of a finding, of a fault in a file."""
READING = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "replace", "find"}


def _is_words(node: ast.AST) -> bool:
    """Return True if an expression is an attribute that holds a sentence, also with a default as in `note or ""`."""
    if isinstance(node, ast.BoolOp):
        return any(map(_is_words, node.values))
    return isinstance(node, ast.Attribute) and node.attr in WORDS


def _reads_words(node: ast.AST) -> bool:
    """Return True if an expression searches or compares the text of a sentence."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=arguments):
            return any(map(_is_words, arguments))
        case ast.Call(func=ast.Attribute(value=value, attr=method)):
            return method in READING and _is_words(value)
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[container]):
            return _is_words(container)
        case ast.Compare(ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=str()) | ast.JoinedStr()]):
            return _is_words(node.left)
    return False


def sentences_read(text: str) -> list[str]:
    """Return the expressions in a module's code that search or compare the text of a sentence."""
    return [ast.unparse(node) for node in nodes_of(text) if _reads_words(node)]


@pytest.mark.parametrize(
    "read",
    [
        "estimate.note.startswith('few: ')",
        "(estimate.note or '').partition('withheld: ')",
        "re.sub('level 1', 'MET', estimate.undefined)",
        "'group' in estimate.note",
        "estimate.note != f'withheld: {NO_SPREAD}'",
    ],
)
def test_the_search_for_code_that_reads_printed_sentences_recognizes_such_code(read: str) -> None:
    assert sentences_read(read) == [ast.unparse(ast.parse(read))]


def test_no_code_branches_on_the_printed_sentence_of_an_estimate_or_a_finding_or_a_fault() -> None:
    modules = sorted(SOURCE.rglob("*.py"))
    read = {path.name: places for path in modules if (places := sentences_read(path.read_text(encoding="utf-8")))}
    assert len(modules) > 200
    assert read == {}
