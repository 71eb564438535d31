"""Options of a stress run: which changes are tried, on how many examples, and how often the judge is asked."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from markscheme.options.forms import WHOLE, one_of
from markscheme.options.table import option
from markscheme.rubrics.format import Change

StressChange: TypeAlias = Literal[Change, "polarity", "truncation"]
_CHANGES: Final = (
    "whitespace, indent, layout, criteria-order, padding, question, closing-sentence, echo, praise, authority, "
    "model-name, instruction, comment-style, polarity, truncation"
)


@dataclass(frozen=True, kw_only=True)
class StressOptions:
    """Options of a stress run: which changes to try, on how many examples, and how often to ask the judge."""

    only_changes: tuple[StressChange, ...] = option(
        (),
        f"these changes only: {_CHANGES}; may be repeated",
        one_of(*get_args(StressChange)),
        value="CHANGE",
        several=True,
    )
    n: int = option(60, "examples at most (60)", WHOLE, value="N")
    originals: int = option(3, "times to ask about each original (3)", WHOLE, value="N")
    repeats: int = option(1, "times to ask about each changed response (1)", WHOLE, value="N")
