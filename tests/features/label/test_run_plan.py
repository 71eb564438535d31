"""A plan from Python: labels, cost and draws, with nothing asked."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from markscheme.calibration.options import LabelOptions
from markscheme.errors import UsageError
from markscheme.features.label.options import PlanOptions
from markscheme.features.label.run_plan import Plan, make_plan
from markscheme.features.label.view_plan import PLANNED_WIDTHS, view
from markscheme.judges.options import AskOptions
from markscheme.ratings.second_labels import FOR_A_GATE
from markscheme.rubrics.rubric import Rubric
from tests.report.reading import text_of

RUBRIC = Rubric.from_dict([{"name": "polite", "requirement": "The reply is polite", "weight": 1}])


@pytest.fixture
def planned(tmp_path: Path) -> Callable[..., Plan]:
    """Return a function that makes plans with 30 labelled examples and a pool of 400 outputs."""
    labelled = [
        {"id": f"e{n}", "response": f"reply {n}", "labels": [{"rater": "a", "criteria": {"polite": bool(n % 2)}}]}
        for n in range(30)
    ]
    outputs = [{"id": f"p{n}", "response": f"output {n}"} for n in range(400)]
    for name, lines in (("examples.jsonl", labelled), ("pool.jsonl", outputs)):
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))

    def make(*, target: float | None = None, is_of_pool: bool = True, draws: int | None = None) -> Plan:
        labels = LabelOptions(examples=tmp_path / "examples.jsonl", target=target)
        pool = tmp_path / "pool.jsonl" if is_of_pool else None
        return make_plan(RUBRIC, labels, PlanOptions(), AskOptions(), seed=1, pool=pool, draws=draws)

    return make


def test_a_labelling_plan_draws_as_many_outputs_as_labels_are_needed_unless_the_user_states_a_number(
    planned: Callable[..., Plan],
) -> None:
    plan = planned()
    assert plan.labelled == 30
    assert plan.next_labels.labels is not None
    assert plan.next is not None
    assert len(plan.next.picks) == plan.next_labels.labels.more > 0
    fewer = planned(draws=7)
    assert fewer.next is not None
    assert len(fewer.next.picks) == 7


def test_a_labelling_plan_without_outputs_asks_for_more_labels_if_the_target_is_higher(
    planned: Callable[..., Plan],
) -> None:
    plan = planned(is_of_pool=False)
    assert plan.next is None
    higher = planned(is_of_pool=False, target=0.9)
    assert plan.next_labels.labels is not None
    assert higher.next_labels.labels is not None
    assert higher.next_labels.labels.more > plan.next_labels.labels.more


def test_if_no_further_labels_are_needed_a_labelling_plan_asks_how_many_outputs_to_draw(
    planned: Callable[..., Plan],
) -> None:
    with pytest.raises(UsageError, match="say how many"):
        planned(target=1.0)


def test_a_labelling_plan_counts_dev_and_held_out_labels_together(tmp_path: Path, planned: Callable[..., Plan]) -> None:
    file = tmp_path / "examples.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    parted = ({**line, "split": "test" if n % 3 else "dev"} for n, line in enumerate(lines))
    file.write_text("".join(json.dumps(line) + "\n" for line in parted))
    assert planned(is_of_pool=False).labelled == 30


def test_every_labelling_plan_says_how_many_annotators_a_gate_needs(planned: Callable[..., Plan]) -> None:
    assert FOR_A_GATE in text_of(view(planned(is_of_pool=False)))
    assert FOR_A_GATE in text_of(view(planned(draws=7)))


def test_planned_interval_widths_in_the_printed_table_fall_with_the_number_of_labels() -> None:
    widths = [PLANNED_WIDTHS[own] for own in sorted(PLANNED_WIDTHS)]
    assert widths == sorted(widths, reverse=True)
