"""A rubric as a scorer of `mlflow.genai.evaluate`."""

import json
from typing import Any

from mlflow.entities import AssessmentSource, Feedback
from mlflow.genai.scorers import Scorer, scorer

from markscheme.grading.grader import Grader
from markscheme.grading.grades import row_verdicts
from markscheme.sockets import inputs_for, named_scores, tag_scores

QUESTIONS = ("query", "question", "input", "prompt")


def rubric_scorer(grader: Grader) -> Scorer:
    """Make an MLflow scorer that returns a feedback for the rubric's score and one for each criterion.

    `query` is the row's input of that name, or `question`, `input` or `prompt`; `reference` its expected response;
    `trace` its spans; other inputs come from its inputs and expectations. A response that can't be graded gets one
    feedback with the error; a criterion that doesn't apply gets none. A row's own `rubric` comes from its inputs or
    expectations: each of its tags gets a feedback, and its criteria are in the score's metadata.
    """
    rubric = grader.rubric
    judge = AssessmentSource("LLM_JUDGE", grader.judge.identity.name)

    def score(inputs: Any = None, outputs: Any = None, expectations: Any = None, trace: Any = None) -> list[Feedback]:
        row_inputs = inputs if isinstance(inputs, dict) else {"query": inputs}
        expected = expectations or {}
        query = next((row_inputs[name] for name in QUESTIONS if name in row_inputs), None)
        steps = None if trace is None else [span.to_dict() for span in trace.data.spans]
        of_scorer = {"query": query, "reference": expected.get("expected_response")}
        facts = {**row_inputs, "trace": steps, **expected, **of_scorer}
        grade = grader.grade_sync(outputs, **inputs_for(rubric, facts))
        if grade.score is None:
            return [Feedback(name=rubric.name, error=str(grade.error), source=judge)]
        reasons = {name: verdict.reason or "" for name, verdict in grade.verdicts.items()}
        of_row = None if grade.row_rubric is None else {"verdicts": json.dumps(row_verdicts(grade))}
        return [
            Feedback(name=name, value=value, rationale=reasons.get(name, grade.reason), source=judge, metadata=of_row)
            for name, value in {**named_scores(grade, rubric), **tag_scores(grade)}.items()
            if value is not None
        ]

    return scorer(score, name=rubric.name)
