"""Reads graded files as repeated runs over the same cases, for the risk of a gate."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from markscheme.calibration.rates.decisions import decided
from markscheme.errors import RatingError
from markscheme.fingerprint import fingerprint
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import RatingTable, groups_of, rating_table
from markscheme.readers.rated import RatedFile, RatedFiles
from markscheme.stats.threshold_risk import RunFigure


def table_of_runs(rated: RatedFiles, of: RunFigure, groups: Mapping[str, str] = MappingProxyType({})) -> RatingTable:
    """Make a table with a row for each case and a column for each run in any of the files.

    Args:
        rated: The files of the runs.
        of: The figure whose mean is compared with a threshold: a case's score, or 1 if it passes.
        groups: Groups of examples by id, used if the runs don't name groups.

    Raises:
        RatingError: A file has no graded cases.
    """
    runs: list[Rating] = []
    group_of_case: dict[str, str] = {}
    before = 0
    for file in rated.files:
        graded = list(_graded(file))
        if not graded:
            raise RatingError("holds no graded cases", path=file.path)
        if of == "score" and _has_decisions_only(rating for _, _, rating in graded):
            raise RatingError("states which cases pass, and no scores; use --of pass", path=file.path)
        runs += (replace(rating, id=case, rater=f"run {before + run}") for case, run, rating in graded)
        named = {**groups} | {example.id: example.group for example in file.examples if example.group}
        group_of_case |= {case: named.get(rating.id, "") for case, _, rating in graded}
        before += max(run for _, run, _ in graded) + 1
    if of == "pass":
        runs = [decided(rating, named=rated.is_named) for rating in runs]
    cases = list(dict.fromkeys(rating.id for rating in runs))
    table = rating_table(rated.rubric, cases, runs)
    return replace(table, groups=groups_of(cases, [group_of_case[case] for case in cases]))


def _graded(file: RatedFile) -> Iterator[tuple[str, int, Rating]]:
    """Yield a file's ratings, each with its case and its run: 0 for the case's first rating, 1 for the second, …"""
    systems = {example.id: example.system for example in file.examples}
    numbers: Counter[str] = Counter()
    for rating in file.judged:
        case = fingerprint(rating.rater, systems.get(rating.id, ""), file.cases.get(rating.id, rating.id))
        yield case, numbers[case], replace(rating, kind="model", sample=0)
        numbers[case] += 1


def _has_decisions_only(ratings: Iterable[Rating]) -> bool:
    """Return True if ratings state only pass or fail, without scores or levels."""
    stated = [(rating.passed is not None, rating.overall is not None or bool(rating.criteria)) for rating in ratings]
    return any(decides for decides, _ in stated) and not any(scores for _, scores in stated)
