"""Grade model outputs with weighted rubrics, and prove how far the grades can be trusted.

Every name here is loaded when it is first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markscheme.errors import MarkschemeError, RubricError
    from markscheme.grading import Grade, grade
    from markscheme.judge import Judge, Reply
    from markscheme.judges.scripted import ScriptedJudge
    from markscheme.rubric import Criterion, Level, Rubric, Scale
    from markscheme.rubric_file import load_rubric
    from markscheme.submission import Submission

_HOME = {
    "Criterion": "rubric",
    "Grade": "grading",
    "Judge": "judge",
    "Level": "rubric",
    "MarkschemeError": "errors",
    "Reply": "judge",
    "Rubric": "rubric",
    "RubricError": "errors",
    "Scale": "rubric",
    "ScriptedJudge": "judges.scripted",
    "Submission": "submission",
    "grade": "grading",
    "load_rubric": "rubric_file",
}

__all__ = [
    "Criterion",
    "Grade",
    "Judge",
    "Level",
    "MarkschemeError",
    "Reply",
    "Rubric",
    "RubricError",
    "Scale",
    "ScriptedJudge",
    "Submission",
    "grade",
    "load_rubric",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
