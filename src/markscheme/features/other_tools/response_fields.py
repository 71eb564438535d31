"""Which field of a task or record holds the response, in tools whose users name the fields themselves."""

from collections.abc import Mapping
from typing import Any

from markscheme.features.other_tools.tool_content import ToolContent
from markscheme.readers.imported import plain
from markscheme.readers.remarks import QUERY

ANSWERS = ("response", "output", "answer", "reply", "completion", "text")
"""Names of the field that holds the response, in order of preference; others need `--map FIELD=response`."""


def response_field(data: Mapping[str, Any], content: ToolContent, records: str) -> str | None:
    """Return the name of the field that holds the response: the one that the user maps to it, else one of ANSWERS.

    Without either, the record counts as lost, a note asks for `--map`, and the result is None.

    Args:
        data: The fields of one record that were shown to annotators.
        content: The content of the export so far.
        records: What the tool calls its records, in the plural, such as "tasks".
    """
    mapped = next(
        (key for key, meaning in content.columns.fields.items() if meaning == "response" and key in data), None
    )
    names = {plain(str(key)): key for key in data}
    key = mapped or next((names[name] for name in ANSWERS if name in names), None)
    if key is None:
        others = ", ".join(key for key in map(str, data) if plain(key) not in QUERY)
        content.note(
            f"no column is named {', '.join(ANSWERS)}: name the response's with --map COLUMN=response ({others})"
        )
        content.lose(f"{records} whose response isn't known")
    return key
