"""Grade model outputs with weighted rubrics, and measure how far the grades can be trusted.

Every name here is imported when it is first used, so that importing the package costs almost nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markscheme.autograders import default_oneshot_generate_fn as default_oneshot_generate_fn
    from markscheme.autograders import default_per_criterion_generate_fn as default_per_criterion_generate_fn
    from markscheme.autograders import default_rubric_as_judge_generate_fn as default_rubric_as_judge_generate_fn
    from markscheme.errors import MarkschemeError as MarkschemeError
    from markscheme.errors import RubricError as RubricError
    from markscheme.grader import Grader as Grader
    from markscheme.grading import Grade as Grade
    from markscheme.grading import grade as grade
    from markscheme.judges.judge import Judge as Judge
    from markscheme.judges.judge import Reply as Reply
    from markscheme.judges.scripted import ScriptedJudge as ScriptedJudge
    from markscheme.rewards import reward as reward
    from markscheme.rubrics.file import load_rubric as load_rubric
    from markscheme.rubrics.rubric import Criterion as Criterion
    from markscheme.rubrics.rubric import Level as Level
    from markscheme.rubrics.rubric import Rubric as Rubric
    from markscheme.rubrics.rubric import Scale as Scale
    from markscheme.submission import Submission as Submission
    from markscheme.types import CriterionEvaluation as CriterionEvaluation
    from markscheme.types import CriterionReport as CriterionReport
    from markscheme.types import EvaluationReport as EvaluationReport
    from markscheme.types import OneShotGenerateFn as OneShotGenerateFn
    from markscheme.types import OneShotOutput as OneShotOutput
    from markscheme.types import PerCriterionGenerateFn as PerCriterionGenerateFn
    from markscheme.types import PerCriterionOutput as PerCriterionOutput
    from markscheme.types import RubricAsJudgeGenerateFn as RubricAsJudgeGenerateFn
    from markscheme.types import RubricAsJudgeOutput as RubricAsJudgeOutput

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

if not TYPE_CHECKING:  # a type checker knows the names from the imports above
    __all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module(f"{__name__}.compat")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOME)
