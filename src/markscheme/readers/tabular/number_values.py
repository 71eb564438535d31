"""Reading of values that are numbers: as levels or scores, on a scale that is stated or inferred."""

from dataclasses import replace

from markscheme.ratings.column_options import SCALE_SIDES, Span, flag_of
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.scales import (
    DIRECTION_FIGURES,
    FEWEST_LEVELS,
    HALVES,
    PERCENT,
    PERCENT_FROM,
    WIDEST_SCALE,
    ReadValues,
    are_levels,
    falling_levels_of,
    is_half,
    is_whole,
    levels_of,
    scales_differ,
    scores_of,
    usual_ends,
)
from markscheme.readers.tabular.values import ValueComparison, unused
from markscheme.readers.tabular.words import folded


def numbers_of(comparison: ValueComparison) -> ReadValues:
    """Read numbers as levels or scores on the scale that fits them; refuse numbers that fit none."""
    _refuse_thousands(comparison)
    _refuse_missing_code(comparison)
    _refuse_clash(comparison)
    numbers = {name: comparison.numbers(name) for name in comparison.forms}
    every = [value for of_column in numbers.values() for value in of_column.values()]
    low = min(every)
    high = max(every)
    tops = {form.top for form in comparison.forms.values() if form.top is not None}
    if are_levels(every):
        ends = (min(low, 1.0), tops.pop()) if tops else (low, high)
        return levels_of(numbers, ends, are_stated=False)
    if low >= 0 and high <= 1:
        return scores_of(numbers, (0.0, 1.0), are_stated=False)
    if low >= 0 and PERCENT_FROM <= high <= PERCENT:
        return scores_of(numbers, (0.0, PERCENT), are_stated=False)
    choices = [("--scale", "LOW-HIGH")]
    span = f"{low:g} to {high:g}"
    raise refusal("scale", columns=list(numbers), values=comparison.counts_of(numbers), choices=choices, span=span)


def _refuse_thousands(comparison: ValueComparison) -> None:
    """Refuse numbers such as 1,234, whose comma may be of decimals or of thousands."""
    unclear = [name for name, form in comparison.forms.items() if form.may_be_thousands]
    if unclear:
        choices = [("--scale", "LOW-HIGH")]
        raise refusal("scale", columns=unclear, values=comparison.counts_of(unclear), choices=choices, thousands=True)


def _refuse_missing_code(comparison: ValueComparison) -> None:
    """Refuse a number that may mean "not rated": one such as -1 next to positive ones, which a column lacks.

    The number counts as a level if 0 occurs too, if every column has it, if there are few numbers in all, or if the
    user states the ends of the scale.
    """
    by_name = {name: {code: value for value, code in comparison.numbers(name).items()} for name in comparison.forms}
    every = {code for numbers in by_name.values() for code in numbers}
    negative = [code for code in every if code < 0]
    if len(negative) != 1 or 0 in every or len(every) <= FEWEST_LEVELS or comparison.options.level_ends is not None:
        return
    columns = [name for name, numbers in by_name.items() if negative[0] in numbers]
    if len(columns) < len(by_name):
        word = by_name[columns[0]][negative[0]]
        counts = {comparison.spelling[word]: sum(comparison.values[name].get(word, 0) for name in columns)}
        choices = [("--same", f"{comparison.spelling[word]}="), ("--levels", f"{min(every):g}-{max(every):g}")]
        raise refusal("missing-word", columns=columns, values=counts, choices=choices)


def _refuse_clash(comparison: ValueComparison) -> None:
    """Refuse two columns whose numbers are on different scales, such as 0 to 1 and 1 to 5."""
    numbers = {column.name: list(comparison.numbers(column.name).values()) for column in comparison.columns}
    for first, second in comparison.pairs:
        tops = {comparison.forms[column.name].top for column in (first, second)} - {None}
        if len(tops) > 1 or scales_differ(numbers[first.name], numbers[second.name]):
            both = [first, second]
            are_sides = first.is_judge != second.is_judge
            named = {(SCALE_SIDES[not c.is_judge] if are_sides else c.name): numbers[c.name] for c in both}
            ends = {name: usual_ends(of_column) or "LOW-HIGH" for name, of_column in named.items()}
            choice = tuple(word for name, span in ends.items() for word in ("--scale", f"{name}={span}"))
            names = [column.name for column in both]
            spans = [f"{min(numbers[name]):g} to {max(numbers[name]):g}" for name in names]
            raise refusal(
                "scales-differ", columns=names, values=comparison.counts_of(names), choices=[choice], spans=spans
            )


def on_scales(comparison: ValueComparison) -> ReadValues:
    """Read the columns' numbers as values on the scales that the user gives with `--scale` or `--levels`."""
    options = comparison.options
    stated = {c.name: options.span_of(c.name, is_judge=c.is_judge) or options.level_ends for c in comparison.columns}
    spans = {name: span for name, span in stated.items() if span is not None}
    if not spans:
        raise unused("scale", options.scale[0], comparison.columns, comparison.everything)
    for name in stated:
        if name not in spans:
            raise refusal("scale", columns=[name], choices=[("--scale", f"{name}=LOW-HIGH")])
    numbers = {name: _within(comparison, name, spans[name]) for name in comparison.values}
    if len(set(spans.values())) == 1:
        (span,) = set(spans.values())
        low, high = sorted(span)
        every = [low, high, *(number for of_column in numbers.values() for number in of_column.values())]
        is_narrow = high - low <= (WIDEST_SCALE if all(map(is_whole, every)) else HALVES)
        if is_narrow and all(map(is_half, every)):
            read = (levels_of if span == (low, high) else falling_levels_of)(numbers, span, are_stated=True)
            return replace(read, stated=frozenset(comparison.values))
        if span == (low, high):
            return replace(scores_of(numbers, span, are_stated=True), stated=frozenset(comparison.values))
    positions = {
        name: {value: (number - worst) / (best - worst) for value, number in numbers[name].items()}
        for name, (worst, best) in spans.items()
    }
    read = replace(scores_of(positions, (0.0, 1.0), are_stated=True), stated=frozenset(comparison.values))
    (span, *others) = dict.fromkeys(spans.values())
    return replace(read, own_ends=spans) if others else replace(read, ends=span)


def _within(comparison: ValueComparison, name: str, span: Span) -> dict[str, float]:
    """Return the numbers of a column by value; refuse numbers beyond the ends that the user states for them."""
    low, high = sorted(span)
    if name not in comparison.forms:
        key = "scale" if comparison.options.scale else "levels"
        raise refusal(
            "option-unused", columns=[name], values=comparison.counts_of([name]), option=flag_of(key), key=key
        )
    numbers = dict(comparison.forms[name].numbers)
    if comparison.forms[name].may_be_thousands:
        in_thousands = {value: float(value.replace(",", "")) for value in numbers}
        numbers = in_thousands if max(in_thousands.values()) <= high else numbers
    if comparison.forms[name].is_percent and high <= 1:
        numbers = {value: number / PERCENT for value, number in numbers.items()}
    off = {
        comparison.spelling[value]: comparison.values[name][value]
        for value, n in numbers.items()
        if not low <= n <= high
    }
    if off:
        raise refusal("option-unused", columns=[name], values=off, option=f"{low:g}-{high:g}")
    return numbers


def with_mark(comparison: ValueComparison, read: ReadValues) -> ReadValues:
    """Set the pass mark of numbers on a scale to the lowest number that `--pass-mark` or `--pass` names."""
    marks = [] if comparison.options.pass_mark is None else [comparison.options.pass_mark]
    for word in comparison.options.pass_:
        value = folded(word.partition("=")[2] or word)
        if value not in comparison.everything:
            raise unused("pass_", word, comparison.columns, comparison.everything)
        marks += [form.numbers[value] for form in comparison.forms.values() if value in form.numbers]
    if not marks or read.ends is None:
        return read
    low, high = read.ends
    mark = min(marks, key=lambda number: (number - low) / (high - low))
    if not 0 <= (position := (mark - low) / (high - low)) <= 1:
        raise refusal("mark-off-scale", columns=list(comparison.values), mark=f"{mark:g}", scale=f"{low:g} to {high:g}")
    withheld = {figure: code for figure, code in read.withheld.items() if figure not in DIRECTION_FIGURES}
    return replace(read, pass_mark=position, withheld=withheld)
