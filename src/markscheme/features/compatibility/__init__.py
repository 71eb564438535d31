"""The names that users of the `rubric` package and of scorers know: graders, reports, rewards and a run of scorers."""

from typing import Any

from markscheme.rubrics.autograders import AUTOGRADERS
from markscheme.seam import Feature


def _per_criterion_grader() -> Any:
    from markscheme.features.compatibility.autograders import PerCriterionGrader

    return PerCriterionGrader()


COMPATIBILITY = Feature("compatibility", AUTOGRADERS(_per_criterion_grader))
