"""Figures of the package's source: how long its modules are, and how well its names and numbers explain themselves.

`python -m tests.house` prints them, and `tests/test_house.py` compares them with `LIMITS`. Cycles are found by
`tests/test_layers.py`.
"""

import ast
import itertools
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.syntax import nodes_of

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "markscheme"
MODULES = "*.py"
STUBS = "*.pyi"
VAGUE = {
    "found",
    "said",
    "one",
    "given",
    "each",
    "there",
    "own",
    "kept",
    "known",
    "asked",
    "told",
    "held",
    "other",
    "another",
    "those",
    "these",
    "such",
}
"""Names that any value, function or class could have: a reader has to look up what they hold."""
MOST_SHOWN = 15
"""Places that a failure lists; the author of a new one finds it among them."""


@dataclass(frozen=True)
class Limit:
    """The limit of a figure, and how far below it the figure may lie.

    Attributes:
        most: The figure may not exceed it. Lower it when the figure falls; never raise it.
        slack: How far the figure may lie below it before it has to be lowered.
    """

    most: float
    slack: float = math.inf


LIMITS: Mapping[str, Limit] = {
    "code lines of the longest module": Limit(500),
    "vague names, % of bound names": Limit(0.06, slack=0.02),
    "paired assignments, % of assignments": Limit(0.1, slack=0.1),
    "numeric constants without a reason": Limit(0),
    "public names bound in two modules": Limit(4, slack=2),
}
"""They only fall: what was made clear once stays clear."""
VAGUE_IN_TESTS = Limit(0.95, slack=0.15)
"""The same of vague names in tests, their fixtures and what they share."""


@dataclass(frozen=True)
class Module:
    """One module's source."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The module's syntax tree."""
        module = self.nodes[0]
        assert isinstance(module, ast.Module)
        return module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the module's syntax tree."""
        return nodes_of(self.text)

    def at(self, node: ast.AST, name: str = "") -> str:
        """Return a node's file and line in the form that an editor opens."""
        return f"{self.name}:{getattr(node, 'lineno', 0)} {name}".rstrip()


@dataclass(frozen=True)
class Figure:
    """The value of a measure, with the places in the source that it counted."""

    value: float
    places: tuple[str, ...] = ()


# --- what is counted ------------------------------------------------------------------------------------------------


def code_lines(module: Module) -> int:
    """Return the lines with code, without docstrings, comments and blank lines."""
    written = {
        number
        for number, line in enumerate(module.text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    strings = [node for node in module.nodes if isinstance(node, ast.Constant | ast.JoinedStr)]
    docstrings = [node for node in module.nodes if isinstance(node, ast.Expr) and is_docstring(node)]
    return len(written.union(*map(lines_of, strings)).difference(*map(lines_of, docstrings)))


def lines_of(node: ast.expr | ast.stmt) -> range:
    """Return the numbers of a node's lines."""
    return range(node.lineno, (node.end_lineno or 0) + 1)


def is_docstring(node: ast.AST | None) -> bool:
    """Return True if a statement is only a string, such as a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def bound_names(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield the names of all variables, parameters, functions and classes, with their nodes."""
    for node in module.nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node, node.id
        elif isinstance(node, ast.arg):
            yield node, node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node, node.name


def is_vague(name: str) -> bool:
    """Return True if a name is one of those that say nothing, ignoring case and underscores."""
    return name.strip("_").lower() in VAGUE


def assignments(module: Module) -> list[ast.Assign]:
    """Yield the statements that give values to names."""
    return [node for node in module.nodes if isinstance(node, ast.Assign)]


def is_paired(assignment: ast.Assign) -> bool:
    """Return True if an assignment is really two statements on one line: `a, b = f(x), g(y)`."""
    working = (ast.Call, ast.Attribute, ast.Subscript, ast.BinOp)
    return (
        isinstance(assignment.targets[0], ast.Tuple)
        and isinstance(assignment.value, ast.Tuple)
        and any(isinstance(part, working) for part in assignment.value.elts)
    )


def names_on_top(module: Module) -> Iterator[tuple[ast.stmt, str]]:
    """Yield the classes, constants and aliases at the top level of a module."""
    for node in module.tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if isinstance(node, ast.ClassDef):
            names.append(node.name)
        yield from ((node, name) for name in names)


def public_names(module: Module) -> Iterator[tuple[ast.stmt, str]]:
    """Yield the public classes, constants and aliases at the top level of a module."""
    yield from ((node, name) for node, name in names_on_top(module) if not name.startswith("_"))


def is_number(node: ast.AST | None) -> bool:
    """Return True if an expression is a number or computed from numbers only."""
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
    return False


def unexplained_constants(module: Module) -> list[str]:
    """Yield the numeric constants without a docstring below them."""
    body = module.tree.body
    explained = {above for above, below in itertools.pairwise(body) if is_docstring(below)}
    return [
        module.at(node, name)
        for node, name in names_on_top(module)
        if is_number(getattr(node, "value", None)) and node not in explained
    ]


def is_dataclass(node: ast.AST) -> bool:
    """Return True if a node is a class with the decorator `dataclass`."""
    return isinstance(node, ast.ClassDef) and any(
        "dataclass" in ast.unparse(decorator) for decorator in node.decorator_list
    )


# --- the figures ----------------------------------------------------------------------------------------------------


def modules_of(folder: Path, pattern: str = MODULES) -> list[Module]:
    """All modules in a folder, or other files of Python, by path."""
    paths = sorted(folder.rglob(pattern))
    return [Module(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")) for path in paths]


def figures_of(modules: list[Module]) -> dict[str, Figure]:
    """Measure all figures that have a limit, by name."""
    lengths = {module.name: code_lines(module) for module in modules}
    longest = sorted(lengths, key=lambda name: -lengths[name])
    assigned = [(module, node) for module in modules for node in assignments(module)]
    paired = [module.at(node) for module, node in assigned if is_paired(node)]
    unexplained = [place for module in modules for place in unexplained_constants(module)]
    homes: dict[str, set[str]] = defaultdict(set)
    for module in modules:
        for _, name in public_names(module):
            homes[name].add(module.name)
    shared = {name: sorted(files) for name, files in sorted(homes.items()) if len(files) > 1}
    return {
        "code lines of the longest module": Figure(
            lengths[longest[0]], tuple(f"{name} {lengths[name]}" for name in longest)
        ),
        "vague names, % of bound names": vague_names(modules),
        "paired assignments, % of assignments": Figure(percentage(len(paired), len(assigned)), by_module(paired)),
        "numeric constants without a reason": Figure(len(unexplained), tuple(unexplained)),
        "public names bound in two modules": Figure(
            len(shared), tuple(f"{name}: {', '.join(files)}" for name, files in shared.items())
        ),
    }


def vague_names(modules: list[Module]) -> Figure:
    """Measure the share of names that say nothing."""
    names = [(module, node, name) for module in modules for node, name in bound_names(module)]
    vague = [module.at(node, name) for module, node, name in names if is_vague(name)]
    return Figure(percentage(len(vague), len(names)), by_module(vague))


def percentage(part: int, whole: int) -> float:
    """Compute a share in per cent, to two decimals."""
    return round(100 * part / max(whole, 1), 2)


def by_module(places: list[str]) -> tuple[str, ...]:
    """Count places by module, the most first, each with its first place."""
    counts = Counter(place.partition(":")[0] for place in places)
    first = {place.partition(":")[0]: place for place in reversed(places)}
    return tuple(f"{name} {n}, first {first[name]}" for name, n in counts.most_common())


def main() -> int:
    """Print all figures with their limits; return the exit status, 1 if a limit is exceeded."""
    modules = modules_of(SOURCE)
    classes = sum(is_dataclass(node) for module in modules for node in module.nodes)
    print(f"{len(modules)} modules, {sum(map(code_lines, modules))} code lines, {classes} dataclasses")
    figures = figures_of(modules)
    for name, figure in figures.items():
        print(f"{name}: {figure.value:g} (at most {LIMITS[name].most:g})")
    return int(any(figure.value > LIMITS[name].most for name, figure in figures.items()))


if __name__ == "__main__":
    sys.exit(main())
