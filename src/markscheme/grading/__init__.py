"""Grade submissions: prompt, judge, verdicts, score.

A name is imported when it is first used, so that a module of this package loads only those it imports.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markscheme.grading.strategies import ASK_A_PERSON as ASK_A_PERSON
    from markscheme.grading.strategies import MOST_UNGRADED as MOST_UNGRADED
    from markscheme.grading.strategies import CascadeOutcome as CascadeOutcome
    from markscheme.grading.strategies import Fingerprints as Fingerprints
    from markscheme.grading.strategies import Grade as Grade
    from markscheme.grading.strategies import Grading as Grading
    from markscheme.grading.strategies import asking_fingerprint as asking_fingerprint
    from markscheme.grading.strategies import blank_submission as blank_submission
    from markscheme.grading.strategies import grade as grade
    from markscheme.grading.strategies import grade_json as grade_json
    from markscheme.grading.strategies import grade_many as grade_many
    from markscheme.grading.strategies import lacking_inputs as lacking_inputs
    from markscheme.grading.strategies import questions as questions
    from markscheme.grading.strategies import receipt_of as receipt_of
    from markscheme.grading.strategies import receipt_wanted as receipt_wanted
    from markscheme.grading.strategies import scorers_for as scorers_for
    from markscheme.grading.strategies import seeing_alike as seeing_alike
    from markscheme.grading.strategies import stage_decision as stage_decision
    from markscheme.grading.strategies import why_ask as why_ask

_HOMES = {
    "ASK_A_PERSON": "strategies",
    "asking_fingerprint": "strategies",
    "blank_submission": "strategies",
    "CascadeOutcome": "strategies",
    "Fingerprints": "strategies",
    "Grade": "strategies",
    "grade": "strategies",
    "grade_json": "strategies",
    "grade_many": "strategies",
    "Grading": "strategies",
    "lacking_inputs": "strategies",
    "MOST_UNGRADED": "strategies",
    "questions": "strategies",
    "receipt_of": "strategies",
    "receipt_wanted": "strategies",
    "scorers_for": "strategies",
    "seeing_alike": "strategies",
    "stage_decision": "strategies",
    "why_ask": "strategies",
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
