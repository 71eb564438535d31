"""Find a rubric by name, and the calibration folder that belongs to it."""

from collections.abc import Iterator
from pathlib import Path

from markscheme.errors import UsageError, suggestion
from markscheme.text import is_path_component, path_component

SUFFIXES = (".yaml", ".yml", ".json")


def find_rubric(name: str, start: Path | None = None, *, near: Path | None = None) -> Path:
    """The file of a rubric.

    Args:
        name: A path, or a name to look for in `rubrics/` of the working directory and of its parents, then of
            `near`, then among the rubrics that come with markscheme.
        start: The working directory.
        near: A further folder; its own and its parent's `rubrics/` are searched too (Promptfoo's grader).

    Raises:
        UsageError: There is none; the message lists the known ones.
    """
    start = start or Path.cwd()
    try:
        as_path = start / Path(name).expanduser()
        if as_path.is_file():
            return as_path
    except (OSError, RuntimeError, ValueError) as error:  # too long, an unknown ~user, a NUL
        raise UsageError(f"{name[:60]!r} cannot be the name of a rubric: {error}") from error
    if as_path.suffix in SUFFIXES or "/" in name or "\\" in name:
        raise UsageError(f"there is no rubric file {name}{_instead(name, start, near)}")
    for folder in _folders(start, near):
        for suffix in SUFFIXES:
            if (folder / f"{name}{suffix}").is_file():
                return folder / f"{name}{suffix}"
    raise UsageError(f"there is no rubric named {name!r}{_instead(name, start, near)}")


def known_rubrics(start: Path | None = None, *, near: Path | None = None) -> dict[str, Path]:
    """All rubrics that can be found by name, with their files."""
    found: dict[str, Path] = {}
    for folder in _folders(start or Path.cwd(), near):
        for file in sorted(folder.iterdir()):
            if file.suffix in SUFFIXES and file.name != "schema.json":
                found.setdefault(file.stem, file)
    return found


def own_rubrics(start: Path | None = None) -> dict[str, Path]:
    """The rubrics in `rubrics/` here and in parent folders, with their files; not those that come with markscheme.

    One that comes with markscheme counts as the user's own if a folder `calibration/<rubric>` holds examples for it.
    """
    start = start or Path.cwd()
    here = {root / "rubrics" for root in (start, *start.parents)}
    return {
        name: file
        for name, file in known_rubrics(start).items()
        if file.parent in here or find_calibration(name, start) is not None
    }


def shipped(place: str) -> Path:
    """A file or folder that comes with markscheme, by its path in the repository, which a wheel keeps."""
    package = Path(__file__).parents[1]
    in_wheel = package / "shipped" / place
    return in_wheel if in_wheel.exists() else package.parents[1] / place


def calibrations(start: Path) -> dict[str, Path]:
    """The folders `calibration/<name>` of `start` and its parents, by name."""
    found: dict[str, Path] = {}
    for folder in _upwards(start):
        inside = folder / "calibration"
        for one in sorted(inside.iterdir()) if inside.is_dir() else ():
            if one.is_dir():
                found.setdefault(one.name, one)
    return found


def find_calibration(name: str, *starts: Path) -> Path | None:
    """The folder `calibration/<name>` of the first start or the nearest of its parents, else of the next start.

    Parents are searched up to a `.git` or the home folder.
    """
    if not is_path_component(name):
        return None
    folders = (folder / "calibration" / name for start in starts for folder in _upwards(start))
    return next((folder for folder in folders if folder.is_dir()), None)


def calibration_folder(name: str, start: Path) -> Path:
    """The folder `calibration/<name>` of `start` or the nearest of its parents; where to create it if none has one.

    Raises:
        UsageError: The rubric's name can't name a folder.
    """
    place = start / "calibration" / path_component(name, "the rubric's name")
    return find_calibration(name, start) or place


def _upwards(start: Path) -> Iterator[Path]:
    """A folder and its parents, up to one with a `.git` or the home folder."""
    for folder in (start, *start.parents):
        yield folder
        if (folder / ".git").exists() or folder == Path.home():
            return


def _folders(start: Path, near: Path | None) -> Iterator[Path]:
    roots = [start, *start.parents]
    roots += [near, near.parent] if near is not None else []
    candidates = [root / "rubrics" for root in roots] + [shipped("rubrics")]
    yield from (folder for folder in dict.fromkeys(candidates) if folder.is_dir())


def _instead(name: str, start: Path, near: Path | None) -> str:
    known = known_rubrics(start, near=near)
    hint, there = suggestion(Path(name).stem, known, mark="'"), ", ".join(known) or "none"
    return f"{hint} There are {there}" if hint else f"; there are {there}"
