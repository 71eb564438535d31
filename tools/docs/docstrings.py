"""Our docstrings, brought to the letter of the style that their reader knows."""

import re
from typing import Any

from griffe import Extension, Object

TOGETHER = re.compile(r"^    (\w+(?:, \w+)+): (.*(?:\n {8}.*)*)", re.MULTILINE)
"""Arguments that share one description, with the description."""


class OurStyle(Extension):
    """Calls a section of examples by the name its reader knows, and tells arguments one by one."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of each object."""
        if obj.docstring:
            text = obj.docstring.value.replace("\nExample:\n", "\nExamples:\n")
            obj.docstring.value = TOGETHER.sub(_one_by_one, text)


def _one_by_one(shared: re.Match[str]) -> str:
    return "\n".join(f"    {name}: {shared[2]}" for name in shared[1].split(", "))
