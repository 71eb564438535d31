"""Section on what was run: rubric, judge, labels, how the judge was asked, and the cost."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.earlier_runs.run_identity import template_fingerprint
from markscheme.judges.judge import Usage
from markscheme.phrases import counted, in_words, number
from markscheme.ratings.example_rows import values_of
from markscheme.ratings.gold import Gold
from markscheme.report import document as doc
from markscheme.report.sections.labels import labels_in_words
from markscheme.report.sections.table import RUN_FACTS

if TYPE_CHECKING:
    from markscheme.readers.tabular.reading import TableReading

_STRATEGIES = {
    "one_shot": "all criteria in one request (one_shot)",
    "per_criterion": "one request per criterion (per_criterion)",
    "double_pass": "all criteria twice, the second time in reverse order (double_pass)",
    "holistic": "one score for the whole response (holistic)",
}
_DRAWN = {"random": "at random", "by-verdict": "by the judge's verdict", "chosen": "with known chances"}
_PICKED = {"chosen": "picked by hand", "by-verdict": "drawn by the judge's verdict with unknown chances"}


def source_line(calibration: Calibration) -> str:
    """Say where the judge's verdicts come from: live calls, recorded replies, a file of ratings or a table."""
    rater = calibration.rater
    if rater.rated_table is not None:
        return _table_line(calibration, *rater.rated_table)
    match rater.source:
        case "live":
            cached = counted(calibration.counts.from_cache, "reply", "replies")
            return f"Live: {counted(calibration.cost.calls, 'call')}, {cached} from the cache."
        case "recorded":
            return f"Recorded replies, no calls: {rater.provenance}."
        case _:
            return f"Ratings from a file, no calls: {rater.provenance}." if rater.provenance else "Ratings from a file."


def _table_line(calibration: Calibration, table: "TableReading", criterion: str) -> str:
    """Describe how a table was read: number of rows, of rows with judge and gold, and of annotators' even splits."""
    from markscheme.report.table_words import line_two

    comparison = calibration.comparison
    split = {unit for unit, _ in comparison.gold.even_splits}
    judged = [unit for unit, value in zip(comparison.ids, comparison.judge_values, strict=True) if not np.isnan(value)]
    return line_two(table, criterion, len(split.intersection(judged)))


def what_was_run(calibration: Calibration) -> doc.Section:
    """Build the section with the facts of a run, one per line."""
    return doc.Section("What was run", (doc.Facts(tuple(_facts(calibration))),), "run")


def _facts(calibration: Calibration) -> Iterator[tuple[str, str]]:
    rater = calibration.rater
    rubric = calibration.rubric
    gold = calibration.comparison.gold
    yield "rubric", f"{rubric.name} ({rubric.fingerprint})"
    if rater.source != "ratings":
        yield "prompt wording", template_fingerprint()
    yield "judge", f"{rater.name} ({rater.fingerprint or 'ratings only, no fingerprint'})"
    if rater.members > 1:
        worth = calibration.measured("independent_votes")
        votes = "" if worth is None else f", {number(worth, 1)} independent votes"
        yield "panel", f"{counted(rater.members, 'judge')}{votes}"
    if rater.rated_table is not None:
        yield "table", f"{rater.provenance}, read as {_table_line(calibration, *rater.rated_table)}"
    if rater.answered_by:
        yield "answered by", ", ".join(rater.answered_by)
    if rater.identity is not None and rater.identity.without:
        yield "asked without", f"{', '.join(rater.identity.without)} (not taken by the server)"
    for facts_of in RUN_FACTS:
        yield from facts_of(calibration)
    yield "labels", f"{counted(gold.n, 'example')}, {labels_in_words(gold.reference, gold.few_labelled_twice)}"
    if rater.source != "ratings":
        samples = "" if rubric.samples == 1 else f", {rubric.samples} samples (median level)"
        per_call = "" if rubric.criteria_per_call is None else f", at most {rubric.criteria_per_call} criteria in each"
        yield "asked", f"{_STRATEGIES[rubric.strategy]}{per_call}{samples}"
    yield from _drawn(gold)
    yield "graded", f"{calibration.counts.graded} of {counted(calibration.counts.examples, 'example')}"
    yield "cost", cost_line(calibration.cost)
    accepted = None if calibration.baseline is None else calibration.baseline.since.accepted
    if accepted is not None:
        yield "accepted run", f"{accepted.date}, {accepted.digest} ({accepted.path})"


def _drawn(gold: Gold) -> Iterator[tuple[str, str]]:
    """Yield a line of the report's table of facts: its label, and how gold's examples were drawn.

    Nothing is yielded if only counts of examples are known.
    """
    if not gold.examples:
        return
    drawn = Counter(
        (_PICKED if is_picked else _DRAWN).get(manner or "", "not recorded") for is_picked, manner in _how_chosen(gold)
    )
    yield "examples drawn", ", ".join(f"{manner} ({n})" if len(drawn) > 1 else manner for manner, n in drawn.items())


def _how_chosen(gold: Gold) -> Iterator[tuple[bool, str | None]]:
    """Yield for each example True if it was picked, so that it represents no others, and how it was drawn."""
    return zip(gold.picked.tolist(), values_of(gold.examples, "drawn"), strict=True)


def how_picked(gold: Gold) -> str:
    """Say how the examples that don't represent other outputs were chosen, in words such as "picked by hand"."""
    return in_words(sorted({_PICKED[manner or ""] for is_picked, manner in _how_chosen(gold) if is_picked}), "or")


def cost_line(cost: Usage) -> str:
    """Format in a line what the judge's calls cost: their number, tokens and dollars, as far as known."""
    if not cost.calls:
        return "none (no calls)"
    read = cost.input_tokens
    written = cost.output_tokens
    tokens = "" if read is None or written is None else f", {read + written:,} tokens"
    usd = "price unknown" if cost.usd is None else f"${number(cost.usd, 4)}"
    batches = "" if cost.batched_usd is None else f", ${number(cost.batched_usd, 4)}"
    in_batches = f" ({cost.batched:,} in batches at half price{batches})" if cost.batched else ""
    return f"{counted(cost.calls, 'call')}{tokens}, {usd}{in_batches}"
