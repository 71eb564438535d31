"""No regular expression of ours needs more than linear time, whatever it is given."""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from markscheme.pages.markup import LANGUAGES
from markscheme.shipped.project.stand_in_judge import WORDS
from tests.backtracking import faults

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "tools", "graders", ".ci", "docs", "skills", "examples")
FLAGS_AT: Mapping[str, int] = {
    **dict.fromkeys(("search", "match", "fullmatch", "findall", "finditer"), 2),
    "compile": 1,
    "split": 3,
    "sub": 4,
    "subn": 4,
}
"""The functions of `re` that take a pattern, and where their flags stand among the arguments."""
INDIRECT: Mapping[str, Iterable[str]] = {
    "hint": LANGUAGES.values(),
    "words": WORDS.values(),
    "'|'.join(map(re.escape, longest_first))": ("<mark>|</mark>",),
    "'|'.join(map(re.escape, texts))": ("FILES|NAME",),
}
"""Patterns that a call names by a variable, by the text of the argument."""
NAMES_OF_OTHERS = "K"
"""Stands for what a pattern takes from elsewhere at run time: names, escaped."""
JAVASCRIPT = re.compile(r"(?:[=(:,!?&|]|\breturn) ?/(?![*/ ])((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[])+)/([gimsuy]*)")
USES_RE = re.compile(r"\bre\.(?:compile|search|match|fullmatch|findall|finditer|subn?|split)\(")
USED = re.compile(r"(?<!\w)(\w+)\.(search|match|fullmatch|findall|finditer|subn?|split)\b")
FEWEST = {"py": 90, "js": 4}
"""A little below the number of patterns there are, so that the search of the source is known to find them."""
SLOW = (
    r"a*a*b",
    r"(a*)*b",
    r"(?:a|a)*b",
    r"(a+)+$",
    r"\s+$",
    r"^(\s*)x",
    r"(?:\w+\s*)+:",
    r"(\w|_)+!",
    r"(?=a*b)c",
    r"<[|].+[|]>",
    r"\{\{\s*([^{}|%]+?)\s*\}\}",
)
FAST = (
    r"\w+",
    r"(?<!a)a+b",
    r"(?<!\s)\s+$",
    r"^[ \t]*x",
    r"\d+(?:\.\d+)?",
    r"\n(?:[^\S\n]*\n)+",
    r"\{\{\s*([^{}|%\s]+(?:\s+[^{}|%\s]+)*)\s*\}\}",
)


@dataclass(frozen=True)
class Expression:
    """A regular expression of the source.

    Attributes:
        at: The file and line.
        pattern: As it is compiled.
        flags: Those of `re`.
        method: How the text is read: from every place (`search`), from its start (`match`), or as a whole.
    """

    at: str
    pattern: str
    flags: int
    method: str


@cache
def expressions() -> Sequence[Expression]:
    """Find every regular expression of the package and its tools."""
    return [*in_python(), *in_javascript()]


def in_python() -> Iterator[Expression]:
    texts = {file: file.read_text(encoding="utf-8") for folder in FOLDERS for file in files(folder, "py")}
    everywhere = methods_by_name(texts.values())
    for file, text in texts.items():
        if not USES_RE.search(text):
            continue
        tree = ast.parse(text)
        names = names_of(file)
        assigned = dict(map(assignment, tree.body))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and function_of_re(node)):
            function = function_of_re(call)
            name = assigned.get(id(call), "")
            used = methods_by_name([text]) if name.startswith("_") else everywhere
            method = strictest(used[name] if function == "compile" else {function})
            for pattern in patterns(call.args[0], names):
                yield Expression(f"{file.relative_to(ROOT)}:{call.lineno}", pattern, flags(call, function), method)


def in_javascript() -> Iterator[Expression]:
    for folder in FOLDERS:
        for suffix in ("js", "mjs"):
            for file in files(folder, suffix):
                for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                    for match in JAVASCRIPT.finditer("" if line.strip().startswith(("*", "//")) else line):
                        yield Expression(f"{file.relative_to(ROOT)}:{number}", match[1], 0, "search")


def files(folder: str, suffix: str) -> list[Path]:
    return sorted((ROOT / folder).rglob(f"*.{suffix}"))


def names_of(file: Path) -> dict[str, Any]:
    """Return the global names by which a module's patterns can be evaluated."""
    source = ROOT / "src"
    if not file.is_relative_to(source):
        return {"re": re}
    return vars(importlib.import_module(".".join(file.relative_to(source).with_suffix("").parts)))


def function_of_re(call: ast.Call) -> str:
    """Return the name of the function of `re` that a call calls; "" if it calls another."""
    function = call.func
    is_re = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re"
    return function.attr if is_re and isinstance(function, ast.Attribute) and function.attr in FLAGS_AT else ""


def assignment(node: ast.stmt) -> tuple[int, str]:
    """Return the identity of an assigned value's node and the name assigned to; "" for any other statement."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return id(node.value), node.target.id
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return id(node.value), node.targets[0].id
    return 0, ""


def methods_by_name(texts: Iterable[str]) -> Mapping[str, set[str]]:
    """Map each name to the pattern methods that are called on it."""
    methods: defaultdict[str, set[str]] = defaultdict(set)
    for text in texts:
        for name, method in USED.findall(text):
            methods[name].add(method)
    return methods


def strictest(methods: set[str]) -> str:
    """Return the strictest method that holds for all uses of a pattern."""
    for method, allowed in (("fullmatch", {"fullmatch"}), ("match", {"match", "fullmatch"})):
        if methods and methods <= allowed:
            return method
    return "search"


def patterns(argument: ast.expr, names: dict[str, Any]) -> Iterable[str]:
    """Return the patterns that an argument may have as its value."""
    if ast.unparse(argument) in INDIRECT:
        return INDIRECT[ast.unparse(argument)]
    if not isinstance(argument, ast.JoinedStr):
        return [evaluated(argument, names)]
    written = ""
    for value in argument.values:
        if isinstance(value, ast.FormattedValue):
            try:
                written += str(evaluated(value.value, names))
            except NameError:
                written += NAMES_OF_OTHERS
        else:
            written += ast.literal_eval(value)
    return [written]


def evaluated(expression: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(expression), "source", "eval"), names)


def flags(call: ast.Call, function: str) -> int:
    """Return the flags that a call passes to `re`."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    passed = [*named, *call.args[FLAGS_AT[function] : FLAGS_AT[function] + 1]]
    return sum(int(evaluated(flag, {"re": re})) for flag in passed)


@pytest.mark.parametrize("pattern", SLOW)
def test_the_search_for_slow_regular_expressions_recognizes_a_slow_expression(pattern: str) -> None:
    assert faults(pattern, re.MULTILINE)


@pytest.mark.parametrize("pattern", FAST)
def test_the_search_for_slow_regular_expressions_does_not_report_a_fast_expression(pattern: str) -> None:
    assert faults(pattern, re.MULTILINE) == []


@pytest.mark.proof
def test_no_regular_expression_takes_more_than_linear_time() -> None:
    for suffix, fewest in FEWEST.items():
        assert sum(f".{suffix}:" in expression.at.replace(".mjs:", ".js:") for expression in expressions()) >= fewest
    slow = {
        f"{expression.at} {expression.pattern}": [
            f"{fault.first!r} and {fault.second!r} share {fault.word!r}" for fault in overlaps
        ]
        for expression in expressions()
        if (overlaps := faults(expression.pattern, expression.flags, method=expression.method))
    }
    assert slow == {}
