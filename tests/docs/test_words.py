"""Phrases that readers stumbled over don't occur, and the terms of the field are used where readers look for them."""

import re
from pathlib import Path

import pytest

from markscheme.commands.call import described
from markscheme.commands.help import command_help
from markscheme.commands.overview import overview
from markscheme.commands.table import command_names
from markscheme.options.settings import SettingsFile
from tests.commands.console import ROOT
from tests.docs.pages import DOCS
from tests.golden_files import GOLDEN

FORBIDDEN = (
    "beside it",
    "nothing may rest",
    "holds a judge to",
    "hold a judge to",
    "is told",
    "are told",
    "told of",
    "to mend",
    "anew",
    "by lot",
    "of then",
    "cannot be had",
    "would settle it",
    "doesn't settle",
    "in sight",
    "nobody gave",
    "no person gave",
    "a person left out",
    "mean miss",
    "taken for no",
    "off the commonest level",
    "stands out",
    "how-manieth",
    "a case a criterion",
    "tells no response",
    "mend the criteria",
    "take it back",
    "parts from people",
    "says of an example",
    "held to labels",
    "is no number",
    "is no command",
    "even splits aside",
    "modal level",
    "careful table",
    "is it the judge?",
    "what this run is worth",
    "says little: it was chosen",
    "no labels to correct by",
    "which is none of its",
    "is no chat completion",
    "is no part of",
    "was kept is no",
    "said no more",
    "and not because annotators disagree",
    "where annotators say unmet on a, met",
    "most frequent level to",
    "no interval, only",
    "for another wording (stale)",
    "by verdict strata:",
    "random part of the judge's passes",
    "shown to be no worse",
    "after a switch",
    "of old passes",
    "coefficient assumed",
    "one error survived",
    "fewer can promise it",
    "cut at your own mark",
    "next opening",
    "never opened",
    "90% interval",
    "8 times in 10",
    "safe is a threshold",
    "allowing for the error of a mean",
    "no effect above that",
    "for the whole table",
    "effect varies by",
    "wider than that of the bias",
    "asks two things with one",
    "a response that meets one has no answer",
    "of the weight it passes a response",
    "all that they give away",
    "end as it should",
)
EXEMPT = ("docs/decisions/",)
PACKAGE = ROOT / "src" / "markscheme"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
PAGES += [*sorted(DOCS.rglob("*.md")), *sorted((ROOT / "calibration").glob("*/README.md"))]
PAGES += sorted((ROOT / "benchmarks").rglob("*.md"))
WRITTEN = sorted(
    path
    for folder in (PACKAGE, ROOT / "graders")
    for path in folder.rglob("*")
    if path.suffix in (".py", ".j2", ".html", ".js", ".css", ".md", ".yaml")
)
"""What help, errors, docstrings, HTML pages and `init` are made of. Words that a judge reads are in `rubrics/`."""
TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__))
GOLDEN_FOLDERS = (GOLDEN, *(ROOT / "tests" / "features").glob("*/golden"))
GOLDEN_REPORTS = sorted(
    path for folder in GOLDEN_FOLDERS for path in folder.rglob("*") if path.suffix in (".txt", ".md", ".html")
)


_BETWEEN_PARTS = re.compile(r"""(["'])\s*\n\s*f?\1""")
"""Pattern of what is between two parts of one string in code, each on a line of its own."""


def found_in(text: str) -> list[str]:
    """Return the forbidden phrases in a text, found as whole words across line breaks and parts of a string."""
    running = " ".join(_BETWEEN_PARTS.sub("", text.lower()).split())
    contained = [phrase for phrase in FORBIDDEN if phrase in running]  # a hundred times as fast as the expression
    return [phrase for phrase in contained if re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", running)]


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_search_for_forbidden_phrases_matches_whole_words_across_line_breaks() -> None:
    assert found_in("Read it\nanew, and of\nthen.") == ["anew", "of then"]
    assert found_in('"Read it "\n    f"anew."') == ["anew"]
    assert found_in("A newer renewal, often thenceforth.") == []


@pytest.mark.parametrize("path", [path for path in PAGES if not place(path).startswith(EXEMPT)], ids=place)
def test_no_page_has_a_phrase_that_readers_stumble_over(path: Path) -> None:
    assert found_in(path.read_text(encoding="utf-8")) == []


def test_no_error_or_docstring_or_html_page_has_a_phrase_that_readers_stumble_over() -> None:
    phrases_by_path = {place(path): found_in(path.read_text(encoding="utf-8")) for path in WRITTEN}
    assert {path: phrases for path, phrases in phrases_by_path.items() if phrases} == {}


def test_no_test_has_a_phrase_that_readers_stumble_over_in_its_text_or_its_name() -> None:
    texts = {place(path): path.read_text(encoding="utf-8") for path in TESTS}
    names = {path: ". ".join(re.findall(r"def (test_\w+)", text)).replace("_", " ") for path, text in texts.items()}
    phrases_by_path = {path: found_in(text) + found_in(names[path]) for path, text in texts.items()}
    assert {path: phrases for path, phrases in phrases_by_path.items() if phrases} == {}


@pytest.mark.parametrize("path", GOLDEN_REPORTS, ids=place)
def test_no_report_has_a_phrase_that_readers_stumble_over(path: Path) -> None:
    assert found_in(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("command", command_names())
def test_no_help_has_a_phrase_that_readers_stumble_over(command: str) -> None:
    assert found_in(command_help(described(command), SettingsFile(), everything=True)) == []
    assert found_in(overview(everything=True)) == []


def test_the_terms_of_the_field_are_in_the_readme_and_the_glossary() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    glossary = (DOCS / "glossary.md").read_text(encoding="utf-8").lower()
    for term in ("annotator", "gold", "baseline", "bias", "false pass"):
        assert term in readme
        assert term in glossary
    for term in (
        "inter-annotator agreement",
        "confusion matrix",
        "mean absolute error",
        "synthetic labels",
        "chance-corrected",
    ):
        assert term in glossary


@pytest.mark.parametrize(
    ("path", "terms"),
    [
        ("docs/statistics.md", ("confusion matrix", "mean absolute error", "baseline", "inter-annotator", "kappa")),
        ("docs/howto/annotators.md", ("annotator", "can't tell")),
        ("docs/howto/calibrate.md", ("false pass", "baseline", "bias", "confusion matrix")),
        (
            "tests/golden/situations/ok.md",
            ("annotator", "baseline", "95% ci", "mean absolute error (mae)", "false fails"),
        ),
        ("tests/golden/situations/too-few-labels.md", ("approximate", "gold", "bias")),
        ("src/markscheme/report/sections/criteria.py", ("confusion matrix: rows are gold",)),
    ],
    ids=str,
)
def test_each_page_uses_the_terms_of_the_field_that_readers_search_for(path: str, terms: tuple[str, ...]) -> None:
    text = (ROOT / path).read_text(encoding="utf-8").lower()
    assert [term for term in terms if term not in text] == []


@pytest.mark.parametrize(
    ("command", "terms"),
    [
        ("calibrate", ("human labels", "labelled examples", "inter-annotator agreement")),
        ("label", ("annotators disagree", "gold label", "labels needed", "random seed")),
        ("label", ("annotators", "blind")),
    ],
)
def test_the_help_of_calibrate_and_of_label_uses_the_usual_terms_of_annotation_studies(
    command: str, terms: tuple[str, ...]
) -> None:
    text = " ".join(command_help(described(command), SettingsFile(), everything=True).lower().split())
    assert [term for term in terms if term not in text] == []


def test_pages_that_show_promptfoo_s_no_cache_option_also_show_the_variable_that_turns_off_markscheme_s_cache() -> None:
    files = [*DOCS.rglob("*.md"), *(ROOT / "skills").rglob("*.md")]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    shown = [line for line in lines if re.search(r"promptfoo eval [^`]*--no-cache", line)]
    assert len(shown) == 3
    assert [line for line in shown if "MARKSCHEME_NO_CACHE=1 npx promptfoo eval" not in line] == []
