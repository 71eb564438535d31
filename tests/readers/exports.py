"""A small export of each tool, all with the same ratings of six replies by two annotators and a judge."""

import json
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markscheme.ratings.kinds import Kind
from markscheme.readers.imported import Columns

UNITS = tuple(f"p{number}" for number in range(1, 7))
JUDGE, ANN, BEN = (1, 1, 1, 0, 1, 0), (1, 1, 0, 0, 1, 1), (1, 1, 0, 0, 0, 1)
"""The judge agrees with ann on 4 of the 6, and with ben on 3."""
BY_RATER: Mapping[str, tuple[int, ...]] = {"judge-1": JUDGE, "ann": ANN, "ben": BEN}
ASKED = "Where is my parcel?"
TRACKED = '{"parcel": "seven"}'

Files = dict[str, Any]
"""By name the data of each file: rows, or the whole of it."""


def reply(unit: str) -> str:
    return f"Reply {unit}."


def ratings() -> list[tuple[str, str, int]]:
    """Return each reply's id with a rater and the rater's rating."""
    return [(unit, rater, levels[at]) for at, unit in enumerate(UNITS) for rater, levels in BY_RATER.items()]


def mlflow() -> Files:
    types = {"judge-1": "LLM_JUDGE", "ann": "HUMAN", "ben": "HUMAN"}
    given: dict[str, list[Any]] = {unit: [] for unit in UNITS}
    for unit, rater, level in ratings():
        given[unit].append(
            {"assessment_id": f"{unit}-{rater}", "assessment_name": "place", "trace_id": unit, "valid": True,
             "source": {"source_type": types[rater], "source_id": rater}, "create_time": "2026-11-22T11:24:44Z",
             "feedback": {"value": bool(level)}, "rationale": f"{rater} on {unit}"}
        )  # fmt: skip
    traces = [
        {"info": {"trace_id": unit, "assessments": given[unit]},
         "data": {"spans": [
             {"span_id": "a", "parent_span_id": None, "name": "agent", "attributes": {
                 "mlflow.spanInputs": json.dumps({"question": ASKED}), "mlflow.spanOutputs": json.dumps(reply(unit))}},
             {"span_id": "b", "parent_span_id": "a", "name": "track", "attributes": {"mlflow.spanType": '"TOOL"',
                 "mlflow.spanInputs": TRACKED, "mlflow.spanOutputs": '"In Leeds"'}}]}}
        for unit in UNITS
    ]  # fmt: skip
    return {"traces.json": {"traces": traces}}


def langfuse() -> Files:
    sources = {"judge-1": "EVAL", "ann": "ANNOTATION", "ben": "ANNOTATION"}
    scores = [
        {"id": f"s-{unit}-{rater}", "traceId": unit, "source": sources[rater], "name": "place", "dataType": "BOOLEAN",
         "value": level, "stringValue": str(bool(level)), "comment": f"{rater} on {unit}",
         "authorUserName": rater, "timestamp": "2026-11-01T09:00:00.000Z"}
        for unit, rater, level in ratings()
    ]  # fmt: skip
    traces = [
        {"id": unit, "timestamp": "2026-11-01T09:00:00.000Z", "name": "answer", "input": {"question": ASKED},
         "output": reply(unit), "metadata": {}, "place": [1, 0]}
        for unit in UNITS
    ]  # fmt: skip
    return {"scores.json": scores, "traces.json": traces}


def label_studio() -> Files:
    def result(level: int) -> list[Any]:
        value = {"choices": ["pass" if level else "fail"]}
        return [{"type": "choices", "from_name": "place", "to_name": "reply", "value": value}]

    tasks = [
        {"id": at + 1, "data": {"id": unit, "question": ASKED, "reply": reply(unit)},
         "annotations": [
             {"completed_by": {"id": 1, "email": rater}, "result": result(BY_RATER[rater][at]), "was_cancelled": False,
              "created_at": "2026-11-01T09:01:00Z"}
             for rater in ("ann", "ben")
         ],
         "predictions": [{"model_version": "judge-1", "result": result(JUDGE[at])}]}
        for at, unit in enumerate(UNITS)
    ]  # fmt: skip
    return {"export.json": tasks}


def inspect() -> Files:
    def edit(rater: str, level: int) -> dict[str, Any]:
        return {"value": "C" if level else "I", "explanation": f"{rater} sees it so",
                "provenance": {"author": rater, "timestamp": "2026-11-22T11:26:15Z", "reason": "review"}}  # fmt: skip

    samples = [
        {"id": unit, "epoch": 1, "input": ASKED, "target": "",
         "output": {"choices": [{"message": {"role": "assistant", "content": reply(unit)}}]},
         "messages": [
             {"role": "user", "content": ASKED},
             {"role": "assistant", "content": "", "tool_calls": [
                 {"id": "c", "function": "track", "arguments": json.loads(TRACKED)}]},
             {"role": "tool", "function": "track", "tool_call_id": "c", "content": "In Leeds"},
             {"role": "assistant", "content": reply(unit)}],
         "scores": {
             "judge-1": {"value": "C" if JUDGE[at] else "I", "explanation": "as it is", "history": []},
             "human": {"value": "?", "history": [edit("ann", ANN[at]), edit("ben", BEN[at])]},
         }}
        for at, unit in enumerate(UNITS)
    ]  # fmt: skip
    return {"log.json": {"version": 2, "status": "success", "eval": {"task": "t"}, "plan": {}, "samples": samples}}


def langsmith() -> Files:
    types = {"judge-1": "model", "ann": "app", "ben": "app"}
    feedback = [
        {"id": f"f-{unit}-{rater}", "run_id": unit, "key": "place", "score": level, "value": None,
         "comment": f"{rater} on {unit}", "created_at": "2026-11-01T09:00:00Z",
         "feedback_source": {"type": types[rater], "user_name": rater}}
        for unit, rater, level in ratings()
    ]  # fmt: skip
    runs = [
        {"id": unit, "run_type": "chain", "inputs": {"question": ASKED}, "outputs": {"output": reply(unit)},
         "feedback_stats": {"place": {"n": 3, "avg": 0.5}}}
        for unit in UNITS
    ]  # fmt: skip
    return {"feedback.json": feedback, "runs.json": runs}


def phoenix() -> Files:
    kinds = {"judge-1": "LLM", "ann": "HUMAN", "ben": "HUMAN"}
    annotations = [
        {"id": f"a-{unit}-{rater}", "name": "place", "annotator_kind": kinds[rater], "identifier": rater,
         "span_id": unit, "updated_at": "2026-11-22T11:32:06Z",
         "result": {"label": "pass" if level else "fail", "score": level, "explanation": f"{rater} on {unit}"}}
        for unit, rater, level in ratings()
    ]  # fmt: skip
    spans = [
        {"context": {"span_id": unit, "trace_id": "t"}, "span_kind": "CHAIN", "status_code": "OK",
         "attributes": {"input.value": ASKED, "output.value": reply(unit)}}
        for unit in UNITS
    ]  # fmt: skip
    return {"annotations.json": annotations, "spans.json": spans}


def deepeval() -> Files:
    cases = [
        {"name": unit, "input": ASKED, "actualOutput": reply(unit), "success": True,
         "metadata": {"ann": "pass" if ANN[at] else "fail"},
         "metricsData": [
             {"name": "place", "score": float(JUDGE[at]), "reason": "as it is", "evaluationModel": "judge-1"}
         ]}
        for at, unit in enumerate(UNITS)
    ]  # fmt: skip
    return {"test_run.json": {"testCases": cases, "metricsScores": []}}


def argilla() -> Files:
    def answers(at: int) -> list[dict[str, str]]:
        return [{"value": "pass" if BY_RATER[rater][at] else "fail", "user_id": rater} for rater in ("ann", "ben")]

    records = [
        {"id": unit, "fields": {"question": ASKED, "reply": reply(unit)}, "metadata": {},
         "suggestions": {"place": {"value": "pass" if JUDGE[at] else "fail", "score": None, "agent": "judge-1"}},
         "responses": {"place": answers(at)}, "vectors": {}, "status": "completed", "_server_id": None}
        for at, unit in enumerate(UNITS)
    ]  # fmt: skip
    return {"records.json": records}


def ragas() -> Files:
    """Return annotations in which ann accepts an output or writes the right verdict in its place."""

    def output(level: int, rater: str) -> dict[str, Any]:
        return {"reason": f"{rater} sees it so", "verdict": level}

    samples = [
        {"metric_input": {"user_input": ASKED, "response": reply(unit)}, "metric_output": float(JUDGE[at]),
         "prompts": {"critic": {
             "prompt_input": {"response": reply(unit)}, "prompt_output": output(JUDGE[at], "judge-1"),
             "edited_output": None if ANN[at] == JUDGE[at] else output(ANN[at], "ann")}},
         "is_accepted": ANN[at] == JUDGE[at], "target": None}
        for at, unit in enumerate(UNITS)
    ]  # fmt: skip
    return {"annotated.json": {"place": samples}}


def braintrust() -> Files:
    """Return an experiment whose judge is a scorer with a step of its own; both people have a review score each."""
    rows = [
        {"id": unit, "root_span_id": unit, "span_id": unit, "span_parents": None, "is_root": True, "input": ASKED,
         "output": reply(unit), "expected": None, "error": None, "metadata": {}, "comments": None,
         "span_attributes": {"name": "eval", "type": "eval"},
         "scores": {rater: float(levels[at]) for rater, levels in BY_RATER.items()}}
        for at, unit in enumerate(UNITS)
    ]  # fmt: skip
    steps = [
        {"id": f"{unit}-judge", "root_span_id": unit, "span_id": f"{unit}-s", "span_parents": [unit], "is_root": False,
         "input": {"output": reply(unit)}, "output": {"score": JUDGE[at]}, "scores": {"judge-1": float(JUDGE[at])},
         "span_attributes": {"name": "judge-1", "type": "score", "purpose": "scorer"}, "metadata": {}}
        for at, unit in enumerate(UNITS)
    ]  # fmt: skip
    return {"experiment.json": {"events": [*rows, *steps], "cursor": None}}


def prodigy() -> Files:
    """Return the answers of both annotators to a choice between pass and fail; Prodigy has no judge."""
    tasks = [
        {"text": reply(unit), "meta": {"question": ASKED}, "_input_hash": 100 + at, "_task_hash": 200 + at,
         "options": [{"id": word, "text": word} for word in ("pass", "fail")],
         "accept": ["pass" if BY_RATER[rater][at] else "fail"], "answer": "accept", "_view_id": "choice",
         "_annotator_id": rater, "_session_id": rater, "_timestamp": 1_795_346_682}
        for at, unit in enumerate(UNITS)
        for rater in ("ann", "ben")
    ]  # fmt: skip
    return {"tasks.json": tasks}


@dataclass(frozen=True)
class Sample:
    """A tool's sample export, the options needed to read it, and the annotators in it."""

    files: Callable[[], Files]
    columns: Columns = field(default_factory=Columns)
    people: tuple[str, ...] = ("ann", "ben")


def _mapped(kind: Kind | None = None, rater: str | None = None, **fields: str) -> Columns:
    return Columns({name.replace("__", "."): meaning for name, meaning in fields.items()}, rater, kind)


SAMPLES: Mapping[str, Sample] = {
    "mlflow": Sample(mlflow),
    "langfuse": Sample(langfuse),
    "label-studio": Sample(label_studio),
    "inspect": Sample(inspect, Columns({"human": "place", "judge-1": "place"})),
    "langsmith": Sample(langsmith),
    "phoenix": Sample(phoenix),
    "deepeval": Sample(deepeval, _mapped("human", "ann", metadata__ann="place"), ("ann",)),
    "argilla": Sample(argilla),
    "braintrust": Sample(braintrust, Columns(dict.fromkeys(BY_RATER, "place"), kind="human")),
}
WITHOUT_IDS_OR_JUDGE: Mapping[str, Callable[[], Files]] = {"ragas": ragas, "prodigy": prodigy}
"""Exports that name responses by a digest of their texts, or that hold no judge's ratings."""


def written(folder: Path, files: Files) -> list[Path]:
    """Write the files into a folder and return their paths."""
    for name, data in files.items():
        (folder / name).write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return [folder / name for name in files]


def eval_archive(path: Path, log: Mapping[str, Any], *, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    """Make an Inspect log as an archive with a member for each sample."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("header.json", json.dumps({key: log[key] for key in log if key != "samples"}))
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    return path


def mlflow_store(path: Path) -> Path:
    """Make an MLflow store with the same traces, reduced to what the reader needs."""
    database = sqlite3.connect(path)
    database.executescript(
        "CREATE TABLE trace_info (request_id, request_preview, response_preview);"
        "CREATE TABLE spans (trace_id, parent_span_id, content);"
        "CREATE TABLE assessments (assessment_id, trace_id, name, assessment_type, value, error, created_timestamp,"
        " source_type, source_id, rationale, overrides, valid, assessment_metadata);"
    )
    for trace in mlflow()["traces.json"]["traces"]:
        unit = trace["info"]["trace_id"]
        database.execute("INSERT INTO trace_info VALUES (?, '', '')", (unit,))
        for span in trace["data"]["spans"]:
            database.execute("INSERT INTO spans VALUES (?, ?, ?)", (unit, span["parent_span_id"], json.dumps(span)))
        for mark in trace["info"]["assessments"]:
            value, source = json.dumps(mark["feedback"]["value"]), mark["source"]
            row = (mark["assessment_id"], unit, "place", "feedback", value, None, 1795346682661, source["source_type"],
                   source["source_id"], mark["rationale"], None, True, None)  # fmt: skip
            database.execute(f"INSERT INTO assessments VALUES ({', '.join('?' * len(row))})", row)
    database.commit()
    database.close()
    return path


def phoenix_store(path: Path) -> Path:
    """Make a Phoenix store with the same annotations, reduced to what the reader needs."""
    data = phoenix()
    database = sqlite3.connect(path)
    database.executescript(
        "CREATE TABLE spans (id INTEGER, span_id, attributes);"
        "CREATE TABLE span_annotations (id, span_rowid, name, label, score, explanation, metadata, annotator_kind,"
        " updated_at, user_id, identifier);"
        "CREATE INDEX ix_spans_session_id ON spans (CAST(JSON_EXTRACT(attributes, '$.session.id') AS VARCHAR));"
    )
    rows = {span["context"]["span_id"]: at for at, span in enumerate(data["spans.json"])}
    for span in data["spans.json"]:
        flat = span["attributes"]
        nested = {"input": {"value": flat["input.value"]}, "output": {"value": flat["output.value"]}}
        unit = span["context"]["span_id"]
        database.execute("INSERT INTO spans VALUES (?, ?, ?)", (rows[unit], unit, json.dumps(nested)))
    for mark in data["annotations.json"]:
        result = mark["result"]
        row = (mark["id"], rows[mark["span_id"]], mark["name"], result["label"], result["score"], result["explanation"],
               "{}", mark["annotator_kind"], mark["updated_at"], None, mark["identifier"])  # fmt: skip
        database.execute(f"INSERT INTO span_annotations VALUES ({', '.join('?' * len(row))})", row)
    database.commit()
    database.close()
    return path
