"""Output of grades as OpenTelemetry's events `gen_ai.evaluation.result`."""

import time
from typing import Any

from opentelemetry._logs import LogRecord, get_logger

from markscheme.grading import Grade
from markscheme.rubrics.rubric import Rubric
from markscheme.sockets import named_scores

EVENT = "gen_ai.evaluation.result"


def emit_grade(grade: Grade, rubric: Rubric, *, response_id: str | None = None) -> None:
    """Send an event for a grade's score and one for each criterion, in the current span.

    For a grade without a score, the event of the score has `error.type` instead. No event is sent for a criterion
    without a verdict that counts, such as one that doesn't apply.

    Args:
        grade: Grade of a response.
        rubric: The rubric by which it was graded.
        response_id: The provider's `gen_ai.response.id` of the response; None if the current span is the response's.
    """
    reasons = {name: verdict.reason or "" for name, verdict in grade.verdicts.items()}
    for name, value in named_scores(grade, rubric).items():
        of_all = name not in grade.by_criterion
        attributes: dict[str, Any] = {"gen_ai.evaluation.name": name if of_all else f"{rubric.name}.{name}"}
        if value is not None:
            attributes["gen_ai.evaluation.score.value"] = value
        elif of_all:
            attributes["error.type"] = "not_graded"
        else:
            continue
        if of_all and grade.decision is not None:
            attributes["gen_ai.evaluation.score.label"] = grade.decision
        attributes["gen_ai.evaluation.explanation"] = reasons.get(name, grade.reason)
        if response_id:
            attributes["gen_ai.response.id"] = response_id
        now = time.time_ns()
        record = LogRecord(timestamp=now, observed_timestamp=now, event_name=EVENT, attributes=attributes)
        get_logger("markscheme").emit(record)
