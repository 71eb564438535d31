"""Where a command writes: a file, or standard output for "-"."""

import datetime
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from markscheme.errors import UsageError, writing
from markscheme.files import end_of_link, is_no_file, try_writing, write_whole


def refuse_unwritable(target: str | Path | None) -> None:
    """Refuse a file that can't be written, before anything is asked.

    Raises:
        UsageError: Its folder is not there or takes no file, or it is a folder itself, or a device or pipe that takes
            nothing.
    """
    if target is None or target == "-":
        return
    path = end_of_link(Path(target))
    if path.is_dir():
        raise UsageError(f"{target} cannot be written: it is a folder; name a file in it")
    if is_no_file(Path(target)):
        if not os.access(target, os.W_OK):
            raise UsageError(f"{target} cannot be written: permission denied")
        return
    if not path.parent.is_dir():
        raise UsageError(f"{target} cannot be written: there is no folder {path.parent}; make it first")
    with writing(target):
        try_writing(path)


def refuse_unmakeable(path: Path) -> None:
    """Refuse a file that can't be written, or whose missing folders can't be made, before anything is asked.

    Raises:
        UsageError: It can't be written.
    """
    nearest = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
    refuse_unwritable(path if path.parent.is_dir() else nearest / path.name)


def refuse_outputs(targets: Mapping[str, str | None]) -> None:
    """Refuse outputs that can't all be written, before anything is asked.

    Args:
        targets: By option, the file or "-" for standard output; None where it isn't given.

    Raises:
        UsageError: A file can't be written, or two outputs go to standard output.
    """
    taken = [f"--{name}" for name, target in targets.items() if target == "-"]
    if len(taken) > 1:
        raise UsageError(f"{' and '.join(taken)} cannot share standard output; name a file for all but one of them")
    for target in targets.values():
        refuse_unwritable(target)


def now() -> str:
    """The time for a page's heading."""
    return datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")


def put(text: str, target: str | Path) -> None:
    """Write a file whole or not at all, or to standard output.

    Raises:
        UsageError: It cannot be written.
    """
    if target == "-":
        sys.stdout.write(text)
        return
    with writing(target):
        write_whole(Path(target), text)
