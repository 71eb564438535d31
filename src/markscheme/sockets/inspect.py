"""A rubric as a scorer of Inspect."""

import math
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from markscheme.grading import Grade
from markscheme.grading.grader import Grader
from markscheme.grading.grades import row_verdicts
from markscheme.prompts.submission import Submission
from markscheme.sockets import inputs_for, named_scores, tag_scores


@scorer(metrics={"*": [mean(), stderr()]})
def rubric_scorer(grader: Grader) -> Scorer:
    """Make an Inspect scorer whose metrics are the rubric's score and the score of each criterion.

    `query` is the sample's input, `reference` its target and `messages` what the agent did; other inputs come from its
    metadata. A response that can't be graded, or a criterion that doesn't apply, is unscored, with the reason, and
    counts in no metric. A sample's own `rubric` comes from its metadata; its criteria and tags are in the score's
    metadata.
    """

    async def score(state: TaskState, target: Target) -> Score:
        steps = [message.model_dump(exclude_none=True) for message in state.messages]
        facts = {"query": state.input_text, "reference": target.text or None, "messages": steps, **state.metadata}
        inputs = inputs_for(grader.rubric, facts)
        grade = await grader.grade(Submission(state.output.completion, inputs, str(state.sample_id)))
        if grade.score is None:
            return Score.unscored(reason="grader_failed", explanation=grade.reason)
        value = named_scores(grade, grader.rubric)
        return Score(
            value={name: math.nan if score is None else score for name, score in value.items()},
            answer=state.output.completion,
            explanation=grade.reason,
            metadata={"decision": grade.decision, **_of_row(grade)},
        )

    return score


def _of_row(grade: Grade) -> dict[str, Any]:
    return {} if grade.row_rubric is None else {"verdicts": row_verdicts(grade), **tag_scores(grade)}
