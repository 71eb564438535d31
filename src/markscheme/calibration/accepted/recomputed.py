"""Files that are computed again, and their differences."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from markscheme.calibration.results import Reported


class FileDifference(NamedTuple):
    """A statement of a file that doesn't follow from the files behind it.

    Attributes:
        what: What it is: a file, an entry, or a judge's decisions.
        now: What follows from the files behind it.
        stated: What the file says; None where that is long.
    """

    what: str
    now: str
    stated: str | None = None

    def to_json(self, file: str) -> dict[str, Any]:
        """Return plain data, in which what the file says has the name of its format."""
        return {"what": self.what, file: self.stated or None, "now": self.now}


@dataclass(frozen=True, kw_only=True, repr=False)
class Recomputed(Reported):
    """A file that was computed again.

    Attributes:
        differences: What differs; none where the file holds.
        recomputed: Whether everything could be computed again.
        unchecked: What wasn't checked, in words.
    """

    differences: tuple[FileDifference, ...]
    recomputed: bool
    unchecked: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether everything that the file says follows from the files behind it."""
        return self.recomputed and not self.differences

    @property
    def exit_status(self) -> int:
        """Exit status: 0 if the file holds, 1 if something differs or couldn't be computed again."""
        return 0 if self.holds else 1
