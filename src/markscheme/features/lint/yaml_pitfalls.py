"""Finds values that YAML reads unexpectedly: sentences cut off by a comment, and octal or other numbers."""

import re
from collections.abc import Iterator
from typing import Final

import yaml

from markscheme.plain_data import shown

_DECIMAL: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)?(\.[0-9]*)?([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
"""Pattern of numbers that mean the same to people and in YAML."""
_SENTENCE_END: Final = tuple(".!?…:;)”")
"""Marks that end a whole sentence, so that a comment after one doesn't cut it off."""


def yaml_pitfalls(text: str) -> Iterator[tuple[int, str]]:
    """Find values that YAML reads differently than they look, such as `010` as 8.

    Args:
        text: A YAML text that was parsed before without an error, since its depth isn't checked here.

    Yields:
        The number of the line, and a sentence on what YAML reads there.

    Example:
        >>> list(yaml_pitfalls("weight: 010"))
        [(1, '`010` is read as 8; write 8, or quote it')]
    """
    lines = text.splitlines()
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    constructor = yaml.constructor.SafeConstructor()
    for node in _scalars(yaml.compose(text, Loader=loader), set()):
        line = node.start_mark.line + 1
        if node.tag.endswith((":int", ":float")) and not _DECIMAL.fullmatch(node.value):
            value = constructor.construct_object(node)
            yield line, f"`{node.value}` is read as {shown(value)}; write {shown(value)}, or quote it"
        if node.tag.endswith(":str") and (cut := _cut_off(node, lines)):
            yield line, f"YAML takes “{cut}” for a comment; quote the whole text if it belongs to it"


def _scalars(node: yaml.Node | None, seen: set[int]) -> Iterator[yaml.ScalarNode]:
    """Yield each unquoted value of a YAML document once, even if several aliases refer to it.

    Args:
        node: The document, or a part of it; None for an empty document.
        seen: Python's `id` of each part visited so far, to which this one and those below it are added.
    """
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        if node.style in (None, ""):
            yield node
    elif isinstance(node, yaml.SequenceNode):
        for child in node.value:
            yield from _scalars(child, seen)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _scalars(key, seen)
            yield from _scalars(value, seen)


def _cut_off(node: yaml.ScalarNode, lines: list[str]) -> str:
    """Return the comment after a value if its author probably meant it as part of the value; "" otherwise.

    Probably it is, if the value has several words and doesn't end like a sentence, as in `Names issue #12`.
    """
    end = node.end_mark
    if end.line >= len(lines) or " " not in node.value or node.value.endswith(_SENTENCE_END):
        return ""
    remaining = lines[end.line][end.column :].lstrip()
    return remaining if remaining.startswith("#") else ""
