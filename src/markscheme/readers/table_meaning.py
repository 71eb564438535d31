"""What the caller says of a table without a rubric: which columns are judges' and people's, and what values mean."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from markscheme.ratings.kinds import Kind

SCALE_SIDES = ("judge", "human")
"""Who gave a value, as `--scale` names them."""
Span: TypeAlias = tuple[float, float]
"""The lowest value a scale has, and the highest."""


@dataclass(frozen=True)
class ValueOptions:
    """What the caller says of the values, as options have it.

    Attributes:
        scales: The lowest and highest value by column, or of all columns of a side, "judge" or "human".
        levels: The levels, worst first: LOW-HIGH for numbers, or words as `Recoding` reads them; "" without.
        passes: The value that passes; every other fails. "" without.
        pass_mark: The least number that passes; None without.
    """

    scales: Mapping[str, Span] = field(default_factory=dict)
    levels: str = ""
    passes: str = ""
    pass_mark: float | None = None


@dataclass(frozen=True)
class TableMeaning:
    """Which columns of a table are judges' and people's, and what their values mean.

    Attributes:
        judges: Columns of judges; empty finds the one that has a judge's name.
        people: Columns of annotators, likewise.
        value_options: What the values are, where they don't say.
        unit: The column of ids; "" finds it.
        response: The column of responses; "" finds it.
        group: The column of groups; "" finds it.
        kind: The kind of the people's labels.
        needs_judge: Whether a table without a judge's column is refused.
    """

    judges: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    value_options: ValueOptions = ValueOptions()
    unit: str = ""
    response: str = ""
    group: str = ""
    kind: Kind = "human"
    needs_judge: bool = True

    @property
    def as_options(self) -> str:
        """The same as a shell has it, each option after a space; "" without any."""
        stated = self.value_options
        mark = "" if stated.pass_mark is None else f"{stated.pass_mark:g}"
        options = {
            "judge": self.judges,
            "human": self.people,
            "scale": [f"{side}={low:g}..{high:g}" for side, (low, high) in stated.scales.items()],
            "levels": [stated.levels],
            "pass": [stated.passes],
            "pass-mark": [mark],
            "id": [self.unit],
            "response": [self.response],
            "group": [self.group],
        }
        words = [f" --{option} {shlex.quote(value)}" for option, values in options.items() for value in values if value]
        return "".join(words) + (" --adjudicated" if self.kind == "adjudicated" else "")
