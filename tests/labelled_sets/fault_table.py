"""Reading of a labelled set with the fault table of its data card, from which the expected labels are derived."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import correlation
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TOP_LEVEL, BOTTOM_LEVEL = 5, 1
TABLE_HEADER = ["fault", "criterion", "levels lost", "what it is"]


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """The examples in `calibration/<name>/`, and how many levels each fault costs a criterion, from the data card."""

    examples: list[dict[str, Any]]
    table: dict[str, dict[str, int]]


def load_set(name: str) -> LabelledSet:
    """Load the labelled set in `calibration/<name>/`."""
    folder = ROOT / "calibration" / name
    lines = (folder / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    card = (folder / "README.md").read_text(encoding="utf-8")
    return LabelledSet(examples=[json.loads(line) for line in lines], table=read_table(card))


def read_table(card: str) -> dict[str, dict[str, int]]:
    """Read the fault table of a data card: the levels lost, by fault and criterion."""
    lines = card.splitlines()
    headers = [number for number, line in enumerate(lines) if cells(line) == TABLE_HEADER]
    if len(headers) != 1:
        raise ValueError(f"a data card has one table headed {TABLE_HEADER}; this one has {len(headers)}")
    table: dict[str, dict[str, int]] = {}
    for line in lines[headers[0] + 2 :]:
        if not line.startswith("|"):
            break
        fault, criterion, lost, _ = cells(line)
        if criterion in table.setdefault(fault, {}):
            raise ValueError(f"the fault table has two rows for {fault} and {criterion}")
        table[fault][criterion] = int(lost)
    return table


def cells(row: str) -> list[str]:
    """Return the cells of a Markdown table's row without code marks; [] for any other line."""
    if not row.startswith("|"):
        return []
    return [cell.strip().strip("`") for cell in row.strip().strip("|").split("|")]


def derived_levels(
    example: Mapping[str, Any], table: Mapping[str, Mapping[str, int]], criteria: Sequence[str]
) -> dict[str, int]:
    """Return the levels that the faults of `example` leave each criterion: 5 minus all levels lost, at least 1."""
    return {
        criterion: max(BOTTOM_LEVEL, TOP_LEVEL - sum(table[fault].get(criterion, 0) for fault in example["faults"]))
        for criterion in criteria
    }


def constructed_levels(example: Mapping[str, Any]) -> dict[str, int]:
    """Return the levels of the one constructed label in `example`."""
    (label,) = [label for label in example["labels"] if label["kind"] == "constructed"]
    levels: dict[str, int] = label["criteria"]
    return levels


def contradictions(labelled: LabelledSet, criteria: Sequence[str]) -> list[str]:
    """Return the contradictions in a labelled set, one per line; [] for a consistent set.

    It looks for labels that don't follow from the fault table, faults that only the table or only the examples have,
    and repeated ids or responses.
    """
    used = {fault for example in labelled.examples for fault in example["faults"]}
    faults_of_table = [f"{fault}: used, not in the table" for fault in sorted(used - labelled.table.keys())]
    faults_of_table += [f"{fault}: in the table, used nowhere" for fault in sorted(labelled.table.keys() - used)]
    faults_of_table += [f"{key}: more than once" for key in repeated([example["id"] for example in labelled.examples])]
    faults_of_table += [
        f"{text[:60]!r}: more than once" for text in repeated([e["response"] for e in labelled.examples])
    ]
    for example in labelled.examples:
        if set(example["faults"]) <= labelled.table.keys():
            derived, written = derived_levels(example, labelled.table, criteria), constructed_levels(example)
            if derived != written:
                faults_of_table.append(f"{example['id']}: labelled {written}, its faults give {derived}")
    return faults_of_table


def repeated(values: Sequence[str]) -> list[str]:
    """Return the values that occur more than once in a list."""
    return [value for value, count in Counter(values).items() if count > 1]


def level_shares(labelled: LabelledSet, criterion: str) -> dict[int, float]:
    """Return the share of examples, 0 to 1, at each level of `criterion` from 1 to 5."""
    counts = Counter(constructed_levels(example)[criterion] for example in labelled.examples)
    return {level: counts[level] / len(labelled.examples) for level in range(BOTTOM_LEVEL, TOP_LEVEL + 1)}


def level_correlation(labelled: LabelledSet, one: str, other: str) -> float:
    """Compute Pearson's correlation of the levels of two criteria over the examples."""
    levels = [constructed_levels(example) for example in labelled.examples]
    return correlation([level[one] for level in levels], [level[other] for level in levels])


def weighted_scores(labelled: LabelledSet, weights: Mapping[str, float]) -> list[float]:
    """Compute each example's score, 0 to 1, from its levels and positive `weights` by criterion."""
    span = TOP_LEVEL - BOTTOM_LEVEL
    return [
        sum(
            weight * (constructed_levels(example)[criterion] - BOTTOM_LEVEL) / span
            for criterion, weight in weights.items()
        )
        / sum(weights.values())
        for example in labelled.examples
    ]
