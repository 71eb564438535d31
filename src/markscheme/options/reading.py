"""Options for reading files of any kind."""

from dataclasses import dataclass

from markscheme.options.forms import SWITCH
from markscheme.options.table import setting


@dataclass(frozen=True, kw_only=True)
class DamageOptions:
    """Option for whether lines that can't be read are left out or are an error."""

    skip_damaged: bool = setting(
        False, "leave out examples, ratings and records that can't be read, with a warning each", SWITCH
    )
