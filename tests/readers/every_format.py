"""A project with one rubric, and the same ratings of the same six replies in a file of every known format."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from markscheme.ratings.examples import load_examples
from markscheme.ratings.rating import asked_under
from markscheme.readers.sheet import VERSION, pool_of, responses_of, sheet_key, signed, wording_of
from markscheme.rubrics.file import load_rubric
from tests.readers import exports

RUBRIC = "criteria:\n- {name: place, requirement: It says where the parcel is.}\n"
EXPERIMENT = """
rubric: place
variants: [{name: plain, prompt: "{{query}}"}]
cases: cases.jsonl
model: function:parcel_desk:answer
"""
DESK = """
import json


def answer(system_prompt, user_prompt):
    return "Reply p1."


def judge(system_prompt, user_prompt):
    return json.dumps({"verdicts": {"place": {"quote": "", "reason": "so", "level": "MET"}}})
"""
MET = {1: "MET", 0: "UNMET"}


def lines(path: Path, objects: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in objects), encoding="utf-8")


def example(unit: str) -> dict[str, Any]:
    return {"id": unit, "query": exports.ASKED, "response": exports.reply(unit)}


def labels(at: int, raters: Sequence[str] = ("ann", "ben")) -> list[dict[str, Any]]:
    kinds = {"judge-1": "model"}
    return [
        {"rater": rater, "kind": kinds.get(rater, "human"), "criteria": {"place": MET[exports.BY_RATER[rater][at]]}}
        for rater in raters
    ]


def promptfoo_results() -> dict[str, Any]:
    """Return results as Promptfoo writes them, shortened: the judge's verdicts, and a thumb by ann on each output."""
    rows = []
    for at, unit in enumerate(exports.UNITS):
        passed, thumb = bool(exports.JUDGE[at]), bool(exports.ANN[at])
        grader = {"type": "llm-rubric", "metric": "place", "value": "It says where the parcel is."}
        verdict = {"pass": passed, "score": float(passed), "reason": "so", "assertion": grader}
        human = {"pass": thumb, "score": float(thumb), "reason": "manual", "assertion": {"type": "human"}}
        rows.append(
            {
                "testIdx": at,
                "promptIdx": 0,
                "vars": {"query": exports.ASKED, "parcel": unit},
                "prompt": {"raw": "…", "label": "plain"},
                "provider": {"id": "echo"},
                "response": {"output": exports.reply(unit)},
                "success": thumb,
                "score": float(thumb),
                "testCase": {"vars": {"query": exports.ASKED, "parcel": unit}, "metadata": {"id": unit}},
                "gradingResult": {"pass": thumb, "score": float(thumb), "componentResults": [verdict, human]},
                "failureReason": 0,
            }
        )
    return {"evalId": "eval-1", "results": {"version": 3, "timestamp": "2026-11-01T00:00:00Z", "results": rows}}


def high_scores() -> dict[str, Any]:
    """Return Promptfoo results whose scores are all above 1."""
    data = promptfoo_results()
    for row in data["results"]["results"]:
        (grader, _) = row["gradingResult"]["componentResults"]
        row["score"] = row["gradingResult"]["score"] = grader["score"] = 7.5
        row["gradingResult"]["componentResults"] = [grader]
    return data


def grade(at: int) -> dict[str, Any]:
    level = float(exports.JUDGE[at])
    criteria = {"place": {"level": level, "position": level, "reason": "", "quote": None, "quote_found": None}}
    unit = exports.UNITS[at]
    receipt = {"text": "no accepted run"}
    return {"id": unit, "score": level, "pass": bool(level), "criteria": criteria, "error": None, "receipt": receipt}


def make_project(folder: Path) -> dict[str, Path]:
    """Make a project; return it, and the file of each format by the format's name."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "place.yaml").write_text(RUBRIC)
    home = folder / "calibration" / "place"
    home.mkdir(parents=True)
    units = list(enumerate(exports.UNITS))
    lines(home / "examples.jsonl", [{**example(unit), "labels": labels(at)} for at, unit in units])
    lines(
        folder / "cases.jsonl", [{"id": unit, "inputs": {"query": f"{exports.ASKED} {unit}"}} for unit in exports.UNITS]
    )
    (folder / "place.experiment.yaml").write_text(EXPERIMENT)
    (folder / "parcel_desk.py").write_text(DESK)
    lines(folder / "few.jsonl", [{"id": "other", "response": "Elsewhere.", "labels": labels(0)}])
    lines(
        folder / "ratings.jsonl",
        [{"id": unit, **label} for at, unit in units for label in labels(at, ["judge-1"])],
    )
    everyone = ["ann", "ben", "judge-1"]
    lines(folder / "labelled.jsonl", [{**example(unit), "labels": labels(at, everyone)} for at, unit in units])
    (folder / "results.json").write_text(json.dumps(promptfoo_results()))
    lines(folder / "grades.jsonl", [grade(at) for at, _ in units])
    table = ["id,score,pass,place,error,receipt"]
    table += [f"{unit},{exports.JUDGE[at]},{str(bool(exports.JUDGE[at])).lower()},{exports.JUDGE[at]},,no accepted run"
              for at, unit in units]  # fmt: skip
    (folder / "grades.csv").write_text("\n".join(table) + "\n")
    rows = ["id,response,verdict,label"]
    rows += [f"{unit},{exports.reply(unit)},{exports.JUDGE[at]},{exports.ANN[at]}" for at, unit in units]
    (folder / "table.csv").write_text("\n".join(rows) + "\n")
    header, *cells = (row.split(",") for row in rows)
    records = [dict(zip(header, row, strict=True)) for row in cells]
    parquet.write_table(pyarrow.Table.from_pylist(records), folder / "table.parquet")
    lines(
        folder / "decisions.jsonl",
        [{"id": u, "gold": bool(exports.ANN[at]), "judge": bool(exports.JUDGE[at])} for at, u in units],
    )
    outputs = [{"variant": "plain", "case": u, "output": exports.reply(u), **grade(at)} for at, u in units]
    (folder / "experiment.json").write_text(json.dumps({"schema": 1, "outputs": outputs}))
    pool = [{"id": u, "pass": bool(exports.JUDGE[at]), "group": "plain", "stratum": "all"} for at, u in units]
    (folder / "plan.json").write_text(json.dumps({"schema": 1, "next": {"pool": pool}}))
    (mlflow,) = exports.written(folder, exports.mlflow())
    return {
        "ratings": folder / "ratings.jsonl",
        "labelled examples": folder / "labelled.jsonl",
        "Promptfoo's results": folder / "results.json",
        "an export": mlflow,
        "a store": exports.mlflow_store(folder / "mlflow.db"),
        "grades": folder / "grades.jsonl",
        "a graded table": folder / "grades.csv",
        "a table": folder / "table.csv",
        "a Parquet table": folder / "table.parquet",
        "decisions": folder / "decisions.jsonl",
        "an experiment": folder / "experiment.json",
        "a plan": folder / "plan.json",
    }


def make_more(folder: Path) -> dict[str, Path]:
    """Make a file of each further format for the same project, by the format's name."""
    samples = {name: sample.files for name, sample in exports.SAMPLES.items()}
    samples.update(exports.WITHOUT_IDS_OR_JUDGE)
    tools = {name: exports.written(_made(folder / name), files()) for name, files in samples.items()}
    verdicts = [
        {"id": unit, "response": exports.reply(unit), "verdict": exports.JUDGE[at], "label": exports.ANN[at]}
        for at, unit in enumerate(exports.UNITS)
    ]
    items = [
        {"submission": exports.reply(unit), "description": unit, "ground_truth": [MET[exports.ANN[at]]]}
        for at, unit in enumerate(exports.UNITS)
    ]
    criterion = {"name": "place", "requirement": "It says where the parcel is.", "weight": 1}
    pairs = [
        {"id": unit, "first": exports.reply(unit), "second": "No idea.", "winner": 1 + exports.ANN[at], "rater": "ann"}
        for at, unit in enumerate(exports.UNITS)
    ]
    raters = ("ann", "ben", "judge-1")
    rows = [
        {**example(unit), "rubric": [criterion], "labels": labels(at, raters)} for at, unit in enumerate(exports.UNITS)
    ]
    passes = sum(exports.JUDGE)
    both = list(zip(exports.UNITS, exports.JUDGE, exports.ANN, strict=True))
    figures = {
        "schema": 1,
        "overall": {
            "accuracy": {"n": len(both)},
            "prevalence_judge": {"value": passes / len(both), "n": len(both)},
        },
        "false_passes": [unit for unit, judge, ann in both if judge > ann],
        "false_fails": [unit for unit, judge, ann in both if judge < ann],
    }
    dataset = {"name": "d", "prompt": "?", "rubric": [criterion], "items": items}
    own = {
        "a list": ("list.json", verdicts),
        "a dataset of autorubric": ("dataset.json", dataset),
        "pairs": ("pairs.json", pairs),
        "pairwise tasks": ("tasks.json", [_pairwise_task(unit, ann) for unit, _, ann in both]),
        "figures of a calibration": ("figures.json", figures),
        "rows with rubrics": ("rows.json", rows),
    }
    for name, data in own.values():
        (folder / name).write_text(json.dumps(data), encoding="utf-8")
    return {what: folder / name for what, (name, _) in own.items()} | {
        what: folder / f"{what}-{first.name}"
        for what, (first, *_) in tools.items()
        if what != "mlflow" and first.rename(folder / f"{what}-{first.name}")
    }


def answers_of_sheet(project: Path) -> dict[str, Any]:
    """Return what a labelling sheet for the annotator zoe saves after its first response."""
    home = project / "calibration" / "place"
    rubric = load_rubric(project / "rubrics" / "place.yaml")
    responses = responses_of(load_examples(home / "examples.jsonl", rubric).examples)
    words = {criterion.name: criterion.wording for criterion in rubric.criteria}
    head = {
        "sheet": VERSION,
        "rubric": wording_of(rubric),
        "pool": pool_of(responses),
        "rater": "zoe",
        "kind": "human",
        "name": rubric.name,
        "criteria": words,
        "under": asked_under(rubric),
        "responses": responses,
        "asks": {unit: list(words) for unit in responses},
        "overall": False,
        "steps": [[unit, 0] for unit in responses],
    }
    (home / "ratings").mkdir()
    criteria = {"place": {"level": "MET", "under": words["place"]}}
    rating = {"id": next(iter(responses)), "rater": "zoe", "kind": "human", "sample": 0, "criteria": criteria}
    when = {"under": head["under"], "seconds": 4.5, "blind": True, "at": "2026-11-20T10:00:00.000Z"}
    return {**signed(head, sheet_key(home)), "ratings": [rating | when]}


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _pairwise_task(unit: str, ann: int) -> dict[str, Any]:
    """Make a Label Studio task in which ann compared two texts."""
    value = {"selected": "right" if ann else "left"}
    region = {"id": "r", "type": "pairwise", "from_name": "comparison", "to_name": "answer1", "value": value}
    annotation = {"id": 1, "completed_by": {"email": "ann@example.com"}, "result": [region]}
    return {"id": unit, "data": {"answer1": exports.reply(unit), "answer2": "No idea."}, "annotations": [annotation]}
