"""Formats counts, names and numbers for sentences and tables; all rounding for readers is done here.

This module imports little, so that commands start fast.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from operator import eq

from markscheme.text import cut_short

MOST_REASONS = 3
"""Largest number of reasons that are listed for ungraded responses, the most frequent first; with more, what follows
wouldn't fit on the screen."""
_ALIKE = 80
"""Number of characters that are shown of the beginning which reasons have in common."""
_SAME = 1e-9
"""Difference below which two shares are equal except for rounding, and print as the same number."""
_MOST_DIGITS = 2
"""Largest number of decimals of a percentage."""


def sent_with(files: Collection[str]) -> str:
    """Return words for the end of "Send it …": which files have to be sent with a page; "" for none.

    >>> sent_with({"b.png", "a.png"}), sent_with(())
    (' with the 2 files for which it has no room (a.png, b.png)', '')
    """
    if not files:
        return ""
    return f" with the {counted(len(files), 'file')} for which it has no room ({', '.join(sorted(files))})"


def filled(template: str, texts: Mapping[str, str]) -> str:
    """Replace each placeholder word in a template by its text; placeholders inside these texts are not replaced.

    >>> filled("label NAME --pool FILE", {"NAME": "FILE", "FILE": "a.csv"})
    'label FILE --pool a.csv'
    """
    return re.sub("|".join(map(re.escape, texts)), lambda gap: texts[gap[0]], template)


def counted(n: int, singular: str, things: str | None = None) -> str:
    """Write a count with its noun, which gets an s for counts other than 1 unless its plural is passed (`things`).

    >>> counted(1, "call"), counted(1200, "call"), counted(2, "reply", "replies")
    ('1 call', '1200 calls', '2 replies')
    """
    return f"{n} {singular}" if n == 1 else f"{n} {things or singular + 's'}"


def in_words(names: Sequence[str], link: str = "and") -> str:
    """Join names for a sentence.

    >>> in_words(["1", "2", "5"]), in_words(["1", "2"], "or"), in_words(["MET"])
    ('1, 2 and 5', '1 or 2', 'MET')
    """
    *first, last = names
    return f"{', '.join(first)} {link} {last}" if first else last


def listed(names: Sequence[str], most: int = 3) -> str:
    """Join a given number of names from the start of a list, and say how many more there are.

    >>> listed(["a", "b", "c", "d"])
    'a, b, c and 1 more'

    Args:
        names: The names.
        most: Number of names to show.
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def few_of(names: Sequence[str], most: int = 5) -> str:
    """Join the first `most` names of a list; "…" means that there are more.

    >>> few_of(["a", "b", "c", "d"], most=3)
    'a, b, c, …'
    """
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def commonest(reasons: Iterable[str], most: int = MOST_REASONS) -> str:
    """List the `most` commonest reasons with their counts, the commonest first, and count the remaining ones.

    Of long reasons that begin alike, the part in which they differ is shown. A full stop at the end is left out, since
    the list stands in a sentence.

    >>> commonest(["It timed out."])
    '1 × It timed out'
    >>> commonest(["no key", "too long", "no key"]), commonest(["no key", "no key", "too long"], most=1)
    ('2 × no key; 1 × too long', '2 × no key; and 1 more')
    >>> commonest([f"the server at {'a' * 150} says {code}" for code in (429, 529)])[-5:]
    '… 529'
    """
    counts = Counter(reason.rstrip(".") for reason in reasons)
    shown = counts.most_common(most)
    parts = [f"{times} × {_where_unlike(reason, counts.keys() - {reason})}" for reason, times in shown]
    left = counts.total() - sum(times for _, times in shown)
    return "; ".join(parts + [f"and {left} more"] * bool(left))


def _where_unlike(reason: str, others: Iterable[str]) -> str:
    """Cut a long reason so that it still differs from other reasons.

    If it begins with the same words as another reason, these words and its remaining words are cut separately.
    """
    words = reason.split()
    alike = max((sum(takewhile(bool, map(eq, words, other.split()))) for other in others), default=0)
    begin, rest = map(" ".join, (words[:alike], words[alike:]))
    return cut_short(reason) if len(begin) < _ALIKE else f"{cut_short(begin, _ALIKE)} {cut_short(rest)}"


def percent(share: float, digits: int = 0) -> str:
    """Write a share in per cent, with a given number of decimals.

    >>> percent(0.8333), percent(1.0), percent(0.7996, 1)
    ('83%', '100%', '80.0%')
    """
    return f"{share:.{digits}%}"


def digits_to_tell(bound: float, shares: Iterable[float | None]) -> int:
    """Choose the fewest decimals, 0 to 2, so that percentages printed next to a bound don't look equal to it.

    A share that equals the bound may look equal.

    >>> digits_to_tell(0.8, [0.84, 0.73]), digits_to_tell(0.8, [0.796]), digits_to_tell(0.8, [0.7998, None])
    (0, 1, 2)
    """
    apart = [share for share in shares if share is not None and abs(share - bound) > _SAME]
    for digits in range(_MOST_DIGITS):
        if all(percent(share, digits) != percent(bound, digits) for share in apart):
            return digits
    return _MOST_DIGITS


def digits_to_subtract(first: float | None, second: float | None, difference: float | None = None) -> int:
    """Choose the fewest decimals, 0 to 2, with which two percentages and their difference add up as printed.

    Return 0 if no decimals help, as for thirds; if a share isn't known; or if `difference`, the difference that is to
    be printed, isn't that of the two shares, since it is over other examples.

    >>> digits_to_subtract(0.84, 0.8), digits_to_subtract(0.844, 0.796)  # 84%, 80%, 5 points
    (0, 1)
    >>> digits_to_subtract(14 / 15, 4 / 15), digits_to_subtract(0.844, None), digits_to_subtract(0.844, 0.796, 0.05)
    (0, 0, 0)
    """
    if first is None or second is None or (difference is not None and abs(first - second - difference) > _SAME):
        return 0
    for digits in range(_MOST_DIGITS + 1):
        apart = float(percent(first, digits)[:-1]) - float(percent(second, digits)[:-1])
        if number(apart, digits) == number(100 * (first - second), digits):
            return digits
    return 0


def brief(value: float | None, digits: int = 2) -> str:
    """Write a number with a given count of significant digits.

    >>> brief(0.0304), brief(0.00012345, 3), brief(12.0), brief(None)
    ('0.03', '0.000123', '12', '–')
    """
    return "–" if value is None else f"{value:.{digits}g}"


def probability(p: float) -> str:
    """Write a probability with two decimals and without the leading zero.

    >>> probability(0.934), probability(1.0)
    ('.93', '1.00')
    """
    return f"{p:.2f}".removeprefix("0")


def thousands(value: float, digits: int = 0) -> str:
    """Write a large number with separators between thousands.

    >>> thousands(1234.4), thousands(1234.5, 2)
    ('1,234', '1,234.50')
    """
    return f"{value:,.{digits}f}"


def estimated(value: float) -> str:
    """Write a large number that is an estimate, with two significant digits.

    >>> estimated(426_727), estimated(1234.4), estimated(98)
    ('430,000', '1,200', '98')
    """
    return thousands(float(f"{value:.2g}"))


def number(value: float | None, digits: int = 2) -> str:
    """Write a number with a given count of decimals; never as minus zero.

    >>> number(0.4567), number(-0.5), number(-0.001), number(None)
    ('0.46', '−0.50', '0.00', '–')
    """
    return signed(value, digits).removeprefix("+")


def number_or_over(value: float, most: int, digits: int = 2) -> str:
    """Write a number with `digits` decimals; above `most`, write only that it is over `most`.

    >>> number_or_over(2.345, 10, 1), number_or_over(11, 10)
    ('2.3', 'over 10')
    """
    return f"over {most}" if value > most else number(value, digits)


def rounded(value: float, most: int = 2) -> str:
    """Write a number with at most `most` decimals, without zeros at the end.

    >>> rounded(0.916667), rounded(0.5), rounded(3.0)
    ('0.92', '0.5', '3')
    """
    return number(value, most).rstrip("0").rstrip(".") if most else number(value, 0)


def signed(value: float | None, digits: int = 2) -> str:
    """Write a number with its sign.

    >>> signed(0.4), signed(-1.25), signed(0.001), signed(None)
    ('+0.40', '−1.25', '0.00', '–')
    """
    if value is None:
        return "–"
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")
