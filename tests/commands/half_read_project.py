"""A folder in which people read half of the outputs: a rubric drafted from their notes, and examples in two parts."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from tests.commands.judged_project import write_lines

N = 80
"""Outputs, of which half are read."""
RUBRIC = """\
# Drafted by `markscheme discover` from 20 notes on 40 outputs.
# Each criterion is a fault that readers noted: MET says that it is there, and costs its weight.
name: reply
passingThreshold: 0.7  # an output fails with 1 bad fault
criteria:
  # 50% (34–66) of outputs read for it
  - name: "price"
    requirement: "The reply names a price."
    weight: -2
"""


def output(index: int) -> dict[str, Any]:
    """Return an output as a line of a file."""
    return {"id": f"o{index}", "query": f"q{index}", "response": f"Answer {index}, which costs {index} euros."}


def example(index: int, read: Collection[str]) -> dict[str, Any]:
    """Return an output as an example; outputs that weren't read are held out."""
    line = output(index)
    is_read = line["id"] in read
    return {
        "id": line["id"],
        "inputs": {"query": line["query"]},
        "response": line["response"],
        "split": "dev" if is_read else "test",
        "drawn": "chosen" if is_read else "random",
    }


def label(id: str, *, is_faulty: bool) -> dict[str, Any]:
    """Return the notes of a reader on an output: the fault in it, or none if it passes."""
    fault = {"level": 1.0, "reason": "names a price", "quote": None, "quote_found": None, "under": "0c28f95db49cd0a7"}
    return {
        "id": id,
        "rater": "ann",
        "kind": "human",
        "sample": 0,
        "criteria": {"price": fault} if is_faulty else {},
        "overall": None,
        "error": None,
        "at": "",
        "under": "4866874e75323e6b",
        "blind": True,
        "pass": not is_faulty,
    }


def half_read_project(folder: Path, read: Sequence[str]) -> Path:
    """Write what `discover --write` leaves for `label` once every second of the outputs that were read has the fault.

    That it leaves these files is tested with `discover`.
    """
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "reply.yaml").write_text(RUBRIC, encoding="utf-8")
    calibration = folder / "calibration" / "reply"
    (calibration / "ratings").mkdir(parents=True)
    write_lines(calibration / "examples.jsonl", [example(index, read) for index in range(N)])
    labels = [label(id, is_faulty=index % 2 == 0) for index, id in enumerate(read)]
    write_lines(calibration / "ratings" / "ann.jsonl", labels)
    return folder
