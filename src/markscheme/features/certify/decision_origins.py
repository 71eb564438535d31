"""Origins of the decisions on which a promise was tested, in a sentence."""

from markscheme.calibration.decided_labels import DecisionOrigins
from markscheme.grading.score import must_pass
from markscheme.phrases import counted, rounded
from markscheme.rubrics.rubric import Rubric


def origins_in_words(origins: DecisionOrigins, rubric: Rubric) -> str:
    """Say whether annotators passed or failed the responses themselves, or by their labels; "" without decisions.

    Args:
        origins: Number of decisions by where they come from.
        rubric: The rubric whose pass mark and required criteria turn labels into decisions.
    """
    if not origins.n:
        return ""
    if not origins.by_levels:
        return f"Annotators passed or failed {'it' if origins.n == 1 else f'all {origins.n}'} themselves."
    required = " with every required criterion passed" if any(map(must_pass, rubric.criteria)) else ""
    rule = f"a score of {rounded(rubric.pass_mark)} or more{required} passes"
    if not origins.explicit:
        return f"Annotators' decisions follow from their labels: {rule}."
    explicit = counted(origins.explicit, "decision was given", "decisions were given")
    return f"{explicit} by annotators; {origins.by_levels} more follow from their labels: {rule}."
