"""Grade model outputs with weighted rubrics, and measure how far the grades can be trusted.

Every name here is imported when it is first used, so that importing the package costs almost nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markscheme.autograders import (
        default_oneshot_generate_fn,
        default_per_criterion_generate_fn,
        default_rubric_as_judge_generate_fn,
    )
    from markscheme.errors import MarkschemeError, RubricError
    from markscheme.grader import Grader
    from markscheme.grading import Grade, grade
    from markscheme.judges.judge import Judge, Reply
    from markscheme.judges.scripted import ScriptedJudge
    from markscheme.rewards import reward
    from markscheme.rubrics.file import load_rubric
    from markscheme.rubrics.rubric import Criterion, Level, Rubric, Scale
    from markscheme.submission import Submission
    from markscheme.types import (
        CriterionEvaluation,
        CriterionReport,
        EvaluationReport,
        OneShotGenerateFn,
        OneShotOutput,
        PerCriterionGenerateFn,
        PerCriterionOutput,
        RubricAsJudgeGenerateFn,
        RubricAsJudgeOutput,
    )

_NAMES = {
    "autograders": [
        *("default_oneshot_generate_fn", "default_per_criterion_generate_fn"),
        "default_rubric_as_judge_generate_fn",
    ],
    "errors": ["MarkschemeError", "RubricError"],
    "grader": ["Grader"],
    "grading": ["Grade", "grade"],
    "judges.judge": ["Judge", "Reply"],
    "judges.scripted": ["ScriptedJudge"],
    "rewards": ["reward"],
    "rubrics.file": ["load_rubric"],
    "rubrics.rubric": ["Criterion", "Level", "Rubric", "Scale"],
    "submission": ["Submission"],
    "types": [
        *("CriterionEvaluation", "CriterionReport", "EvaluationReport"),
        *("OneShotGenerateFn", "PerCriterionGenerateFn", "RubricAsJudgeGenerateFn"),
        *("OneShotOutput", "PerCriterionOutput", "RubricAsJudgeOutput"),
    ],
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "Criterion",
    "CriterionEvaluation",
    "CriterionReport",
    "EvaluationReport",
    "Grade",
    "Grader",
    "Judge",
    "Level",
    "MarkschemeError",
    "OneShotGenerateFn",
    "OneShotOutput",
    "PerCriterionGenerateFn",
    "PerCriterionOutput",
    "Reply",
    "Rubric",
    "RubricAsJudgeGenerateFn",
    "RubricAsJudgeOutput",
    "RubricError",
    "Scale",
    "ScriptedJudge",
    "Submission",
    "default_oneshot_generate_fn",
    "default_per_criterion_generate_fn",
    "default_rubric_as_judge_generate_fn",
    "grade",
    "load_rubric",
    "reward",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module(f"{__name__}.compat")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
