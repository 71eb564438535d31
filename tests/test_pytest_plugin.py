"""`assert_grade` as a user's own tests use it: a pytest of its own over a small project."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from markscheme.rubrics.search import POOL
from tests.commands.console import ROOT, environment, run
from tests.commands.pasted import faults_of, printed_commands
from tests.judges.chat_server import ChatServer, completion
from tests.loaded import HEAVY

RUBRIC = """
passingThreshold: 0.6
inputs: [query]
criteria:
- {name: polite, description: The reply is polite, weight: 3}
- {name: dated, requirement: The reply names a date, weight: 1}
- {name: blames, requirement: The reply blames the customer, weight: -1}
"""
JUDGES = """
import json
from pathlib import Path

CALLS = Path(__file__).with_name("calls.txt")


def _answer(**levels):
    with CALLS.open("a") as file:
        file.write("asked\\n")
    quote = "nothing to quote" if levels["polite"] == "5" else "No, never again!"
    told = {"quote": quote, "reason": "Because \\x1b[31mit is\\n so."}
    return {"verdicts": {name: {**told, "level": level} for name, level in levels.items()}}


def kind(system_prompt, user_prompt):
    return _answer(polite="5", dated="MET", blames="UNMET")


kind.environment = ()


async def harsh(system_prompt, user_prompt):
    return _answer(polite="2", dated="UNMET", blames="UNMET")


def silent(system_prompt, user_prompt):
    raise RuntimeError("no answer today")
"""
HEAD = """
import asyncio
import contextlib

import pytest
import judges
from markscheme import Rubric, ScriptedJudge
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A rubric, a module of judges and an empty folder of tests."""
    return make_project(tmp_path)


def make_project(folder: Path) -> Path:
    """Write a rubric, a module of judges and an empty folder of tests; return the folder."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "manners.yaml").write_text(RUBRIC)
    (folder / "tests").mkdir()
    (folder / "tests" / "judges.py").write_text(JUDGES)
    (folder / ".git").mkdir()
    return folder


def run_tests(project: Path, body: str, *options: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run pytest on tests with a given text, with markscheme's plugin only."""
    alone = ("-p", "markscheme.pytest_plugin", *options)
    return run_with_all_plugins(project, body, *alone, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", **variables)


def run_with_all_plugins(
    project: Path, body: str, *options: str, **variables: str
) -> "subprocess.CompletedProcess[str]":
    """Run pytest on tests with a given text, with all installed plugins."""
    (project / "tests" / "test_replies.py").write_text(HEAD + body)
    kept = {"MARKSCHEME_CACHE": str(project / "cache"), "XDG_RUNTIME_DIR": str(project), **variables}
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "--color=no", *options)
    return run(*command, cwd=project, env=kept)


def outcomes(done: "subprocess.CompletedProcess[str]") -> dict[str, int]:
    """Return how many tests passed, failed and had errors."""
    assert done.stderr == ""
    return {
        word: int(count) for count, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout.splitlines()[-1])
    }


def calls(project: Path) -> int:
    file = project / "tests" / "calls.txt"
    return len(file.read_text().splitlines()) if file.exists() else 0


def test_assert_grade_in_pytest_returns_the_grade_of_an_output_that_passes(project: Path) -> None:
    done = run_with_all_plugins(
        project,
        """
def test_passes(assert_grade):
    grade = assert_grade("Sorry! On 3 May.", "manners", judge=judges.kind, inputs={"query": "When?"})
    assert (grade.score, grade.passed) == (1.0, True)
    assert grade.verdicts["polite"].level == 5
""",
    )
    assert outcomes(done) == {"passed": 1}, done.stdout


FAILING = """
def test_fails(assert_grade):
    assert_grade("No.", "manners", judge=judges.harsh, inputs={"query": "When?"})
"""
THRESHOLDS = """
@pytest.mark.parametrize("threshold", [0.1, 0.2])
def test_threshold(assert_grade, threshold):
    assert_grade("No.", "manners", judge=judges.harsh, inputs={"query": "When?"}, threshold=threshold)
"""
NOT_GRADED = """
@pytest.mark.parametrize("judge", [judges.silent, ScriptedJudge(["no JSON", "none again"])], ids=["silent", "garbled"])
def test_not_graded(assert_grade, judge):
    with contextlib.suppress(AssertionError):
        assert_grade("No.", "manners", judge=judge, inputs={"query": "When?"})
"""
RECORDED = """
import json
from pathlib import Path

def test_recorded(assert_grade):
    lines = Path(FILE).read_text().splitlines()
    example = next(e for e in map(json.loads, lines) if e["id"] == "cq-004")
    given = {"query": example["query"]}
    grade = assert_grade(example["response"], FOLDER / "rubrics/code-quality.yaml", inputs=given, threshold=0)
    assert dict(grade.replies) == {"recorded": 1}
    assert_grade(example["response"], FOLDER / "rubrics/code-quality.yaml", inputs=given, threshold=1)
""".replace("FILE", "FOLDER / 'calibration/code-quality/examples.jsonl'").replace("FOLDER", f"Path({str(ROOT)!r})")
IN_A_LOOP = """
def test_in_a_loop(assert_grade):
    async def inside():
        return assert_grade("Hm.", "manners", judge=judges.kind, inputs={"query": "?"}).score
    assert asyncio.run(inside()) == 1.0
    rubric = Rubric.from_dict([{"weight": 1, "requirement": "A"}])
    assert_grade({"any": "data"}, rubric, judge=ScriptedJudge([{"c1": "MET"}]))
"""
PASSING = """
def test_passes(assert_grade):
    assert_grade("No.", "manners", judge=judges.kind, inputs={"query": "?"})
"""
BODIES = (FAILING, THRESHOLDS, NOT_GRADED, RECORDED, IN_A_LOOP, PASSING)


@dataclass(frozen=True)
class Reported:
    """The output of one pytest run of several tests.

    Attributes:
        printed: All that it printed.
        cases: What its JUnit file says of each test, by name.
    """

    printed: str
    cases: dict[str, ElementTree.Element]

    def failure(self, name: str) -> str:
        """Return the failure text of a test; "" if it passed."""
        return self.cases[name].findtext("failure", "")


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    """Run pytest on all BODIES."""
    project = make_project(tmp_path_factory.mktemp("reported"))
    done = run_tests(project, "\n".join(BODIES), "--junit-xml", "out.xml")
    assert outcomes(done) == {"failed": 5, "passed": 3}, done.stdout
    cases = ElementTree.parse(project / "out.xml").iter("testcase")
    return Reported(done.stdout, {case.get("name", ""): case for case in cases})


def test_a_failing_assertion_in_pytest_shows_score_and_calibration_and_reasons_but_no_stack_frames_of_ours(
    reported: Reported,
) -> None:
    failure = reported.failure("test_fails")
    assert failure in reported.printed
    output = [line.removeprefix("E").strip() for line in failure.splitlines() if line.startswith("E ")]
    assert output == [
        "AssertionError: the output fails manners: 0.19, pass mark 0.6",
        "polite 2 of 5 (weight 3): Because �[31mit is so.",
        "“No, never again!” (which is not in the material)",
        "dated UNMET (weight 1): Because �[31mit is so.",
        "“No, never again!” (which is not in the material)",
        "full marks: blames",
        "calibration: 0.19, no accepted run",
    ]
    assert "pytest_plugin" not in reported.printed
    assert "assert_grade = <assert_grade>" in failure
    assert "\x1b" not in reported.printed


def test_a_threshold_given_to_assert_grade_replaces_the_rubric_s_pass_mark(reported: Reported) -> None:
    assert reported.failure("test_threshold[0.1]") == ""
    assert "0.19, pass mark 0.2" in reported.failure("test_threshold[0.2]")


def test_an_ungraded_output_is_neither_a_pass_nor_a_failed_assertion(reported: Reported) -> None:
    silent, garbled = (reported.failure(f"test_not_graded[{judge}]") for judge in ("silent", "garbled"))
    for failure in (silent, garbled):
        assert "JudgeError: not graded by manners, which is neither a pass nor a fail:" in failure
    assert "no answer today" in silent


UNASKABLE = {
    '"No.", "maners"': "did you mean 'manners'?",
    '"No.", "manners", judge=judges.kind': "needs 'query': give inputs={'query': …}",
    '"No.", "manners", inputs={"query": "?"}': "Name a judge with judge=…: ",
    '"No.", "manners", judge="gpt", inputs={"query": "?"}': "unknown judge 'gpt'",
    '"No.", "manners", judge=judges.kind, inputs={"query": "?", "answer": "x"}': "shows no input 'answer'",
    '"No.", "manners", judge=judges.kind, inputs={"query": "?"}, calibration="require"': (
        "no run of this rubric is accepted"
    ),
    '"No.", "manners", judge=judges.kind, inputs={"query": "?"}, calibration="on"': "warn, require, off",
}
"""Calls of `assert_grade`, and words of the error that each ends with."""


LABEL = json.dumps({"rater": "ann", "kind": "human", "criteria": {"polite": 5, "dated": "MET", "blames": "UNMET"}})


@pytest.mark.proof
@pytest.mark.parametrize("is_labelled", [True, False], ids=["labelled", "unlabelled"])
@pytest.mark.parametrize("judge", ["", ", judge='function:judges:kind'", ", judge=judges.kind"])
def test_each_command_that_a_failing_assertion_suggests_works_when_pasted_in_the_same_folder(
    project: Path, tmp_path_factory: pytest.TempPathFactory, judge: str, is_labelled: bool
) -> None:
    shutil.copy(project / "tests" / "judges.py", project / "judges.py")
    rows = [f'{{"id": "o{n}", "query": "When?", "response": "On {n} May.", "labels": [{LABEL}]}}\n' for n in range(20)]
    (project / "outputs.jsonl").write_text(re.sub(r', "labels": \[.*\]', "", "".join(rows)))
    if is_labelled:
        (project / "calibration" / "manners").mkdir(parents=True)
        (project / "calibration" / "manners" / "examples.jsonl").write_text("".join(rows))
    call = f'assert_grade("No.", "manners", inputs={{"query": "?"}}, calibration="require"{judge})'
    done = run_tests(project, f"def test_gate(assert_grade):\n    {call}\n")
    commands = [*printed_commands(done.stdout)]
    if judge:
        assert [command.split()[1] for command in commands] == ["calibrate" if is_labelled else "label"]
    placeholders = {POOL: "outputs.jsonl", "JUDGE": "function:judges:kind"}
    env = {"MARKSCHEME_CACHE": str(project / "cache"), "XDG_RUNTIME_DIR": str(project)}
    assert faults_of(commands, project, tmp_path_factory.mktemp("copies"), placeholders, env) == {}


@pytest.fixture(scope="module")
def failures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Run tests that each make a failing call; return the failure text by call."""
    project = make_project(tmp_path_factory.mktemp("unaskable"))
    tests = [f"def test_{n}(assert_grade):\n    assert_grade({call})\n" for n, call in enumerate(UNASKABLE)]
    done = run_tests(project, "\n".join(tests), "--junit-xml", "out.xml")
    assert outcomes(done) == {"failed": len(UNASKABLE)}
    cases = ElementTree.parse(project / "out.xml").iter("testcase")
    return {call: case.findtext("failure", "") for call, case in zip(UNASKABLE, cases, strict=True)}


@pytest.mark.parametrize("call", UNASKABLE)
def test_a_judge_that_cannot_be_asked_fails_the_pytest_test_with_advice(call: str, failures: dict[str, str]) -> None:
    assert UNASKABLE[call] in failures[call]


def test_a_judge_for_all_tests_is_named_on_the_command_line_or_in_the_settings(project: Path) -> None:
    body = '\ndef test_it(assert_grade):\n    assert_grade("No.", "manners", inputs={"query": "?"})\n'
    (project / "pytest.ini").write_text("[pytest]\nmarkscheme_judge = function:judges:harsh\n")
    assert outcomes(run_tests(project, body)) == {"failed": 1}
    assert outcomes(run_tests(project, body, "--markscheme-judge", "function:judges:kind")) == {"passed": 1}


@pytest.mark.proof
def test_assert_grade_uses_the_rubric_s_model_if_the_judge_is_named_only_openai(project: Path) -> None:
    own = ("{model: served}", "{name: openai, model: served}", "{name: 'openai:x', model: served}")
    for number, judge in enumerate(own):
        (project / "rubrics" / f"manners-{number}.yaml").write_text(f"judge: {judge}\n{RUBRIC}")
    levels = {"polite": "5", "dated": "MET", "blames": "UNMET"}
    verdicts = {name: {"quote": "", "reason": "So.", "level": level} for name, level in levels.items()}
    body = """
@pytest.mark.parametrize("number", range(3))
def test_it(assert_grade, number):
    assert_grade("Hello.", f"manners-{number}", judge="openai", inputs={"query": "Hi?"})
"""
    variables = {"OPENAI_API_KEY": "k", "MARKSCHEME_NO_CACHE": "1"}
    with ChatServer(lambda request: completion(json.dumps({"verdicts": verdicts}))) as server:
        done = run_tests(project, body, OPENAI_BASE_URL=server.url, **variables)
        assert outcomes(done) == {"passed": len(own)}, done.stdout
        assert [request["model"] for request in server.requests] == ["served"] * len(own)


@pytest.mark.proof
def test_replies_of_a_named_judge_are_cached_and_replies_of_a_judge_function_are_not(project: Path) -> None:
    body = '\ndef test_{}(assert_grade):\n    assert_grade("No.", "manners", judge={}, inputs={{"query": "?"}})\n'
    named = body.format("it", '"function:judges:kind"')
    twice = body.format("once", "judges.kind") + body.format("again", "judges.kind")
    for asked, text, passed, variables in (
        (3, named + twice, 3, {}),
        (5, named + twice, 3, {}),
        (6, named, 1, {"MARKSCHEME_NO_CACHE": "1"}),
    ):
        assert outcomes(run_tests(project, text, **variables)) == {"passed": passed}
        assert calls(project) == asked


def test_a_failing_assertion_with_a_recorded_judge_is_reported_with_its_calibration_receipt(reported: Reported) -> None:
    failure = reported.failure("test_recorded")
    assert "calibration: " in failure
    assert "judge: claude" in failure


def test_assert_grade_works_in_a_test_that_runs_an_event_loop(reported: Reported) -> None:
    assert reported.failure("test_in_a_loop") == ""


def test_pytest_s_junit_file_has_each_test_s_score_and_calibration(reported: Reported) -> None:
    properties = reported.cases["test_passes"].iter("property")
    assert [(property.get("name"), property.get("value")) for property in properties] == [
        ("markscheme_rubric", "manners"),
        ("markscheme_score", "1"),
        ("markscheme_calibration", "no accepted run"),
    ]


def test_pytest_loads_nothing_of_markscheme_for_tests_that_never_grade(project: Path) -> None:
    (project / "tests" / "test_other.py").write_text(
        f"import sys\ndef test_it():\n    assert not {HEAVY | {'yaml', 'pydantic'}!r} & set(sys.modules)\n"
        "    assert {name for name in sys.modules if name.startswith('markscheme')} == "
        "{'markscheme', 'markscheme.pytest_plugin', 'markscheme.seam'}\n"
    )
    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_other.py", cwd=project)
    assert outcomes(done) == {"passed": 1}, done.stdout


def test_importing_the_pytest_plugin_loads_no_other_module_of_markscheme() -> None:
    code = "import sys, pytest\nbefore = set(sys.modules)\nimport markscheme.pytest_plugin\n"
    code += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["markscheme", "markscheme.pytest_plugin", "markscheme.seam"]
