"""Files that the site has in addition to its pages: Markdown versions, llms.txt, versions, a preview picture."""

import re
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from markscheme.calibration.options import AcceptingOptions, LabelOptions
from markscheme.options.table import options_of
from tests.commands.console import ROOT
from tests.docs.pages import DOCS
from tests.docs.test_site import MADE, SETTINGS, SITE

SITE_SETTINGS: dict[str, Any] = yaml.safe_load(SETTINGS)


def test_the_site_takes_the_repository_s_address_only_from_the_package_metadata() -> None:
    config = SITE.on_config(SimpleNamespace())
    assert f'Repository = "{config.repo_url}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert config.edit_uri == "edit/main/docs/"
    assert (
        SITE.with_repository("`uvx --from git+URL markscheme demo`")
        == f"`uvx --from git+{config.repo_url} markscheme demo`"
    )


def test_llms_txt_lists_every_page_of_the_navigation_once() -> None:
    texts = {page.relative_to(DOCS).as_posix(): page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}
    texts |= {**MADE, "repository/benchmarks/overview.md": "# Measured\n", "repository/CHANGELOG.md": "# Changelog\n"}
    listed = SITE.llms_txt(SITE_SETTINGS["nav"], SITE_SETTINGS["site_description"], texts)
    assert listed.startswith(f"# markscheme\n\n> {SITE_SETTINGS['site_description']}\n\n## Start here\n")
    assert re.findall(r"^## (.+)$", listed, re.M) == list(SITE.LLMS_SECTIONS)
    links = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", listed, re.M)
    assert len(links) == len(set(links))
    pages = {uri for uri in texts if not uri.startswith("decisions/0")}
    assert set(links) == pages
    assert listed.index("(tutorial.md)") < listed.index("(howto/calibrate.md)") < listed.index("## How to")


def test_the_first_sentence_of_a_page_is_extracted_as_plain_text() -> None:
    assert (
        SITE.first_sentence("---\nhide: [x]\n---\n\n# Why\n\n| a | b |\n|---|---|\n\nIt is [so](x.md). More.")
        == "It is so."
    )
    assert SITE.first_sentence("# Only a heading\n") == ""


def test_the_site_replaces_placeholders_for_api_documentation_by_the_documentation() -> None:
    text = SITE.DIRECTIVE.sub(lambda match: SITE.documented(match[1]), MADE["reference/errors.md"])
    assert ":::" not in text
    assert "### RubricError\n\n```python\nmarkscheme.errors.RubricError(" in text


def test_the_site_s_pages_are_versioned_and_have_edit_links() -> None:
    assert SITE_SETTINGS["extra"]["version"] == {"provider": "mike", "default": "latest"}
    assert "content.action.edit" in SITE_SETTINGS["theme"]["features"]


def test_the_preview_image_of_links_has_the_size_stated_in_its_metadata() -> None:
    raw = (DOCS / "assets" / "pictures" / "card.png").read_bytes()
    template = (ROOT / "tools" / "docs" / "overrides" / "main.html").read_text(encoding="utf-8")
    width, height = struct.unpack(">II", raw[16:24])
    assert f'og:image:width" content="{width}"' in template
    assert f'og:image:height" content="{height}"' in template


@pytest.mark.proof
def test_the_built_site_has_every_page_as_markdown_and_no_dead_links(built_site: Path) -> None:
    for uri in re.findall(r"\]\(([^)]+)\)", (built_site / "llms.txt").read_text(encoding="utf-8")):
        assert (built_site / uri).is_file(), uri
    page = (built_site / "howto" / "label" / "index.html").read_text(encoding="utf-8")
    assert f'href="{SITE.repository()}/edit/main/docs/howto/label.md"' in page
    assert 'href="../label.md" title="This page as Markdown"' in page
    assert 'content="https://docs.example.org/dev/assets/pictures/card.png"' in page
    assert '<link rel="canonical" href="https://docs.example.org/dev/howto/label/">' in page
    calibrating = (built_site / "reference" / "calibrations" / "index.html").read_text(encoding="utf-8")
    for declared in (options_of(LabelOptions)["gold_by"].about, options_of(AcceptingOptions)["drift_margin"].about):
        assert declared[1:] in calibrating, declared
    generated = (built_site / "reference" / "errors" / "index.html").read_text(encoding="utf-8")
    assert "/edit/main/docs/reference/errors.md" not in generated
