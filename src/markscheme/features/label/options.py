"""Options for labelling a project, and for the goals that its plan shows."""

from dataclasses import dataclass
from typing import Literal

from markscheme.calibration.label_needs import PROMISED_ERROR, Goal
from markscheme.features.label.whole_question import ASK_WHOLE, AskWhole
from markscheme.options.forms import FLAG, SHARE, WHOLE, WIDTH, one_of
from markscheme.options.table import WHOLE_IN_FILES, option, setting
from markscheme.pages.options import PageOptions

HALF_WIDTH = 0.1
"""Default half-width of the intervals that are planned for, the usual one in reports of agreement."""


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """Options for labelling, and for a plan of how many labels different goals need."""

    annotators: int = setting(1, "how many annotators label each example (1)", WHOLE, value="N", written=WHOLE_IN_FILES)
    ask_whole: AskWhole = setting(
        "until-enough",
        "when annotators are asked first whether they accept the whole response",
        one_of(*ASK_WHOLE),
        value="|".join(ASK_WHOLE),
    )
    all_criteria: Literal["no", "yes"] = setting(
        "no",
        "whether a response that brings more than twelve criteria of its own is asked all of them",
        one_of("no", "yes"),
        value="no|yes",
    )
    details: bool = option(
        False, "with --plan, labels needed for other goals too: intervals, a promise, coefficients", FLAG
    )
    width: float | None = option(None, "with --plan, labels needed for intervals of plus or minus H", WIDTH, value="H")
    error: float | None = option(
        None,
        "with --plan, labels needed to promise that at most this share of automatic decisions is wrong",
        SHARE,
        value="E",
    )

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals that the user asked the plan to show in addition to the verdict."""
        is_wanted: dict[Goal, bool] = {
            "width": self.details or self.width is not None,
            "promise": self.details or self.error is not None,
            "variety": self.details,
        }
        return tuple(goal for goal, is_asked in is_wanted.items() if is_asked)

    @property
    def half_width(self) -> float:
        """Half the width of the interval for which the plan shows the labels needed."""
        return self.width or HALF_WIDTH

    @property
    def promised_error(self) -> float:
        """Largest share of automatic decisions that may be wrong under the promise for which labels are planned."""
        return self.error or PROMISED_ERROR


def order_seed(page: PageOptions) -> int:
    """Return the random seed for drawing responses and for the order in which they are shown."""
    return page.seed or 1
