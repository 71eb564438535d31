"""Detect files with Promptfoo results, without importing the reader."""

from collections.abc import Sequence
from pathlib import Path

from markscheme.errors import UsageError


def is_results(path: Path) -> bool:
    """Whether a file holds Promptfoo results; reads only its beginning if that rules it out."""
    if path.suffix not in (".json", ".jsonl") or not path.is_file():
        return False
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        head = file.read(200_000)
    if path.suffix == ".jsonl":
        first = head.lstrip().split("\n", 1)[0]
        return '"promptIdx"' in first and '"testIdx"' in first
    return '"evalId"' in head or '"gradingResult"' in head or ('"results"' in head and '"prompts"' in head)


def results_among(named: Sequence[str]) -> list[Path]:
    """The results files among the names; none if the name is a rubric's.

    Raises:
        UsageError: There are several names, and not all are results files.
    """
    paths = [Path(name) for name in named]
    are_results = [is_results(path) for path in paths]
    if all(are_results):
        return paths
    if len(paths) > 1:
        strange = next(name for name, is_one in zip(named, are_results, strict=True) if not is_one)
        raise UsageError(f"{strange} contains no results of Promptfoo; name one rubric, or files of results")
    return []
