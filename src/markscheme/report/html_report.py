"""A Calibration, or a Choice between judges, as one HTML page that needs no network and no script.

The page's own few lines of script filter the examples; a Content-Security-Policy lets nothing else run. Charts are
SVG in the page itself: a charting library would need leave to run code that the page otherwise denies to everyone.
Text from outside is escaped wherever it is printed, its invisible characters are spelt out, and long texts are cut.
"""

import base64
import hashlib
import platform
import re
import unicodedata
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.changes import template_fingerprint
from markscheme.calibration.choice import Choice, Contender
from markscheme.calibration.comparison import Comparison, compare
from markscheme.ratings.examples import Example
from markscheme.ratings.gold import Gold
from markscheme.report import compare_report, words
from markscheme.report.baseline import baseline_lines
from markscheme.report.figures import NONE, number
from markscheme.report.html_cases import Cases, cases_of_calibration, cases_of_choice
from markscheme.report.html_charts import (
    agreement_bars,
    criterion_views,
    drift_views,
    scatter,
    slice_views,
    standing_bars,
)

if TYPE_CHECKING:
    from jinja2 import Environment

LARGEST_PAGE = 2_800_000
"""Bytes of a page above which its texts are cut shorter, and then fewer examples are shown."""
CASES = {1000: (8000, 4000, 2000, 1000, 500), 500: (4000, 1000, 250, 120, 60, 30)}
"""Examples on a page, and the characters of a response, an input, a reason or a quote that are shown: the first that
keep the page small enough. Several judges share the examples of their page."""
LONGEST_LINE = 2000
"""Characters shown of anything else."""
JOINERS = "\u200c\u200d"
"""Invisible characters that words and emoji are spelt with."""
UNUSUAL = re.compile(r"[^\t\n -~\u00a1-\u00ac\u00ae-\u02ff]")
"""Characters that may be invisible, and others beside them."""
MOST_LINKS = 20
MOST_APART = 3


def calibrations_html(calibrations: Sequence[Calibration], choice: Choice | None = None, *, when: str = "") -> str:
    """The page of one calibration, or of several on the same examples with the choice between them.

    Args:
        calibrations: One a judge.
        choice: Between several.
        when: The day and time to print on the page.
    """
    rubric = calibrations[0].rubric

    def parts(most: int) -> dict[str, Any]:
        each = most // len(calibrations)
        judges = [_judge(calibration, f"j{place}", each) for place, calibration in enumerate(calibrations)]
        shown = None if choice is None else _choice(choice, judges[0]["cases"])
        return {"choice": shown, "judges": judges, "beside": [], "cases": None, "run": []}

    return _page(f"Calibration of {rubric.name}", when, parts)


def choice_html(
    choice: Choice,
    contenders: Sequence[Contender],
    *,
    truth: Gold | None = None,
    examples: Sequence[Example] = (),
    when: str = "",
) -> str:
    """The page of a comparison: the choice, each pair, and the examples with what every judge said of them.

    Args:
        choice: Between the contenders.
        contenders: With their ratings, named as in the choice.
        truth: The gold, where there is any.
        examples: Where responses are found; a response that is in none of them is not shown.
        when: The day and time to print on the page.
    """
    beside_gold = {
        f"k{place}-": compare(truth.judged(choice.rubric, contender.ratings), tolerance=choice.tolerance)
        for place, contender in enumerate(contenders)
        if truth is not None
    }
    run = [
        ("rubric", f"{choice.rubric.name} ({choice.rubric.fingerprint})"),
        ("cost", "; ".join(f"{one.name}: {_cost(one.cost.calls, one.cost.usd)}" for one in contenders)),
    ]

    def parts(most: int) -> dict[str, Any]:
        cases = cases_of_choice(choice, contenders, truth, examples, beside_gold, most)
        beside = [
            {"name": one.name, "prefix": of.rstrip("-"), **_whole(comparison, choice.rubric.target, cases, of)}
            for one, (of, comparison) in zip(contenders, beside_gold.items(), strict=False)
        ]
        return {"choice": _choice(choice, cases), "judges": [], "beside": beside, "cases": cases, "run": run}

    return _page(compare_report.head(choice), when, parts)


# --- the parts of a page --------------------------------------------------------------------------------------------


def _judge(calibration: Calibration, prefix: str, most: int) -> dict[str, Any]:
    """All that the template shows of one judge, with at most so many examples."""
    comparison, baseline = calibration.comparison, calibration.baseline
    cases = cases_of_calibration(calibration, prefix, most)
    whole = _whole(comparison, calibration.decision.target, cases)
    return {
        "prefix": prefix,
        "name": calibration.rater.name,
        "use": calibration.decision.use,
        "use_line": words.use_line(calibration).partition(". Verdict:"),
        "false_passes": _linked(comparison.false_passes, cases),
        "false_fails": _linked(comparison.false_fails, cases),
        "findings": [_finding(found, cases) for found in calibration.findings],
        "first": _first_step(calibration),
        "lines": [words.agreement_line(calibration), words.overall_line(calibration), *words.care_lines(calibration)],
        "labels_line": words.labels_line(calibration),
        **whole,
        "apart": _most_apart(whole["criteria"]),
        "slices": slice_views(calibration.slices, cases),
        "baseline": baseline_lines(baseline) if baseline else [],
        "drift": drift_views(baseline, cases) if baseline else [],
        "flipped": _linked(baseline.score.flipped, cases) if baseline and baseline.score else None,
        "cases": cases,
        "run": _what_was_run(calibration),
    }


def _whole(comparison: Comparison, target: float, cases: Cases, of: str = "") -> dict[str, Any]:
    """A judge beside gold: agreement, scores and criteria, each with its way to the examples."""
    return {
        "list": cases.prefix,
        "bars": agreement_bars(comparison, target),
        "scatter": scatter(comparison, cases),
        "criteria": criterion_views(comparison, cases, of),
    }


def _most_apart(criteria: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The few criteria on which judge and gold differ most often, the worst first."""
    differing = [one for one in criteria if one["apart"]]
    return sorted(differing, key=lambda one: -one["apart"] / one["n"])[:MOST_APART]


def _first_step(calibration: Calibration) -> str:
    """What to do first."""
    if calibration.findings:
        return calibration.findings[0].suggestion or calibration.findings[0].message
    if calibration.comparison.gold.reference in ("constructed", "model"):
        return "Let people label examples: no fault stands out, and no person's label stands behind that."
    match calibration.decision.verdict:
        case "not-enough-labels" | "labels-disagree":
            return "Label more examples: no fault stands out, and these are too few to tell."
        case "adjust":
            return "Read the examples that differ most: no single fault explains them."
        case "ok":
            return "Nothing: no fault stands out."


def _finding(found: Any, cases: Cases) -> dict[str, Any]:
    return {
        "code": found.code,
        "criterion": found.criterion,
        "severity": found.severity,
        "message": found.message,
        "suggestion": found.suggestion,
        "examples": _linked(found.examples, cases),
    }


def _linked(ids: Sequence[str], cases: Cases) -> dict[str, Any]:
    """Ids with the place each is shown at, and how many more there are."""
    shown = [(unit, cases.anchors.get(unit)) for unit in ids[:MOST_LINKS]]
    return {"n": len(ids), "ids": shown, "more": len(ids) - len(shown)}


def _what_was_run(calibration: Calibration) -> list[tuple[str, str]]:
    rater, cost, rubric = calibration.rater, calibration.cost, calibration.rubric
    tokens = ", ".join(
        f"{count} {name} tokens"
        for count, name in ((cost.input_tokens, "input"), (cost.output_tokens, "output"))
        if count is not None
    )
    accepted = calibration.baseline.since.accepted if calibration.baseline else None
    rows = [
        ("rubric", f"{rubric.name} ({rubric.fingerprint})"),
        ("prompt wording", "" if rater.source == "ratings" else template_fingerprint()),
        ("judge", words.judge_line(calibration).removeprefix("Judge: ")),
        ("judged by", rater.provenance),
        ("judge's fingerprint", rater.fingerprint or f"{NONE} (only its ratings are known)"),
        ("answered by", ", ".join(rater.answered_by) or NONE),
        ("labels", words.labels_line(calibration).removeprefix("Labels: ")),
        ("examples", f"{calibration.counts.graded} graded of {calibration.counts.examples}"),
        ("cost", ", ".join(part for part in (_cost(cost.calls, cost.usd), tokens) if part)),
        ("accepted run", f"{accepted.date}, {accepted.digest} ({accepted.path})" if accepted else "none"),
    ]
    return [(name, value) for name, value in rows if value]


def _cost(calls: int, usd: float | None) -> str:
    if not calls:
        return "no call"
    price = "price not known" if usd is None else f"{number(usd, 4)} US dollars"
    return f"{calls} {'call' if calls == 1 else 'calls'}, {price}"


def _made(when: str) -> str:
    by = f"markscheme {version('markscheme')}, Python {platform.python_version()}"
    return f"Made on {when} by {by}" if when else f"Made by {by}"


def _choice(choice: Choice, cases: Cases) -> dict[str, Any]:
    return {
        "chosen": choice.recommended or "none",
        "lines": [f"Why: {choice.because}.", *compare_report.basis_lines(choice)],
        "headings": compare_report.STANDING_HEADINGS,
        "standings": [compare_report.standing_row(standing, choice) for standing in choice.standings],
        "bars": standing_bars(choice),
        "pairs": [
            {
                "name": f"{pair.first} → {pair.second}",
                "n": pair.n,
                "figures": (compare_report.figure_headings(pair), list(compare_report.figure_rows(pair)))
                if pair.figures
                else None,
                "criteria": (compare_report.criterion_headings(pair), list(compare_report.criterion_rows(pair))),
                "shift": compare_report.shift_line(pair),
                "false_passes": [
                    (name, _linked(ids, cases))
                    for name, ids in zip((pair.first, pair.second), pair.false_passes, strict=True)
                    if pair.figures
                ],
                "flips_line": compare_report.flips_line(pair),
                "flipped": _linked([flip.id for flip in pair.flips], cases),
                "flips": [
                    (flip.id, cases.anchors.get(flip.id), compare_report.flip_text(flip))
                    for flip in pair.flips[:MOST_LINKS]
                ],
                "more_flips": max(0, len(pair.flips) - MOST_LINKS),
                "switch": list(compare_report.switch_lines(pair.switch)),
            }
            for pair in compare_report.shown_pairs(choice)
        ],
    }


# --- the page -------------------------------------------------------------------------------------------------------


def _page(title: str, when: str, parts: Callable[[int], dict[str, Any]]) -> str:
    """The page: first its texts are cut, then examples are left out, as little as its size allows.

    Args:
        title: What it is headed.
        when: The day and time to print on it.
        parts: All else, with at most so many examples.
    """
    environment = _environment()
    template = environment.get_template("report.html.j2")
    style, script = (_plain(environment, name) for name in ("report.css.j2", "report.js.j2"))
    page = ""
    for most, limits in CASES.items():
        given = parts(most)
        for limit in limits:
            page = template.render(
                **given,
                title=title,
                made=_made(when),
                style=_markup(style),
                script=_markup(script),
                style_digest=_digest(style),
                script_digest=_digest(script),
                limit=limit,
            )
            if len(page.encode()) <= LARGEST_PAGE:
                return page
    return page


def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # a run without a page doesn't load it

    environment = Environment(
        loader=PackageLoader("markscheme.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cut"] = _cut
    return environment


def _plain(environment: "Environment", name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0].strip()


def _digest(text: str) -> str:
    """As a Content-Security-Policy names the one script, or the one style, that it lets through."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - only ever given the page's own style and script, and text escaped before


def _finalized(value: Any) -> Any:
    """Whatever a template prints: text of the page as it is, all else with its invisible characters spelt out."""
    return value if hasattr(value, "__html__") or not isinstance(value, str) else cut(value, LONGEST_LINE)


def _cut(text: str, limit: int) -> Any:
    from markupsafe import escape

    return _markup(str(escape(cut(text, limit))))


def cut(text: str, limit: int) -> str:
    """At most `limit` characters of a text, its invisible ones spelt out, with a note where something is missing.

    >>> cut("safe\\u202eexe.txt", 80), cut("a" * 1000, 5)
    ('safe⟨U+202E⟩exe.txt', 'aaaaa… [cut: 1,000 characters in all]')
    """
    shown = UNUSUAL.sub(_spelt, text[: limit + 1].replace("\r\n", "\n"))
    if len(text) <= limit and len(shown) <= 2 * limit:
        return shown
    return f"{shown[:limit]}… [cut: {len(text):,} characters in all]"


def _spelt(found: re.Match[str]) -> str:
    """A character that would not be seen, or would change how others are, by its number; any other as it is."""
    letter = found[0]
    if letter in JOINERS or unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return letter
    return f"⟨U+{ord(letter):04X}⟩"
