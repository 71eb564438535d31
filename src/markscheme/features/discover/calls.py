"""What a call of `discover` needs, gathered to be loaded at once when `discover` is called."""

from markscheme.features.discover.command import discover
from markscheme.features.discover.idle_options import refuse_idle

__all__ = ["discover", "refuse_idle"]
