"""Kind of judge named `cascade`: the judges of a certificate, which decide one after the other."""

import os
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from markscheme.errors import UsageError
from markscheme.judges.kinds import JudgeKind
from markscheme.rubrics.search import calibrations, find_calibration

if TYPE_CHECKING:
    from typing import Protocol

    from markscheme.features.certify.judges import CertifiedJudges
    from markscheme.grading import GradeOptions, SubmissionGrader
    from markscheme.judges.judge import JudgeGroup
    from markscheme.judges.judge_context import JudgeContext
    from markscheme.rubrics.rubric import Rubric

    class _Verdicts(Protocol):
        def open_certified(self, path: Path, context: JudgeContext) -> CertifiedJudges: ...
        def certified_grader(
            self, rubric: Rubric, judges: CertifiedJudges, options: GradeOptions
        ) -> SubmissionGrader: ...
        def with_checked_labels(self, judge: JudgeGroup, rubric: Rubric) -> JudgeGroup: ...


CASCADE_FILE = "cascade.json"
"""Name of a certificate's file, in `calibration/<rubric>/`."""


def load_verdicts() -> "_Verdicts":
    """Load and return the functions that grade by a certificate."""
    from markscheme.features.certify import verdicts

    return verdicts


def _cascade(rest: str, context: "JudgeContext") -> "JudgeGroup":
    if not rest:
        raise UsageError("which cascade? `markscheme certify RUBRIC --judge JUDGE,JUDGE --write` makes one")
    return load_verdicts().open_certified(Path(rest), context)


def _cascade_of(rubric: str, folder: Path | None) -> Path:
    """Return the path of a rubric's certificate.

    Raises:
        UsageError: The rubric has no certificate.
    """

    folder = folder or find_calibration(rubric, Path.cwd())
    path = None if folder is None else folder / CASCADE_FILE
    if path is None or not path.is_file():
        command = f"markscheme certify {quote(rubric)} --judge JUDGE,JUDGE --write"
        raise UsageError(f"{rubric} has no cascade: `{command}` finds who may decide what, from labels")
    return path


def _cascades() -> list[str]:
    """Return the paths of the project's certificates; each path can be given as the name of a judge."""

    here = Path.cwd()
    files = [folder / CASCADE_FILE for folder in calibrations(here).values()]
    return [os.path.relpath(file, here) for file in files if file.is_file()]


CASCADE_KIND = JudgeKind(
    "cascade",
    _cascade,
    ready=lambda: None if _cascades() else "none is written yet: markscheme certify RUBRIC --judge JUDGE,JUDGE --write",
    form="cascade[:PATH]",
    about="judges that decide one after the other, and people the rest, as certified",
    uses=lambda: ", ".join(_cascades()),
    asks=False,
    names_judges=True,
    file_of=_cascade_of,
    rank=70,
)
