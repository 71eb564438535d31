"""Pairs of responses: which one is better, by how much a judge's order moves that, and Promptfoo's `select-best`."""

from collections.abc import Callable, Mapping
from typing import Any

from markscheme.promptfoo.questions import PROVIDER_QUESTIONS, KeysCheck, QuestionAnswer, QuestionKind
from markscheme.report.after_run import AFTER_RUN, AfterRunRow, RunReport
from markscheme.seam import Feature


def _select_best() -> tuple[KeysCheck, QuestionAnswer]:
    from markscheme.features.pairs.select_best import check_select_keys, select_best

    return check_select_keys, select_best


def _recorded_pairs() -> Callable[[Mapping[str, Any]], RunReport]:
    from markscheme.features.pairs.select_best import RecordedPairs

    return RecordedPairs


PAIRS = Feature(
    "pairs",
    PROVIDER_QUESTIONS(
        QuestionKind("select-best", frozenset({"criteria", "outputs"}), frozenset({"tie", "pairs"}), _select_best)
    ),
    AFTER_RUN(AfterRunRow(20, _recorded_pairs)),
)
