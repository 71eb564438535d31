"""Checks of commands and data on a page without running them."""

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from itertools import dropwhile, pairwise
from typing import Any

import yaml

from markscheme import Rubric
from markscheme.commands.call import described, parse
from markscheme.commands.table import command_names
from markscheme.errors import UsageError
from markscheme.options.settings import SettingsFile
from markscheme.promptfoo.assertion import CONFIG_KEYS
from tests.commands.console import ROOT

JOINTS = {"&&", "||", "|", ";", "&"}
REDIRECTIONS = {">", ">>", "<", ">&"}
PAID = ("anthropic", "openai:", "local:")
"""Judges that cost money or a download."""
VIEWERS = {"view", "export"}
"""What Promptfoo is asked that needs its viewer and a person in it."""
HELP = {"markscheme help settings"}
"""What prints help without naming a command of ours."""


class UnknownError(AssertionError):
    """Error for something on a page that can't be checked."""


def words(line: str) -> Iterator[list[str]]:
    """Split a shell line into simple commands, each as words without variables and redirections."""
    lexer = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars="&|;<>")
    lexer.whitespace_split = True
    part: list[str] = []
    tokens = iter([*lexer, ";"])
    for token in tokens:
        if token in REDIRECTIONS:
            next(tokens)
        elif token not in JOINTS:
            part.append(token)
        elif part:
            yield list(dropwhile(lambda word: re.match(r"\w+=", word), part))
            part = []


def ours(part: list[str]) -> tuple[str, list[str]] | None:
    """Return the markscheme command in a simple command, with its arguments; None for any other program."""
    if part[:1] == ["calibrate"]:
        return "calibrate", part[1:]
    if part[:1] == ["markscheme"]:
        return (part[1], part[2:]) if len(part) > 1 and part[1] in command_names() else ("", part[1:])
    return None


def understood(part: list[str]) -> dict[str, Any]:
    """Return the parameters with which a markscheme command is called; its parser must accept every word.

    Raises:
        UnknownError: It doesn't, or there is no such command.
    """
    command, arguments = ours(part) or ("", part)
    if not command:
        raise UnknownError(f"{' '.join(part)} isn't one of our commands")
    try:
        return dict(parse(command, arguments, SettingsFile()).bound.arguments)
    except UsageError as refused:
        raise UnknownError(f"refused: {' '.join(part)}: {refused}") from refused


def options_exist(span: str) -> None:
    """Check that every option that a sentence names with a command belongs to it; values and files may be missing.

    Raises:
        UnknownError: One is not.
    """
    if span in HELP:
        return
    command, arguments = ours(shlex.split(span, comments=True)) or ("", [])
    if not command:
        raise UnknownError(f"{span} isn't one of our commands")
    options = {name for option in described(command).options for name in option.names}
    for before, word in pairwise(arguments):
        key = word.partition("=")[0]
        if before == "-o" and key not in described(command).settings:
            raise UnknownError(f"{key} in `{span}` is none of {command}'s settings")
    for word in arguments:
        if word.startswith("--") and word not in options:
            raise UnknownError(f"{word} in `{span}` is none of {command}'s options")


def installs(part: list[str]) -> bool:
    """Return whether a command installs software, after checking that the extras it names exist.

    Raises:
        UnknownError: An extra that the package doesn't have.
    """
    if part[:2] != ["pip", "install"] and part[:3] not in (["python3", "-m", "venv"], ["git", "clone"]):
        return part[:1] in (["source"], ["cd"], ["npm"], ["playwright"], ["pre-commit"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extras in re.findall(r"\[([\w,]+)\]", " ".join(part)):
        if unknown := set(extras.split(",")) - set(project["optional-dependencies"]):
            raise UnknownError(f"{' '.join(part)}: there is no extra {unknown}")
    return True


WITHOUT_A_PAGE = {
    *("--sheet", "--progress", "--same-meaning", "--plan", "--to"),
    *("--notes", "--assign", "--suggest", "--report", "--write", "--json", "--html", "--markdown", "--details"),
}
"""Options with which commands that serve pages do something else and end."""


def waits_for_people(line: str) -> bool:
    """Return whether a line starts the labelling page, which runs until it is stopped."""
    pages = [part for part in words(line) if (ours(part) or ("",))[0] in ("label", "discover")]
    return any(not WITHOUT_A_PAGE.intersection(part) for part in pages)


def cannot_run(line: str) -> str | None:
    """Return why a line can't be run in a test, after checking it as far as possible; None if it can be run.

    Raises:
        UnknownError: A command of ours that its parser refuses.
    """
    if re.fullmatch(r"export \w*KEY=\S+", line):
        return "a reader's own key"
    for part in words(line):
        if installs(part):
            return "gets software from elsewhere"
        if part[:1] == ["npx"] and len(part) > 2 and part[2] in VIEWERS:
            return "Promptfoo's viewer waits for a person"
        if ours(part):
            arguments = understood(part)
            if any(name.startswith(PAID) for name in _judges(arguments)):
                return "asks a model that costs money or a download"
    return None


def _judges(arguments: Mapping[str, Any]) -> list[str]:
    """Return the names of judges in a command's options, and the sides that it compares."""
    named = arguments.get("judge") or []
    return [*([named] if isinstance(named, str) else named), *arguments.get("sides", [])]


def data_is_valid(data: Any, text: str) -> str:
    """Check a YAML block as far as possible without running it; return what kind of file it is.

    Raises:
        UnknownError: None of the kinds that a page may show.
    """
    match data:
        case {"jobs": dict() as jobs}:
            _steps_are_understood(step for job in jobs.values() for step in job["steps"])
            return "workflow"
        case {"runs": {"steps": list() as steps}}:
            _steps_are_understood(steps)
            return "action"
        case {"repos": list() as repositories}:
            hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
            used = {hook["id"] for repository in repositories for hook in repository["hooks"]}
            if not used <= {hook["id"] for hook in hooks}:
                raise UnknownError(f"there is no hook {used}")
            return "pre-commit"
        case {"variants": _, "cases": _}:
            return "experiment"
        case {"criteria": _} | {"sections": _} | {"rubric": dict()}:
            Rubric.from_yaml(text)
            return "rubric"
        case {"prompts": _} | {"tests": _} | {"assert": _} | {"defaultTest": _}:
            for assertion in _assertions(data):
                if unknown := set(assertion.get("config", {})) - set(CONFIG_KEYS):
                    raise UnknownError(f"{unknown} isn't a key of an assertion's config")
            return "promptfoo"
        case [{"id": _, "response": _}, *_]:
            return "examples"
        case None if text.startswith("# yaml-language-server: $schema="):
            return "directive"
    raise UnknownError(f"this is nothing that a page may show: {text[:200]}")


def _steps_are_understood(steps: Any) -> None:
    for step in steps:
        for line in step.get("run", "").replace("\\\n", " ").splitlines():
            for part in words(re.sub(r"\$\{\{.*?\}\}", "1", line)):
                if ours(part):
                    understood(part)


def _assertions(data: Any) -> Iterator[dict[str, Any]]:
    """Yield all Python assertions in a config that grade by a rubric, at any depth."""
    if isinstance(data, dict):
        if "rubric_grader" in str(data.get("value", "")):
            yield data
        data = list(data.values())
    if isinstance(data, list):
        for inner in data:
            yield from _assertions(inner)
