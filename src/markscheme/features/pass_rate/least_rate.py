"""Answer to whether a pass rate reaches what is enough, read off its interval."""

import math
from dataclasses import dataclass
from typing import Any

from markscheme.commands.output import TOO_FEW
from markscheme.phrases import counted, percent
from markscheme.report.document import Callout
from markscheme.stats.estimate import Estimate

RATE_BELOW = 1
"""Exit status where the rate is below what is enough."""
_FARTHEST = 10_000
"""Labels above which no number is worth saying."""


@dataclass(frozen=True)
class RateAnswer:
    """Answer to whether a rate reaches what is enough.

    Attributes:
        rate: The rate.
        at_least: What is enough.
    """

    rate: Estimate
    at_least: float

    @property
    def status(self) -> int:
        """The exit status: 0 above, 1 below, 4 open."""
        if self.rate.value is None or self.rate.low is None or self.rate.high is None:
            return TOO_FEW
        return 0 if self.rate.low >= self.at_least else RATE_BELOW if self.rate.high < self.at_least else TOO_FEW

    @property
    def labels_to_decide(self) -> int | None:
        """Labels by which the interval would leave `at_least` on one side, if the rate stayed what it is.

        None where it is decided, or where no number that is worth saying would do.
        """
        rate = self.rate
        if self.status != TOO_FEW or rate.value is None or rate.low is None or rate.high is None or not rate.n:
            return None
        reach = rate.value - rate.low if rate.value >= self.at_least else rate.high - rate.value
        distance = abs(rate.value - self.at_least)
        needed = math.ceil(rate.n * (reach / distance) ** 2) if distance else _FARTHEST + 1
        return needed - rate.n if needed <= _FARTHEST else None

    @property
    def callout(self) -> Callout:
        """The answer in words."""
        enough = percent(self.at_least)
        if self.status == 0:
            return Callout("good", f"At least {enough} would pass.")
        if self.status == RATE_BELOW:
            return Callout("bad", f"Fewer than {enough} would pass.")
        more = self.labels_to_decide
        decide = (
            f"About {counted(more, 'more label')} would decide it." if more else "No number of labels would decide it."
        )
        return Callout("open", f"Whether {enough} would pass is open.", decide if self.rate.value is not None else "")

    def to_json(self) -> dict[str, Any]:
        """Return the answer by the keys of the file format."""
        says = {0: "above", RATE_BELOW: "below", TOO_FEW: "open"}[self.status]
        return {"at_least": self.at_least, "answer": says, "labels_to_decide": self.labels_to_decide}
