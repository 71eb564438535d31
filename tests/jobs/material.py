"""Invented material of four people: results of a Promptfoo bot, a table of two annotators, a rubric with labels."""

import csv
import json
import random
from pathlib import Path
from typing import Any

QUESTIONS = ("Where is my parcel {n}?", "Can I still cancel order {n}?", "Why is code {n} refused?")
GOOD = ("Parcel {n} left on Monday and comes on Friday.", "Yes, until tonight: press Cancel.", "Code {n} ended in May.")
BAD = ("Parcels take a while.", "Please read our terms.", "Codes can be refused.")
RUBRIC_TEXT = "The reply answers the question and names what happens next."


def is_good(n: int) -> bool:
    """Return True if the n-th reply answers its question."""
    return n % 5 not in (1, 3)


def reply(n: int) -> str:
    """Return the n-th reply of a shop's bot."""
    return f"{(GOOD if is_good(n) else BAD)[n % 3].format(n=n)} (Case {n})"


def question(n: int) -> str:
    """Return the n-th customer's question."""
    return QUESTIONS[n % 3].format(n=n)


def write_promptfoo_results(file: Path, n: int, *, lenient: float = 0.3) -> None:
    """Write what `promptfoo eval` wrote of a bot with one `llm-rubric`, which passes some bad replies."""
    chance = random.Random(33)
    rows = []
    for index in range(n):
        passed = is_good(index) or chance.random() < lenient
        assertion = {"type": "llm-rubric", "value": RUBRIC_TEXT}
        verdict = {"pass": passed, "score": float(passed), "reason": "as it reads", "assertion": assertion}
        test = {"vars": {"question": question(index)}, "assert": [assertion]}
        rows.append(
            {
                "testIdx": index,
                "promptIdx": 0,
                "vars": test["vars"],
                "prompt": {"raw": question(index), "label": "bot"},
                "provider": {"id": "openai:bot", "label": ""},
                "response": {"output": reply(index)},
                "success": passed,
                "score": float(passed),
                "testCase": test,
                "gradingResult": {**verdict, "componentResults": [verdict]},
                "failureReason": int(not passed),
            }
        )
    data = {"evalId": "eval-1", "results": {"version": 3, "timestamp": "2026-11-01T00:00:00Z", "results": rows}}
    file.write_text(json.dumps(data))


def write_table(file: Path, n: int) -> None:
    """Write a table of replies with the verdicts of two annotators and a judge, who differ here and there."""
    chance = random.Random(7)
    with file.open("w", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(["id", "question", "response", "ann", "ben", "gpt"])
        for index in range(n):
            flips = (chance.random() < share for share in (0.04, 0.06, 0.1))
            verdicts = ["pass" if is_good(index) != flipped else "fail" for flipped in flips]
            rows.writerow([f"r{index}", question(index), reply(index), *verdicts])


PLATE = """\
name: plate
passingThreshold: 0.5
criteria:
  - {name: warm, weight: 1, requirement: The reply is warm.}
  - {name: short, weight: 1, requirement: The reply is short.}
  - {name: exact, weight: 1, requirement: The reply is exact.}
"""
LEVELS = ("warm", "short", "exact")
PLATE_JUDGE = '''
import re


def judge(system_prompt, user_prompt):
    """Sees what is in a reply; takes cold ones for warm now and then, unless the rubric says what warm means."""
    n = int(re.search(r"Reply (\\d+)", user_prompt)[1])
    met = {"warm": n % 2 == 1, "short": n % 4 < 2, "exact": n % 3 == 0}
    if "names the person" not in system_prompt and n % 5 == 0:
        met["warm"] = not met["warm"]
    said = {"quote": "nothing to quote", "reason": "so"}
    return {"verdicts": {name: {**said, "level": "MET" if is_met else "UNMET"} for name, is_met in met.items()}}


judge.environment = ()
'''


def levels_of(n: int) -> dict[str, int]:
    """Return the levels that an annotator gives the n-th reply."""
    return {"warm": n % 2, "short": int(n % 4 < 2), "exact": int(n % 3 == 0)}


def write_rubric_project(folder: Path, n: int) -> None:
    """Write a rubric whose annotator decides by warmth alone, with labels and a judge."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "plate.yaml").write_text(PLATE)
    (folder / "seeing.py").write_text(PLATE_JUDGE)
    home = folder / "calibration" / "plate"
    home.mkdir(parents=True)
    lines: list[dict[str, Any]] = []
    for index in range(n):
        levels = levels_of(index)
        label = {"rater": "ann", "kind": "human", "pass": bool(levels["warm"]), "criteria": levels}
        lines.append({"id": f"o{index}", "query": f"q{index}", "response": f"Reply {index}", "labels": [label]})
    (home / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
