"""Labels on criteria that a row no longer has, since its author reworded or removed them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markscheme.phrases import counted, few_of
from markscheme.ratings.examples import warn


def stale_criteria(label: Any, names: Collection[str]) -> Iterator[str]:
    """Yield the criteria that a label, as plain data, has a level on and that aren't in `names`.

    >>> list(stale_criteria({"criteria": {"tone": 1, "truth": 0}}, ["tone"]))
    ['truth']
    """
    levels = label.get("criteria") if isinstance(label, Mapping) else None
    if isinstance(levels, Mapping):
        yield from (str(name) for name in levels if name not in names)


def warn_of_stale(stale: Sequence[tuple[str, str]], path: Path) -> None:
    """Warn of labels on criteria that the labelled row's rubric doesn't have.

    Args:
        stale: The id of the response and the name of the criterion, of each such label.
        path: The file of the labels.
    """
    if stale:
        are = "is on a criterion" if len(stale) == 1 else "are on criteria"
        ids, names = (list(dict.fromkeys(words)) for words in zip(*stale, strict=True))
        problem = f"{counted(len(stale), 'label')} {are} that the row lacks, and left out"
        warn(f"{problem}: {few_of(names)} ({few_of(ids)})", path)
