"""Names by which cards and certificates refer to files of their project, and the paths of these files."""

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

from markscheme.errors import RatingError
from markscheme.plain_data import shown
from markscheme.rubrics.search import project_of
from markscheme.shipped import shipped

SHIPPED: Final = "shipped:"
"""Prefix of the name of a file that comes with markscheme."""


def name_of(path: Path, card: Path) -> str:
    """Return the name by which a card refers to a file: the path relative to the card.

    For a file of the package, outside the card's project, it is a prefix and the path in the package.
    """
    whole = path.resolve()
    if not whole.is_relative_to(project_of(card.parent)):
        for folder in ("rubrics", "calibration"):
            packaged = shipped(folder).resolve()
            if whole.is_relative_to(packaged):
                return f"{SHIPPED}{folder}/{whole.relative_to(packaged).as_posix()}"
    return PurePosixPath(*Path(os.path.relpath(whole, card.parent.resolve())).parts).as_posix()


def place_of(name: str, card: Path) -> Path:
    """Return the path of a file from its name in a card.

    Raises:
        RatingError: The path is outside the project, where no file is read for a card, or no file can have that name.
    """
    if name.startswith(SHIPPED):
        inside = PurePosixPath(name.removeprefix(SHIPPED))
        if inside.parts[:1] in (("rubrics",), ("calibration",)) and ".." not in inside.parts:
            return shipped(inside.as_posix())
    else:
        path = Path(os.path.normpath(card.parent.resolve() / name))
        try:
            is_inside = path.resolve().is_relative_to(project_of(card.parent))
            with suppress(FileNotFoundError):
                path.lstat()
        except (OSError, ValueError) as error:
            raise RatingError(f"names {shown(name)}, which is no file here: {error}", path=card) from error
        if is_inside:
            return path
    raise RatingError(f"names {shown(name)}, which is outside the project; nothing is read from there", path=card)
