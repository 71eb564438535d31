"""Comparison of two counts files: how much better one file's judge agrees with its labels than the other file's.

Counts don't say which examples of the two files are the same, so the files are treated as independent samples.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from markscheme.calibration.comparison.comparison import measure_of
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.results import Reported
from markscheme.errors import RubricError, UsageError
from markscheme.features.counts.comparison import CountedComparison, compare_counts
from markscheme.features.counts.counts_columns import counts_columns
from markscheme.features.counts.counts_file import read_counts
from markscheme.features.counts.first_line import has_counts
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric, known_rubrics
from markscheme.stats.estimate import Estimate, EstimatePair

AGREEMENT = "agreement"
SAME_DECISION = "same decision"
DECISION_SHARES = (SAME_DECISION, "stops", "keeps")


@dataclass(frozen=True)
class CountsContrast(Reported):
    """Figures of two counts files made with the same rubric, and their differences.

    Attributes:
        first: The first file's judge compared with its gold.
        second: The second file's judge compared with its gold.
    """

    first: CountedComparison
    second: CountedComparison

    @property
    def rubric(self) -> Rubric:
        """The rubric that both counts files were made with."""
        return self.first.rubric

    @cached_property
    def figures(self) -> Mapping[str, EstimatePair]:
        """Figures of both counts files by name: agreement, decisions, and exact agreement on each criterion."""
        before = dict(_figures(self.first))
        now = dict(_figures(self.second))
        return {name: EstimatePair(before[name], now[name], difference_of(before[name], now[name])) for name in before}


def _figures(comparison: CountedComparison) -> Iterator[tuple[str, Estimate]]:
    yield AGREEMENT, comparison.agreement
    if comparison.rubric.decides:
        decided = comparison.decision_figures
        shares = (decided.same, decided.stops.rate, decided.keeps.rate)
        yield from ((name, share.estimate()) for name, share in zip(DECISION_SHARES, shares, strict=True))
    for name, criterion in comparison.criteria.items():
        yield f"{name}: same level", criterion.statistics["exact_agreement"]


def difference_of(first: Estimate, second: Estimate) -> Estimate:
    """Return the second of two independent estimates minus the first, with an interval by the MOVER method.

    The MOVER method computes the difference's interval from the intervals of both estimates.

    References:
        Zou and Donner (2008), Statistics in Medicine 27(10), 1693-1702. doi:10.1002/sim.3095

    Example:
        >>> change = difference_of(Estimate(0.8, 0.7, 0.88), Estimate(0.9, 0.82, 0.95))
        >>> round(change.value, 3), round(change.low, 3), round(change.high, 3)
        (0.1, -0.013, 0.212)
    """
    n = min(first.n, second.n)
    method = "difference of separate samples, by adding limits"
    if first.value is None or second.value is None:
        why = first.undefined or second.undefined or "no value"
        return Estimate.without_value(why, n=n, method=method)
    value = second.value - first.value
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Estimate(value, n=n, method=method, caveat=first.caveat or second.caveat)
    low = value - math.hypot(second.value - second.low, first.high - first.value)
    high = value + math.hypot(second.high - second.value, first.value - first.low)
    return Estimate(value, low, high, n=n, method=method)


def contrast_files(files: Sequence[str], rubric: str | None, labels: LabelOptions) -> CountsContrast:
    """Compare how well the judges of two counts files agree with gold.

    Args:
        files: The names of the files, as the user wrote them.
        rubric: The rubric's name or file; None for the known rubric whose fingerprint the counts state.
        labels: Options on the comparison with gold, of which `of`, the measure that must agree, is used.

    Raises:
        UsageError: There aren't exactly two files, one has no counts, or no known rubric is that of the counts.
    """
    paths = [Path(file) for file in files]
    if len(paths) != 2 or not all(path.is_file() and has_counts(path) for path in paths):
        raise UsageError("a file of counts is compared with one other file of counts")
    of = rubric_counted(paths[0]) if rubric is None else load_rubric(find_rubric(rubric))
    first, second = (compare_counts(read_counts(path, of), of, measure_of(of, labels.of)) for path in paths)
    return CountsContrast(first, second)


def rubric_counted(path: Path) -> Rubric:
    """Find the rubric, of the project or shipped, that a counts file was made with, by its fingerprint.

    Raises:
        UsageError: No known rubric has that fingerprint.
    """
    named = {name.partition(":")[2] for name in counts_columns(path).parts or () if name.startswith("rubric:")}
    for file in known_rubrics().values():
        try:
            rubric = load_rubric(file)
        except RubricError:
            continue
        if rubric.fingerprint in named:
            return rubric
    raise UsageError(
        f"{path} has counts by a rubric that isn't found here: name it with --rubric or calibrate RUBRIC --counts"
    )
