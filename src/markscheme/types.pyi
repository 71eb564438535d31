"""Import path for the types of the `rubric` package's autograders."""

from markscheme.features.compatibility.report_types import PARTS as PARTS
from markscheme.features.compatibility.report_types import Criterion as Criterion
from markscheme.features.compatibility.report_types import CriterionEvaluation as CriterionEvaluation
from markscheme.features.compatibility.report_types import CriterionReport as CriterionReport
from markscheme.features.compatibility.report_types import EvaluationReport as EvaluationReport
from markscheme.features.compatibility.report_types import OneShotGenerateFn as OneShotGenerateFn
from markscheme.features.compatibility.report_types import OneShotOutput as OneShotOutput
from markscheme.features.compatibility.report_types import PerCriterionGenerateFn as PerCriterionGenerateFn
from markscheme.features.compatibility.report_types import PerCriterionOutput as PerCriterionOutput
from markscheme.features.compatibility.report_types import RubricAsJudgeGenerateFn as RubricAsJudgeGenerateFn
from markscheme.features.compatibility.report_types import RubricAsJudgeOutput as RubricAsJudgeOutput
from markscheme.features.compatibility.report_types import Status as Status
from markscheme.features.compatibility.report_types import ToGrade as ToGrade
from markscheme.features.compatibility.report_types import response_parts as response_parts
from markscheme.features.compatibility.report_types import response_text as response_text
