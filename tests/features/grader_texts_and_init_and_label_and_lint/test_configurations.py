"""`init` in folders with Promptfoo configurations as people write them, and these under the real Promptfoo."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from markscheme.rubrics.criterion import EXITS
from markscheme.rubrics.file import load_rubric
from tests.commands.console import ROOT, run
from tests.promptfoo.answering import rows
from tests.promptfoo.test_grader_option import answer_as_asked
from tests.real.messages_front import Answer, MessagesFront, Request, message
from tests.real.promptfoo import EvalRun, run_eval
from tests.session.processes import sockets

FOLDER = Path(__file__).with_name("configurations")
NAMES = sorted(path.name for path in FOLDER.iterdir())
CRITERIA: dict[str, dict[str, dict[str, Any]]] = {
    "several_providers": {
        "names-the-capital-of": {"weight": 1, "required": True},
        "invents-a-population-figure": {"weight": -1, "required": True, "not_applicable": True},
    },
    "table_of_tests": {
        "shipping": {"required": True, "optional": "order"},
        "shipping-2": {"required": True, "not_applicable": True},
    },
    "default_test": {"politeness": {"ends": (1, 5), "threshold": 0.75, "required": True}},
    "sets": {
        "gives-an-amount-for": {"weight": 6, "required": False},
        "orders-the-steps-as": {"weight": 2, "required": False},
        "mentions-no-brand": {"weight": 1, "required": False},
    },
    "transformed": {"names-the-month": {"weight": 0.5}, "has-no-reasoning-before": {"weight": 0.5}},
    "conversation": {
        "asks-for-a-table": {"not_applicable": True},
        "keep-to-the-reservation": {"not_applicable": True},
        "name-the-hour": {"not_applicable": True},
    },
    "referenced": {"citation": {"not_applicable": False}, "clarity": {"ends": (0, 2), "not_applicable": True}},
    "graders_at_three_levels": {"says-that-the-bridge": {}, "says-which-way-is": {}},
    "files_of_tests": {"boiling": {}, "is-about-eggs": {}},
    "scenarios": {"language": {"not_applicable": False}},
    "steps_and_lists": {"names-the-part-that": {"threshold": 0.6}, "says-why-it-failed": {"threshold": 0.6}},
    "scored_in_words": {
        "limits": {"ends": (0, 1), "threshold": 0.6},
        "score-0-to-10": {"ends": (0, 10), "threshold": 0.7, "weight": 0.5},
    },
}
"""By configuration, its criteria and what is to be true of each."""


OURS, NATIVE = "file://graders/rubric_provider.mjs", "file://native.js"
NATIVE_GRADER = """
const ANSWER = { steps: ['Look'], pass: true, score: 1, reason: 'native', verdict: 'yes', category: 'C' };
module.exports = class {
  id() { return 'native'; }
  async callApi(prompt) {
    return { output: prompt.includes('without quotes or punctuation') ? 'Y' : JSON.stringify(ANSWER) };
  }
};
"""
"""A model of the configuration's own, which answers each question in Promptfoo's formats."""


def copied(name: str, folder: Path) -> Path:
    """Make a project with a copy of one of the Promptfoo configurations."""
    return shutil.copytree(FOLDER / name, folder / name)


def unchanged(name: str, project: Path) -> bool:
    """Return whether every file of the copied configuration is unchanged."""
    files = [path for path in (FOLDER / name).rglob("*") if path.is_file()]
    return all((project / path.relative_to(FOLDER / name)).read_bytes() == path.read_bytes() for path in files)


def test_these_tests_list_the_expected_criteria_of_every_example_configuration() -> None:
    assert len(NAMES) >= 12
    assert sorted(CRITERIA) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_init_makes_each_llm_rubric_text_a_criterion_of_a_rubric_without_lint_errors(name: str, tmp_path: Path) -> None:
    project = copied(name, tmp_path)
    done = run("markscheme", "init", "--yes", cwd=project)
    assert done.returncode == 0, done.stderr
    assert unchanged(name, project)
    rubric = load_rubric(project / "rubrics" / f"{name}.yaml")
    assert not re.search(r"weight: -?\d+\.0$", (project / "rubrics" / f"{name}.yaml").read_text(), re.MULTILINE)
    assert [criterion.name for criterion in rubric.criteria] == [*CRITERIA[name]]
    for criterion in rubric.criteria:
        facts = {**vars(criterion), "ends": criterion.scale.ends, "optional": ", ".join(rubric.optional_inputs)}
        expected = CRITERIA[name][criterion.name]
        assert {key: facts[key] for key in expected} == expected
        assert "{{" not in criterion.requirement
        assert criterion.name in done.stdout
    assert run("markscheme", "lint", name, cwd=project).returncode in (0, 1)
    assert "a stand-in of a few rules, not a model" in done.stdout
    provider = 'id: "file://graders/rubric_provider.mjs", config: {judge: "function:stand_in_judge:judge"}'
    assert provider in done.stdout


def test_without_a_terminal_init_writes_nothing_unless_the_yes_option_is_given(tmp_path: Path) -> None:
    project = copied("sets", tmp_path)
    done = run("markscheme", "init", cwd=project)
    assert (done.returncode, "add --yes" in done.stderr) == (2, True)
    assert "mentions-no-brand: pass or fail  Mentions no brand" in done.stdout
    assert [path.name for path in project.iterdir()] == ["promptfooconfig.yaml"]


@pytest.mark.parametrize(
    ("assertion", "line"),
    [
        ({"type": "select-best", "value": "the best"}, '  options: {provider: "file://graders/rubric_provider.mjs"}'),
        ({"type": "similar", "value": "Leeds"}, 'embedding: "openai:embedding:text-embedding-3-small"}}'),
        ({"type": "similar", "value": "Leeds", "provider": "file://embed.js"}, None),
        ({"type": "factuality", "value": "It is in Leeds"}, None),
    ],
)
def test_init_suggests_promptfoo_s_grader_option_only_if_every_assertion_of_the_configuration_can_take_it(
    assertion: dict[str, Any], line: str | None, tmp_path: Path
) -> None:
    tests = [{"vars": {"reply": "Leeds."}, "assert": [{"type": "llm-rubric", "value": "Is kind"}, assertion]}]
    written = {"prompts": ["{{reply}}"], "providers": ["echo"], "tests": tests}
    (tmp_path / "promptfooconfig.yaml").write_text(yaml.safe_dump(written))
    done = run("markscheme", "init", "--yes", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    option = "npx promptfoo eval --grader file://graders/rubric_provider.mjs -o results.json"
    assert (option in done.stdout) == (line is None)
    assert line is None or (line in done.stdout and "  npx promptfoo eval -o results.json" in done.stdout)


def test_parts_of_a_promptfoo_configuration_that_are_not_read_are_counted(tmp_path: Path) -> None:
    done = run("markscheme", "init", "--yes", cwd=copied("steps_and_lists", tmp_path))
    assert "not read, 1 time: factuality, whose value isn't a requirement" in done.stdout
    lost = tmp_path / "lost"
    lost.mkdir()
    asked = [
        {"type": "llm-rubric", "value": value}
        for value in ("Is kind", "Return a confidence.", "file://judge.py", {"a": 1}, "{% if a %}b{% endif %}")
    ]
    tests = [
        {"assert": [*asked, {"type": "llm-rubric", "value": "Is long", "weight": 0}]},
        "file://made.py",
        "gone.csv",
    ]
    (lost / "made.py").write_text("raise SystemExit\n")
    (lost / "promptfooconfig.yaml").write_text(
        yaml.safe_dump({"tests": tests, "defaultTest": {"assert": [{"$ref": "#/no"}]}})
    )
    done = run("markscheme", "init", "--yes", cwd=lost)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("not read, 1 time:") == 7
    assert (
        "  return-a-confidence: pass or fail, though it seems to ask for a score: no scale was read in it"
        in done.stdout
    )
    names = [criterion.name for criterion in load_rubric(lost / "rubrics" / "lost.yaml").criteria]
    assert names == ["is-kind", "return-a-confidence"]


def test_the_stand_in_judge_that_init_writes_says_in_its_grades_that_it_is_not_a_model(tmp_path: Path) -> None:
    project = copied("default_test", tmp_path)
    run("markscheme", "init", "--yes", cwd=project)
    (project / "outputs.jsonl").write_text('{"response": "Thank you for the photo of the meter, it arrived."}\n')
    judge = ("--judge", "function:stand_in_judge:judge")
    done = run("markscheme", "grade", "default_test", "outputs.jsonl", *judge, "--json", cwd=project)
    assert "A stand-in, no model" in done.stdout, done.stderr


def rate_highest(request: Request) -> Answer:
    """Answer as a judge that rates every criterion highest, and any other question as it asks."""
    properties = request.body["output_config"]["format"]["schema"]["properties"]
    if "verdicts" not in properties:
        return answer_as_asked(request)
    levels = {
        name: asked["properties"]["level"]["enum"] for name, asked in properties["verdicts"]["properties"].items()
    }
    highest = {name: [level for level in choices if level not in EXITS][-1] for name, choices in levels.items()}
    verdict = {"quote": "nothing to quote", "reason": "As good as it gets."}
    return message(json.dumps({"verdicts": {name: {**verdict, "level": level} for name, level in highest.items()}}))


def run_in(project: Path, grader: str, url: str) -> EvalRun:
    """Run a Promptfoo configuration with a grader that only `--grader` names."""
    server = {"ANTHROPIC_API_KEY": "key-of-a-test", "ANTHROPIC_BASE_URL": url}
    with sockets() as runtime:
        environment = {**server, "MARKSCHEME_CACHE": str(project / "cache"), "XDG_RUNTIME_DIR": str(runtime)}
        config = project / "promptfooconfig.yaml"
        return run_eval(config, cwd=project, env=environment, args=("--grader", grader))


def run_through_us(name: str, folder: Path) -> list[dict[str, Any]]:
    """Return the rows of results of a configuration that is graded by markscheme."""
    project = copied(name, folder)
    shutil.copytree(ROOT / "graders", project / "graders")
    (project / "markscheme.toml").write_text('judge = "anthropic"\n', encoding="utf-8")
    with MessagesFront(rate_highest) as front:
        return rows(run_in(project, OURS, front.url))


def run_natively(name: str, folder: Path) -> EvalRun:
    """Run a configuration with a model as grader in every place where it names markscheme's grader."""
    project = copied(name, folder)
    for path in project.rglob("*.yaml"):
        path.write_text(path.read_text().replace(OURS, NATIVE))
    (project / "native.js").write_text(NATIVE_GRADER)
    return run_in(project, NATIVE, "http://127.0.0.1:9")


def reached(graded: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return a key for each row of results: its inputs, its output and its assertions."""
    return [
        (
            json.dumps(row["vars"], sort_keys=True),
            row["prompt"]["raw"],
            json.dumps(row["provider"], sort_keys=True),
            json.dumps(row["response"]["output"]),
            *(part["assertion"]["type"] for part in row["gradingResult"]["componentResults"] if part.get("assertion")),
        )
        for row in graded
    ]


def assert_all_graded(graded: list[dict[str, Any]]) -> None:
    assert graded
    for row in graded:
        for part in row["gradingResult"]["componentResults"]:
            assert "not graded" not in part["reason"]
            assert not part.get("metadata", {}).get("graderError"), part


def test_grading_a_promptfoo_configuration_by_markscheme_leaves_no_row_ungraded(tmp_path: Path) -> None:
    assert_all_graded(run_through_us("default_test", tmp_path))


@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
def test_each_example_configuration_of_promptfoo_runs_with_and_without_markscheme_and_leads_to_a_report(
    name: str, tmp_path: Path
) -> None:
    ours = run_through_us(name, tmp_path / "ours")
    native = run_natively(name, tmp_path / "native")
    assert_all_graded(ours)
    assert_all_graded(rows(native))
    assert reached(ours) == reached(rows(native))
    project = tmp_path / "native" / name
    (project / "results.json").write_text(json.dumps(native.results))
    assert run("markscheme", "init", "--yes", cwd=project).returncode == 0
    sheet = ("--sheet", "page.html", "--rater", "ann")
    labelled = run("markscheme", "label", name, "--pool", "results.json", *sheet, cwd=project)
    assert labelled.returncode == 0, labelled.stderr
    answered(name, project)
    judge = ("--judge", "function:stand_in_judge:judge")
    first = run("markscheme", "calibrate", name, *judge, cwd=project)
    assert first.returncode in (0, 1, 4), first.stderr
    for line in (f"{name} · function:stand_in_judge:judge", "Live: ", "  decisions", "Full report"):
        assert line in first.stdout


def answered(name: str, project: Path) -> None:
    """Answer a sheet's questions: the highest level of each criterion for every second output, else the lowest."""
    folder = project / "calibration" / name
    criteria = load_rubric(project / "rubrics" / f"{name}.yaml").criteria
    ids = [json.loads(line)["id"] for line in (folder / "examples.jsonl").read_text().splitlines()]
    answers = [
        {
            "id": unit,
            "rater": "ann",
            "kind": "human",
            "criteria": {criterion.name: {"level": criterion.scale.ends[at % 2]} for criterion in criteria},
        }
        for at, unit in enumerate(ids)
    ]
    (folder / "ratings").mkdir(exist_ok=True)
    (folder / "ratings" / "ann.jsonl").write_text("".join(f"{json.dumps(answer)}\n" for answer in answers))
