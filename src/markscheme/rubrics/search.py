"""Search for rubrics by name, and for the calibration folders that belong to them."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.errors import UsageError, no_file, suggestion
from markscheme.shipped import shipped
from markscheme.text import is_path_component, path_component

if TYPE_CHECKING:
    from markscheme.rubrics.rubric import Rubric

POOL = "YOUR-OUTPUTS.jsonl"
"""Placeholder for the reader's file of outputs in commands that choose what to label next."""
RUBRIC_SUFFIXES = (".yaml", ".yml", ".json")
CALIBRATION_FOLDERS = "calibration"
"""Name of the folder with a folder for each rubric, which holds its labels, accepted runs and records of trials."""


def find_rubric(name: str, start: Path | None = None, *, near: Path | None = None) -> Path:
    """Find the file of a rubric by path or name.

    Args:
        name: A path, or a name to look for in `rubrics/` of the working directory and of its parents, then of
            `near`, then among the rubrics that come with markscheme.
        start: The working directory.
        near: A further folder; its own and its parent's `rubrics/` are searched too (Promptfoo's grader).

    Raises:
        UsageError: There is no such rubric; the message lists the known ones.
    """
    start = start or Path.cwd()
    try:
        as_path = start / Path(name).expanduser()
        if as_path.is_file():
            return as_path
    except (OSError, RuntimeError, ValueError) as error:  # too long, an unknown ~user, a NUL
        raise UsageError(f"{name[:60]!r} cannot be the name of a rubric: {error}") from error
    may_be_data = as_path.suffix[1:].isalpha() and as_path.suffix not in (".yaml", ".yml")
    if not may_be_data and (as_path.suffix in RUBRIC_SUFFIXES or "/" in name or "\\" in name):
        raise UsageError(f"there is no rubric file {name}{_instead(name, start, near)}")
    for folder in _folders(start, near):
        for path in (folder / f"{name}{suffix}" for suffix in RUBRIC_SUFFIXES):
            if path.is_file():
                return path
            if path.is_symlink():
                raise UsageError(f"{path}: {no_file(path)}")
    if may_be_data and not as_path.is_dir():
        raise UsageError(f"{name}: {no_file(as_path)}")
    is_folder = f"{name} is a folder; " if as_path.is_dir() else ""
    raise UsageError(f"{is_folder}there is no rubric named {name!r}{_instead(name, start, near)}")


def typed_name(rubric: "Rubric") -> str:
    """Return what to type so that a command finds a rubric: its name, or its path if the name finds another."""
    if rubric.source is None:
        return rubric.name
    path = rubric.source.resolve()
    try:
        is_found = find_rubric(rubric.name).resolve() == path
    except UsageError:
        is_found = False
    here = Path.cwd().resolve()
    return rubric.name if is_found else str(path.relative_to(here) if path.is_relative_to(here) else path)


def known_rubrics(start: Path | None = None, *, near: Path | None = None) -> dict[str, Path]:
    """Map the name of each rubric that commands accept by name, the shipped ones included, to its file.

    Args:
        start: The folder in which to search, and in its parents; None for the working directory.
        near: A further folder, whose own and whose parent's `rubrics/` are searched too.
    """
    by_name: dict[str, Path] = {}
    for folder in _folders(start or Path.cwd(), near):
        for file in sorted(folder.iterdir(), key=lambda file: (file.stem, file.suffix == ".json", file.suffix)):
            if file.suffix in RUBRIC_SUFFIXES and file.name != "schema.json":
                by_name.setdefault(file.stem, file)
    return by_name


def only_rubric(near: Path | None) -> Path:
    """Return the project's only rubric, for a caller that names none; rubrics shipped with markscheme don't count.

    Args:
        near: A further folder, as `find_rubric` searches it.

    Raises:
        UsageError: The project has several rubrics, or none; the message lists them.
    """
    files = [file for file in known_rubrics(near=near).values() if file.parent != shipped("rubrics")]
    if len(files) == 1:
        return files[0]
    names = ", ".join(file.stem for file in files)
    how_many = f"there are {len(files)}: {names}" if files else "this project has none in rubrics/"
    raise UsageError(
        f"no rubric is named, and {how_many}; name one in `config.rubric`, in the var that `config.rubric_var` names, "
        "or after the grader's file, as in rubric_grader.mjs:NAME"
    )


def calibrations(start: Path) -> dict[str, Path]:
    """Map each name to the nearest folder `calibration/<name>` in a folder or its parents."""
    by_name: dict[str, Path] = {}
    for folder in every_calibration(start):
        by_name.setdefault(folder.name, folder)
    return by_name


def every_calibration(start: Path) -> list[Path]:
    """List all folders `calibration/<name>` in `start` and in its parents; several may have the same name."""
    inside = (folder / CALIBRATION_FOLDERS for folder in _upwards(start))
    return [path for folder in inside if folder.is_dir() for path in sorted(folder.iterdir()) if path.is_dir()]


def find_calibration(name: str, *starts: Path) -> Path | None:
    """Return the first folder `calibration/<name>` in or above the folders `starts`; None if there is none.

    Parents are searched up to a `.git` or the home folder.
    """
    if not is_path_component(name):
        return None
    folders = (folder / CALIBRATION_FOLDERS / name for start in starts for folder in _upwards(start))
    return next((folder for folder in folders if folder.is_dir()), None)


def calibration_folder(name: str, start: Path) -> Path:
    """Return the nearest folder `calibration/<name>` in or above `start`, or the path at which to create it.

    Raises:
        UsageError: The rubric's name can't name a folder.
    """
    folder = start / CALIBRATION_FOLDERS / path_component(name, "the rubric's name")
    return find_calibration(name, start) or folder


def project_of(calibration: Path) -> Path:
    """Return the project of a folder `calibration/<rubric>`: its repository, or else the parent of `calibration`.

    Paths in that folder's files may only lead into the project, since a stranger may have written them.
    """
    folder = calibration.resolve()
    repository = next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)
    if repository is not None:
        return repository
    return folder.parents[1] if folder.parent.name == "calibration" else folder


def _upwards(start: Path) -> Iterator[Path]:
    """Yield a folder and its parents, up to a folder with a `.git` or the home folder."""
    home: Path | None = None
    for folder in (start, *start.parents):
        yield folder
        if (folder / ".git").exists() or folder == (home := home or Path.home()):
            return


def _folders(start: Path, near: Path | None) -> Iterator[Path]:
    roots = [start, *start.parents]
    roots += [near, near.parent] if near is not None else []
    candidates = [root / "rubrics" for root in roots] + [shipped("rubrics")]
    yield from (folder for folder in dict.fromkeys(candidates) if folder.is_dir())


def _instead(name: str, start: Path, near: Path | None) -> str:
    rubrics = known_rubrics(start, near=near)
    hint = suggestion(Path(name).stem, rubrics, mark="'")
    listed = ", ".join(rubrics) or "none"
    return f"{hint} There are {listed}" if hint else f"; there are {listed}"
