"""What docs/howto/coming-from.md promises to those who come from elsewhere is there and runs."""

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from markscheme.commands.call import described
from markscheme.commands.table import command_names
from markscheme.grading import Grading
from markscheme.judges.kinds import shipped_kinds
from markscheme.rubrics.format import json_schema
from markscheme.rubrics.rubric import STRATEGY_NAMES
from markscheme.scorers import llm_judge
from tests.commands.console import ROOT

PAGE = (ROOT / "docs" / "howto" / "coming-from.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
NEIGHBOURS = ("rubric", "autorubric", "aieval")


def rows(text: str) -> list[tuple[str, str]]:
    """The rows of all tables with two columns or more, the last two cells of each, without heads and rules."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return [(cells[-2], cells[-1]) for cells in lines if cells[-1] != "here" and not set(cells[0]) <= set("- ")]


def spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


OURS = [span for _, cell in rows(PAGE) for span in spans(cell)]
ENTRIES = (json_schema(), *json_schema()["$defs"].values())
KEYS = {key for entry in ENTRIES for key in entry.get("properties", {})} | set(STRATEGY_NAMES)
"""What a rubric's file may say."""
TAKERS: dict[str, Callable[..., Any]] = {"renormalize": Grading, 'on_malformed="zero"': llm_judge}
"""Keywords that a cell names, and what takes them."""


def resolved(dotted: str) -> Any:
    """What a dotted name leads to, through modules first and then attributes."""
    parts = dotted.split(".")
    for at in range(len(parts), 0, -1):
        try:
            target = import_module(".".join(parts[:at]))
        except ModuleNotFoundError:
            continue
        for name in parts[at:]:
            target = getattr(target, name)
        return target
    raise AssertionError(f"{dotted} leads nowhere")


def options_of(command: str) -> set[str]:
    return {name for option in described(command).options for name in option.names}


def is_there(span: str) -> bool:
    """Whether what a code span on our side names exists: an import, a dotted name, a command, an option or a key."""
    if match := re.fullmatch(r"from (markscheme[\w.]*) import (.+)", span):
        return all(hasattr(import_module(match[1]), name.strip()) for name in match[2].split(","))
    if re.fullmatch(r"markscheme(\.\w+)*", span):
        return resolved(span) is not None
    command = re.fullmatch(r"(?:markscheme )?([\w-]+)((?: --[\w-]+| [A-Z][\w,=]*)*)", span)
    if command and command[1] in command_names():
        return {word for word in command[2].split() if word[:2] == "--"} <= options_of(command[1])
    if match := re.fullmatch(r"(?:--judge )?(\w+):[A-Z]+", span):
        return match[1] in {kind.name for kind in shipped_kinds()}
    if span.startswith("--"):
        return span in options_of("grade") & options_of("calibrate")
    if span in TAKERS:
        return span.split("=")[0] in inspect.signature(TAKERS[span]).parameters
    return span in KEYS


@pytest.mark.parametrize("span", sorted(set(OURS)))
def test_every_name_of_markscheme_in_the_migration_page_exists(span: str) -> None:
    assert is_there(span), f"{span} is none of ours"


@pytest.mark.parametrize("span", ["markscheme.Rubrik", "markscheme gradee", "--juge", "passing_threshold"])
def test_a_misspelt_or_missing_name_in_the_migration_page_is_detected(span: str) -> None:
    with pytest.raises((AssertionError, AttributeError)):
        assert is_there(span)


def test_each_row_of_the_migration_page_fills_both_columns_and_each_tool_has_a_section_with_four_rows() -> None:
    assert all(left and right for left, right in rows(PAGE))
    heads = re.split(r"^## From ", PAGE, flags=re.MULTILINE)[1:]
    assert [len(rows(section)) >= 4 for section in heads] == [True] * len(heads)
    names = [head.split("\n")[0].strip("`") for head in heads]
    assert names == [*NEIGHBOURS, "a cascade or a confidence elsewhere", "a script of your own"]


def test_the_readme_links_to_the_migration_page() -> None:
    assert "(docs/howto/coming-from.md)" in README


SECTIONS = [section for section in re.split(r"^## From ", PAGE, flags=re.MULTILINE)[1:] if "```python" in section]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.split()[0])
def test_the_snippets_of_each_section_of_the_migration_page_run(section: str) -> None:
    snippets = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert snippets
    names: dict[str, Any] = {}
    for snippet in snippets:
        exec(compile(snippet, "docs/howto/coming-from.md", "exec"), names)


def test_names_of_markscheme_in_the_migration_page_s_text_exist() -> None:
    for span in re.findall(r"`(markscheme(?:\.\w+)+)`", PAGE):
        assert resolved(span) is not None
