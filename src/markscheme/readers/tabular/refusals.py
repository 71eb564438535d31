"""Why a table isn't read: a code, the columns and values it is about, and the options that settle it."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from markscheme.errors import UsageError
from markscheme.ratings.column_options import as_typed

VALUES_NAMED: Final = 5
"""Values that a refusal names; they show what a column is like."""


def refusal(
    code: str,
    *,
    columns: Sequence[str] = (),
    values: Mapping[str, int] | None = None,
    choices: Iterable[Sequence[str]] = (),
    **facts: Any,
) -> UsageError:
    """Return the refusal of a table; `report.table_words` has its sentence.

    Args:
        code: What is open.
        columns: The columns that it is about.
        values: Values in them, with their counts; the commonest are named.
        choices: What settles it, each as the words of its options; what only the user knows is in capitals.
        facts: What the sentence says besides.
    """
    shown = dict(Counter(values or {}).most_common(VALUES_NAMED))
    written = tuple(shlex.join(as_typed(choice)) for choice in choices)
    return UsageError.coded(code, columns=tuple(columns), values=shown, choices=written, facts=facts)
