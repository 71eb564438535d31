"""Settings of reading files of any kind."""

from dataclasses import dataclass

from markscheme.options.forms import SWITCH
from markscheme.options.table import setting


@dataclass(frozen=True, kw_only=True)
class DamageOptions:
    """What becomes of lines that can't be read."""

    skip_damaged: bool = setting(
        False, "leave out examples, ratings and records that can't be read, with a warning each", SWITCH
    )
