"""The site's reference pages are complete, its links work, and it loads nothing from other servers."""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import markscheme
from markscheme import stats
from markscheme.commands.call import described
from markscheme.commands.table import command_names
from tests.commands.console import ROOT
from tests.docs.pages import DOCS, PAGES, prose


def _hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generated", ROOT / "tools" / "docs" / "generated.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SITE = _hook()
MADE: dict[str, str] = dict(SITE.pages())
SETTINGS = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").replace("!ENV ", "")
"""Without the tag by which mkdocs reads a variable."""


def test_every_command_and_option_is_in_the_reference() -> None:
    page = MADE["reference/commands.md"]
    for command in command_names():
        section = re.split(r"^###? ", page, flags=re.MULTILINE)
        (own_section,) = [part for part in section if part.startswith(f"{command} {{#")]
        for option in described(command).options:
            assert all(name in own_section for name in option.names), (command, option.names)


def test_every_name_that_users_import_is_in_the_reference() -> None:
    directives = {line for page in MADE.values() for line in page.splitlines() if line.startswith("::: ")}
    for name in markscheme.__all__:
        home = getattr(markscheme, name).__module__
        assert f"[{home}.{name}]" in MADE["reference/python.md"]
        assert f"::: {home}.{name}" in directives
    for name in stats.__all__:
        value = getattr(stats, name)
        if hasattr(value, "__qualname__"):
            assert f"::: {value.__module__}.{name}" in directives


def test_the_reference_documents_no_name_twice() -> None:
    directives = [line for page in MADE.values() for line in page.splitlines() if line.startswith("::: ")]
    assert len(directives) == len(set(directives))


def test_every_key_of_a_rubric_is_in_the_reference() -> None:
    page = MADE["reference/rubric-keys.md"]
    for key in ("passingThreshold", "criteria", "required", "not_applicable", "value", "na", "min", "good", "model"):
        assert f"| `{key}` |" in page


def test_every_page_about_a_design_decision_is_in_the_list_of_decisions() -> None:
    for place in (DOCS / "decisions").glob("0*.md"):
        assert f"({place.name})" in MADE["decisions/index.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)", "\n".join(prose(page))):
        target = (page.parent / link).resolve()
        if target.is_relative_to(DOCS) and target.relative_to(DOCS).as_posix() in (*MADE, SITE.SAMPLE_REPORT):
            continue
        assert target.exists(), f"{page}: {link}"


def test_links_to_files_outside_the_docs_folder_lead_to_pages_that_the_site_makes_for_them() -> None:
    assert (
        SITE.with_links_of_site("[a](../benchmarks/README.md)", "index.md") == "[a](repository/benchmarks/overview.md)"
    )
    back = SITE.with_links_of_site(
        "[b](results/drift.md) [c](../docs/howto/ci.md#x)", "repository/benchmarks/overview.md"
    )
    assert back == "[b](results/drift.md) [c](../../howto/ci.md#x)"
    assert SITE.with_links_of_site("[d](tutorial.md) [e](nowhere.md)", "index.md") == "[d](tutorial.md) [e](nowhere.md)"
    assert {"benchmarks/README.md", "benchmarks/results/coverage.md", "CHANGELOG.md"} <= SITE.linked_outside()


def test_every_page_is_in_the_navigation() -> None:
    led = set(_leaves(yaml.safe_load(SETTINGS)["nav"]))
    pages = {page.relative_to(DOCS).as_posix() for page in PAGES if page.parent.name != "decisions"}
    assert pages | set(MADE) <= led
    assert {leaf for leaf in led if not leaf.startswith("repository/")} == pages | set(MADE)


def _leaves(navigation: Any) -> Iterator[str]:
    match navigation:
        case str():
            yield navigation
        case dict():
            yield from (leaf for value in navigation.values() for leaf in _leaves(value))
        case list():
            yield from (leaf for value in navigation for leaf in _leaves(value))


def test_the_site_loads_nothing_from_other_servers() -> None:
    assert yaml.safe_load(SETTINGS)["theme"]["font"] is False
    assert not re.search(r"https?://", SETTINGS)
    assert not re.search(r"https?://|@import", (DOCS / "assets" / "site.css").read_text(encoding="utf-8"))
