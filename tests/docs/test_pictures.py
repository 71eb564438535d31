"""Pictures in README and documentation show the current product."""

import importlib.util
import re
from types import ModuleType

from tests.commands.console import ROOT
from tests.docs.pages import PAGES


def _pictures() -> ModuleType:
    """Import the script that makes the pictures."""
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "tools" / "docs" / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PICTURES = _pictures()


def test_the_picture_of_the_terminal_shows_what_calibrate_prints_now() -> None:
    shown = PICTURES.words_in(PICTURES.TERMINAL.read_text(encoding="utf-8"))
    assert shown == PICTURES.plain_words(PICTURES.printed()), "out of date: run python tools/docs/pictures.py"


def test_the_terminal_picture_loads_no_external_resource() -> None:
    svg = PICTURES.TERMINAL.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\"' )]+", svg)) == {"http://www.w3.org/2000/svg"}


def test_the_check_of_the_terminal_picture_notices_a_changed_or_moved_word() -> None:
    text = "\x1b[33m?\x1b[0m \x1b[1mAgreement\x1b[0m 84% (\x1b[1m61\x1b[0m)\n\n  target 80%"
    svg = PICTURES.terminal_svg(text)
    assert PICTURES.words_in(svg) == PICTURES.plain_words(text)
    assert PICTURES.words_in(svg) != PICTURES.plain_words(text.replace("84%", "85%"))
    assert PICTURES.words_in(svg) != PICTURES.plain_words(text.replace("target 80%", "80% target"))


def test_every_picture_is_shown_on_a_page_and_all_are_small_enough_for_a_repository() -> None:
    made = (PICTURES.TERMINAL, PICTURES.REPORT, PICTURES.LABELLING)
    pages = "".join(page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *PAGES])
    assert all(f"assets/pictures/{path.name})" in pages for path in made)
    assert sum(path.stat().st_size for path in PICTURES.PICTURES.iterdir()) < 1_500_000
