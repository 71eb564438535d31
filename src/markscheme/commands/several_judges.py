"""Several judges in one calibration: each as it would be alone, and the choice between them."""

from collections import Counter
from collections.abc import Sequence

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.choice import Choice, Contender, choose
from markscheme.errors import UsageError


def only(calibrations: Sequence[Calibration]) -> Calibration:
    """The one calibration there is.

    Raises:
        UsageError: There are several, and none of them is *the* judge of the rubric.
    """
    if len(calibrations) != 1:
        names = ", ".join(calibration.rater.name for calibration in calibrations)
        raise UsageError(f"--accept keeps the run of one judge; there are {len(calibrations)}: {names}")
    return calibrations[0]


def choice_between(calibrations: Sequence[Calibration]) -> Choice:
    """The judges of several calibrations of one set beside each other.

    Raises:
        ComparisonError: They graded no example in common.
    """
    first = calibrations[0]
    names = told_apart([calibration.rater.name for calibration in calibrations])
    contenders = [contender_of(calibration, name) for calibration, name in zip(calibrations, names, strict=True)]
    return choose(first.rubric, contenders, first.comparison.gold, tolerance=first.comparison.tolerance)


def contender_of(calibration: Calibration, name: str) -> Contender:
    """A calibrated judge as one to choose from."""
    asked = len({rating.id for rating in calibration.ratings})
    return Contender(name, calibration.ratings, calibration.cost, calibration.counts.from_cache, asked)


def chosen(calibrations: Sequence[Calibration], choice: Choice | None) -> Calibration:
    """The calibration of the recommended judge, of the best where none is recommended, of the first without either."""
    if choice is None:
        return calibrations[0]
    name = choice.recommended or choice.best
    names = [standing.name for standing in choice.standings]
    return calibrations[names.index(name) if name is not None else 0]


def told_apart(names: Sequence[str]) -> list[str]:
    """The names, numbered where two are alike."""
    times, seen = Counter(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} ({seen[name]})" if times[name] > 1 else name)
    return found
