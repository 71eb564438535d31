"""Comments in `modes.yaml`, at its head, above modes and at its end, which are kept when the file is rewritten."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from markscheme.errors import RatingError
from markscheme.features.discover.modes import Mode
from markscheme.plain_data import plain_data, read_text

MODES_HEAD = "# What goes wrong in the outputs, one mode an entry. Edit freely; `markscheme discover` checks it."


@dataclass(frozen=True)
class ModeComments:
    """Comments of a `modes.yaml`, by where they are: at the head, above a failure mode or at the end.

    Attributes:
        head: Comments before everything else.
        above: Comments above a mode's entry, by the mode's name.
        end: Comments after the last entry.
    """

    head: Sequence[str] = (MODES_HEAD,)
    above: Mapping[str, Sequence[str]] = field(default_factory=dict)
    end: Sequence[str] = ()

    def above_mode(self, mode: Mode) -> Sequence[str]:
        """Return the comment above a failure mode, by the mode's name or an earlier name of it."""
        return next((self.above[name] for name in mode.names if name in self.above), ())


def comments_in(path: Path) -> ModeComments:
    """Read the comments of a `modes.yaml`; if there is no file yet, return the comments that a new one begins with.

    Raises:
        RatingError: The file can't be read.
    """
    if not path.is_file():
        return ModeComments()
    text = read_text(path, RatingError)
    data, line_numbers = plain_data(text, "yaml", RatingError, path=path)
    entries = data.get("modes") if isinstance(data, Mapping) else None
    lines = text.splitlines()
    start = next((index for index, line in enumerate(lines) if not _is_comment(line)), len(lines))
    above = {}
    depth = 0
    for index, raw in enumerate(entries or ()):
        line_number = line_numbers[("modes", index)] - 1
        depth = len(lines[line_number]) - len(lines[line_number].lstrip())
        above[str(raw["name"])] = _ending(lines[start:line_number], depth)
    return ModeComments(
        _trimmed(lines[:start]),
        {name: comment for name, comment in above.items() if comment},
        _ending(lines[start:], depth),
    )


def _is_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _ending(lines: Sequence[str], depth: int) -> Sequence[str]:
    """Return the comment that ends the given lines, if its lines are indented by at most `depth` spaces."""
    first = len(lines)
    while first and _is_comment(lines[first - 1]) and len(lines[first - 1]) - len(lines[first - 1].lstrip()) <= depth:
        first -= 1
    return _trimmed(lines[first:])


def _trimmed(lines: Iterable[str]) -> Sequence[str]:
    """Return comment lines without indentation, and without blank lines at the start and the end."""
    return "\n".join(line.strip() for line in lines).strip("\n").splitlines()
