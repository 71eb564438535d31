"""Files that come with markscheme: rubrics, a labelled set, graders, and what `init` adds to a project.

In a clone, `rubrics/`, `calibration/` and `graders/` are in its root, where users see them; in a wheel, they are here.
"""

from pathlib import Path

_HERE = Path(__file__).parent
_CLONE = _HERE.parents[2]


def installed_version() -> str:
    """Return the installed version of markscheme."""
    from importlib.metadata import version  # slow: it imports the e-mail and zip modules

    return version("markscheme")


def install_command(extra: str) -> str:
    """Return the command that installs an extra: from this clone if it is one, since an index may have another version.

    Args:
        extra: Name of the extra, such as "openai".
    """
    if not (_CLONE / "pyproject.toml").is_file() or _HERE.parent.parent.name != "src":
        return f"pip install 'markscheme[{extra}]'"
    place = "." if Path.cwd() == _CLONE else str(_CLONE)
    return f"pip install -e '{place}[{extra}]'"


def shipped(place: str) -> Path:
    """Return the path of a file or folder that comes with markscheme, from its path in the repository.

    The folder `project` has what `init` adds to a project.

    Args:
        place: The path in the repository.

    Example:
        >>> shipped("rubrics/schema.json").is_file(), shipped("graders/session.py").is_file()
        (True, True)
    """
    packaged = _HERE / place
    return packaged if packaged.exists() else _CLONE / place
