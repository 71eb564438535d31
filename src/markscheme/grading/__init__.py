"""Grade submissions: prompt, judge, verdicts, score.

Names are imported when they are first used, so that importing one module of this package doesn't load its other
modules.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markscheme.grading.by_criterion import GradeOptions as GradeOptions
    from markscheme.grading.by_criterion import SubmissionGrader as SubmissionGrader
    from markscheme.grading.by_criterion import seeing_alike as seeing_alike
    from markscheme.grading.grades import ASK_A_PERSON as ASK_A_PERSON
    from markscheme.grading.grades import MOST_UNGRADED as MOST_UNGRADED
    from markscheme.grading.grades import DecidedBy as DecidedBy
    from markscheme.grading.grades import Fingerprints as Fingerprints
    from markscheme.grading.grades import Grade as Grade
    from markscheme.grading.grades import grade_json as grade_json
    from markscheme.grading.grades import why_ask as why_ask
    from markscheme.grading.grading import Grading as Grading
    from markscheme.grading.grading import as_of_today as as_of_today
    from markscheme.grading.grading import grade as grade
    from markscheme.grading.grading import grade_many as grade_many
    from markscheme.grading.grading import grader_for as grader_for
    from markscheme.grading.grading import scorers_for as scorers_for
    from markscheme.grading.receipts import receipt_of as receipt_of
    from markscheme.grading.receipts import receipt_wanted as receipt_wanted
    from markscheme.grading.strategies import asking_fingerprint as asking_fingerprint
    from markscheme.grading.strategies import blank_submission as blank_submission
    from markscheme.grading.strategies import lacking_inputs as lacking_inputs
    from markscheme.grading.strategies import questions as questions

_HOMES = {
    "GradeOptions": "by_criterion",
    "seeing_alike": "by_criterion",
    "SubmissionGrader": "by_criterion",
    "ASK_A_PERSON": "grades",
    "DecidedBy": "grades",
    "Fingerprints": "grades",
    "Grade": "grades",
    "grade_json": "grades",
    "MOST_UNGRADED": "grades",
    "why_ask": "grades",
    "as_of_today": "grading",
    "grade": "grading",
    "grade_many": "grading",
    "grader_for": "grading",
    "Grading": "grading",
    "scorers_for": "grading",
    "receipt_of": "receipts",
    "receipt_wanted": "receipts",
    "asking_fingerprint": "strategies",
    "blank_submission": "strategies",
    "lacking_inputs": "strategies",
    "questions": "strategies",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"markscheme.grading.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
