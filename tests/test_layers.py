"""The layers of the package: which module may import which."""

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from markscheme.session.client import AFTER_VERDICTS
from tests.syntax import nodes_in, walk

SOURCE = Path(__file__).parents[1] / "src" / "markscheme"

FACES_OF_A_FEATURE = {"autograders", "rewards", "types"}
"""Paths that programs know, which are deleted with the feature that is behind all of them."""
LAYERS = [
    "seam",
    "public_names",
    "errors",
    "text",
    "numerals",
    "json_text",
    "files",
    "git",
    "user_code",
    "shipped",
    "session",
    "phrases",
    "progress",
    "fingerprint",
    "plain_data",
    "row_files",
    "options",
    "rubrics",
    "prompts",
    "judges",
    "grading",
    "scorers",
    "types",
    "autograders",
    "rewards",
    "stats",
    "ratings",
    "sockets",
    "promptfoo",
    "assert_grade",
    "pytest_plugin",
    "readers",
    "calibration",
    "pages",
    "report",
    "commands",
    "features",
    "core_options",
    "hooks",
    "cli",
    "__main__",
]
"""A module may import those above it, and those of its own package, as long as its parts import each other one way."""

OWN_WAYS = {
    ("promptfoo", "stats"): "nothing on the way to a verdict may load numpy",
    ("promptfoo", "calibration"): "nothing on the way to a verdict may load numpy",
    ("stats", "rubrics"): "statistics know arrays",
    ("stats", "judges"): "statistics know arrays",
    ("stats", "phrases"): "statistics have codes; `report/words.py` has their sentences",
}


DECISIONS = re.compile(r"gat(e|es|ing)|trends?|drift(s|ed|ing)?", re.I)
"""Words of what is decided by figures, whole or as parts of names; they belong to `calibration.comparison.policy`."""


FOR_THE_START = "a fresh interpreter starts faster without it, and most runs never need it"
SDK = "the SDK behind it takes up to a second to import, and one judge needs it"
ACCEPTED = "many runs have no accepted run to be compared with, and join none"
OPTIONAL = "an extra, which a plain installation lacks"

LATE: dict[str, dict[str, str]] = {
    "commands": {"*": "`--help`, completion and errors of usage answer before numpy is loaded"},
    "features": {"*": "help reads the declarations of all features, and answers before their work is loaded"},
    "hooks": {"*": "an evaluation pays for the session's start alone until its report is written"},
    "cli": {
        "commands.call": "the commands' parser isn't needed for `--version`",
    },
    "pytest_plugin": {"assert_grade": "every pytest loads the plugin, and few tests grade"},
    "promptfoo.entry": {
        "promptfoo.negation": "an assertion that a session answers loads json and socket alone",
        "promptfoo.in_process": "an assertion that a session answers loads json and socket alone",
    },
    "promptfoo.in_process": {"promptfoo.provider": "an assertion needs no provider"},
    "shipped": {"importlib.metadata": FOR_THE_START},
    "session.client": dict.fromkeys(("fcntl", "subprocess"), "Promptfoo starts it for every assertion"),
    "rubrics.edit": {"ruamel.yaml": FOR_THE_START},
    "errors": {"difflib": FOR_THE_START},
    "prompts.material": {"html": "a text of plain letters has no character references to undo"},
    "judges.open_files": {"resource": "Windows has no such module"},
    "prompts.submission": {"numbers": "few inputs are other data than text"},
    "grading": {
        "f'markscheme.grading.{_HOMES[name]}'": "few who grade need all of its modules, and a session pays for each"
    },
    "grading.by_criterion": {
        "judges.panel": "few rubrics ask a judge several times",
        "grading.checks": "few rubrics have checks by code",
    },
    "grading.grades": {"grading.receipt": "a grade without a calibration has none"},
    "grading.grading": {
        "grading.receipts": "a grade without a calibration has none",
        "grading.checks": "few rubrics have checks by code",
    },
    "grading.checks": {"rapidfuzz.distance": FOR_THE_START},
    "row_files": {"pyarrow.parquet": OPTIONAL},
    "judges.all_calls": {"asyncio": "what tells whether an accepted run is stale writes prompts, and asks nothing"},
    "judges.kinds": {
        "judges": "an adapter is imported with its first judge: the SDK behind it may take a second",
        "importlib.metadata": FOR_THE_START,
    },
    "judges.options": {"*": "every command and assertion reads the table of options, and few of them ask"},
    "judges.price": {"genai_prices": "pydantic comes with it, and only a budget or a report of cost needs it"},
    "judges.connections": {"of_library.__module__.partition('.')[0]": "the HTTP library that the SDK has loaded"},
    "judges.provider": {"self.sdk": SDK, "email.utils": FOR_THE_START},
    "judges": {"platformdirs": FOR_THE_START},
    "judges.registry": {"judges.panel": "few judges are panels"},
    "options.table": {"plain_data": "only a fault needs it"},
    "options.settings": {"tomllib": FOR_THE_START},
    "stats": {"f'markscheme.stats.{_HOMES[name]}'": "numpy comes with most of its modules, and many use one of them"},
    "user_code": {"name": "users name the modules with their code"},
    "calibration.calibration": {"calibration": "a rubric's start needs no table"},
    "calibration.table_frames": {"narwhals": "loaded when a frame comes"},
    "calibration.requests.calibration": {
        "calibration.judge_runs": "asyncio comes with it, and a table's judge isn't asked",
        **dict.fromkeys(
            (
                "calibration",
                "calibration.requests",
                "readers.rated",
            ),
            "a judge that is asked needs no reader",
        ),
        "calibration.accepted.history": ACCEPTED,
    },
    "calibration.labelled_examples": {"readers.rated": "a rubric's own examples need no reader"},
    "calibration.next_labels": {
        "calibration.decision": "numpy and scipy come with it, and `status` reads what a calibration kept",
    },
    "readers.archive": {"zstandard": OPTIONAL},
    "readers.plain_tables": dict.fromkeys(
        ("readers.rated", "readers.tabular.refusals"), "a rubric's start is spared all readers"
    ),
    "readers.tabular.source": {
        "pyarrow": OPTIONAL,
        "python_calamine": "few tables are workbooks",
    },
    "readers.sqlite_files": {"sqlite3": FOR_THE_START},
    "readers.submissions": {"readers": "a response in a file of its own needs no reader"},
    "report.reported": {
        "report.results": "reports of results load when one is asked to show itself",
        "report.table_results": "few results are of tables",
        "report.table_words": "few errors are of tables",
        "report.words": "only a figure that is limited or printed needs words",
    },
    "report.results": {
        "report.plots": "few results are drawn",
        "report.html": "few results become pages",
    },
    "features.charts.charts": dict.fromkeys(
        ("matplotlib", "altair"), "either may be missing, and few results are drawn"
    ),
    "report.sections.run": {"report.table_words": "a rubric's start needs no table"},
    "report.views.calibration": {"report.sections.details": "the first screen has no details"},
}
"""Imports inside functions, by the module or folder they are in, with the reason of each; * is any module.

What is imported may be a folder too, for any of its modules.

A rule for a folder holds for all its modules. What goes against the layers is looked up by name, with `import_module`.
"""


@functools.cache
def _modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def _layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _imported(path: Path) -> Iterator[str]:
    for node in nodes_in(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("markscheme."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "markscheme":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (a.name.split(".")[1] for a in node.names if a.name.startswith("markscheme."))


def test_a_module_of_the_package_imports_only_modules_that_come_before_it_in_the_list_of_layers() -> None:
    assert {_layer(path) for path in _modules()} <= {*LAYERS}
    for path in _modules():
        layer = _layer(path)
        for name in {*_imported(path)} - {layer}:
            assert name in LAYERS, f"{path} imports {name}, which has no place"
            assert LAYERS.index(name) < LAYERS.index(layer), f"{path} imports {name}, which stands below {layer}"
            assert (layer, name) not in OWN_WAYS, f"{path}: {OWN_WAYS.get((layer, name))}"


def test_modules_of_statistics_mention_neither_gates_nor_trends_nor_drift() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in (SOURCE / "stats").glob("*.py")}
    words = [(name, word) for name, text in texts.items() for word in re.findall(r"[a-zA-Z]+", text)]
    assert not [(name, word) for name, word in words if DECISIONS.fullmatch(word)]


def _module(path: Path) -> str:
    parts = ("markscheme", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def late_imports(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names of modules that functions import when they are called."""
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    modules: set[str] = set()
    for node in (inner for function in functions for inner in walk(function)):
        match node:
            case ast.ImportFrom(module=str(module)):
                modules.add(module)
            case ast.Import(names=names):
                modules |= {alias.name for alias in names}
            case ast.Call(func=ast.Name(id="import_module"), args=[ast.Constant(value=str(module))]):
                modules.add(module)
            case ast.Call(func=ast.Name(id="import_module" | "__import__"), args=[computed, *_]):
                modules.add(ast.unparse(computed))
    return {module.removeprefix("markscheme.") for module in modules}


@functools.cache
def _late() -> list[tuple[str, str]]:
    return [
        (_module(path).removeprefix("markscheme."), imported)
        for path in _modules()
        for imported in sorted(late_imports(nodes_in(path)))
    ]


def _rules_of(module: str, imported: str) -> set[tuple[str, str]]:
    """Return the entries of LATE that allow a module to import another inside a function."""
    parts = module.split(".")
    names = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
    allowed = {"*", imported, imported.partition(".")[0]}
    return {(name, what) for name in names for what in LATE.get(name, ()) if what in allowed}


def test_every_import_inside_a_function_is_explained_by_a_listed_reason() -> None:
    unexplained = [f"{module}: {imported}" for module, imported in _late() if not _rules_of(module, imported)]
    assert unexplained == [], "import on top, or add the reason to LATE"


def test_every_listed_reason_for_an_import_inside_a_function_belongs_to_an_existing_import() -> None:
    used = {rule for module, imported in _late() for rule in _rules_of(module, imported)}
    assert {(name, what) for name, reasons in LATE.items() if not _is_deleted(name) for what in reasons} == used


def _is_deleted(name: str) -> bool:
    """Return True for modules of a feature that has been deleted, or of all where none is there."""
    folder, *inner = name.split(".")
    there = {path.parent.name for path in (SOURCE / "features").glob("*/__init__.py")}
    return folder == "features" and there.isdisjoint(inner[:1] or there)


def test_only_modules_of_commands_import_the_argument_parser() -> None:
    parser = "cyclopts"
    knowing = {path for path in _modules() if re.search(rf"\b{parser}\b", path.read_text(encoding="utf-8"))}
    commands = {path for path in knowing if _layer(path) == "commands" or path.stem.startswith("command")}
    assert knowing == commands, "a function of the package takes plain types; a command translates its options"


def test_imports_inside_functions_are_found_in_import_statements_and_in_calls_of_import_module() -> None:
    text = """
import sys
def load(name):
    import json
    from markscheme.text import escaped
    import_module(name)
    return import_module("markscheme.files")
"""
    assert late_imports(walk(ast.parse(text))) == {"json", "text", "files", "name"}


@functools.cache
def _edges() -> dict[str, set[str]]:
    """Map each module to the modules it imports, at the top, in functions and for type checkers."""
    names = {_module(path) for path in _modules()}
    edges: dict[str, set[str]] = {}
    for path in _modules():
        imported: set[str] = set()
        for node in nodes_in(path):
            if isinstance(node, ast.ImportFrom) and node.module:
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                imported |= {name if name in names else node.module for name in inner}
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
        edges[_module(path)] = (imported & names) - {_module(path)}
    return edges


def cycle_in(edges: dict[str, set[str]]) -> list[str]:
    """Return modules that import each other in a cycle, in order; empty if there is no cycle."""
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


def test_no_modules_import_each_other_in_a_cycle() -> None:
    assert cycle_in(_edges()) == []


def inside(package: str, edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """Map each module or folder of a package to those of the package's that it imports."""

    def part(module: str) -> str:
        return module.removeprefix(f"{package}.").partition(".")[0] if module.startswith(f"{package}.") else ""

    parts: dict[str, set[str]] = {part(module): set() for module in edges if part(module)}
    for module in edges:
        if part(module):
            parts[part(module)] |= {part(imported) for imported in edges[module]} - {"", part(module)}
    return parts


@pytest.mark.parametrize(
    "package", ["markscheme", *sorted({_module(path) for path in _modules() if path.name == "__init__.py"})]
)
def test_modules_and_folders_within_each_package_never_import_each_other_in_a_cycle(package: str) -> None:
    assert cycle_in(inside(package, _edges())) == []


def test_an_import_cycle_is_reported_if_a_folder_imports_a_module_that_imports_from_that_folder() -> None:
    edges = {"p.q.low": set[str](), "p.q.high": {"p.m"}, "p.m": {"p.q.low"}, "p.other": {"p.m"}, "z": {"p.m"}}
    assert cycle_in(edges) == []
    assert inside("p", edges) == {"q": {"m"}, "m": {"q"}, "other": {"m"}}
    assert cycle_in(inside("p", edges)) == ["m", "q"]
    assert cycle_in(inside("p.q", edges)) == []


def test_an_import_cycle_is_found_even_if_it_is_not_entered_by_its_first_module() -> None:
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_the_search_for_imports_finds_the_modules_of_the_package_and_what_they_import() -> None:
    edges = _edges()
    assert "markscheme.rubrics.file" in edges["markscheme.rubrics.edit"]
    deep = "markscheme.calibration.comparison.comparison"
    assert all(edges[module] for module in ("markscheme.cli", deep, "markscheme.grading"))


def test_a_session_keeps_running_only_after_code_edits_in_the_layers_after_promptfoo_except_the_features() -> None:
    below = LAYERS[LAYERS.index("promptfoo") + 1 :]
    assert set(below) >= AFTER_VERDICTS
    folders = {layer for layer in below if (SOURCE / layer).is_dir()}
    assert folders - AFTER_VERDICTS == {"features"}, "a feature may add a judge, which verdicts depend on"


def test_every_listed_layer_exists_and_every_module_is_in_a_listed_layer() -> None:
    layers = {_layer(path) for path in _modules()}
    assert layers <= set(LAYERS)
    assert set(LAYERS) - layers in (set(), FACES_OF_A_FEATURE)
