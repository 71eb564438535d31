"""Results of verifying a file: the statements in it that differ when they are computed again from their sources."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from markscheme.calibration.results import Reported


class FileDifference(NamedTuple):
    """A statement in a verified file that differs from what its source files give when it is computed again.

    Attributes:
        what: Name of what differs: a file, an entry, or a judge's decisions.
        now: The value that the source files give.
        stated: The value in the file; None if it is long.
    """

    what: str
    now: str
    stated: str | None = None

    def to_json(self, file: str) -> dict[str, Any]:
        """Return a dict with what differs and both values: the one in the file, and under "now" the one computed now.

        Args:
            file: The key for the file's value, such as "card".
        """
        return {"what": self.what, file: self.stated or None, "now": self.now}


@dataclass(frozen=True, kw_only=True, repr=False)
class Recomputed(Reported):
    """The result of verifying a file by computing its content again from its sources.

    Attributes:
        differences: Statements that differ; empty if the file is right.
        recomputed: True if everything could be computed again.
        unchecked: Descriptions of what wasn't checked.
    """

    differences: tuple[FileDifference, ...]
    recomputed: bool
    unchecked: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True if all content could be computed again from its sources, without a difference."""
        return self.recomputed and not self.differences

    @property
    def exit_status(self) -> int:
        """Exit status: 0 if the file's content was confirmed, 1 if something differs or couldn't be computed again."""
        return 0 if self.holds else 1
