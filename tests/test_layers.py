"""The house: which module may import which."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "markscheme"

LAYERS = [
    "errors",
    "session",
    "fingerprint",
    "counts",
    "plain_data",
    "rubrics",
    "receipt",
    "submission",
    "prompt",
    "judges",
    "verdict",
    "score",
    "scorers",
    "grading",
    "types",
    "autograders",
    "rewards",
    "stats",
    "ratings",
    "promptfoo",
    "pytest_plugin",
    "readers",
    "calibration",
    "experiment",
    "demo",
    "report",
    "labelling",
    "commands",
    "hooks",
    "cli",
    "__main__",
]
"""A module may import those above it, and those of its own package."""

UPWARDS = {
    ("rubrics", "autograders"),  # Rubric.grade
    ("rubrics", "types"),  # the type of what Rubric.grade returns
    ("cli", "commands"),
}
"""Imports against the order, made when they are called: a method of an early value that needs a late layer."""

OWN_WAYS = {
    ("promptfoo", "stats"): "nothing on the way to a verdict may load numpy",
    ("promptfoo", "calibration"): "nothing on the way to a verdict may load numpy",
    ("stats", "rubrics"): "statistics know arrays",
    ("stats", "judges"): "statistics know arrays",
}


def _modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def _layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("markscheme."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "markscheme":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (a.name.split(".")[1] for a in node.names if a.name.startswith("markscheme."))


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_from_the_layers_above_it(path: Path) -> None:
    layer = _layer(path)
    assert layer in LAYERS, f"{layer} has no place in the order of layers"
    for name in _imported(path):
        if name == layer or (layer, name) in UPWARDS:
            continue
        assert name in LAYERS, f"{path.name} imports {name}, which has no place"
        assert LAYERS.index(name) < LAYERS.index(layer), f"{path.name} imports {name}, which stands below {layer}"
        assert (layer, name) not in OWN_WAYS, OWN_WAYS.get((layer, name))


def test_every_layer_that_is_named_is_there() -> None:
    there = {_layer(path) for path in _modules()}
    assert set(LAYERS) == there
