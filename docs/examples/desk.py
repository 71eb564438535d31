"""A substitute for a model and a judge: recorded replies, and levels written down for each."""

import json
from pathlib import Path

CRITERIA = ("accuracy", "tone", "completeness", "conciseness")
LEVELS = {
    ("formal", "password"): (5, 4, 5, 4),
    ("formal", "charged-twice"): (4, 3, 4, 3),
    ("formal", "dark-mode"): (5, 5, 4, 5),
    ("casual", "password"): (4, 5, 4, 5),
    ("casual", "charged-twice"): (4, 5, 3, 4),
    ("casual", "dark-mode"): (4, 5, 3, 3),
}
RECORDED = [json.loads(line) for line in Path(__file__).with_name("support.outputs.jsonl").read_text().splitlines()]


def answer(system_prompt, user_prompt):
    variant = "formal" if "formally" in system_prompt else "casual"
    words = {"password": "password", "charged": "charged-twice", "dark": "dark-mode"}
    case = next(case for word, case in words.items() if word in user_prompt)
    return next(line["output"] for line in RECORDED if (line["variant"], line["case"]) == (variant, case))


def judge(system_prompt, user_prompt):
    line = next(line for line in RECORDED if line["output"] in user_prompt)
    levels = LEVELS[line["variant"], line["case"]]
    verdict = {"quote": "nothing to quote", "reason": "written down beforehand"}
    return {"verdicts": {name: {**verdict, "level": str(n)} for name, n in zip(CRITERIA, levels, strict=True)}}


answer.reads = judge.reads = ("support.outputs.jsonl",)
