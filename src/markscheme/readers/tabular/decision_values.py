"""Reading of values as pass and fail: by the words for them, by `--pass`, or by a pass mark."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from markscheme.errors import UsageError
from markscheme.readers.tabular.columns import SideColumn
from markscheme.readers.tabular.refusals import refusal, same_as
from markscheme.readers.tabular.scales import DIRECTION_FIGURES, MOST_WORDS, ReadValues
from markscheme.readers.tabular.values import ValueComparison, counts_of_columns, unused
from markscheme.readers.tabular.words import ORDERS, decision_of, family, folded, is_decision, speaks_of_fault
from markscheme.rubrics.rubric import DEFAULT_TOLERANCE, Scale


def by_stated_pass(comparison: ValueComparison) -> ReadValues:
    """Read values as decisions: a pass if `--pass` names the value, or `--pass-mark` is reached; else a fail."""
    values = comparison.values
    passing = _values_named_by_pass(comparison)
    words = {name: named[0] for name, named in passing.items()}
    mark = comparison.options.pass_mark
    is_open = [name for name in values if name not in passing and not is_decision(values[name])]
    marked = frozenset(name for name in is_open if mark is not None and name in comparison.forms)
    if not marked:
        refuse_mark(comparison)
    _refuse_unknown_direction(comparison, values.keys() - passing.keys())
    for name in marked:
        words[name], passing[name] = _numbers_that_pass(comparison, name, mark or 0.0)
    for name in is_open:
        if name not in marked:
            raise _pass_needed(comparison, name)
    levels = {
        name: {v: float(v in passing[name] if name in passing else decision_of(v) is True) for v in counted}
        for name, counted in values.items()
    }
    read = _pass_and_fail(comparison, levels, _pass_words(comparison) | words, frozenset(words))
    return replace(read, marked=marked)


def _values_named_by_pass(comparison: ValueComparison) -> dict[str, list[str]]:
    """Map each column for which `--pass` names values to these values, folded.

    Raises:
        UsageError: A column lacks a value that is named for it, or no column has the value.
    """
    values = comparison.values
    passing: dict[str, list[str]] = {}
    for word in comparison.options.pass_:
        name, sign, value = word.partition("=")
        if sign and name in values:
            named = {name: _as_in_column(comparison, name, value)}
        else:
            with_value = {n: _as_in_column(comparison, n, word) for n in values}
            named = {n: value for n, value in with_value.items() if value in values[n]}
        if not named or any(value not in values[name] for name, value in named.items()):
            raise unused("pass_", word, comparison.columns, comparison.everything)
        for column, value in named.items():
            passing.setdefault(column, []).append(value)
    return passing


def _numbers_that_pass(comparison: ValueComparison, name: str, mark: float) -> tuple[str, list[str]]:
    """Return which numbers of a column pass by a pass mark: in words, such as "from 3", and as values.

    Numbers from the mark on pass or, if the lowest number of the column's stated scale is the best, numbers up to it.
    """
    worst, best = comparison.span_of(name) or (0, 1)
    numbers = comparison.numbers(name).items()
    if worst < best:
        return f"from {mark:g}", [value for value, number in numbers if number >= mark]
    return f"up to {mark:g}", [value for value, number in numbers if number <= mark]


def _pass_needed(comparison: ValueComparison, name: str) -> UsageError:
    """Make the error that asks which values of a column pass: by a mark for many numbers, else by naming them."""
    words = [other for other in comparison.values if other not in comparison.forms]
    if words and name in comparison.forms and len(comparison.values[name]) > MOST_WORDS:
        return _mark_needed(comparison, words, [name])
    return pass_value_needed(comparison, [name])


def refuse_mark(comparison: ValueComparison) -> None:
    """Refuse `--pass-mark` if it is given, since no column has numbers that it could divide."""
    if comparison.options.pass_mark is not None:
        raise unused("pass_mark", f"{comparison.options.pass_mark:g}", comparison.columns, comparison.everything)


def _as_in_column(comparison: ValueComparison, name: str, value: str) -> str:
    """Return a value in a column's spelling; a word such as yes becomes the column's own word for it."""
    word = folded(value)
    counted = comparison.values[name]
    if word in counted or not is_decision(counted):
        return word
    return next((of_column for of_column in counted if family(of_column) == family(word)), word)


def decisions_of(comparison: ValueComparison) -> ReadValues:
    """Read words for pass and fail, such as "yes" and "no"; withhold which passes if all columns ask for a fault."""
    levels = {name: {v: float(decision_of(v) is True) for v in counted} for name, counted in comparison.values.items()}
    read = _pass_and_fail(comparison, levels, _pass_words(comparison), frozenset())
    if all(_is_of_fault(comparison, column) for column in comparison.columns):
        return replace(read, withheld=dict.fromkeys(DIRECTION_FIGURES, "direction"))
    _refuse_unknown_direction(comparison, comparison.values)
    return read


def _refuse_unknown_direction(comparison: ValueComparison, names: Collection[str]) -> None:
    """Refuse columns in which "yes" may mean fail, if they are among the columns whose direction isn't stated."""
    asking = [column.name for column in comparison.columns if _is_of_fault(comparison, column)]
    of_fault = [name for name in asking if name in names]
    if of_fault:
        choices = [("--pass", f"{name}={comparison.spelling[v]}") for name in of_fault for v in comparison.values[name]]
        raise refusal("direction", columns=of_fault, values=comparison.counts_of(of_fault), choices=choices)


def _is_of_fault(comparison: ValueComparison, column: SideColumn) -> bool:
    """Return True if "yes" may mean fail: the column has only yes and no, and it or the criterion names a fault."""
    asks_for_fault = speaks_of_fault(column.name) or speaks_of_fault(comparison.criterion)
    return asks_for_fault and comparison.has_no_direction(column.name)


def _pass_words(comparison: ValueComparison) -> dict[str, str]:
    """Map each column of decisions to the word by which its cells say pass."""
    passing = {name: [value for value in counted if decision_of(value)] for name, counted in comparison.values.items()}
    return {name: values[0] for name, values in passing.items() if values}


def _pass_and_fail(
    comparison: ValueComparison,
    levels: Mapping[str, Mapping[str, float]],
    passes: Mapping[str, str],
    stated: frozenset[str],
) -> ReadValues:
    """Make the reading of values as decisions, from the level of each value and the word that passes, by column."""
    scale = Scale.yes_no(*_words_of_decisions(comparison, levels))
    return ReadValues("decision", scale, DEFAULT_TOLERANCE, levels, passes, stated=stated)


def _words_of_decisions(comparison: ValueComparison, levels: Mapping[str, Mapping[str, float]]) -> tuple[str, str]:
    """Return the words that cells use for fail and for pass, in this order, as the cells spell them.

    They are "fail" and "pass" if the columns use different words, or numbers.

    Args:
        levels: The level that each value means, by column and value: 1 for pass and 0 for fail.
    """
    words = []
    for decision in (0.0, 1.0):
        written = {value for of_column in levels.values() for value, level in of_column.items() if level == decision}
        words += [comparison.spelling[value] for value in written] if len(written) == 1 else []
    are_plain = len(words) == len({word.casefold() for word in words}) == 2
    are_plain = are_plain and all(word.replace(" ", "").isalpha() for word in words)
    return (words[0], words[1]) if are_plain else ("fail", "pass")


def pass_value_needed(comparison: ValueComparison, names: Sequence[str]) -> UsageError:
    """Make the error that asks by `--pass` which value of each of these columns passes."""
    values = comparison.values[names[0]]
    alike = [[("--pass", f"{name}={comparison.spelling[value]}") for name in names] for value in values]
    choices = each_with_own(comparison, names) or alike
    flat = [tuple(word for option in choice for word in option) for choice in choices]
    return refusal("pass-value", columns=names, values=comparison.counts_of(names), choices=flat)


def by_pass_mark(comparison: ValueComparison, words: Sequence[str], graded: Sequence[str]) -> ReadValues:
    """Read numbers as decisions by `--pass-mark`, since other columns have words or 0 and 1 for pass and fail.

    Args:
        words: Names of the columns of words.
        graded: Names of the columns with numbers other than 0 and 1.
    """
    if comparison.options.pass_mark is None:
        raise _mark_needed(comparison, words, graded)
    return by_stated_pass(comparison)


def _mark_needed(comparison: ValueComparison, words: Sequence[str], graded: Sequence[str]) -> UsageError:
    """Make the error that asks from which number on a response passes, since other columns have words or 0 and 1."""
    apart = [*words, *(name for name in comparison.forms if name not in graded)]
    columns = [*graded[:1], *apart[:1]]
    choices = [("--pass-mark", "NUMBER"), *_words_as_numbers(comparison, words, graded)]
    counts = comparison.counts_of(columns)
    return refusal("pass-mark", columns=columns, values=counts, choices=choices, has_words=bool(words))


def _words_as_numbers(
    comparison: ValueComparison, words: Sequence[str], graded: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return `--same` options that turn words of a known order into numbers from 1 up.

    Args:
        words: Names of the columns of words.
        graded: Names of the columns of numbers.

    Returns:
        A list with the options for all words; [] if the words have no known order, or if a column of numbers has a
        number that is no rank in that order.
    """
    used = counts_of_columns({name: comparison.values[name] for name in words})
    order = next((order for order in ORDERS if used and used.keys() <= set(order)), ())
    numbers = {number for name in graded for number in comparison.numbers(name).values()}
    if not order or not numbers <= set(map(float, range(1, len(order) + 1))):
        return []
    ranks = ((comparison.spelling[word], rank) for rank, word in enumerate(order, start=1) if word in used)
    return [same_as(ranks)]


def each_with_own(comparison: ValueComparison, names: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Return all choices of a passing value in each of two columns, every choice as two `--pass` options.

    Args:
        comparison: The values of the columns.
        names: Names of the columns, of which the first two are used; [] is returned for fewer than two.
    """
    if len(names) < 2:
        return []
    return [
        [("--pass", f"{names[0]}={comparison.spelling[ours]}"), ("--pass", f"{names[1]}={comparison.spelling[theirs]}")]
        for ours in comparison.values[names[0]]
        for theirs in comparison.values[names[1]]
    ]
