"""Options of how a project is labelled."""

from dataclasses import dataclass

from markscheme.options.forms import WHOLE
from markscheme.options.table import WHOLE_IN_FILES, setting


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """How a project is labelled."""

    annotators: int = setting(1, "how many annotators label each example (1)", WHOLE, value="N", written=WHOLE_IN_FILES)
