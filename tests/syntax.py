"""The syntax of Python files, for tests that read code."""

import ast
import functools
import re
from pathlib import Path

LEAVES = {"identifier", "int", "string", "constant", "expr_context", "operator", "boolop", "unaryop", "cmpop"}
"""Kinds of fields, in Python's own grammar, in which no other node lies."""


def walk(root: ast.AST) -> list[ast.AST]:
    """List a node and all below it, as `ast.walk` does in several times the time, without the signs of operators."""
    nodes = [root]
    for node in nodes:  # which grows
        for name in _branches(type(node).__doc__ or ""):
            below = getattr(node, name)
            if isinstance(below, list):
                nodes += [element for element in below if element is not None]
            elif below is not None:
                nodes.append(below)
    return nodes


@functools.cache
def _branches(grammar: str) -> list[str]:
    """Return the fields that hold nodes, from the line of Python's grammar that documents a kind of node."""
    fields = re.findall(r"(\w+)[*?]? (\w+)[,)]", grammar)
    return [name for type_of_field, name in fields if type_of_field not in LEAVES]


@functools.cache
def nodes_of(text: str) -> list[ast.AST]:
    """List the nodes of a module's text, read once for all tests of a process; the first is the module."""
    return walk(ast.parse(text))


def nodes_in(path: Path) -> list[ast.AST]:
    """List the nodes of a file."""
    return nodes_of(path.read_text(encoding="utf-8"))
