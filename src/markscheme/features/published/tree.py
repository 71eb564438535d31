"""Rubrics that are trees of weighted parts: each leaf is a criterion, weighted by the product of shares above it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from markscheme.features.published.vocabulary import CHILDREN, number_of, text_in
from markscheme.plain_data import Place

_TEXTS = ("requirements", "requirement", "description", "name", "text")
WITHIN = " › "


class Leaf(NamedTuple):
    """A leaf of a rubric's tree: a part that has no parts below it, and becomes a criterion.

    Attributes:
        data: The leaf's keys with their values.
        path: The keys and indices that lead to it in the file.
        weight: Its share of the whole: the product of the shares of the leaf and of all parts above it. A part's share
            is its weight divided by the sum of the weights of all parts in its place, itself included.
        words: The words of all parts above it except the root, followed by its own.
    """

    data: Mapping[str, Any]
    path: Place
    weight: float
    words: str


def is_tree(data: Any) -> bool:
    """Return True if data are the root of a rubric's tree: a part with parts below it."""
    return isinstance(data, Mapping) and any(isinstance(data.get(key), list) and data[key] for key in CHILDREN)


def leaves(data: Mapping[str, Any], path: Place = ()) -> Iterator[Leaf]:
    """Yield the leaves of a rubric's tree, with weights and texts, in order.

    Args:
        data: The root of the tree.
        path: The keys and indices that lead to the root in its file; () if the whole file is the tree.

    >>> parts = [{"requirements": "A", "weight": 3}, {"requirements": "B", "weight": 1}]
    >>> [(leaf.words, leaf.weight) for leaf in leaves({"requirements": "all", "sub_tasks": parts})]
    [('A', 0.75), ('B', 0.25)]
    """
    yield from _below(data, path, 1.0, (), is_root=True)


def _below(
    data: Mapping[str, Any], path: Place, share: float, under: tuple[str, ...], *, is_root: bool
) -> Iterator[Leaf]:
    words = next((text for key in _TEXTS if (text := text_in(data.get(key)))), "")
    parts = next((key for key in CHILDREN if data.get(key)), None)
    if parts is None:
        yield Leaf(data, path, share, f"Under: {WITHIN.join(under)}\n{words}" if under and words else words)
        return
    weights = [_weight(part) for part in data[parts]]
    total = sum(weights)
    for position, (part, weight) in enumerate(zip(data[parts], weights, strict=True)):
        of_part = share * (weight / total if total else 1 / len(weights))
        inside = under if is_root or not words else (*under, words)
        yield from _below(part, (*path, parts, position), of_part, inside, is_root=False)


def _weight(part: Mapping[str, Any]) -> float:
    weight = number_of(part.get("weight", 1))
    return 1.0 if weight is None else weight
