"""Six rows with criteria of their own, and a judge of them."""

import json
from pathlib import Path

TOWNS = {
    "r1": "Leeds York",
    "r2": "Hull",
    "r3": "Bath Derby Hull",
    "r4": "York",
    "r5": "Leeds Bath",
    "r6": "Derby York",
}
"""The towns that each row asks for, of which its response names the first."""
JUDGE = """
import re


def judge(system_prompt, user_prompt):
    said = re.search(r"<response[^>]*>(.*?)</response", user_prompt, re.DOTALL)[1]
    asked = re.findall(r'"(c[0-9]+)"[^:]*: Names ([A-Za-z]+)', system_prompt)
    words = {"quote": "nothing to quote", "reason": "Seen."}
    return {"verdicts": {name: {**words, "level": "MET" if town in said else "UNMET"} for name, town in asked}}
"""


def write_rows(folder: Path, more: int = 0) -> None:
    """Write rows.jsonl, with further criteria for its last row, and judging.py."""
    rows = []
    for id, towns in TOWNS.items():
        first, *others = towns.split()
        rubric = [{"requirement": f"Names {town} on route {id}", "weight": 2} for town in (first, *others)]
        rows.append({"id": id, "query": f"Route {id}?", "response": f"It passes {first}.", "rubric": rubric})
    rows[-1]["rubric"] += [{"requirement": f"Names X{number} somewhere"} for number in range(more)]  # type: ignore[operator]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "judging.py").write_text(JUDGE)
