"""Responses of every format with the time that it gives each of them."""

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.pass_rate.tracked.incoming import TimeOptions, read_responses
from markscheme.ratings.column_options import ColumnOptions
from markscheme.rubrics.rubric import Criterion, Rubric
from tests.readers.exports import ASKED, UNITS, langfuse, langsmith, mlflow, phoenix, reply, written

RUBRIC = Rubric((Criterion(1.0, "The reply names the place.", "place"),), name="parcels")
FIRST = datetime(2026, 10, 6, 9, 30, tzinfo=UTC)
"""When the first response was given; each later one a day later."""
OF_UNIT = {unit: FIRST.replace(day=6 + at) for at, unit in enumerate(UNITS)}


def of_langfuse(folder: Path) -> list[Path]:
    traces = langfuse()["traces.json"]
    return written(folder, {"traces.json": [t | {"timestamp": OF_UNIT[t["id"]].isoformat()} for t in traces]})


def of_mlflow(folder: Path) -> list[Path]:
    traces = mlflow()["traces.json"]["traces"]
    for trace in traces:
        trace["info"]["request_time"] = OF_UNIT[trace["info"]["trace_id"]].isoformat()
    return written(folder, {"traces.json": {"traces": traces}})


def of_phoenix(folder: Path) -> list[Path]:
    spans = phoenix()["spans.json"]
    for span in spans:
        span["start_time"] = OF_UNIT[span["context"]["span_id"]].isoformat()
    return written(folder, {"spans.json": spans})


def of_langsmith(folder: Path) -> list[Path]:
    """Runs as LangSmith exports them: in UTC, without a zone."""
    runs = langsmith()["runs.json"]
    times = {unit: at.replace(tzinfo=None).isoformat() for unit, at in OF_UNIT.items()}
    return written(folder, {"runs.json": [r | {"start_time": times[r["id"]]} for r in runs]})


def of_otlp(folder: Path) -> list[Path]:
    """A trace for each reply, its answer in the outermost span, which isn't the first."""

    def span(unit: str, name: str, parent: str, **attributes: str) -> dict[str, Any]:
        begins = str(round(OF_UNIT[unit].timestamp()) * 10**9 + (len(parent) * 10**9))
        listed = [{"key": key.replace("__", "."), "value": {"stringValue": text}} for key, text in attributes.items()]
        return {"traceId": unit, "spanId": name, "parentSpanId": parent, "name": name, "startTimeUnixNano": begins,
                "attributes": listed}  # fmt: skip

    spans = [
        of_trace
        for unit in UNITS
        for of_trace in (
            span(unit, "tool", "agent", input__value="seven", output__value="In Leeds"),
            span(unit, "agent", "", input__value=ASKED, output__value=reply(unit)),
        )
    ]
    return written(folder, {"otlp.json": {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}})


def of_lines(folder: Path) -> list[Path]:
    """Lines with milliseconds since 1970."""
    lines = [
        {"id": u, "created_at": round(OF_UNIT[u].timestamp() * 1000), "query": ASKED, "response": reply(u)}
        for u in UNITS
    ]
    (folder / "lines.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [folder / "lines.jsonl"]


def of_table(folder: Path) -> list[Path]:
    with (folder / "table.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("id", "Timestamp", "query", "response"))
        table.writerows((unit, OF_UNIT[unit].isoformat(), ASKED, reply(unit)) for unit in UNITS)
    return [folder / "table.csv"]


@pytest.mark.parametrize(
    "export", [of_langfuse, of_mlflow, of_phoenix, of_langsmith, of_otlp, of_lines, of_table], ids=lambda f: f.__name__
)
def test_each_response_of_a_tracked_stream_gets_its_own_time_from_every_tool_s_export(
    export: Callable[[Path], list[Path]], tmp_path: Path
) -> None:
    responses = read_responses(export(tmp_path), RUBRIC, TimeOptions(), ColumnOptions(), is_asked=True)
    assert {response.submission.id: response.time for response in responses} == OF_UNIT
    assert {response.submission.id: response.submission.response for response in responses} == {
        unit: reply(unit) for unit in UNITS
    }
    assert {str(response.submission.inputs["query"]) for response in responses} == {ASKED}


def test_all_outputs_of_a_promptfoo_evaluation_get_the_day_of_the_evaluation_as_their_time(tmp_path: Path) -> None:
    judged = {"pass": True, "score": 1, "reason": "so", "assertion": {"type": "llm-rubric", "value": "Good."}}
    outputs = [
        {"promptIdx": 0, "testIdx": at, "vars": {"query": ASKED}, "response": {"output": reply(unit)}, "success": True,
         "score": 1, "gradingResult": {"pass": True, "score": 1, "reason": "so", "componentResults": [judged]},
         "prompt": {"raw": ASKED, "label": "p"}, "provider": {"id": "echo"}, "testCase": {"vars": {"query": ASKED}}}
        for at, unit in enumerate(UNITS)
    ]  # fmt: skip
    of_eval = {"version": 3, "timestamp": FIRST.isoformat(), "prompts": [], "results": outputs, "stats": {}}
    files = written(tmp_path, {"results.json": {"evalId": "eval-1", "results": of_eval, "config": {}}})
    responses = read_responses(files, RUBRIC, TimeOptions(), ColumnOptions(), is_asked=True)
    assert {response.time for response in responses} == {FIRST.replace(hour=0, minute=0)}
    assert {response.submission.response for response in responses} == {reply(unit) for unit in UNITS}


def test_columns_of_judges_and_annotators_are_not_read_as_inputs_of_tracked_responses(tmp_path: Path) -> None:
    file = tmp_path / "graded.csv"
    file.write_text("id,time,language,answer,judge_pass,human_pass\n1,2026-10-06,en,Oslo,yes,no\n", encoding="utf-8")
    columns = ColumnOptions(judge=("judge_pass",), human=("human_pass",))
    (response,) = read_responses([file], RUBRIC, TimeOptions(), columns, is_asked=False)
    assert response.submission.inputs == {"language": "en"}
    assert (response.is_graded, response.passes) == (True, True)


def test_a_column_named_judge_that_holds_pass_and_fail_is_read_as_verdicts_and_not_as_an_input(
    tmp_path: Path,
) -> None:
    file = tmp_path / "graded.csv"
    rows = ["1,2026-10-06,en,Oslo,pass,pass", "2,2026-10-07,de,Rom,fail,", "3,2026-10-08,de,Bonn,,"]
    file.write_text("\n".join(["id,time,language,answer,judge,human_label", *rows]), encoding="utf-8")
    responses = read_responses([file], RUBRIC, TimeOptions(), ColumnOptions(), is_asked=False)
    assert [(response.is_graded, response.passes) for response in responses] == [
        (True, True),
        (True, False),
        (False, None),
    ]
    assert {response.judge for response in responses} == {None}
    assert {name for response in responses for name in response.submission.inputs} == {"language"}
