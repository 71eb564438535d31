"""Pairs of responses: which one is better, by how much a judge's order moves that, and Promptfoo's `select-best`."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markscheme.promptfoo.questions import QUESTIONS, QuestionKind
from markscheme.report.after_run import AFTER_RUN, AfterRunRow, RunReport
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.promptfoo.engine import Engine


def _check_select_keys(config: Mapping[str, Any]) -> None:
    from markscheme.features.pairs.select_best import check_select_keys

    check_select_keys(config)


def _select_best(
    config: Mapping[str, Any], variables: Mapping[str, Any], near: Path, engine: "Engine"
) -> Awaitable[dict[str, Any]]:
    from markscheme.features.pairs.select_best import select_best

    return select_best(config, variables, near, engine)


def _recorded_pairs() -> Callable[[Mapping[str, Any]], RunReport]:
    from markscheme.features.pairs.select_best import RecordedPairs

    return RecordedPairs


PAIRS = Feature(
    "pairs",
    QUESTIONS(
        QuestionKind(
            "select-best",
            frozenset({"criteria", "outputs"}),
            frozenset({"tie", "pairs"}),
            _check_select_keys,
            _select_best,
        )
    ),
    AFTER_RUN(AfterRunRow(20, _recorded_pairs)),
)
