"""Criteria added to a rubric's file after its last one, while nothing else in the file changes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from markscheme.errors import RubricError
from markscheme.json_text import safe_json
from markscheme.plain_data import Form, form_of, plain_data
from markscheme.rubrics.edit import Edit, rubric_to_edit, text_to_edit
from markscheme.rubrics.reading import places_of


def add_criteria(path: Path, entries: Sequence[Mapping[str, object]]) -> Edit:
    """Prepare an edit that appends criteria to a rubric's file; nothing else in the file changes.

    Nothing is written yet.

    Args:
        path: The file.
        entries: The criteria in the form of a rubric's file.

    Raises:
        RubricError: The file is faulty, or its criteria aren't a list to which criteria can be appended.
    """
    before = text_to_edit(path)
    marker = "\ufeff" if before.startswith("\ufeff") else ""
    body = before.removeprefix(marker)
    form = form_of(path)
    old = rubric_to_edit(body, form)
    after = _with_entries(body, form, entries, path)
    new = rubric_to_edit(after, form)
    is_longer = new.criteria[: len(old.criteria)] == old.criteria
    if not is_longer or len(new.criteria) != len(old.criteria) + len(entries):
        raise RubricError("its criteria aren't a list to which others can be added; add them by hand", path=path)
    return Edit(path, before, marker + after)


def _with_entries(text: str, form: Form, entries: Sequence[Mapping[str, object]], path: Path) -> str:
    """Insert criteria after a text's last criterion, in the YAML style of the list that they join.

    Args:
        text: Text of a rubric's file.
        form: Format of the text: "yaml" or "json".
        entries: The criteria to insert, as data of a rubric's file.
        path: The file, for the error.
    """
    data, _ = plain_data(text, form, RubricError, path=path)
    _, criteria = places_of(data)
    if not criteria:
        raise RubricError("has no criteria to add others to", path=path)
    # JSON allows tabs as white space, YAML doesn't; a space keeps every position
    node: Any = YAML().compose(text.replace("\t", " ") if form == "json" else text)
    for step in criteria[-1][:-1]:
        node = node.value[step] if isinstance(step, int) else next(v for key, v in node.value if key.value == step)
    last = node.value[-1]
    if node.flow_style:
        start = last.end_mark.index
        return text[:start] + "".join(f", {safe_json(criterion)}" for criterion in entries) + text[start:]
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    column = node.start_mark.column
    start = _after_block(text, int(last.end_mark.index), column)
    head = "" if start == 0 or text[start - 1] == "\n" else end_of_line
    lines = [
        f"{' ' * column}{'- ' if index == 0 else '  '}{key}: {safe_json(value)}"
        for criterion in entries
        for index, (key, value) in enumerate(criterion.items())
    ]
    return text[:start] + head + end_of_line.join(lines) + end_of_line + text[start:]


def _after_block(text: str, end: int, column: int) -> int:
    """Return the offset of the first line after an item of a YAML list; comments inside the item belong to it.

    The parser lets an item end only where the next key begins. But blank lines at the end, and comments there that
    aren't indented further than the list, don't belong to the item: the returned offset is before them.

    Args:
        text: The whole text.
        end: Offset at which the parser lets the item end.
        column: Indentation of the list, in characters.
    """
    block = text[:end].rstrip()
    while block:
        start = block.rfind("\n") + 1
        line = block[start:]
        if not line.lstrip().startswith("#") or len(line) - len(line.lstrip()) > column:
            break
        block = block[:start].rstrip()
    after = text.find("\n", len(block))
    return len(text) if after < 0 else after + 1
