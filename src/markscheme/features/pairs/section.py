"""Sections of a calibration's report on pairs: effects of order and length, and which system is better."""

import operator
from collections.abc import Iterator, Sequence
from typing import Any

from markscheme.calibration.calibration import Calibration
from markscheme.features.pairs.davidson import Strengths
from markscheme.features.pairs.preferences import (
    OrderFigures,
    SystemPair,
    SystemsCompared,
    orders_of_all,
    systems_compared,
)
from markscheme.phrases import counted, digits_to_subtract, in_words, signed
from markscheme.report import document as doc
from markscheme.report.figures import (
    NONE,
    coefficient,
    points,
    share,
    share_with_ci,
    share_with_interval,
    why_no_interval,
)
from markscheme.stats import Estimate
from markscheme.stats.intervals import mapped


def sections_of_pairs(calibration: Calibration, _: doc.Examples) -> Iterator[doc.Section]:
    """Yield the sections on order and length, and on systems, of a calibration with pairs."""
    orders = orders_of_calibration(calibration)
    if orders:
        yield orders_section(orders)
    systems = systems_of_calibration(calibration)
    if systems:
        yield systems_section(systems)


def pairs_data(calibration: Calibration) -> dict[str, Any]:
    """Return the JSON entries of a calibration on pairs: effects of order and length, and systems compared."""
    return {
        "orders": [figures.to_json() for figures in orders_of_calibration(calibration)],
        "systems": [compared.to_json() for compared in systems_of_calibration(calibration)],
    }


def judge_orders(calibration: Calibration) -> OrderFigures | None:
    """Compute the figures on how the order shown affects the judge; None if its ratings don't record the order."""
    figures = orders_of_calibration(calibration)
    return next((of_rater for of_rater in figures if of_rater.rater == calibration.rater.name), None)


def orders_of_calibration(calibration: Calibration) -> list[OrderFigures]:
    """Compute the figures on how order and length affect each rater: first the judge, then the annotators."""
    gold = calibration.comparison.gold
    ratings = (*calibration.judge_ratings, *calibration.repeats)
    return orders_of_all(calibration.rubric, gold.examples, ratings, calibration.rater.name, gold.people)


def pair_tiles(calibration: Calibration) -> doc.Tiles:
    """Render tiles: how often the judge's preference flips with the order, and how far it prefers the first shown."""
    orders = judge_orders(calibration)
    if orders is None or not orders.in_both:
        return doc.Tiles((("Order flips", "order not tested: ask in both orders", doc.Ids(()), "flips"),))
    flipped = doc.Ids(orders.flipped)
    count = f"{len(orders.flipped)} of {counted(orders.in_both, 'pair')}"
    flips = count if orders.flips.is_count else f"{count}, {share_with_ci(orders.flips)}"
    return doc.Tiles(
        (
            ("Order flips", flips, flipped, "flips"),
            ("Shown first", f"{points(orders.lean)} points", doc.Ids(()), "lean"),
        )
    )


def orders_section(figures: Sequence[OrderFigures]) -> doc.Section:
    """Render a table with a row per rater: flips, preference for the response shown first, and for longer ones."""
    rows = tuple(
        (
            doc.Name(of_rater.rater),
            str(of_rater.pairs),
            share_with_interval(of_rater.flips) if of_rater.in_both else NONE,
            points(of_rater.lean),
            coefficient(of_rater.length),
        )
        for of_rater in figures
    )
    notes = (
        "Flips: pairs that the rater decides another way when the two responses change places; two contradicting "
        "answers count as a tie. Shown first: points by which it prefers the response shown first over the one shown "
        "second. Length: correlation of its preference with the ratio of lengths; above 0 it prefers the longer "
        "response. 95% CIs.",
    )
    table = doc.Table(("Rater", "pairs", "flips", "shown first", "length"), rows)
    return doc.Section("Order and length", (table, doc.Notes(notes)), "orders")


# --- systems --------------------------------------------------------------------------------------------------------


def systems_of_calibration(calibration: Calibration) -> list[SystemsCompared]:
    """Compare systems by gold, then by the judge; empty if the pairs don't name the systems that wrote them."""
    comparison = calibration.comparison
    columns = {"labels": comparison.gold.scores, calibration.rater.name: comparison.scores}
    examples = comparison.gold.examples
    every = (systems_compared(calibration.rubric, examples, scores, name) for name, scores in columns.items())
    return [compared for compared in every if compared is not None]


def systems_section(compared: Sequence[SystemsCompared]) -> doc.Section:
    """Render how systems compare by each rater: a sentence, strengths of three or more systems, a table of pairs."""
    blocks = [
        block for systems in compared for block in (doc.Paragraph((in_a_sentence(systems),)), *systems_blocks(systems))
    ]
    return doc.Section("Systems", tuple(blocks), "systems")


def systems_blocks(compared: SystemsCompared) -> Iterator[doc.Block]:
    """Yield the blocks with figures that compare systems by one rater's preferences."""
    if compared.strengths is not None:
        yield _strengths_table(compared, compared.strengths)
    yield doc.Table(
        ("Pair of systems", "pairs", "first", "tie", "second", "difference, points"),
        tuple(
            (
                doc.Name(f"{pair.first} and {pair.second}"),
                str(pair.n),
                *(
                    share(of_pair.value, _digits(pair))
                    for of_pair in (pair.prefers_first, pair.ties, pair.prefers_second)
                ),
                points(pair.difference, _digits(pair)),
            )
            for pair in compared.pairs
        ),
    )
    notes = list(_notes(compared))
    if notes:
        yield doc.Notes(tuple(notes))


def _digits(pair: SystemPair) -> int:
    """Return the number of decimals for two shares, such that the written shares differ by the written difference."""
    return digits_to_subtract(pair.prefers_first.value, pair.prefers_second.value)


def in_a_sentence(compared: SystemsCompared) -> str:
    """Return a sentence on which system a rater prefers, with shares, or that no preference is shown."""
    who = "The labels prefer" if compared.rater == "labels" else f"{compared.rater} prefers"
    if len(compared.pairs) == 1 and len(compared.systems) == 2:
        pair = compared.pairs[0]
        ahead = (pair.difference.value or 0.0) >= 0
        better, worse = (pair.first, pair.second) if ahead else (pair.second, pair.first)
        shares = (pair.prefers_first, pair.prefers_second) if ahead else (pair.prefers_second, pair.prefers_first)
        digits = _digits(pair)
        in_better, in_worse = (share(figure.value, digits) for figure in shares)
        tie = f", tie in {share(pair.ties.value, digits)}" if pair.ties.value else ""
        difference = mapped(pair.difference, operator.neg) if not ahead else pair.difference
        shown = "" if difference.above(0.0) else " It isn't shown which is better."
        return (
            f"{who} {better} in {in_better}, {worse} in {in_worse}{tie}; difference {points(difference, digits)} "
            f"points.{shown}"
        )
    if compared.leader:
        return f"{who} {compared.leader} to each of the other {counted(len(compared.systems) - 1, 'system')}."
    strengths = compared.strengths
    first = (
        [name for name, rank in zip(compared.systems, strengths.ranks, strict=True) if rank == 1] if strengths else []
    )
    verb = "Which system the labels prefer" if compared.rater == "labels" else f"Which system {compared.rater} prefers"
    among = f": {in_words(first)} share the first rank" if len(first) > 1 else ""
    if len(first) == 1:
        rivals = [name for name in compared.systems if name != first[0] and not compared.is_over(first[0], name)]
        open_with = f"its own pairs with {in_words(rivals)} leave it open"
        among = f": {first[0]} has the first rank by all pairs together, but {open_with}"
    return f"{verb} isn't shown{among}."


def _strengths_table(compared: SystemsCompared, strengths: Strengths) -> doc.Table:
    rows = []
    for index in compared.in_order:
        estimate = strengths.log_strengths[index]
        rank = strengths.ranks[index]
        shown = NONE if rank is None else str(rank)
        rows.append((shown, doc.Name(compared.systems[index]), _with_signs(estimate)))
    return doc.Table(("Rank", "system", "log strength"), tuple(rows))


def _with_signs(estimate: Estimate) -> str:
    if estimate.value is None:
        return NONE
    text = signed(estimate.value)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} ({signed(estimate.low)} to {signed(estimate.high)}){' ~' if estimate.is_approximate else ''}"


def _notes(compared: SystemsCompared) -> Iterator[doc.Line]:
    strengths = compared.strengths
    if strengths is None:
        return
    yield (
        "Log strength: by Davidson's model of wins and ties; 0 is the mean. The odds of a win against a loss are e to "
        f"the power of their difference. 95% CIs by {counted(strengths.n_groups, 'group')}. Systems share a rank "
        "where the interval of their difference includes 0."
    )
    for name, estimate in zip(compared.systems, strengths.log_strengths, strict=True):
        if estimate.undefined:
            yield f"{name} has no finite strength: {estimate.undefined}."
        elif why := why_no_interval(estimate):
            yield f"{name}: no interval: {why}."
    if compared.cycles:
        yield f"{compared.cycles} of {counted(compared.triples, 'triple')} of systems go round in a circle."
    for fit in strengths.fits:
        first, second = (compared.systems[system] for system in fit.systems)
        if fit.expected is not None and compared.rules_out(first, second, fit.expected):
            yield (
                f"Strengths don't describe this rater; read the table of pairs. Most of all {first} and {second}: "
                f"{_in_points(fit.observed)} points seen, {_in_points(fit.expected)} expected."
            )
            return


def _in_points(share_of_pairs: float) -> str:
    """Format a difference of shares in percentage points, with its sign."""
    return signed(100 * share_of_pairs, 0)
