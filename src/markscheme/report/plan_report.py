"""A plan on a screen and as JSON: labels that each goal takes, what the next run costs, what to label next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markscheme.calibration.plan import Cost, Need
from markscheme.calibration.sampling import Draw
from markscheme.report.figures import NONE

HEADINGS: dict[str, str] = {
    "width": "Labels for an interval of a given width",
    "verdict": "Labels for a verdict",
    "promise": "Labels for a promise about automatic decisions",
    "variety": "Labels before a coefficient can be trusted",
}


@dataclass(frozen=True)
class Plan:
    """What is planned for one rubric.

    Attributes:
        rubric: Its name.
        labelled: Examples labelled so far.
        needs: Labels that each goal takes.
        costs: What the next run costs, by judge.
        next: What to label next; None where that wasn't asked.
    """

    rubric: str
    labelled: int
    needs: Sequence[Need]
    costs: Sequence[Cost]
    next: Draw | None = None


def plan_text(plan: Plan) -> str:
    """The plan as text."""
    return "\n".join(_lines(plan))


def _lines(plan: Plan) -> Iterator[str]:
    yield f"{plan.rubric}: {plan.labelled} examples labelled so far. Nobody was asked."
    for goal, heading in HEADINGS.items():
        yield f"{heading}:"
        for need in plan.needs:
            if need.goal == goal:
                yield f"  {_needed(need)}  {need.what} ({need.basis})"
    yield "The next run:"
    for cost in plan.costs:
        yield f"  {_cost(cost)}"
    if plan.next is not None:
        yield from _next(plan.next)


def _needed(need: Need) -> str:
    if need.labels is None:
        return f"{NONE:>6}"
    done = "" if need.labels > need.have else ", there already"
    return f"{need.labels:>6,}{done}"


def _cost(cost: Cost) -> str:
    usd = "price unknown (--price IN:OUT)" if cost.usd is None else f"${cost.usd:.4f}"
    who = cost.judge or "no judge at hand"
    kept = f", {cost.kept:,} answered already" if cost.kept else ""
    return (
        f"{who}: {cost.calls:,} calls{kept}; about {cost.input_tokens:,} tokens read and {cost.output_tokens:,} "
        f"written; {usd}. {cost.basis.capitalize()}"
    )


def _next(draw: Draw) -> Iterator[str]:
    yield f"To label next: {len(draw.picks)} outputs, drawn with known chances (seed {draw.seed}):"
    for stratum in draw.strata:
        yield f"  {stratum.taken} of {stratum.pool} {stratum.name} ({stratum.labelled} labelled before)"
    reasons = [reason for pick in draw.picks for reason in pick.why]
    if reasons:
        told = ", ".join(f"{reasons.count(reason)} {reason}" for reason in dict.fromkeys(reasons))
        yield f"  among them: {told}"
    yield "  Each carries its weight: `passrate` weighs by it, the figures of `calibrate` describe the labels."


def plan_json(plan: Plan) -> dict[str, Any]:
    """The plan as plain data."""
    return {
        "schema": 1,
        "rubric": {"name": plan.rubric},
        "labelled": plan.labelled,
        "needs": [need.to_json() for need in plan.needs],
        "cost": [cost.to_json() for cost in plan.costs],
        "next": None if plan.next is None else plan.next.to_json(),
    }
