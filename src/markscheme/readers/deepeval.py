"""DeepEval's test runs: its metrics' scores; labels only if the metadata of a test case hold them."""

from collections.abc import Mapping, Sequence
from typing import Any

from markscheme.errors import RatingError
from markscheme.readers.export import Export, Fields, RawRating
from markscheme.readers.peek import Peek, mapping

CASE = {"actualOutput", "input"}
SKIPPED = ("success", "flaky", "runDuration", "order", "evaluationCost", "trace", "tokenCost")
OF_METRIC = ("success", "threshold", "strictMode", "flaky", "evaluationCost", "verboseLogs", "inputTokenCount",
             "outputTokenCount")  # fmt: skip
OF_RUN = ("metricsScores", "prompts", "testPassed", "testFailed", "runDuration", "evaluationCost", "official",
          "hyperparameters", "testFile", "identifier", "traceMetricsScores")  # fmt: skip


def is_deepeval(peek: Peek) -> bool:
    """Whether a file is a DeepEval test run."""
    cases = (mapping(record) for key, record in peek.first if key == "testCases")
    return any(case.keys() >= CASE for case in cases) or any(key == "metricsScores" for key, _ in peek.first)


def read_deepeval(files: Sequence[Peek], export: Export) -> None:
    """The test cases as responses and their metrics' scores as a judge's ratings; an errored metric is ungraded.

    Raises:
        RatingError: No test case has the metrics of a known version.
    """
    for peek in files:
        found = False
        for key, record in peek.parts():
            if key == "testCases" and isinstance(record, Mapping):
                found = isinstance(record.get("metricsData"), list) or found
                _case(record, export)
            elif key not in OF_RUN:
                export.lose(f"{key!r} of the test run")
        if not found:
            raise RatingError(
                "expected `metricsData` in a test case, as DeepEval 2 to 4 write it, got none", path=peek.path
            )


def _case(record: Mapping[str, Any], export: Export) -> None:
    fields = Fields(record, export, "test case", SKIPPED)
    unit = fields.text("name")
    more = {"reference": fields.take("expectedOutput"), "context": fields.take("context"),
            "retrieval_context": fields.take("retrievalContext")}  # fmt: skip
    export.respond(unit, fields.take("actualOutput"), fields.take("input"), **more)
    export.rate_metadata(unit, fields)
    metrics = fields.items("metricsData")
    fields.close()
    for metric in metrics:
        one = Fields(metric, export, "metric", OF_METRIC)
        error, judge = one.text("error"), one.text("evaluationModel") or "deepeval"
        value, reason = one.take("score"), one.text("reason")
        name = one.text("name").removesuffix(" [GEval]")
        one.close()
        if one.is_record:
            export.rate(RawRating(unit, name, None if error else value, judge, "model", error or reason))
