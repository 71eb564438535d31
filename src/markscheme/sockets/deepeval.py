"""A rubric as a metric of DeepEval."""

from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from markscheme.errors import JudgeError
from markscheme.grading import Grade
from markscheme.grading.grader import Grader
from markscheme.sockets import inputs_for


class RubricMetric(BaseMetric):
    """A DeepEval metric that passes if the response passes by the rubric, required criteria included.

    `query` is the test case's input, `reference` its expected output, `context` its retrieval context or context; other
    inputs come from its metadata, and so does a `rubric` of its own. A response that can't be graded raises an error:
    DeepEval records it if `ErrorConfig(ignore_errors=True)` is set, and stops otherwise.
    """

    def __init__(self, grader: Grader) -> None:
        self.grader = grader  # under the argument's name, by which DeepEval copies a metric
        self.threshold = grader.rubric.pass_mark
        self.evaluation_model = grader.judge.identity.name

    @property
    def __name__(self) -> str:
        return self.grader.rubric.name

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Grade a test case and return its score, 0 to 1."""
        return self._noted(self.grader.grade_sync(test_case.actual_output, **self._inputs(test_case)))

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Grade a test case asynchronously and return its score, 0 to 1."""
        return self._noted(await self.grader.grade(test_case.actual_output, **self._inputs(test_case)))

    def is_successful(self) -> bool:
        """Return True if the response was graded and passes."""
        return self.error is None and self.success is True

    def _inputs(self, case: LLMTestCase) -> dict[str, Any]:
        case_inputs = {
            "query": case.input,
            "reference": case.expected_output,
            "context": case.retrieval_context or case.context,
        }
        return inputs_for(self.grader.rubric, {**(case.metadata or {}), **case_inputs})

    def _noted(self, grade: Grade) -> float:
        self.score = grade.score
        self.success = grade.passed
        self.reason = grade.reason
        self.score_breakdown = dict(grade.by_criterion)
        self.evaluation_cost = grade.usage.usd
        if grade.score is None:
            raise JudgeError(grade.reason)
        return grade.score
