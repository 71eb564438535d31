"""Actions of `label` without a page: count labels needed, show progress, record that a meaning is unchanged."""

from datetime import date
from pathlib import Path

from markscheme.calibration.findings.commands import ANNOTATOR, Commands
from markscheme.calibration.next_labels import NextLabels
from markscheme.commands.options import existing_file
from markscheme.commands.output import show
from markscheme.errors import FileError, UsageError, suggestion
from markscheme.features.label.number_needed import number_needed
from markscheme.features.label.overview import json_of, next_labels_of, overview_of, view
from markscheme.features.label.relabelling import record_same_meaning
from markscheme.features.label.setup import rubric_of_results
from markscheme.phrases import in_words
from markscheme.ratings.column_options import ColumnOptions
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.search import calibration_folder, find_rubric


def labels_needed(rubric: str) -> int:
    """Return how many more labels the verdict on a rubric's judge needs.

    Raises:
        UsageError: The verdict needs no more labels, or it isn't known how many.
    """
    return number_needed(_next_labels(rubric))


def next_step(rubric: str) -> str | None:
    """Return a sentence on the labels that the verdict still needs; None if the rubric or a file can't be read."""
    try:
        return _next_labels(rubric).in_words
    except (FileError, UsageError):
        return None


def _next_labels(rubric: str) -> NextLabels:
    """Return how many labels the verdict on a rubric's judge still needs, and why the verdict is open, or isn't."""
    return next_labels_of(rubric, Path.cwd())


def note_same_meaning(rubric: str, name: str) -> int:
    """Record that a criterion's new words mean the same as its old words; return the exit status.

    Raises:
        UsageError: The criterion doesn't exist, or no label was given under other words.
    """
    loaded = load_rubric(find_rubric(rubric, Path.cwd()))
    names = [criterion.name for criterion in loaded.criteria]
    if name not in names:
        raise UsageError(
            f"{loaded.name} has no criterion {name!r}{suggestion(name, names) or f'; it has {in_words(names)}'}"
        )
    folder = calibration_folder(loaded.name, Path.cwd())
    if not record_same_meaning(folder, loaded.criterion(name), date.today().isoformat()):
        raise UsageError(f"no labels were given to other words of {name}: there is nothing to note")
    print(
        f"Noted: the new words of {name} mean what the old ones meant. Labels under the old words stay in trends. For "
        f"a gate some must be given again: {Commands.on(loaded).label(ANNOTATOR)}"
    )
    return 0


def print_progress(
    rubric: str, pool: Path | None, columns: ColumnOptions, *, json: bool, core: str | None = None
) -> int:
    """Print each annotator's progress, their agreement, and how many labels are needed; return the exit status.

    Args:
        rubric: Name of the rubric; or a file of Promptfoo's results, or of rows with rubrics of their own.
        pool: The file of responses; None for the rubric's own examples.
        columns: What the columns of the file mean.
        json: True to print JSON.
        core: Name of the rubric that the rows share; None without one.
    """
    here = Path.cwd()
    file = existing_file(pool) if pool else None
    overview = overview_of(rubric_of_results(rubric, here), here, file, core, columns)
    show(view(overview), json_of(overview), json=json)
    return 0
