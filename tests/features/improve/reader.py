"""A judge that reads its rubric's words: some make it better, some make it worse.

A project that has a copy of this file is judged with `--judge function:reader:judge`.
"""

import hashlib
import json
import random
import re
from pathlib import Path

HELPS, HARMS = "whole reply", "whatever"
"""Words that make the judge right more often, and less often."""
DEFAULT_OFF, HELPED_OFF, HARMED_OFF = 0.6, 0.1, 0.9
ASKED, HEARD = "asked.jsonl", "heard.json"
"""All that the function was asked, and on which replies it hears the words; without this file, on all."""


def gold_level(i: int) -> int:
    """Return the gold level of reply i on the criterion `polite`."""
    return 1 + (i * 7) % 3


def number_of(user_prompt: str) -> int:
    """Return the number of the reply in a prompt."""
    return int(re.findall(r"reply (\d+) of", user_prompt)[0])


def verdicts(system_prompt: str, user_prompt: str) -> dict[str, dict[str, dict[str, str]]]:
    """Return levels for a reply that are right more or less often, depending on the words of the criterion `polite`."""
    number = number_of(user_prompt)
    off = HELPED_OFF if HELPS in system_prompt else HARMED_OFF if HARMS in system_prompt else DEFAULT_OFF
    seed = hashlib.sha256(f"{number} {off}".encode()).hexdigest()
    chance = random.Random(seed).random()
    level = gold_level(number)
    if chance < off:
        level = level - 1 if level > 1 else 3
    levels = {"polite": str(level), "short": "MET" if number % 2 else "UNMET"}
    return {
        "verdicts": {
            name: {"quote": "nothing to quote", "reason": "as it sounds", "level": one} for name, one in levels.items()
        }
    }


class Reader:
    """A judge function that logs the prompts it gets."""

    reads = (HEARD,)

    def __call__(self, system_prompt: str, user_prompt: str) -> dict[str, dict[str, dict[str, str]]]:
        with Path(ASKED).open("a", encoding="utf-8") as asked:
            asked.write(json.dumps([system_prompt, user_prompt]) + "\n")
        heard = Path(HEARD)
        hears = not heard.exists() or number_of(user_prompt) in json.loads(heard.read_text(encoding="utf-8"))
        return verdicts(system_prompt if hears else "", user_prompt)


judge = Reader()
