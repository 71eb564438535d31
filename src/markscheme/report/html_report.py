"""Old entry points, until the commands call views themselves."""

from collections.abc import Sequence

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.choice import Choice, Contender
from markscheme.ratings.examples import Example
from markscheme.ratings.gold import Gold
from markscheme.report.html import render_html
from markscheme.report.views import calibration, choice


def calibrations_html(calibrations: Sequence[Calibration], found: Choice | None = None, *, when: str = "") -> str:
    """The page of one calibration, or of several with the choice between them."""
    parts = [calibration.view(one) for one in calibrations]
    return render_html(parts[0] if found is None else choice.view(found, parts=parts), when)


def choice_html(
    found: Choice,
    contenders: Sequence[Contender],
    *,
    truth: Gold | None = None,
    examples: Sequence[Example] = (),
    when: str = "",
) -> str:
    """The page of a comparison."""
    return render_html(choice.view(found, contenders, truth=truth, examples=examples), when)
