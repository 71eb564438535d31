"""A stand-in judge, which needs no key: a few rules instead of a model, to see a calibration before you have one.

    markscheme calibrate support-reply --judge function:stand_in_judge:judge

It looks for words, so it is wrong where a reply uses others. Of criteria that it has no words for it says the highest
level of a reply with more than a line, else the lowest. Delete it once a model judges.
"""

import re
from typing import Any

WORDS = {
    "answers": r"your parcel|parcel \d+ was|was locked|unlocks|two payments|paid twice|button fails|button works",
    "next-step": r"\b(follow|use|reset|write|read|reply here)\b",
    "notices": r"missed|was locked|two payments|paid twice|button fails",
    "promises": r"guaranteed|\btoday\b|\btomorrow\b",
}


LINE = 40
"""Characters of a short line."""


def judge(system_prompt: str, user_prompt: str, schema: dict[str, Any]) -> dict[str, object]:
    """Return a verdict on each criterion: MET if the reply has one of the criterion's words in `WORDS`."""
    opening = re.search(r"<response-\w+>\n", user_prompt)
    reply = user_prompt[opening.end() :].rpartition("\n</response-")[0] if opening else ""
    verdicts = {}
    for criterion, form in schema["properties"]["verdicts"]["properties"].items():
        words = WORDS.get(criterion)
        if words is None:
            verdicts[criterion] = by_length(reply, form["properties"]["level"]["enum"])
            continue
        match = re.search(words, reply, re.IGNORECASE)
        quote = match[0] if match else reply.split(".")[0]
        reason = f"The reply says “{quote}”." if match else "The reply has none of the words of this rule."
        verdicts[criterion] = {"quote": quote, "reason": reason, "level": "MET" if match else "UNMET"}
    return {"verdicts": verdicts}


def by_length(reply: str, levels: list[str]) -> dict[str, object]:
    """Return a verdict by the reply's length on a criterion without words to look for; its reason says so."""
    rated = [level for level in levels if level not in ("does not apply", "cannot judge")]
    level = rated[-1] if len(reply) > LINE else rated[0]
    return {"quote": "nothing to quote", "reason": "A stand-in, no model: it saw the reply's length.", "level": level}
