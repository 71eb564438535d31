"""A judge of pairs that is a function: it prefers the response with fewer words. Runs of Promptfoo get it as a file."""

import re
from collections.abc import Mapping
from typing import Any

SHOWN = re.compile(r"<response-[12]-[0-9a-f]+>\n(.*?)\n</response", re.DOTALL)


def judge(system_prompt: str, user_prompt: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Prefers the shorter response; takes whatever comes first where it says "lean", and fails where one says so."""
    first, second = SHOWN.findall(user_prompt)
    if "fails" in first + second:
        raise ValueError("a response fails")
    lengths = [len(text.split()) for text in (first, second)]
    level = "first" if lengths[0] < lengths[1] or "lean" in first else "tie" if lengths[0] == lengths[1] else "second"
    verdict = {"quote_1": "nothing to quote", "quote_2": "nothing to quote", "reason": "Fewer words.", "level": level}
    return {"verdicts": dict.fromkeys(schema["properties"]["verdicts"]["properties"], verdict)}


judge.environment = ()  # type: ignore[attr-defined]  # what it declares to markscheme
