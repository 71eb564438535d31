"""Import path for the graders of the `rubric` package; the code is in `features.compatibility.autograders`."""

from markscheme.features.compatibility.autograders import GEMINI_ADDRESS as GEMINI_ADDRESS
from markscheme.features.compatibility.autograders import GEMINI_MODEL as GEMINI_MODEL
from markscheme.features.compatibility.autograders import ONE_SHOT_SYSTEM_PROMPT as ONE_SHOT_SYSTEM_PROMPT
from markscheme.features.compatibility.autograders import PER_CRITERION_SYSTEM_PROMPT as PER_CRITERION_SYSTEM_PROMPT
from markscheme.features.compatibility.autograders import RUBRIC_AS_JUDGE_SYSTEM_PROMPT as RUBRIC_AS_JUDGE_SYSTEM_PROMPT
from markscheme.features.compatibility.autograders import Autograder as Autograder
from markscheme.features.compatibility.autograders import (
    DoublePassPerCriterionOneShotGrader as DoublePassPerCriterionOneShotGrader,
)
from markscheme.features.compatibility.autograders import OneShotOutput as OneShotOutput
from markscheme.features.compatibility.autograders import PerCriterionGrader as PerCriterionGrader
from markscheme.features.compatibility.autograders import PerCriterionOneShotGrader as PerCriterionOneShotGrader
from markscheme.features.compatibility.autograders import PerCriterionOutput as PerCriterionOutput
from markscheme.features.compatibility.autograders import RubricAsJudgeGrader as RubricAsJudgeGrader
from markscheme.features.compatibility.autograders import RubricAsJudgeOutput as RubricAsJudgeOutput
from markscheme.features.compatibility.autograders import RubricAsJudgeResult as RubricAsJudgeResult
from markscheme.features.compatibility.autograders import default_oneshot_generate_fn as default_oneshot_generate_fn
from markscheme.features.compatibility.autograders import (
    default_per_criterion_generate_fn as default_per_criterion_generate_fn,
)
from markscheme.features.compatibility.autograders import (
    default_rubric_as_judge_generate_fn as default_rubric_as_judge_generate_fn,
)
