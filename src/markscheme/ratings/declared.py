"""The addition of the labels to how judges grade: a certificate decides by the labels that it was certified on."""

from typing import TYPE_CHECKING

from markscheme.grading.group_checks import GROUP_CHECKS
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.judges.judge import JudgeGroup
    from markscheme.rubrics.rubric import Rubric


def _with_checked_labels(judges: "JudgeGroup", rubric: "Rubric") -> "JudgeGroup":
    from markscheme.ratings.certified_labels import with_checked_labels

    return with_checked_labels(judges, rubric)


LABEL_CHECKS = Feature("ratings", GROUP_CHECKS(_with_checked_labels))
"""The addition that the core itself makes: ratings are above the graders, whose certificates were made from them."""
