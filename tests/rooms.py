"""Figures of the package as a building: a core that knows no feature, and features that are each one folder.

`python -m tests.rooms` prints them, and `tests/test_rooms.py` compares them with `LIMITS`. Sources are read and never
imported. A feature is a folder of `src/markscheme/features/`; `features/__init__.py` lists them, and the package's
`__init__` alone reads that list.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from tests.house import (
    MOST_SHOWN,
    SOURCE,
    STUBS,
    TESTS,
    Figure,
    Limit,
    Module,
    bound_names,
    by_module,
    code_lines,
    is_dataclass,
    lines_of,
    modules_of,
    percentage,
)

PACKAGE = "markscheme"
FACE = PACKAGE
"""The package's own `__init__`, which hands the features to the core."""
LIST = f"{PACKAGE}.features"
"""The module that lists the features; a line of it goes with the feature it is about."""

LIMITS: Mapping[str, Limit] = {
    "imports from the core to features": Limit(0),
    "imports from one feature to another": Limit(0),
    "modules that need a feature to be imported": Limit(0),
    "files outside that name a feature, of the one named most": Limit(3),
    "test files outside its folder that need a feature": Limit(0, slack=0),
    "modules in rings of imports": Limit(0, slack=0),
    "imports by a string": Limit(0, slack=0),
    "code lines of the core": Limit(42760, slack=300),
    "public classes": Limit(581, slack=3),
    "dataclasses": Limit(453, slack=3),
    "options declared in two places": Limit(69, slack=1),
    'defaults that are ""': Limit(20, slack=3),
    "imports inside functions": Limit(179, slack=3),
    "names that could hold anything, % of bound names": Limit(0.9, slack=0.1),
    "docstrings of functions that begin with no verb, %": Limit(1.1, slack=0.5),
    "docstrings of functions that begin in mid-thought, %": Limit(0, slack=0.2),
}
"""They only fall: a thread that was cut once stays cut."""

NAMED_BY: Mapping[str, str] = {
    "agents": r"features\.agents|\b(tool_used|tool_args|tool_order|step_count)\b",
    "cards": r"features\.cards|[jJ]udge_?[cC]ard|\b(verify|read|keep)_card|\bCARD\b",
    "certify": r"features\.certify|CertificateCheck|CertifiedJudges|\b[cC]ascade",
    "batches": r"features\.batches|BatchLedger|BatchRecord|batches_under_way|batches_here",
    "charts": r"features\.charts|(matplotlib|altair)_",
    "compare": r"features\.compare|compare_by_name|Contender|RubricChange|compare_(calibrations|sides)",
    "compatibility": r"features\.compatibility|[aA]utograder",
    "counts": r"features\.counts",
    "decision_models": r"features\.decision_models|DecisionJudge|ProbabilityAudit|probability_audit",
    "demo": r"markscheme\.features\.demo\b|[pP]lanted",
    "discover": r"[dD]iscover|ReadingWork",
    "doubts": r"features\.doubts",
    "drift": r"features\.drift|CriterionDrift|[dD]rift_(since|findings)|\baccount\b",
    "experiment": r"ExperimentError|(is|read)_experiment|features\.experiment",
    "improve": r"features\.improve|ImprovementRe?|ImprovableSet|TrialPart|held_out_needed",
    "grader_texts": r"features\.grader_texts|score_rubric|text_reading",
    "init": r"new_project|features\.init",
    "json_replies": r"features\.json_replies",
    "label": r"features\.label|LabelFile|open_work|[pP]air_?[dD]esign|choose_next|needs_of|labelling page",
    "lint": r"features\.lint|\blint_file",
    "local_judge": r"features\.local_judge|LocalJudge|GGUF|xllamacpp",
    "media": r"features\.media|MediaOptions|SightTest|media_options",
    "mistaken_calls": r"features\.mistaken_calls",
    "other_tools": r"features\.other_tools|Import(Run|Request)|is_of_tool|promptfoo_config|[lL]ang(fuse|smith)",
    "pairs": r"features\.pairs|select.?best",
    "published": r"features\.published|PublishedRubric|published_rubric",
    "pass_rate": r"features\.pass_rate|RunWorth|run_worth|run_summary|gate_risk|table_of_runs",
    "rows": r"features\.rows\b|RowsCalibration|verdict_shares",
    "status": r"[rR]ubric_?[sS]tatus|\bstatus_view",
    "stress": r"\bstress|[pP]erturb",
}
"""By feature, the words in code by which other modules speak of it."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


HOLDS_ANYTHING = words(
    "found said one given each there own kept known asked told held other another those these such place part entry "
    "number what at now thing item way much many rest both left done"
)
"""Names that fit any value; a reader has to look up what they hold."""
COMMANDS_OF_DOCSTRINGS = words(
    "accept add allow append apply arrange ask assert assign average begin bind build call cancel check choose "
    "classify clean close collect combine compare complete compute connect convert copy count create cut decide "
    "declare decode define delete describe detect determine divide draw drop encode end ensure enter estimate "
    "evaluate exclude execute expand explain export extend extract fail fetch fill filter find finish fit flatten "
    "fold follow forget format gather get give grade group handle hash hide hold import infer insert inspect install "
    "iterate join judge keep label leave let limit link list load locate lock log look make map mark match measure "
    "merge move name normalize offer open order parse pass pick plan plot predict prepare prevent print propose "
    "prove put raise rank rate read recognize record reduce refuse register release remember remove rename render "
    "repeat replace report require reserve reset resolve restore return reverse rewrite round run sample save say "
    "score search select send separate serve set settle show simulate skip solve sort split start stop store strip "
    "sum swap take tell test throw tie translate trim truncate try tune turn undo unpack update use validate verify "
    "wait walk warn watch weigh wrap write yield"
)
"""Verbs with which the docstring of a function may begin."""
IN_MID_THOUGHT = words(
    "what how why which who whose where when whether it its they their that this these those one ones each both either "
    "neither for as with by of in on at from to into under over without within between likewise also so such if unless "
    "none no not any every same others"
)
"""First words that need the sentence before them."""
SAME_IN_ALL_COMMANDS = words("name path text judge rubric json details ask examples split id group")
"""Parameters that mean what a command is about, and no option of it."""
ENOUGH_TO_CARRY = 3
"""Fields of options in a dataclass that make it one more place where these are declared."""


# --- imports ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Import:
    """One import of a module of ours, and its manner: on top, in a function, for types or by a string."""

    importer: str
    imported: str
    manner: str
    line: int

    def __str__(self) -> str:
        """Say where it is, and what it imports."""
        return f"{self.importer}:{self.line} {self.imported} ({self.manner})"


def dotted(module: Module) -> str:
    """Return the name by which a module of the package, or that of a stub, is imported."""
    return ".".join([PACKAGE, *module.name.rpartition(".")[0].split("/")]).removesuffix(".__init__")


def feature_of(name: str) -> str:
    """Return the feature in whose folder a module lies, or "" for one of the core."""
    return name.split(".")[2] if name.startswith(f"{LIST}.") else ""


def imports_of(module: Module, known: Iterable[str]) -> list[Import]:
    """List the imports of the package's own modules in a module, however they import."""
    name = dotted(module)
    home = name if module.name.endswith("__init__.py") else name.rpartition(".")[0]
    names = frozenset(known)

    found: list[Import] = []
    for node, manner in importing_nodes(module):
        for imported in imported_by(node, home, names):
            while imported not in names and imported:
                imported = imported.rpartition(".")[0]
            if imported and imported != name:
                found.append(Import(name, imported, manner, getattr(node, "lineno", 0)))
    return sorted(found, key=lambda edge: edge.line)


def importing_nodes(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield the nodes of a module that may import another, with the manner of doing so."""
    for_types = lines_for_types(module)
    in_functions = lines_in_functions(module)
    for node in module.nodes:
        if isinstance(node, ast.Call):
            yield node, "by a string"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            is_inside = node.lineno in in_functions
            yield node, "for types" if node.lineno in for_types else "in a function" if is_inside else "on top"


def lines_in_functions(module: Module) -> set[int]:
    """Return the numbers of the lines of a module's functions."""
    functions = [node for node in module.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return set[int]().union(*map(lines_of, functions))


def lines_for_types(module: Module) -> set[int]:
    """Return the numbers of the lines that only a type checker runs."""
    conditions = [node for node in module.nodes if isinstance(node, ast.If)]
    for_types = [node for node in conditions if ast.unparse(node.test).endswith("TYPE_CHECKING")]
    return {line for node in for_types for statement in node.body for line in lines_of(statement)}


def imported_by(node: ast.AST, home: str, names: frozenset[str]) -> Iterator[str]:
    """Yield the names of what a node itself imports."""
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=module, level=level, names=aliases):
            above = ".".join(home.split(".")[: len(home.split(".")) - level + 1]) if level else ""
            base = ".".join(filter(None, (above, module)))
            inner = [f"{base}.{alias.name}" for alias in aliases]
            yield from (full if full in names else base for full in inner)
        case ast.Call():
            text = string_import(node)
            if text:
                yield text


def string_import(call: ast.Call) -> str:
    """Return the module of ours that a call names by a string, as far as it stands in the text, or "".

    `import_module` takes a module's name; an entry point is the name of a module and, after a colon, of what is in it.
    """
    argument = next(iter(call.args), None)
    pieces = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
    texts = [piece.value if isinstance(piece, ast.Constant) else "" for piece in pieces]
    named = re.match(rf"{PACKAGE}(\.\w+)*", texts[0]) if texts and isinstance(texts[0], str) else None
    if named is None:
        return ""
    imports = ast.unparse(call.func).rpartition(".")[2] in ("import_module", "__import__")
    is_entry_point = any(isinstance(text, str) and ":" in text for text in texts)
    return named[0] if imports or is_entry_point else ""


def is_own_face(edge: Import, modules: Mapping[str, Module]) -> bool:
    """Return True where a package hands on the names of its own modules when they are first used."""
    return modules[edge.importer].name.endswith("__init__.py") and edge.imported.startswith(edge.importer)


def names_in(stub: Module) -> dict[str, str]:
    """Map the names that a stub declares to the modules they come from."""
    lines = [node for node in stub.tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in lines for alias in node.names}


def faces_of(stubs: Iterable[Module]) -> dict[str, str]:
    """Map paths that programs know to the feature behind them, or to "": modules, and in them the names of features.

    Such a module of the core gets a feature's names when it runs, so only the stub next to it says which. The lines
    about a feature are deleted from the stub with the feature.
    """
    faces: dict[str, str] = {}
    for stub in stubs:
        features = {name: feature_of(home) for name, home in names_in(stub).items()}
        faces |= {f"{dotted(stub)}.{name}": feature for name, feature in features.items() if feature}
        behind = set(features.values())
        faces[dotted(stub)] = behind.pop() if len(behind) == 1 else ""
    return faces


# --- what imports lead to ---------------------------------------------------------------------------------------------


def reached(start: str, graph: Mapping[str, set[str]]) -> set[str]:
    """Return all that is reached from a node of a graph, itself only by a ring."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        further = graph.get(waiting.pop(), set()) - seen
        seen |= further
        waiting += further
    return seen


def rings_in(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the groups of modules that import each other in a ring, the largest first."""
    beyond = {name: reached(name, graph) for name in graph}
    rings = {
        frozenset(other for other in beyond[name] if name in beyond[other]) for name in graph if name in beyond[name]
    }
    return sorted(map(set, rings), key=lambda ring: (-len(ring), min(ring)))


def broken_without(feature: str, imports: Sequence[Import], names: Iterable[str]) -> set[str]:
    """Return the modules outside a feature that cannot be imported without its folder."""
    importers: dict[str, set[str]] = defaultdict(set)
    for edge in imports:
        if edge.manner == "on top" and not (edge.importer == LIST and feature_of(edge.imported) == feature):
            importers[edge.imported].add(edge.importer)
    for name in names:
        importers[name.rpartition(".")[0]].add(name)  # to import a module runs the packages it lies in
    lost = {name for name in names if feature_of(name) == feature}
    return {name for start in lost for name in reached(start, importers)} - lost


# --- words ------------------------------------------------------------------------------------------------------------


PIECES = re.compile(r'''#[^\n]*|\w*"""(?:[^\\]|\\.)*?"""|\w*"(?:[^"\\]|\\.)*"|\w*'(?:[^'\\]|\\.)*'|\w+''', re.DOTALL)
"""Comments, texts and words of a program; `tokenize` finds the same in four times the time."""


@cache
def words_of_code(module: Module) -> str:
    """Return the names and texts of a module's code, one a line, without docstrings and comments."""
    pieces = set(PIECES.findall(module.text))
    return "\n".join(sorted(piece for piece in pieces if not piece.lstrip("rRbBuUfF").startswith(("#", '"""'))))


def files_that_name(feature: str, modules: Mapping[str, Module]) -> list[str]:
    """List the modules outside a feature whose code speaks of it."""
    pattern = re.compile(NAMED_BY.get(feature) or rf"\b{feature}\b")
    outside = (module for name, module in modules.items() if feature_of(name) != feature and name not in (FACE, LIST))
    return [module.name for module in outside if pattern.search(words_of_code(module))]


def first_word(docstring: str) -> str:
    """Return a docstring's first word in lower case; of `The same …`, the second."""
    first, second, *_ = [*re.findall(r"[a-z][a-z'-]*", docstring.lower()), "", ""]
    return second if (first, second) in (("the", "same"), ("the", "one"), ("the", "rest")) else first


def is_command(word: str) -> bool:
    """Return True if a word is one of the verbs with which docstrings begin, such as "return" or "returns"."""
    return not COMMANDS_OF_DOCSTRINGS.isdisjoint({word, word.removesuffix("s"), word.removesuffix("es")})


def documented_functions(module: Module) -> Iterator[tuple[str, str]]:
    """Yield the place and the docstring of each function that has one; a property is described like an attribute."""
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_property = any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
            text = ast.get_docstring(node)
            if text and not is_property:
                yield module.at(node, node.name), text


def empty_defaults(module: Module) -> Iterator[str]:
    """Yield the fields and parameters whose default is an empty text."""
    for node in module.nodes:
        if isinstance(node, ast.arguments):
            positional = [*node.posonlyargs, *node.args]
            last = positional[len(positional) - len(node.defaults) :]
            pairs = [*zip(last, node.defaults, strict=True), *zip(node.kwonlyargs, node.kw_defaults, strict=True)]
            yield from (module.at(arg, arg.arg) for arg, default in pairs if is_empty(default))
        elif isinstance(node, ast.ClassDef):
            fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
            yield from (module.at(line, ast.unparse(line.target)) for line in fields if is_empty(line.value))


def is_empty(default: ast.expr | None) -> bool:
    """Return True if a default is the empty text."""
    return isinstance(default, ast.Constant) and default.value == ""


def imports_in_functions(module: Module) -> set[str]:
    """Return the places of import statements inside functions."""
    in_functions = lines_in_functions(module)
    imports = [node for node in module.nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return {module.at(node, ast.unparse(node)) for node in imports if node.lineno in in_functions}


# --- options ----------------------------------------------------------------------------------------------------------


def fields_of(node: ast.ClassDef) -> list[str]:
    """List the fields of a class that have a default."""
    return [
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value
    ]


def is_of_options(node: ast.ClassDef) -> bool:
    """Return True for a family of options, by its name."""
    return node.name.endswith(("Options", "Flags"))


def functions_on_top(module: Module) -> Iterator[ast.FunctionDef]:
    """Yield a module's public functions."""
    for node in module.tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node


def homes_of_options(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Return the places where each option is declared.

    These are families of options, commands, functions that the package exports, tables of settings, and dataclasses
    that carry several options further.
    """
    face = modules.get(FACE)
    exported = {
        (node.module, alias.name)
        for node in (face.nodes if face else ())
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    options: set[str] = set()
    homes: dict[str, set[str]] = defaultdict(set)
    classes = [
        (name, node) for name, module in modules.items() for node in module.nodes if isinstance(node, ast.ClassDef)
    ]
    commands = {name for name in modules if re.search(rf"^{PACKAGE}\.commands\.|\.command(_\w+)?$", name)}
    for name, node in classes:
        if is_of_options(node) and (name in commands or "options" in name):
            options.update(fields_of(node))
    for name, module in modules.items():
        for function in functions_on_top(module):
            if name in commands and is_command_of(function.name, name):
                options.update(arg.arg for arg in function.args.kwonlyargs)
            if name in commands or (name, function.name) in exported:
                for arg in [*function.args.args, *function.args.kwonlyargs]:
                    homes[arg.arg].add(f"{name}.{function.name}")
        for table, key in keys_of_tables(module):
            homes[key].add(f"{name}.{table}")
    for name, node in classes:
        shared = options.intersection(fields_of(node))
        if is_of_options(node) or (is_dataclass(node) and len(shared) >= ENOUGH_TO_CARRY):
            for option in shared:
                homes[option].add(f"{name}.{node.name}")
    return {option: homes[option] for option in sorted(options - SAME_IN_ALL_COMMANDS)}


def is_command_of(function: str, module: str) -> bool:
    """Return True if a function is the command of a module, which has its name, that of its feature, or begins so."""
    stem = module.rpartition(".")[2]
    begins = stem.removeprefix("command_")
    return function in (stem, feature_of(module)) or (begins != stem and function.startswith(begins))


def keys_of_tables(module: Module) -> Iterator[tuple[str, str]]:
    """Yield the keys of tables of settings, by the name of the table."""
    for node in module.tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
            table = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            if table.endswith(("KEYS", "OPTIONS")):
                yield from ((table, str(key.value)) for key in node.value.keys if isinstance(key, ast.Constant))


# --- tests ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FilesOfTests:
    """The files in a folder of tests."""

    files: Mapping[str, Module]
    features: frozenset[str]
    faces: Mapping[str, str]

    @cached_property
    def by_name(self) -> dict[str, str]:
        """Map the names by which test files are imported to the files."""
        return {"tests." + path.removesuffix(".py").replace("/", "."): path for path in self.files}

    @cached_property
    def imported(self) -> dict[str, set[str]]:
        """Map each test file to the names of all that it imports."""
        return {path: self._names_in(path) for path in self.files}

    @cached_property
    def helpers(self) -> dict[str, set[str]]:
        """Map each test file to the test files that it imports."""
        return {
            path: {self.by_name[name] for name in names if name in self.by_name}
            for path, names in self.imported.items()
        }

    @cached_property
    def run(self) -> dict[str, set[str]]:
        """Map each test file to the features whose commands it runs."""
        return {path: self._commands_in(path) for path in self.files}

    def _names_in(self, path: str) -> set[str]:
        names: set[str] = set()
        for node in self.files[path].nodes:
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
        return names

    def _commands_in(self, path: str) -> set[str]:
        calls = [node for node in self.files[path].nodes if isinstance(node, ast.Call) and node.args]
        words = [first_text(call) for call in calls if last_name(call.func) in RUNNERS]
        return {word.replace("-", "_") for word in words} & self.features

    def needs(self, path: str) -> set[str]:
        """Return the features that a file needs, by itself and by its helpers, and that don't belong to its folder.

        A feature's tests import it and run its commands; tests of several features together only run their commands.
        """
        home = path.split("/")[1] if path.startswith("features/") else ""
        files = {path, *reached(path, self.helpers)}
        imported = {feature_of(name) or self.faces.get(name, "") for file in files for name in self.imported[file]}
        run = {feature for file in files for feature in self.run[file]}
        return (imported - {home} | run - {*home.split(TOGETHER)}) & self.features

    def ties(self) -> list[str]:
        """List the test files that need a feature in whose folder of tests they don't lie."""
        tests = [path for path in self.files if path.rpartition("/")[2].startswith("test_")]
        needed = {path: self.needs(path) for path in tests} if self.features else {}
        return [f"{path}: {', '.join(sorted(features))}" for path, features in sorted(needed.items()) if features]


TOGETHER = "_and_"
"""Stands between the names of features whose tests lie in one folder, which is deleted with either."""
RUNNERS = ("run", "main", "console", "markscheme")
"""Functions with which tests run a command."""


def last_name(function: ast.expr) -> str:
    """Return the name by which a function is called, without what it is an attribute of."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def first_text(call: ast.Call) -> str:
    """Return the first word of the command that a call runs, or ""."""
    first = call.args[0]
    words = first.elts if isinstance(first, ast.List | ast.Tuple) else call.args
    texts = [word.value for word in words if isinstance(word, ast.Constant) and isinstance(word.value, str)]
    return next((text for text in texts if text != PACKAGE), "")


# --- the figures ------------------------------------------------------------------------------------------------------


def counted(places: Iterable[object]) -> Figure:
    """Make the figure that counts some places."""
    texts = tuple(map(str, places))
    return Figure(len(texts), texts)


def named_most(by_feature: Mapping[str, list[str]]) -> Figure:
    """Make the figure that counts the places of the feature that has most of them."""
    most = max(by_feature, key=lambda feature: len(by_feature[feature]), default="")
    places = by_feature.get(most, [])
    return Figure(len(places), tuple(f"{most}: {place}" for place in places))


def figures_of(
    sources: Iterable[Module], tests: Iterable[Module] = (), stubs: Iterable[Module] = ()
) -> dict[str, Figure]:
    """Measure the package, with its tests and its stubs."""
    modules = {dotted(module): module for module in sources}
    imports = [edge for module in modules.values() for edge in imports_of(module, modules)]
    features = sorted({feature_of(name) for name in modules} - {""})
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for edge in imports:
        if not is_own_face(edge, modules):
            graph[edge.importer].add(edge.imported)
    faces = faces_of(stubs)
    reserved = {FACE, LIST, *faces}
    between = [edge for edge in imports if feature_of(edge.importer) and feature_of(edge.imported)]
    inward = [
        edge
        for edge in imports
        if not feature_of(edge.importer)
        and edge.importer not in (FACE, LIST)
        and (feature_of(edge.imported) or edge.imported in reserved)
    ]
    files = FilesOfTests({module.name: module for module in tests}, frozenset(features), faces)
    return {
        "imports from the core to features": counted(inward),
        "imports from one feature to another": counted(
            edge for edge in between if feature_of(edge.importer) != feature_of(edge.imported)
        ),
        "modules that need a feature to be imported": counted(
            f"{name} needs {feature}"
            for feature in features
            for name in sorted(broken_without(feature, imports, modules))
        ),
        "files outside that name a feature, of the one named most": named_most(
            {feature: files_that_name(feature, modules) for feature in features}
        ),
        "test files outside its folder that need a feature": counted(files.ties()),
        "modules in rings of imports": counted(name for ring in rings_in(graph) for name in sorted(ring)),
        "imports by a string": counted(
            edge for edge in imports if edge.manner == "by a string" and not is_own_face(edge, modules)
        ),
        **figures_of_style(modules),
    }


def figures_of_style(modules: Mapping[str, Module]) -> dict[str, Figure]:
    """Measure the figures of style, such as counts of options and the shares of clear names and docstrings."""
    classes = [(module, node) for module in modules.values() for node in module.nodes if isinstance(node, ast.ClassDef)]
    core = sum(code_lines(module) for name, module in modules.items() if not feature_of(name))
    bound = [(module.at(node, name), name) for module in modules.values() for node, name in bound_names(module)]
    vague = [place for place, name in bound if name.strip("_").lower() in HOLDS_ANYTHING]
    documented = [pair for module in modules.values() for pair in documented_functions(module)]
    riddles = [place for place, text in documented if first_word(text) in IN_MID_THOUGHT]
    verbless = [place for place, text in documented if not is_command(first_word(text))]
    homes = homes_of_options(modules)
    return {
        "code lines of the core": Figure(core),
        "public classes": counted(module.at(node, node.name) for module, node in classes if node.name[0] != "_"),
        "dataclasses": counted(module.at(node, node.name) for module, node in classes if is_dataclass(node)),
        "options declared in two places": counted(
            f"{option}: {', '.join(sorted(places))}" for option, places in homes.items() if len(places) > 1
        ),
        'defaults that are ""': counted(place for module in modules.values() for place in empty_defaults(module)),
        "imports inside functions": counted(
            place for module in modules.values() for place in sorted(imports_in_functions(module))
        ),
        "names that could hold anything, % of bound names": share_of(vague, len(bound)),
        "docstrings of functions that begin with no verb, %": share_of(verbless, len(documented)),
        "docstrings of functions that begin in mid-thought, %": share_of(riddles, len(documented)),
    }


def share_of(places: list[str], whole: int) -> Figure:
    """Make the figure of a share in per cent."""
    return Figure(percentage(len(places), whole), by_module(places))


def main() -> int:
    """Print all figures with their limits; return the exit status, 1 if a limit is exceeded."""
    figures = figures_of(modules_of(SOURCE), modules_of(TESTS), modules_of(SOURCE, STUBS))
    exceeded = {name for name, figure in figures.items() if figure.value > LIMITS[name].most}
    for name, figure in figures.items():
        print(f"{name}: {figure.value:g} (at most {LIMITS[name].most:g})")
        if name in exceeded:
            print(*(f"    {place}" for place in figure.places[:MOST_SHOWN]), sep="\n")
    return int(bool(exceeded))


if __name__ == "__main__":
    sys.exit(main())
