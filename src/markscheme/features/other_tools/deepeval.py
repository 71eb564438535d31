"""DeepEval's test runs: its metrics' scores; labels only if the metadata of a test case hold them."""

from collections.abc import Mapping, Sequence
from typing import Any

from markscheme.errors import RatingError
from markscheme.features.other_tools.metric_values import RawRating
from markscheme.features.other_tools.tool_content import Fields, ToolContent
from markscheme.plain_data import mapping
from markscheme.readers.peek import Peek

CASE = {"actualOutput", "input"}
_SKIPPED = ("success", "flaky", "runDuration", "order", "evaluationCost", "trace", "tokenCost")
OF_METRIC = ("success", "threshold", "strictMode", "flaky", "evaluationCost", "verboseLogs", "inputTokenCount",
             "outputTokenCount")  # fmt: skip
OF_RUN = ("metricsScores", "prompts", "testPassed", "testFailed", "runDuration", "evaluationCost", "official",
          "hyperparameters", "testFile", "identifier", "traceMetricsScores")  # fmt: skip


def is_deepeval(peek: Peek) -> bool:
    """Return True if a file is a DeepEval test run."""
    cases = (mapping(record) for key, record in peek.first if key == "testCases")
    return any(case.keys() >= CASE for case in cases) or any(key == "metricsScores" for key, _ in peek.first)


def read_deepeval(files: Sequence[Peek], content: ToolContent) -> None:
    """Read test cases as responses and their metrics' scores as a judge's ratings; an errored metric is ungraded.

    Raises:
        RatingError: No test case has metrics in the form of a known version.
    """
    for peek in files:
        has_metrics = False
        for key, record in peek.parts():
            if key == "testCases" and isinstance(record, Mapping):
                has_metrics = isinstance(record.get("metricsData"), list) or has_metrics
                _case(record, content)
            elif key not in OF_RUN:
                content.lose(f"{key!r} of the test run")
        if not has_metrics:
            raise RatingError(
                "expected `metricsData` in a test case, as DeepEval 2 to 4 write it, got none", path=peek.path
            )


def _case(record: Mapping[str, Any], content: ToolContent) -> None:
    fields = Fields(record, content, "test case", _SKIPPED)
    unit = fields.text("name")
    more = {"reference": fields.take("expectedOutput"), "context": fields.take("context"),
            "retrieval_context": fields.take("retrievalContext")}  # fmt: skip
    content.respond(unit, fields.take("actualOutput"), fields.take("input"), **more)
    content.rate_metadata(unit, fields)
    metrics = fields.items("metricsData")
    fields.close()
    for metric in metrics:
        fields_of_metric = Fields(metric, content, "metric", OF_METRIC)
        error = fields_of_metric.text("error")
        judge = fields_of_metric.text("evaluationModel") or "deepeval"
        value = fields_of_metric.take("score")
        reason = fields_of_metric.text("reason")
        name = fields_of_metric.text("name").removesuffix(" [GEval]")
        fields_of_metric.close()
        if fields_of_metric.is_record:
            content.rate(RawRating(unit, name, None if error else value, judge, "model", error or reason))
