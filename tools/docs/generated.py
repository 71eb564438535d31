"""Pages and links that each build of the site generates, so that they can't become stale.

The commands come from their functions, the keys of a rubric from its schema, the Python names from `__all__`; what a
page links to outside `docs/` (results of benchmarks, the changelog) becomes a page or a file of the site.
"""

import inspect
import json
import posixpath
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markscheme.commands.help import Description, Option

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OUTSIDE = "repository"
"""The path on the site of files that are not in `docs/`."""
SAMPLE_REPORT = "sample-report.html"
"""The page that `calibrate --html` writes of the repository's own labelled set, from recorded replies."""
BOOSTS = {
    "howto/": 4.0,
    "tutorial": 2.0,
    "outputs": 2.0,
    "privacy": 4.0,
    "install": 4.0,
    "reference/commands": 0.5,
    "reference/configuration": 1.0,
    "reference/formats": 1.0,
    "reference/exit-statuses": 1.0,
    "reference/": 0.02,
    "decisions/": 0.1,
    "faults": 0.2,
    f"{OUTSIDE}/": 0.002,
}
"""What readers look for first: how to do something; last, benchmarks, the changelog and signatures. The first beginning
of a page's path that fits counts."""
LINK = re.compile(r"(\]\()([^()#\s:]+)(?=[)#])")
PYTHON = {
    "rubrics-and-grades": (
        "Rubrics, submissions and grades",
        [
            "rubrics.rubric",
            "rubrics.criterion",
            "rubrics.file",
            "rubrics.advice",
            "features.lint.lint",
            "prompts.submission",
            "prompts.steps",
            "features.media.media",
            "grading.grades",
            "grading.grading",
            "grading.strategies",
            "grading.by_criterion",
            "grading.receipt",
            "grading.receipts",
            "grading.grader",
            "grading.verdict",
            "grading.score",
            "features.compatibility.rewards",
        ],
    ),
    "judges": (
        "Judges",
        [
            "judges.judge",
            "judges.registry",
            "judges.choice",
            "judges.anthropic",
            "judges.openai",
            "features.local_judge.judge",
            "judges.function",
            "judges.recorded",
            "judges.scripted",
            "judges.panel",
            "judges.remembering",
            "judges.limited",
            "judges.price",
        ],
    ),
    "examples-and-ratings": ("Examples and ratings", ["ratings.example_rows", "ratings.examples", "ratings.rating"]),
    "calibrations": (
        "Calibrations",
        ["calibration.api", "features.compare.api", "calibration.calibration", "calibration.agreement"],
    ),
    "scorers": ("Scorers and checks", ["grading.checks", "features.compatibility.scorers"]),
    "autograders": (
        "Graders under other names",
        ["features.compatibility.autograders", "features.compatibility.report_types"],
    ),
    "statistics-functions": (
        "Statistics",
        [
            "stats.estimate",
            "stats.rating_patterns",
            "stats.coefficients",
            "stats.reliability",
            "stats.association",
            "stats.shares",
            "stats.severity",
            "stats.annotators",
            "stats.distortion",
            "stats.slice_contrast",
            "stats.change",
            "stats.prevalence",
            "stats.gains",
            "features.compare.statistics",
            "stats.planning",
            "features.label.statistics",
            "stats.intervals",
        ],
    ),
    "errors": ("Errors", ["errors"]),
}
"""The pages of the Python reference, each with its modules; every name that users import is on one of them."""

DIRECTIVE = re.compile(r"^::: (\S+)(?:\n    options: .*)?$", re.MULTILINE)
"""Where mkdocstrings puts the documentation of a name."""
GENERATED = {
    *(f"reference/{stem}.md" for stem in ("commands", "rubric-keys", "python", *PYTHON)),
    "decisions/index.md",
}
"""The pages that no file in `docs/` holds, so that nobody edits them there."""
START_HERE = (
    "index.md",
    "outputs.md",
    "tutorial.md",
    "install.md",
    "howto/discover.md",
    "howto/write-a-rubric.md",
    "howto/label.md",
    "howto/calibrate.md",
)
"""The pages that llms.txt lists first."""
LLMS_SECTIONS = ("Start here", "How to", "Reference", "Optional")
"""The sections of llms.txt, in order."""

ONLY_ITS_DOCSTRING = "{members: false, show_root_heading: false, show_root_toc_entry: false}"


as_markdown: dict[str, str] = {}
"""Each page of this build as Markdown, by its path."""


def on_config(config: Any) -> Any:
    """The repository, for links to it and for editing a page; its address is in pyproject.toml alone."""
    config.repo_url = repository()
    config.repo_name = "Repository"
    config.edit_uri = "edit/main/docs/"
    return config


def repository() -> str:
    """The repository's address."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["urls"]["Repository"])


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    for uri, text in pages():
        files.append(File.generated(config, uri, content=text))
    files.append(File.generated(config, SAMPLE_REPORT, content=sample_report()))
    for path in sorted(linked_outside()):
        files.append(File.generated(config, uri_of(path), content=(ROOT / path).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links to the places of their targets on the site, rank the page among search results, and keep it."""
    uri = page.file.src_uri
    page.meta["search"] = {"boost": boost_of(uri), **page.meta.get("search", {})}
    if uri.startswith(f"{OUTSIDE}/") or uri in GENERATED:
        page.edit_url = None
    whole = with_links_of_site(with_repository(markdown), uri)
    as_markdown[uri] = DIRECTIVE.sub(lambda directive: documented(directive[1]), whole)
    return whole


def on_post_build(config: Any, **_: Any) -> None:
    """Write every page as Markdown next to it, and llms.txt, which lists them."""
    site = Path(config.site_dir)
    for uri, text in as_markdown.items():
        (site / uri).parent.mkdir(parents=True, exist_ok=True)
        (site / uri).write_text(text, encoding="utf-8")
    (site / "llms.txt").write_text(llms_txt(config.nav, config.site_description, as_markdown), encoding="utf-8")


def with_repository(markdown: str) -> str:
    """A text with the repository's address where it says URL after `git+`."""
    return markdown.replace("git+URL", f"git+{repository()}")


def llms_txt(nav: Any, description: str, texts: dict[str, str]) -> str:
    """The pages of the site for a model that reads them: a heading, a summary, and lists of links.

    Args:
        nav: The navigation, as mkdocs.yml has it.
        description: The summary.
        texts: Each page as Markdown, by its path.
    """
    entries: dict[str, list[str]] = {section: [] for section in LLMS_SECTIONS}
    for trail, uri in _led(nav, ()):
        summary = first_sentence(texts[uri])
        entries[_section(trail, uri)].append(f"- [{trail[-1]}]({uri})" + (f": {summary}" if summary else ""))
    parts = ["# markscheme", f"> {description}"]
    parts += ["\n".join([f"## {section}", "", *lines]) for section, lines in entries.items() if lines]
    return "\n\n".join(parts) + "\n"


def _led(nav: Any, trail: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each page of the navigation, with the titles that lead to it."""
    for entry in nav:
        for title, below in entry.items() if isinstance(entry, dict) else [(f"{trail[-1]}: overview", entry)]:
            if isinstance(below, str):
                yield (*trail, title), below
            else:
                yield from _led(below, (*trail, title))


def _section(trail: tuple[str, ...], uri: str) -> str:
    """The section of llms.txt that a page belongs to."""
    if uri in START_HERE:
        return "Start here"
    if uri.startswith(("decisions/", f"{OUTSIDE}/")) or trail[0] == "Statistics":
        return "Optional"
    return "How to" if trail[0] in ("How to", "Troubleshooting") else "Reference"


def first_sentence(markdown: str) -> str:
    """The first sentence of a page's text, without its links."""
    body = re.sub(r"\A---\n.*?\n---\n", "", markdown, flags=re.DOTALL)
    for paragraph in re.split(r"\n(?:[^\S\n]*\n)+", body):
        text = " ".join(line for line in paragraph.split("\n") if not line.startswith("#"))
        if text.strip() and not re.match(r"[|!`<>:*-]|\d\.", text.strip()):
            plain = re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", " ".join(text.split()))
            return re.split(r"(?<=[.?!]) ", plain)[0]
    return ""


def documented(name: str) -> str:
    """A name's signature and docstring as Markdown, for readers that get pages without the site."""
    try:
        return inspect.getdoc(import_module(name)) or ""
    except ImportError:
        module, _, attribute = name.rpartition(".")
    value = getattr(import_module(module), attribute)
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):  # of what has none
        signature = ""
    return f"### {attribute}\n\n```python\n{name}{signature}\n```\n\n{inspect.getdoc(value) or ''}"


def boost_of(uri: str) -> float:
    """How much more a page counts among search results than another with the same words."""
    return next((boost for start, boost in BOOSTS.items() if uri.startswith(start)), 1.0)


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of every generated page."""
    yield "reference/commands.md", commands_page()
    yield "reference/rubric-keys.md", rubric_keys_page()
    yield "decisions/index.md", decisions_page()
    yield "reference/python.md", package_page()
    for stem, (title, modules) in PYTHON.items():
        yield f"reference/{stem}.md", python_page(title, modules)


def sample_report() -> str:
    """The HTML report of the labelled set code-quality; it needs no key and makes no calls."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        command = [sys.executable, "-m", "markscheme", "calibrate", "code-quality", "--html", str(page), "--quiet"]
        subprocess.run(
            [*command, "--judge", "recorded:calibration/code-quality/replies/claude.jsonl"], cwd=ROOT, check=False
        )
        return page.read_text(encoding="utf-8")


def decisions_page() -> str:
    """Every decision by its heading."""
    pages = sorted((DOCS / "decisions").glob("0*.md"))
    rows = [f"- [{place.read_text(encoding='utf-8').splitlines()[0].lstrip('# ')}]({place.name})" for place in pages]
    opening = "Design decisions and their reasons."
    return "\n\n".join(["# Decisions", opening, "\n".join(rows)]) + "\n"


def commands_page() -> str:
    """Every command with its options, as its parser knows them."""
    from markscheme.commands.call import described
    from markscheme.commands.table import GROUPS, all_commands

    parts = ["# Commands", "What `markscheme COMMAND --help-all` says. `calibrate` is `markscheme calibrate`."]
    for group in GROUPS:
        parts.append(f"## {group}")
        for command in all_commands():
            if command.group == group:
                heading = f"### {command.name} {{#{command.name}}}"
                parts += [heading, f"*{_escaped(command.summary)}*", *_command(described(command.name))]
    return "\n\n".join(parts) + "\n"


def _command(command: "Description") -> Iterator[str]:
    """The text under a command's heading: usage, description, options, exit status and example."""
    yield f"```text\n{command.usage}\n```"
    for paragraph in command.text.split("\n\n"):
        yield _paragraph(paragraph)
    for title, rare in (("options", False), ("more options", True)):
        rows = [
            f"| `{_typed(option)}` | {_escaped(option.text)} |" for option in command.options if option.rare is rare
        ]
        if rows:
            yield "\n".join([f"| {title} | |", "|---|---|", *rows])
    settings = [f"| `{option.setting}` | {_escaped(option.text)} |" for option in command.keyed]
    if settings:
        yield "\n".join(["| settings, by `-o KEY=VALUE` | |", "|---|---|", *settings])
    if command.exits:
        yield f"Exit status: {_escaped(command.exits)}"
    yield f"```bash\n{command.example}\n```"


def _paragraph(text: str) -> str:
    """A paragraph as it is; one that lines up words in columns, as a list of those."""
    lines = text.split("\n")
    if all(re.match(r"\w+ {2,}\S|\w+ {2}", line) for line in lines):
        return "\n".join(f"- `{line.split()[0]}`: {_escaped(line.split(maxsplit=1)[1])}" for line in lines)
    return _escaped(text)


def _typed(option: "Option") -> str:
    """An option with all its names, or an argument, and what is given for it."""
    return f"{', '.join(option.names)} {option.value}".strip().replace("|", "\\|")


def _escaped(text: str) -> str:
    """Text that Markdown would otherwise take for marks."""
    return re.sub(r"([*_<>\[\]|])", r"\\\1", text)


def rubric_keys_page() -> str:
    """Every key of a rubric's file, from the schema that editors read."""
    schema = json.loads((ROOT / "rubrics" / "schema.json").read_text(encoding="utf-8"))
    entries = {"A rubric": schema, **{_heading(name): entry for name, entry in schema["$defs"].items()}}
    parts = [
        "# Keys of a rubric",
        "From [the schema](../../rubrics/schema.json) that editors read. For their effect on a grade, see "
        "[file formats](formats.md) and [how to write a rubric](../howto/write-a-rubric.md).",
    ]
    for heading, entry in entries.items():
        rows = [_key(name, entry, key) for name, key in entry["properties"].items()]
        table = "\n".join(["| key | may be | if it is not given | what it says |", "|---|---|---|---|", *rows])
        parts += [f"## {heading}", _escaped(entry.get("description", "")), table]
    return "\n\n".join(parts) + "\n"


def _heading(name: str) -> str:
    return "One of `" + {"CriterionEntry": "criteria", "JudgeEntry": "judge"}.get(name, _key_of(name)) + "`"


def _key_of(name: str) -> str:
    stem = name.removesuffix("Entry").lower()
    return stem if stem in ("examples", "scale") else f"{stem}s"


def _key(name: str, entry: Any, key: Any) -> str:
    needed = name in entry.get("required", ())
    default = key.get("default")
    absent = "must be there" if needed else "" if default is None else f"`{json.dumps(default)}`"
    return f"| `{name}` | {_may_be(key)} | {absent} | {_escaped(key.get('description') or '')} |"


def _may_be(key: Any) -> str:
    """The kinds of value a key takes, in words."""
    kinds = [_kind(choice) for choice in key.get("anyOf", [key]) if choice.get("type") != "null"]
    return " or ".join(dict.fromkeys(kinds))


def _kind(choice: Any) -> str:
    words = {"string": "text", "array": "list", "object": "keys", "boolean": "true, false", "integer": "whole number"}
    if "enum" in choice:
        return ", ".join(f"`{value}`" for value in choice["enum"])
    if "const" in choice:
        return f"`{choice['const']}`"
    if "$ref" in choice:
        return "keys"
    if choice.get("type") == "array" and choice.get("items"):
        return f"list of {_may_be(choice['items'])}"
    return str(words.get(choice.get("type", ""), choice.get("type", "anything")))


def package_page() -> str:
    """What `markscheme` itself exports, each name linked to its documentation."""
    package = import_module("markscheme")
    rows = []
    for name in package.__all__:
        value = getattr(package, name)
        first = (getattr(value, "__doc__", None) or "").strip().split("\n")[0]
        rows.append(f"| [`{name}`][{value.__module__}.{name}] | {_escaped(first)} |")
    opening = "What `from markscheme import …` gives. Each name is loaded on first use."
    return "\n\n".join(["# The package", opening, "\n".join(["| name | what it is |", "|---|---|", *rows])]) + "\n"


def python_page(title: str, modules: Iterable[str]) -> str:
    """A page of the Python reference: each public name that the modules define, from its docstring."""
    parts = [f"# {title}"]
    for name in modules:
        parts += [f"## {name}", f"::: markscheme.{name}\n    options: {ONLY_ITS_DOCSTRING}"]
        parts += [f"::: {place}" for place in public(f"markscheme.{name}")]
    return "\n\n".join(parts) + "\n"


def public(module: str) -> list[str]:
    """The import path of each public function and class of a module; for a package with `__all__`, of those in it."""
    listed = getattr(import_module(module.rpartition(".")[0]), "__all__", None) if ".stats." in module else None
    return [
        f"{module}.{name}"
        for name, value in vars(import_module(module)).items()
        if not name.startswith("_") and callable(value) and getattr(value, "__module__", None) == module
        if listed is None or name in listed
    ]


def linked_outside() -> set[str]:
    """What the pages link to that is no page of `docs/`, and what that links to, by its path in the repository."""
    outside: set[str] = set()
    left = [(place, place.relative_to(ROOT).as_posix()) for place in DOCS.rglob("*.md")]
    left += [(ROOT / path, path) for path in ("CHANGELOG.md", "benchmarks/README.md", "rubrics/schema.json")]
    while left:
        place, path = left.pop()
        if not path.startswith("docs/"):
            outside.add(path)
        if path.endswith(".md"):
            for target in _targets(place.read_text(encoding="utf-8"), posixpath.dirname(path)):
                if target not in outside and not target.startswith("docs/"):
                    left.append((ROOT / target, target))
                    outside.add(target)
    return outside


def _targets(markdown: str, folder: str) -> Iterator[str]:
    """The files of the repository that a text links to."""
    for _, link in LINK.findall(markdown):
        if target := _target(link, folder):
            yield target


def _target(link: str, folder: str) -> str | None:
    """The file of the repository that a link means; of a folder, its page. None where there is none."""
    path = posixpath.normpath(posixpath.join(folder, link))
    for candidate in (path, f"{path}/README.md", f"{path}/index.md"):
        if not candidate.startswith("..") and (ROOT / candidate).is_file():
            return candidate
    return None


def uri_of(path: str) -> str:
    """The path on the site of a file of the repository; a README isn't an index there, since it has its own heading."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"{OUTSIDE}/{path.replace('README.md', 'overview.md')}"


def with_links_of_site(markdown: str, uri: str) -> str:
    """`markdown` with links that work on the site, where the page is at `uri`."""
    outside = uri.startswith(f"{OUTSIDE}/")
    folder = posixpath.dirname(uri.removeprefix(f"{OUTSIDE}/") if outside else f"docs/{uri}")

    def led(link: re.Match[str]) -> str:
        target = _target(link[2], folder)
        address = posixpath.relpath(uri_of(target), posixpath.dirname(uri) or ".") if target else link[2]
        return f"{link[1]}{address}"

    return LINK.sub(led, markdown)
