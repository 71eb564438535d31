"""Grade model outputs with weighted rubrics, and prove how far the grades can be trusted.

Every name here is loaded when it is first used, so that importing the package costs next to nothing.
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

_HOME = {
    "Criterion": "rubrics.rubric",
    "CriterionEvaluation": "types",
    "CriterionReport": "types",
    "EvaluationReport": "types",
    "Grade": "grading",
    "Judge": "judges.judge",
    "Level": "rubrics.rubric",
    "MarkschemeError": "errors",
    "OneShotGenerateFn": "types",
    "OneShotOutput": "types",
    "PerCriterionGenerateFn": "types",
    "PerCriterionOutput": "types",
    "Reply": "judges.judge",
    "Rubric": "rubrics.rubric",
    "RubricAsJudgeGenerateFn": "types",
    "RubricAsJudgeOutput": "types",
    "RubricError": "errors",
    "Scale": "rubrics.rubric",
    "ScriptedJudge": "judges.scripted",
    "Submission": "submission",
    "default_oneshot_generate_fn": "autograders",
    "default_per_criterion_generate_fn": "autograders",
    "default_rubric_as_judge_generate_fn": "autograders",
    "grade": "grading",
    "load_rubric": "rubrics.file",
    "reward": "rewards",
}

__all__ = [
    "Criterion",
    "CriterionEvaluation",
    "CriterionReport",
    "EvaluationReport",
    "Grade",
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
