"""The rubrics of the user's own project, among all that commands accept by name."""

from pathlib import Path

from markscheme.rubrics.search import find_calibration, known_rubrics


def own_rubrics(start: Path | None = None) -> dict[str, Path]:
    """Map the name of each of the user's rubrics to its file, from `rubrics/` in a folder and in its parent folders.

    A rubric shipped with markscheme counts as the user's if a folder `calibration/<rubric>` has examples for it.

    Args:
        start: The folder; None for the working directory.
    """
    start = start or Path.cwd()
    here = {root / "rubrics" for root in (start, *start.parents)}
    return {
        name: file
        for name, file in known_rubrics(start).items()
        if file.parent in here or find_calibration(name, start) is not None
    }
