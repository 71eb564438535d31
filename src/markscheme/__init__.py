"""Grade model outputs with weighted rubrics, and measure how far the grades can be trusted.

Errors are in `markscheme.errors`, such as UsageError for an option that can't be; each is a MarkschemeError.

Every name here is imported when it is first used, so that importing the package costs almost nothing. Names of the
`rubric` package that aren't in `__all__` are importable from here too, so that its users change only the import.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from markscheme.seam import Feature as _Feature
from markscheme.seam import offer as _offer

if TYPE_CHECKING:
    from markscheme.autograders import default_oneshot_generate_fn as default_oneshot_generate_fn
    from markscheme.autograders import default_per_criterion_generate_fn as default_per_criterion_generate_fn
    from markscheme.autograders import default_rubric_as_judge_generate_fn as default_rubric_as_judge_generate_fn
    from markscheme.calibration.api import agreement as agreement
    from markscheme.calibration.api import calibrate as calibrate
    from markscheme.calibration.calibration import Calibration as Calibration
    from markscheme.errors import MarkschemeError as MarkschemeError
    from markscheme.errors import RubricError as RubricError
    from markscheme.features.compare.api import compare as compare
    from markscheme.features.media.media import Image as Image
    from markscheme.features.media.media import Pdf as Pdf
    from markscheme.grading import Grade as Grade
    from markscheme.grading import grade as grade
    from markscheme.grading.grader import Grader as Grader
    from markscheme.judges.judge import Identity as Identity
    from markscheme.judges.judge import Judge as Judge
    from markscheme.judges.judge import Reply as Reply
    from markscheme.judges.judge import Usage as Usage
    from markscheme.judges.panel import Panel as Panel
    from markscheme.judges.registry import open_judge as open_judge
    from markscheme.judges.scripted import ScriptedJudge as ScriptedJudge
    from markscheme.prompts.submission import Submission as Submission
    from markscheme.ratings.example_rows import Example as Example
    from markscheme.ratings.rating import Rating as Rating
    from markscheme.rewards import reward as reward
    from markscheme.rubrics.file import load_rubric as load_rubric
    from markscheme.rubrics.rubric import Criterion as Criterion
    from markscheme.rubrics.rubric import Level as Level
    from markscheme.rubrics.rubric import Rubric as Rubric
    from markscheme.rubrics.rubric import Scale as Scale
    from markscheme.types import CriterionEvaluation as CriterionEvaluation
    from markscheme.types import CriterionReport as CriterionReport
    from markscheme.types import EvaluationReport as EvaluationReport
    from markscheme.types import OneShotGenerateFn as OneShotGenerateFn
    from markscheme.types import OneShotOutput as OneShotOutput
    from markscheme.types import PerCriterionGenerateFn as PerCriterionGenerateFn
    from markscheme.types import PerCriterionOutput as PerCriterionOutput
    from markscheme.types import RubricAsJudgeGenerateFn as RubricAsJudgeGenerateFn
    from markscheme.types import RubricAsJudgeOutput as RubricAsJudgeOutput

_PUBLIC = {
    "Calibration": "calibration.calibration",
    "agreement": "calibration.api",
    "calibrate": "calibration.api",
    "compare": "features.compare.api",
    "Image": "features.media.media",
    "Pdf": "features.media.media",
    "MarkschemeError": "errors",
    "RubricError": "errors",
    "Grader": "grading.grader",
    "Grade": "grading",
    "grade": "grading",
    "Identity": "judges.judge",
    "Judge": "judges.judge",
    "Reply": "judges.judge",
    "Usage": "judges.judge",
    "Panel": "judges.panel",
    "open_judge": "judges.registry",
    "ScriptedJudge": "judges.scripted",
    "Example": "ratings.example_rows",
    "Rating": "ratings.rating",
    "reward": "rewards",
    "load_rubric": "rubrics.file",
    "Criterion": "rubrics.rubric",
    "Level": "rubrics.rubric",
    "Rubric": "rubrics.rubric",
    "Scale": "rubrics.rubric",
    "Submission": "prompts.submission",
}
"""The module of each public name."""
_OF_RUBRIC_PACKAGE = {
    "default_oneshot_generate_fn": "autograders",
    "default_per_criterion_generate_fn": "autograders",
    "default_rubric_as_judge_generate_fn": "autograders",
    "CriterionEvaluation": "types",
    "CriterionReport": "types",
    "EvaluationReport": "types",
    "OneShotGenerateFn": "types",
    "OneShotOutput": "types",
    "PerCriterionGenerateFn": "types",
    "PerCriterionOutput": "types",
    "RubricAsJudgeGenerateFn": "types",
    "RubricAsJudgeOutput": "types",
}
"""The module of each further name that a program written for the `rubric` package imports."""

if not TYPE_CHECKING:  # a type checker knows the names from the imports above
    __all__ = sorted(_PUBLIC)


def _of_core() -> tuple[_Feature, ...]:
    from markscheme.core_options import CORE_OPTIONS

    return (CORE_OPTIONS,)


def _features() -> tuple[_Feature, ...]:
    from markscheme.features import FEATURES
    from markscheme.report.reported import RESULT_REPORTS

    return (RESULT_REPORTS, *FEATURES)


_offer(_of_core, _features)


def __getattr__(name: str) -> Any:
    module = _PUBLIC.get(name) or _OF_RUBRIC_PACKAGE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_PUBLIC)
