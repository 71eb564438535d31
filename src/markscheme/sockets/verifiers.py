"""A rubric as a reward of verifiers."""

from collections.abc import Callable
from typing import Any

import verifiers.v1 as vf

from markscheme.errors import JudgeError
from markscheme.grading.grader import Grader
from markscheme.sockets import inputs_for, tag_scores


def rubric_reward(grader: Grader, *, weight: float = 1.0) -> Callable[..., Any]:
    """Make a reward function to assign in the body of a `vf.Task`: the raw score of the last reply.

    `query` is the task's prompt; other inputs come from the fields of the task's data. If the data have a field
    `rubric`, it has the task's own criteria, and the score by each tag of these is recorded as the metric
    `NAME/tag/TAG`. A reply that can't be graded raises an error, so that the trace has an error instead of a reward of
    0.

    Args:
        grader: The grader, with rubric and judge.
        weight: Weight of this reward among those of the task.
    """

    async def reward(self: Any, trace: vf.Trace) -> float:
        facts = {"query": self.data.prompt_text, **dict(self.data)}
        grade = await grader.grade(trace.last_reply, **inputs_for(grader.rubric, facts))
        if grade.raw_score is None:
            raise JudgeError(grade.reason)
        trace.record_metrics({f"{grader.rubric.name}/{name}": score for name, score in tag_scores(grade).items()})
        return grade.raw_score

    reward.__name__ = grader.rubric.name  # under which verifiers records it
    rewarding: Callable[..., Any] = vf.reward(reward, weight=weight)
    return rewarding
