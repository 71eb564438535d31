"""Reading of values that are words: as levels in a known or a stated order, or else as categories."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from markscheme.readers.tabular.cells import listed_in
from markscheme.readers.tabular.decision_values import pass_value_needed, refuse_mark
from markscheme.readers.tabular.refusals import refusal, same_as
from markscheme.readers.tabular.scales import (
    DIRECTION_FIGURES,
    FEWEST_FOR_REPEATS,
    FEWEST_LEVELS,
    MOST_WORDS,
    ReadValues,
    below_step,
)
from markscheme.readers.tabular.values import ValueComparison, counts_of_columns, unused
from markscheme.readers.tabular.words import (
    ABSTENTIONS,
    ORDERS,
    alike_values,
    decision_of,
    family,
    folded,
    is_decision,
    speaks_of_pass,
)
from markscheme.rubrics.rubric import Level, Scale


def words_of(comparison: ValueComparison) -> ReadValues:
    """Read words as levels if their order is known, such as low, medium and high; else as categories."""
    _refuse_odd_values(comparison)
    for first, second in comparison.pairs:
        ours = comparison.values[first.name]
        theirs = comparison.values[second.name]
        are_two = max(len(ours), len(theirs)) < FEWEST_LEVELS
        share = {family(value) for value in ours} & {family(value) for value in theirs}
        if are_two and not share and not (is_decision(ours) and is_decision(theirs)):
            names = [first.name, second.name]
            raise pass_value_needed(comparison, [name for name in names if not is_decision(comparison.values[name])])
    order = next((order for order in ORDERS if set(comparison.everything) <= set(order)), None)
    if order is not None:
        return in_order(comparison, order)
    return _categories(comparison)


def _refuse_odd_values(comparison: ValueComparison) -> None:
    """Refuse a value that is neither pass nor fail, such as "partly", if only judges or only people give it.

    All other values must be passes and fails.
    """
    owners = comparison.owners()
    odd = [{value: n for value, n in counted.items() if decision_of(value) is None} for counted in owners]
    have_decisions = all(is_decision(set(counted).difference(*odd)) for counted in owners)
    with_odd = [others for others in odd if others]
    has_words = all(any(decision_of(v) is not None for v in counted) for counted in comparison.values.values())
    if len(owners) < 2 or not have_decisions or not has_words or len(with_odd) != 1:
        return
    counts = {comparison.spelling[value]: n for value, n in with_odd[0].items()}
    columns = comparison.owners_of(counts)
    beside = [v for name in columns for v in comparison.values[name]]
    failing = next((v for v in beside if decision_of(v) is False), "fail")
    known = alike_values(["pass", "fail", *comparison.everything, *beside], with_odd[0])
    guesses = {v: "PASS-OR-FAIL" if speaks_of_pass(v) else failing for v in with_odd[0]}
    choices = [same_as((comparison.spelling[v], known.get(v, to.get(v, ""))) for v in guesses) for to in ({}, guesses)]
    raise refusal("odd-value", columns=columns, values=counts, choices=dict.fromkeys(choices))


def in_order(comparison: ValueComparison, order: Sequence[str]) -> ReadValues:
    """Read words as levels of a scale, from the worst to the best."""
    unknown = {comparison.spelling[v]: n for v, n in comparison.everything.items() if v not in order}
    if unknown:
        choice = same_as((value, "LEVEL") for value in unknown)
        raise refusal("no-place", columns=comparison.owners_of(unknown), values=unknown, choices=[choice])
    steps = max(len(order) - 1, 1)
    names = [comparison.spelling.get(word, word) if comparison.options.level_words else word for word in order]
    scale = Scale(tuple(Level(index / steps, name) for index, name in enumerate(names)), by_label=True)
    levels = {name: {v: order.index(v) / steps for v in counted} for name, counted in comparison.values.items()}
    stated = frozenset(comparison.values) if comparison.options.level_words else frozenset()
    read = ReadValues("levels", scale, below_step(steps), levels, stated=stated)
    return replace(read, withheld=dict.fromkeys(DIRECTION_FIGURES, "pass-mark"))


def passing_from(comparison: ValueComparison, read: ReadValues) -> ReadValues:
    """Set the pass mark of levels that are words to the lowest level that `--pass` names."""
    refuse_mark(comparison)
    if not comparison.options.pass_:
        return read
    positions = dict(zip(map(folded, comparison.options.level_words), read.scale.values, strict=True))
    named = [folded(word.partition("=")[2] or word) for word in comparison.options.pass_]
    for word, value in zip(comparison.options.pass_, named, strict=True):
        if value not in positions:
            raise unused("pass_", word, comparison.columns, comparison.everything)
    return replace(read, pass_mark=min(positions[value] for value in named), withheld={})


def _categories(comparison: ValueComparison) -> ReadValues:
    """Read words as categories without an order; refuse long texts, and columns that each have words of their own."""
    _refuse_lists(comparison)
    _refuse_abstentions(comparison)
    canonical = _canonical(comparison)
    values = {name: Counter[str]() for name in comparison.values}
    for name, counted in comparison.values.items():
        for value, n in counted.items():
            values[name][canonical.get(value, value)] += n
    different = sorted(counts_of_columns(values))
    rows = max(sum(counted.values()) for counted in values.values())
    if len(different) > MOST_WORDS or (rows >= FEWEST_FOR_REPEATS and len(different) > rows / 2):
        raise refusal(
            "text", columns=list(values), values=comparison.counts_of(values), choices=_other_columns(comparison)
        )
    if len(different) < 2:
        raise refusal("one-value", columns=list(values), values=comparison.counts_of(values))
    _refuse_words_apart(comparison, values)
    steps = len(different) - 1
    scale = Scale.of_categories([comparison.spelling.get(value, value) for value in different])
    levels = {
        name: {v: different.index(canonical.get(v, v)) / steps for v in counted}
        for name, counted in comparison.values.items()
    }
    code = "pass-value" if len(different) < FEWEST_LEVELS else "categories"
    withheld = dict.fromkeys(DIRECTION_FIGURES, code)
    notes = ("categories",) if code == "categories" else ()
    return ReadValues("categories", scale, below_step(steps), levels, withheld=withheld, notes=notes)


def _refuse_lists(comparison: ValueComparison) -> None:
    """Refuse cells such as `tone; facts` that list several values, if a value also occurs alone in a cell."""
    for name, counted in comparison.values.items():
        lists = {value: n for value, n in counted.items() if set(listed_in(value)) <= comparison.everything.keys()}
        lists = {comparison.spelling[value]: n for value, n in lists.items() if len(listed_in(value)) > 1}
        if lists:
            raise refusal("several-values", columns=[name], values=lists)


def _refuse_abstentions(comparison: ValueComparison) -> None:
    """Refuse words such as "unsure" that only judges or only people give, unless an option says what they mean."""
    stated = {folded(new) for new in comparison.options.recoded.values()}
    owners = comparison.owners()
    of_some = {v for counted in owners for v in counted if not all(v in of_owner for of_owner in owners)}
    words = of_some & ABSTENTIONS - stated
    if words and not comparison.options.no_two_are_one:
        raise comparison.missing_word(sorted(words), comparison.values)


def _canonical(comparison: ValueComparison) -> dict[str, str]:
    """Map all words for pass to one word and all for fail to another; {} if a column has two words for one of them."""
    for counted in comparison.values.values():
        decided = [family(value) for value in counted if decision_of(value) is not None]
        if not is_decision(decided):
            return {}
    spelt = {decision: [v for v in comparison.everything if decision_of(v) is decision] for decision in (True, False)}
    return {value: words[0] for words in spelt.values() for value in words}


def _refuse_words_apart(comparison: ValueComparison, values: Mapping[str, Mapping[str, int]]) -> None:
    """Refuse two columns that each have a word the other lacks, unless the user says that no two words are equal."""
    if comparison.options.no_two_are_one:
        return
    for first, second in comparison.pairs:
        ours = {v: n for v, n in values[first.name].items() if v not in values[second.name]}
        theirs = {v: n for v, n in values[second.name].items() if v not in values[first.name]}
        if ours and theirs:
            alike = alike_values(values[first.name], values[second.name])
            same = same_as(
                (comparison.spelling.get(v, v), comparison.spelling.get(word, word)) for v, word in alike.items()
            )
            choices = [same, ("--same", "none")] if same else [("--same", "none")]
            counts = {comparison.spelling.get(v, v): n for v, n in (ours | theirs).items()}
            raise refusal("words-apart", columns=[first.name, second.name], values=counts, choices=choices)


def _other_columns(comparison: ValueComparison) -> list[tuple[str, ...]]:
    """Return the options that name other columns, for a refusal."""
    sides = ("--judge", "COLUMN") if comparison.judges else ()
    return [(*sides, "--human", "COLUMN")]
