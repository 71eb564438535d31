"""Errors of tables that can't be read: a code, the columns and values concerned, and options that resolve it."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from markscheme.errors import UsageError
from markscheme.ratings.column_options import as_typed

VALUES_NAMED: Final = 5
"""Largest number of a column's values that a refusal names."""


def refusal(
    code: str,
    *,
    columns: Sequence[str] = (),
    values: Mapping[str, int] | None = None,
    choices: Iterable[Sequence[str]] = (),
    **facts: Any,
) -> UsageError:
    """Make the error for a table that can't be read, by a code that `report.table_words` has a sentence for.

    Args:
        code: The code of the problem.
        columns: Names of the columns concerned.
        values: Counts of the values concerned, by value; the most frequent are named.
        choices: Sets of options that would solve the problem, with placeholders in capitals for what only the user
            knows.
        facts: Further facts for the sentence.
    """
    shown = dict(Counter(values or {}).most_common(VALUES_NAMED))
    written = tuple(shlex.join(as_typed(choice)) for choice in choices)
    return UsageError.coded(code, columns=tuple(columns), values=shown, choices=written, facts=facts)


def same_as(values: Iterable[tuple[str, object]]) -> tuple[str, ...]:
    """Return the options that make each first value mean the second, as words of a command.

    >>> same_as([("PASS - polite", "pass"), ("n/a", "")])
    ('--same', 'PASS - polite=pass', '--same', 'n/a=')
    """
    return tuple(word for value, meant in values for word in ("--same", f"{value}={meant}"))
