"""The help of each command, from its signature and docstring, and the overview of all."""

import re
import shutil
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from inspect import cleandoc, get_annotations
from typing import TYPE_CHECKING, Any

from markscheme.commands.options import MORE
from markscheme.commands.settings import Settings
from markscheme.phrases import counted

if TYPE_CHECKING:
    from cyclopts.argument import Argument, ArgumentCollection

GROUPS = {
    "Start here": {
        "init": "add graders, a rubric and labelled examples to a project",
        "calibrate": "compare a judge with human labels: can it decide, what to fix?",
        "label": "label responses on a page, blind to judges and others",
        "demo": "offline tour: what agreement is worth, and a planted fault found",
    },
    "Improve": {
        "improve": "find better words for a rubric, proven on held-out labels",
        "tune": "find weights and thresholds that the labels support",
        "compare": "compare judges, runs or results on the same examples",
        "experiment": "run prompt variants on cases, grade and compare the outputs",
        "lint": "check rubrics for errors and for what could be better",
    },
    "Run": {
        "grade": "grade responses with a rubric",
        "gate-risk": "estimate how often a gate fails though nothing changed",
        "stress": "find changes to a response that move a judge and shouldn't",
        "pass-rate": "correct a pass rate for the judge's errors",
        "status": "show what each rubric's judge can decide, and usable judges",
    },
    "Data": {
        "import": "convert labels and verdicts of other tools to ratings",
        "export": "write examples for other tools, such as Promptfoo's viewer",
        "plan": "count labels needed, estimate costs, choose what to label next",
        "adjudicate": "resolve labels on which annotators disagree, on a web page",
        "agreement": "measure inter-annotator agreement in a table of ratings",
    },
}
RARE = {
    "batches": "list, cancel or forget batches under way",
    "prompts": "print the prompts a judge is asked, to record replies",
    "session": "start, stop or show the process behind Promptfoo's assertions",
}
COMMANDS = (*(name for group in GROUPS.values() for name in group), *RARE)
LEFT = 24
"""Width of the column of option names."""
HEADING = re.compile(r"^(Args|Attributes|Example|Exit status|Raises|Returns):$", re.MULTILINE)
ENTRY = re.compile(r"^ {4}(\w+): (.+(?:\n {5}.+)*)", re.MULTILINE)


def overview(*, everything: bool) -> str:
    """What `markscheme --help` prints; with `everything` also what is rarely needed."""
    width = max(map(len, COMMANDS)) + 2
    lines = ["usage: markscheme COMMAND [options]", ""]
    lines.append("Grade LLM outputs with weighted rubrics, and measure how far to trust it.")
    for group, commands in (GROUPS | ({"More": RARE} if everything else {})).items():
        lines += ["", f"{group}:", *(f"  {name:<{width}}{summary}" for name, summary in commands.items())]
    if everything:
        lines += ["", "`markscheme --completion bash` (zsh, fish) prints a completion script."]
    lines += ["", "`markscheme COMMAND --help` shows common options, `--help-all` all of them."]
    return "\n".join(lines)


@dataclass(frozen=True)
class Option:
    """One option or operand of a command.

    Attributes:
        key: The parameter's name.
        names: What is typed; empty for an operand.
        value: Name of its value in help; empty for a flag.
        many: Whether several values may follow its name.
        text: What it means.
        rare: Whether only `--help-all` shows it.
        required: Whether the command needs it.
    """

    key: str
    names: tuple[str, ...]
    value: str
    many: bool
    text: str
    rare: bool
    required: bool

    @property
    def typed(self) -> str:
        """How it is typed, with its value."""
        return f"{self.names[0]} {self.value}".rstrip() if self.names else self.value


@dataclass(frozen=True)
class Description:
    """A command by its docstring and signature: what it does, what it takes, an example, its exit status."""

    command: str
    text: str
    options: tuple[Option, ...]
    example: str
    exits: str

    @property
    def usage(self) -> str:
        """How it is called, with what it needs."""
        operands = [one.value if one.required else f"[{one.value}]" for one in self.options if not one.names]
        needed = [one.typed for one in self.options if one.names and one.required]
        return " ".join(["markscheme", self.command, *operands, *needed, "[options]"])


def describe(command: str, function: Callable[..., Any], arguments: "ArgumentCollection") -> Description:
    """The description of a command, by its function and what cyclopts makes of its signature."""
    sections = _sections(function)
    groups = [hint for hint in get_annotations(function).values() if isinstance(hint, type) and is_dataclass(hint)]
    texts: dict[str, str] = {}
    for owner in (*(base for group in groups for base in reversed(group.__mro__)), function):
        texts |= _entries(_sections(owner))
    return Description(
        command,
        sections[""].strip(),
        tuple(_option(one, texts) for one in arguments if one.show and not one.children),
        textwrap.dedent(sections.get("Example", "")).strip(),
        " ".join(sections.get("Exit status", "").split()),
    )


def _sections(documented: object) -> dict[str, str]:
    """A docstring by the headings of its sections; what stands before the first has none."""
    text, *rest = HEADING.split(cleandoc(documented.__doc__ or ""))
    return {"": text, **dict(zip(rest[::2], rest[1::2], strict=True))}


def _entries(sections: Mapping[str, str]) -> dict[str, str]:
    """The text of each parameter or attribute; text that goes on is indented further."""
    entries = ENTRY.findall(sections.get("Args", "") + sections.get("Attributes", ""))
    return {name: " ".join(text.split()) for name, text in entries}


def _option(argument: "Argument", texts: Mapping[str, str]) -> Option:
    given = argument.parameter
    groups: Any = given.group or ()
    positional = argument.is_positional_only()
    value = given.metavar or argument.name.lstrip("-").upper()
    if positional and "tuple" in str(argument.hint):
        value += "..."
    key = argument.field_info.name
    return Option(
        key,
        () if positional else argument.names,
        "" if argument.hint is bool else value,
        bool(given.consume_multiple),
        given.help or texts.get(key, ""),
        any(MORE in (group, getattr(group, "name", "")) for group in groups),
        argument.required,
    )


def command_help(description: Description, settings: Settings, *, everything: bool) -> str:
    """What `markscheme COMMAND --help` prints; with `everything` also the options that are rarely needed."""
    width = min(shutil.get_terminal_size((80, 40)).columns, 100)
    lines = [f"usage: {description.usage}", ""]
    for paragraph in description.text.split("\n\n"):
        lines += [*([paragraph] if "  " in paragraph else textwrap.wrap(" ".join(paragraph.split()), width)), ""]
    rare = [one for one in description.options if one.rare]
    for option in description.options:
        lines += [] if option.rare else _row(option, settings, width)
    if rare and everything:
        lines += ["", f"{MORE}:", *(line for option in rare for line in _row(option, settings, width))]
    elif rare:
        lines += [f"{'  --help-all':<{LEFT}}show {counted(len(rare), 'more option')}"]
    lines += ["", f"Example: {description.example}"]
    if description.exits:
        lines += textwrap.wrap(f"Exit status: {description.exits}", width)
    return "\n".join(lines)


def _row(option: Option, settings: Settings, width: int) -> list[str]:
    text, default = option.text, settings.texts(option.key)
    if default and settings.path is not None:
        text += f" [{settings.path.name}: {', '.join(default)}]"
    body = textwrap.wrap(text, width - LEFT, break_on_hyphens=False) or [""]
    first = f"  {option.typed}"
    lines = [f"{first:<{LEFT}}{body[0]}"] if len(first) < LEFT - 1 else [first, f"{'':<{LEFT}}{body[0]}"]
    return lines + [f"{'':<{LEFT}}{line}" for line in body[1:]]
