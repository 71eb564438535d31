"""Options of how a project is labelled."""

from dataclasses import dataclass
from typing import Literal

from markscheme.features.label.whole_question import ASK_WHOLE, AskWhole
from markscheme.options.forms import WHOLE, one_of
from markscheme.options.table import WHOLE_IN_FILES, setting


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """How a project is labelled."""

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
