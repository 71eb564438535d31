"""The house: which module may import which."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "markscheme"

LAYERS = [
    "errors",
    "text",
    "files",
    "session",
    "phrases",
    "fingerprint",
    "plain_data",
    "trajectory",
    "rubrics",
    "receipt",
    "submission",
    "material",
    "prompt",
    "judges",
    "verdict",
    "score",
    "scorers",
    "grading",
    "grader",
    "sockets",
    "types",
    "autograders",
    "compat",
    "rewards",
    "stats",
    "ratings",
    "promptfoo",
    "assert_grade",
    "pytest_plugin",
    "readers",
    "calibration",
    "improvement",
    "experiment",
    "stress",
    "demo",
    "report",
    "labelling",
    "commands",
    "hooks",
    "cli",
    "__main__",
]
"""A module may import those above it, and those of its own package."""

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
        if name == layer:
            continue
        assert name in LAYERS, f"{path.name} imports {name}, which has no place"
        assert LAYERS.index(name) < LAYERS.index(layer), f"{path.name} imports {name}, which stands below {layer}"
        assert (layer, name) not in OWN_WAYS, OWN_WAYS.get((layer, name))


def _module(path: Path) -> str:
    parts = ("markscheme", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _edges() -> dict[str, set[str]]:
    """What each module imports, wherever in it the import is written: on top, in a function, for type checkers."""
    names = {_module(path) for path in _modules()}
    edges: dict[str, set[str]] = {}
    for path in _modules():
        found: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
        edges[_module(path)] = (found & names) - {_module(path)}
    return edges


def cycle_in(edges: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a ring, in order; empty where there is none."""
    done: set[str] = set()

    def search(module: str, way: list[str]) -> list[str]:
        if module in way:
            return way[way.index(module) :]
        if module in done:
            return []
        for imported in sorted(edges[module]):
            if ring := search(imported, [*way, module]):
                return ring
        done.add(module)
        return []

    return next((ring for module in sorted(edges) if (ring := search(module, []))), [])


def test_no_modules_import_each_other_in_a_ring() -> None:
    assert cycle_in(_edges()) == []


def test_a_ring_is_found_wherever_it_begins() -> None:
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_the_modules_of_the_package_are_read_with_their_imports() -> None:
    edges = _edges()
    assert "markscheme.rubrics.file" in edges["markscheme.compat"]
    assert all(edges[module] for module in ("markscheme.cli", "markscheme.autograders", "markscheme.grading"))


def test_every_layer_that_is_named_is_there() -> None:
    there = {_layer(path) for path in _modules()}
    assert set(LAYERS) == there
