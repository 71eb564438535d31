"""A Messages API that answers our questions well-formed, after a while, and projects whose assertions ask it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.commands.console import ROOT
from tests.real.messages_front import Answer, Decide, Request, late, message
from tests.real.promptfoo import EvalRun, run_eval

RUBRIC = """
inputs: [query]
criteria:
- {name: right, requirement: Names the capital, weight: 2}
- {name: rude, requirement: Is rude, weight: -1}
"""
GRADER = f"file://{ROOT}/graders/rubric_grader.py"
PROVIDER = f"file://{ROOT}/graders/rubric_provider.py"
LANGUAGES = ("py", "mjs")
"""Endings of the graders' files, which answer alike."""
HOOKS = [f"file://{ROOT}/graders/session.py:{hook}" for hook in ("beforeAll", "afterAll")]


def judging(seconds: float = 0.0) -> Decide:
    """Answer as a judge: `right` is met if the material says Paris, `rude` never; answer other questions in text."""

    def decide(request: Request) -> Answer:
        properties = request.body["output_config"]["format"]["schema"]["properties"]
        question = request.body["messages"][0]["content"]
        if "answer" in properties:
            return late(message(json.dumps({"answer": plain(question)}), tokens=(40, 7)), seconds)
        names = properties["verdicts"]["properties"]
        met = {name: "MET" if "Paris" in question and name != "rude" else "UNMET" for name in names}
        verdict = {"quote": "nothing to quote", "reason": "The material says so."}
        verdicts = {name: {**verdict, "level": level} for name, level in met.items()}
        return late(message(json.dumps({"verdicts": verdicts}), tokens=(100, 20)), seconds)

    return decide


def plain(asked: str) -> str:
    """Return a model's answer to a question of Promptfoo's other graders."""
    if "steps" in asked and "maxScore" not in asked and '"score"' not in asked:
        return json.dumps({"steps": ["Look for the capital"]})
    return json.dumps({"score": 8, "reason": "Names the capital."})


def project(folder: Path) -> Path:
    """Write the rubric `capital` into a folder, and return the folder."""
    (folder / "rubrics").mkdir(exist_ok=True)
    (folder / "rubrics" / "capital.yaml").write_text(RUBRIC)
    return folder


def project_to_rate(folder: Path, texts: Sequence[str]) -> Path:
    """A folder with the rubric `capital` and labelled examples that ask, and are answered, with these texts."""
    project(folder)
    calibration = folder / "calibration" / "capital"
    calibration.mkdir(parents=True)
    label = {"rater": "ana", "kind": "human", "criteria": {"right": "MET", "rude": "UNMET"}}
    examples = [
        {"id": f"ex-{n}", "query": f"Well? {text} ?", "response": text, "split": "dev", "labels": [label]}
        for n, text in enumerate(texts)
    ]
    (calibration / "examples.jsonl").write_text("\n".join(map(json.dumps, examples)))
    return folder


def exported_configuration(texts: Sequence[str], judge: str) -> dict[str, Any]:
    """Return the configuration that `export --promptfoo` writes for such a folder."""
    grader = f"file://{ROOT}/graders/rubric_grader.mjs"
    return {
        "description": "Examples of capital, to be rated in `promptfoo view`",
        "prompts": [{"raw": "{{response}}", "label": "as it was given"}],
        "providers": ["echo"],
        "defaultTest": {
            "assert": [{"type": "python", "value": grader, "config": {"rubric": "capital", "judge": judge}}]
        },
        "tests": [
            {
                "description": f"ex-{n}",
                "vars": {"query": f"Well? {text} ?"},
                "metadata": {"id": f"ex-{n}", "split": "golden"},
                "providerOutput": text,
            }
            for n, text in enumerate(texts)
        ],
    }


def assertion(kind: str = "python", **more: Any) -> dict[str, Any]:
    """Our assertion over the rubric `capital`; `config` adds to its configuration."""
    config = {"rubric": "capital", "judge": "anthropic", **more.pop("config", {})}
    return {"type": kind, "value": GRADER, "config": config, **more}


def in_language(language: str, text: str) -> str:
    """A configuration with the graders written in one of LANGUAGES."""
    return text.replace("rubric_grader.py", f"rubric_grader.{language}").replace(
        "rubric_provider.py", f"rubric_provider.{language}"
    )


def result_in(language: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of our assertion in one of LANGUAGES on a row that both graded."""
    grader = in_language(language, GRADER)
    components = row["gradingResult"]["componentResults"]
    (answered,) = [component for component in components if component["assertion"].get("value") == grader]
    result: dict[str, Any] = answered
    return result


def outcome(row: Mapping[str, Any]) -> str:
    """Return the reason or error that Promptfoo recorded for a row; an exception in JavaScript is the row's error."""
    return json.dumps([row.get("error"), row["gradingResult"]])


def evaluate(
    folder: Path,
    url: str | None,
    outputs: Sequence[str],
    asserts: Sequence[Mapping[str, Any]],
    *,
    env: Mapping[str, str] | None = None,
    args: Sequence[str] = (),
    language: str = "py",
    **document: Any,
) -> EvalRun:
    """Run the real Promptfoo on outputs and return its results; `document` adds to the configuration.

    The judge `anthropic` has its server at `url`; with None it has no key.
    """
    test = document.pop("test", {})
    config = {
        "prompts": ["{{answer}}"],
        "providers": ["echo"],
        "tests": [
            {"vars": {"answer": output, "question": f"Capital, case {n}?"}, "assert": list(asserts), **test}
            for n, output in enumerate(outputs)
        ],
        **document,
    }
    path = project(folder) / "promptfooconfig.yaml"
    path.write_text(in_language(language, yaml.safe_dump(config)))
    server = {} if url is None else {"ANTHROPIC_API_KEY": "key-of-a-test", "ANTHROPIC_BASE_URL": url}
    environment = {**server, "MARKSCHEME_CACHE": str(folder / "cache"), **(env or {})}
    return run_eval(path, cwd=folder, env=environment, args=args)


def rows(run: EvalRun) -> list[dict[str, Any]]:
    """The rows of a run, in the order of its tests."""
    assert run.results, run.stdout + run.stderr
    results: list[dict[str, Any]] = run.results["results"]["results"]
    return sorted(results, key=lambda row: (row["testIdx"], row["promptIdx"]))
