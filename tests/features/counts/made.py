"""Labelled examples of random rubrics, with a judge's ratings."""

import random
from typing import Any

from markscheme import Calibration, Rubric

FIGURES = (
    *("agreement", "agreement_constant", "agreement_person", "agreement_with_person", "gain", "ties", "overall"),
    *("criteria", "raters", "target", "measure", "tolerance"),
)
"""Keys of a calibration's JSON whose figures are functions of counts."""


def random_rubric(draw: random.Random) -> Rubric:
    """Return a rubric of one to three criteria: levels or yes/no, some negative, required or not always applying."""
    return Rubric.from_dict(random_rubric_keys(draw))


def random_rubric_keys(draw: random.Random) -> dict[str, Any]:
    """Return such a rubric as its file has it."""
    criteria = []
    for place in range(draw.randint(1, 3)):
        scale = draw.choice(({"min": 1, "max": 5}, {"min": 0, "max": 3}, None))
        weight = draw.choice((1, 2, 0.5)) * (-1 if place and draw.random() < 0.3 else 1)
        criterion = {
            "name": f"c{place}",
            "requirement": f"The reply is {place}",
            "weight": weight,
            **({} if scale is None else {"scale": scale}),
        }
        if weight > 0 and draw.random() < 0.3:
            criterion["required"] = True
        if draw.random() < 0.3:
            criterion["not_applicable"] = True
        criteria.append(criterion)
    return {"criteria": criteria, "pass_mark": draw.choice((0.5, 0.6)), "tolerance": draw.choice((0.1, 0.25, 0.3))}


def random_examples(
    rubric: Rubric, draw: random.Random, *, n: int, groups: int, people: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return labelled examples with gaps, and a judge's ratings of most of them."""
    examples, ratings = [], []
    for place in range(n):
        true = {c.name: draw.randrange(len(c.scale.values)) for c in rubric.criteria}
        labels = [
            {"rater": f"p{rater}", "criteria": levels}
            for rater in range(people)
            if (levels := _rated(rubric, true, draw, 0.75, gaps=0.1))
        ]
        group = {"group": f"g{draw.randrange(groups)}"} if groups else {}
        examples.append({"id": f"e{place}", "response": f"reply {place}", "labels": labels, **group})
        if draw.random() > 0.05:
            ratings.append({"id": f"e{place}", "criteria": _rated(rubric, true, draw, 0.7, gaps=0.03)})
    return examples, ratings


def _rated(rubric: Rubric, true: dict[str, int], draw: random.Random, right: float, *, gaps: float) -> dict[str, Any]:
    levels: dict[str, Any] = {}
    for criterion in rubric.criteria:
        values = criterion.scale.values
        place = true[criterion.name] if draw.random() < right else draw.randrange(len(values))
        if criterion.not_applicable and draw.random() < 0.1:
            levels[criterion.name] = {"not_applicable": True}
        elif draw.random() > gaps:
            levels[criterion.name] = bool(values[place]) if criterion.scale.is_yes_no else values[place]
    return levels


def numbers_in(calibration: Calibration) -> dict[str, Any]:
    """Return all figures of a calibration's JSON that are functions of counts, by their path."""
    data = calibration.to_json()
    figures = {key: data[key] for key in FIGURES}
    figures["decision"] = {key: data["decision"][key] for key in ("level", "settings", "gate", "trend", "limits")}
    figures["repairs"] = None if data["repairs"] is None else _counted_of(data["repairs"])
    figures["findings"] = [
        {key: finding[key] for key in ("code", "criterion", "severity")} for finding in data["findings"]
    ]
    return dict(_flat(figures, ""))


def _counted_of(repairs: dict[str, Any]) -> dict[str, Any]:
    """Return what counts say of repairs: all but which examples they are, and which two criteria go together."""
    criteria = {name: {**repair, "examples": None} for name, repair in repairs["criteria"].items()}
    return {**repairs, "criteria": criteria, "mark_or_weights": None, "pair": None}


def _flat(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        for key, entry in value.items():
            if key not in ("method", "kinds", "reference"):
                yield from _flat(entry, f"{path}.{key}")
    elif isinstance(value, list):
        for place, entry in enumerate(value):
            yield from _flat(entry, f"{path}[{place}]")
    else:
        yield path, value


def differing(first: Calibration, second: Calibration, *, without: str = "") -> list[tuple[str, Any, Any]]:
    """Return the figures of two calibrations that differ by more than 1e-9, by their path.

    Args:
        first: One of them.
        second: The other.
        without: Keys that are left out.
    """
    figures = numbers_in(first)
    compared = numbers_in(second)
    paths = [path for path in figures | compared if path.split(".")[1].partition("[")[0] not in without.split()]
    pairs = [(path, figures.get(path, "missing"), compared.get(path, "missing")) for path in paths]
    return [(path, a, b) for path, a, b in pairs if not _same(a, b)]


def _same(a: Any, b: Any) -> bool:
    both_numbers = isinstance(a, float | int) and isinstance(b, float | int)
    return abs(a - b) <= 1e-9 if both_numbers else bool(a == b)
