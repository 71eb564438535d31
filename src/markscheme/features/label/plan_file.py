"""Reader of the plans that `label --plan --json` writes, for the judge's decisions on the pool."""

from collections.abc import Mapping, Sequence

from markscheme.errors import RatingError
from markscheme.plain_data import shown
from markscheme.readers.decisions import read_responses
from markscheme.readers.file_format import SAVED, FileFormat
from markscheme.readers.imported import Columns, ImportedFile
from markscheme.readers.peek import Peek
from markscheme.rubrics.rubric import Rubric


def is_plan(peek: Peek) -> bool:
    """Return True if a file is a plan for drawing the next labels."""
    return isinstance(peek.document.get("next"), Mapping)


def read_plans(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:  # noqa: ARG001
    """Read the pool of responses in each plan, with the judge's decisions on them.

    Raises:
        RatingError: A file has no pool, or a response in it can't be read.
    """
    return [read_responses(peek.path, _pool(peek), rubric) for peek in files]


def _pool(peek: Peek) -> list[object]:
    pool = peek.document["next"].get("pool")
    if not isinstance(pool, list):
        problem = f"isn't a plan that `label --plan --json` wrote: its pool is a list, got {shown(pool)}"
        raise RatingError(problem, path=peek.path)
    return pool


PLAN = FileFormat("a plan (of `label --next --json`)", is_plan, read_plans, states_kinds=False, rank=SAVED)
