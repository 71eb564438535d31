"""The action's steps, run as a runner runs them: in a shell, with its environment, and a stand-in for `gh`."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from markscheme.grading.receipt import allowed_in_words
from tests.calibration.test_two_questions import decisions, write_table
from tests.commands.console import INSTALLED, ROOT, environment, run, scripts

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
JUDGE = '''
def judge(system_prompt, user_prompt):
    """Gives every criterion the highest level."""
    return {"verdicts": {name: {"quote": "nothing to quote", "reason": "So.", "level": "5"} for name in NAMES}}

judge.environment = ()
'''
GH = r'''#!/usr/bin/env python3
"""A stand-in for `gh api`: comments of one pull request in a file."""
import json, os, pathlib, re, sys
store = pathlib.Path(__file__).with_name("comments.json")
comments = json.loads(store.read_text()) if store.exists() else []
arguments = sys.argv[1:]
assert arguments[0] == "api", arguments
assert "token" not in " ".join(arguments)
if arguments[1] == "graphql":
    assert arguments[2:] == ["--raw-field", "query=query { viewer { login } }", "--jq", ".data.viewer.login"]
    print(os.environ.get("VIEWER", "github-actions[bot]"))
elif "--jq" in arguments:
    writer, mark = re.search(
        r"user\.login == env\.(\w+) and \(\.body \| startswith\(env\.(\w+)\)", arguments[arguments.index("--jq") + 1]
    ).groups()
    own = [c for c in comments if c["user"] == os.environ[writer] and c["body"].startswith(os.environ[mark])]
    print("\n".join(str(c["id"]) for c in own))
else:
    method = arguments[arguments.index("--method") + 1]
    field = arguments[arguments.index("--field") + 1]
    body = pathlib.Path(field.removeprefix("body=@")).read_text()
    if method == "POST":
        comments.append({"id": 100 + len(comments), "user": "github-actions[bot]", "body": body, "path": arguments[3]})
    else:
        (comment,) = [c for c in comments if arguments[3].endswith(f"/{c['id']}")]
        comment["body"] = body
        comment["rewritten"] = True
    store.write_text(json.dumps(comments))
'''


@dataclass
class Runner:
    """A project checked out on a runner of GitHub Actions, with an open pull request.

    Attributes:
        project: The repository's clone.
        folder: Where the runner keeps its own files.
        base: The commit that the pull request is based on.
    """

    project: Path
    folder: Path
    base: str

    def run(self, name: str, **expressions: str) -> subprocess.CompletedProcess[str]:
        """Run one of the action's steps, with its expressions evaluated; an unknown expression is an error."""
        (step,) = [step for step in STEPS if step.get("name") == name]
        assert step["shell"] == "bash"
        values = {key: evaluated(text, {**self.values, **expressions}) for key, text in step["env"].items()}
        env = {**environment(), **self.own, **values}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.project,
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def calibrate(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        return self.run("Calibrate", **{f"inputs.{key}": value for key, value in inputs.items()})

    def comment(self, rubric: str = "code-quality", **more: str) -> subprocess.CompletedProcess[str]:
        return self.run("Comment on the pull request", **{"inputs.rubric": rubric, **more})

    def decide(self, require: str = "") -> subprocess.CompletedProcess[str]:
        return self.run("Decide", **{"inputs.require": require})

    @property
    def values(self) -> dict[str, str]:
        """Return the values of the expressions in the action's steps."""
        defaults = {f"inputs.{key}": str(entry["default"]) for key, entry in ACTION["inputs"].items()}
        return {
            **{key: value for key, value in defaults.items() if "${{" not in value},
            "github.action_path": str(ROOT),
            "github.event.pull_request.base.sha": self.base,
            "github.event.pull_request.number": "7",
            "github.event.pull_request.head.repo.full_name != github.repository": "false",
            "inputs.token": "token-of-a-test",
            **{f"steps.run.outputs.{key}": value for key, value in self.outputs.items()},
        }

    @property
    def own(self) -> dict[str, str]:
        """Return the environment variables of a runner."""
        return {
            "PATH": os.pathsep.join(map(str, (self.folder / "bin", scripts(), INSTALLED, os.environ["PATH"]))),
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "GITHUB_REPOSITORY": "owner/project",
            "RUNNER_TEMP": str(self.folder),
            "MARKSCHEME_CACHE": str(self.folder / "cache"),
        }

    @property
    def outputs(self) -> dict[str, str]:
        file = self.folder / "output"
        lines = file.read_text().splitlines() if file.exists() else []
        return dict(line.partition("=")[::2] for line in lines)

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text(encoding="utf-8")

    @property
    def comments(self) -> list[dict[str, Any]]:
        file = self.folder / "bin" / "comments.json"
        return json.loads(file.read_text()) if file.exists() else []


def evaluated(text: object, values: Mapping[str, str]) -> str:
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values.get(match[1], ""), str(text))


def git(project: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@localhost")
    return subprocess.run(["git", *who, *arguments], cwd=project, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def reworded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The shipped rubric with its labels and an accepted run; the last commit rewords its first criterion.

    With it, the commit before.
    """
    project = tmp_path_factory.mktemp("reworded") / "project"
    for place in ("rubrics/code-quality.yaml", "calibration/code-quality"):
        copy = shutil.copytree if (ROOT / place).is_dir() else shutil.copy
        (project / place).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / place, project / place)
    git(project, "init", "--quiet")
    accepted = run("calibrate", "code-quality", "--accept", "--force", "--quiet", cwd=project)
    assert accepted.returncode == 4, accepted.stderr
    (project / "planted.py").write_text(f"NAMES = {names(project)!r}\n{JUDGE}")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "before")
    base = git(project, "rev-parse", "HEAD").strip()
    rubric = project / "rubrics" / "code-quality.yaml"
    before = rubric.read_text(encoding="utf-8")
    rubric.write_text(before.replace(first_words(before), "Planted words: " + first_words(before), 1), encoding="utf-8")
    git(project, "commit", "--quiet", "--all", "--message", "reworded")
    return project, base


@pytest.fixture
def runner(reworded: tuple[Path, str], tmp_path: Path) -> Runner:
    """A runner with a clone of the reworded project, and a pull request of its last commit."""
    before, base = reworded
    project = shutil.copytree(before, tmp_path / "project")
    folder = tmp_path / "runner"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "gh").write_text(GH)
    (folder / "bin" / "gh").chmod(0o755)
    return Runner(project, folder, base)


def names(project: Path) -> list[str]:
    data = yaml.safe_load((project / "rubrics" / "code-quality.yaml").read_text(encoding="utf-8"))
    return [criterion["name"] for criterion in data["criteria"]]


def first_words(text: str) -> str:
    data = yaml.safe_load(text)
    return " ".join(data["criteria"][0]["description"].split()[:4])


@pytest.mark.proof
def test_the_action_writes_reports_and_github_annotations_and_one_comment_that_later_runs_rewrite(
    runner: Runner,
) -> None:
    done = runner.calibrate(rubric="code-quality", judge="function:planted:judge")
    assert done.returncode == 0, done.stderr
    assert runner.outputs["use"] in ("explore", "none")
    assert runner.outputs["name"] == "code-quality"
    report = Path(runner.outputs["report"])
    assert {path.name for path in report.iterdir()} == {
        f"calibration.{form}" for form in ("html", "json", "md", "sarif", "xml")
    }
    assert "code-quality" in runner.summary
    assert "Agreement" in runner.summary
    lines = (runner.project / "rubrics" / "code-quality.yaml").read_text(encoding="utf-8").splitlines()
    annotations = re.findall(r"^::(?:error|warning|notice) file=([^,]+),line=(\d+),title=(.+?)::", done.stdout, re.M)
    assert annotations
    for file, line, title in annotations:
        assert file == "rubrics/code-quality.yaml"
        name = title.partition(" ")[0]
        assert name not in names(runner.project) or name in lines[int(line) - 1], (line, title)

    commented = runner.comment()
    assert commented.returncode == 0, commented.stderr
    (comment,) = runner.comments
    body = comment["body"]
    assert comment["path"] == "repos/owner/project/issues/7/comments"
    assert body.startswith("<!-- markscheme: code-quality -->")
    assert "before (the base branch)" in body
    assert f"| use | {allowed_in_words('explore')} |" in body
    assert f"reworded {names(runner.project)[0]}" in body
    assert "Planted words" in body

    assert runner.comment().returncode == 0
    (again,) = runner.comments
    assert again["rewritten"], "a push rewrites the comment instead of adding one"


@pytest.mark.proof
def test_the_comment_of_the_action_reports_labels_given_under_an_old_wording_as_stale(runner: Runner) -> None:
    ratings = runner.project / "calibration" / "code-quality" / "ratings"
    (file,) = ratings.glob("*.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    under = {names(runner.project)[0]: "0" * 16}
    stale = [{**record, "kind": "human", "rater": "ann", "under": under} for record in records]
    file.write_text("".join(json.dumps(record) + "\n" for record in stale))
    runner.calibrate(rubric="code-quality", judge="function:planted:judge")
    runner.comment()
    (comment,) = runner.comments
    assert "were labelled under the old words of" in comment["body"]


def test_the_action_gives_calibrate_the_options_that_are_written_on_several_lines(runner: Runner) -> None:
    done = runner.calibrate(rubric="code-quality", options="-o planned_runs=20\n--no-such-option\n")
    assert runner.outputs["status"] == "2"
    assert "--no-such-option" in done.stdout
    assert done.stderr == ""


@pytest.mark.proof
def test_the_action_never_edits_another_user_s_comment_even_if_the_comment_has_the_action_s_marker(
    runner: Runner,
) -> None:
    theirs = {"id": 1, "user": "mallory", "body": "<!-- markscheme: code-quality -->\nhello"}
    (runner.folder / "bin" / "comments.json").write_text(json.dumps([theirs]))
    assert runner.comment().returncode == 0
    first, second = runner.comments
    assert first == theirs
    assert (second["user"], "rewritten" in second) == ("github-actions[bot]", False)
    runner.comment()
    assert [one.get("rewritten", False) for one in runner.comments] == [False, True]


def test_the_action_writes_no_comment_if_it_cannot_look_up_which_user_its_token_belongs_to(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIEWER", "")
    assert "::warning title=markscheme::no comment" in runner.comment().stdout
    assert runner.comments == []


def test_a_long_comment_by_the_action_is_cut_at_the_end_of_a_line_and_its_open_code_block_is_closed(
    runner: Runner,
) -> None:
    report = runner.folder / "markscheme"
    report.mkdir()
    lines = [f"é{number} ```" if number % 7 else "~~~" for number in range(9000)]
    (report / "calibration.md").write_text(
        "\n".join(["Agreement", "", "````text", *lines, "````", "end"]), encoding="utf-8"
    )
    assert runner.comment(**{"steps.run.outputs.report": str(report)}).returncode == 0
    (comment,) = runner.comments
    body = comment["body"]
    assert 60_000 < len(body.encode()) <= 65_536
    shown = body.splitlines()
    end = shown.index("````", shown.index("````text"))
    assert shown[end - 1] in lines
    assert shown[end + 1 :] == ["", "*This is cut here; the report of this run has the rest.*", "", "</details>"]


def test_the_action_writes_no_comment_if_no_rubric_changed_or_if_the_pull_request_comes_from_a_fork(
    runner: Runner,
) -> None:
    git(runner.project, "revert", "--no-edit", "HEAD")
    assert "no comment" in runner.comment().stdout
    condition = "github.event.pull_request.head.repo.full_name != github.repository"
    assert "gets no comment" in runner.comment(**{condition: "true"}).stdout
    assert runner.comments == []


@pytest.mark.proof
def test_the_action_calibrates_with_recorded_replies_and_without_an_api_key(runner: Runner) -> None:
    git(runner.project, "revert", "--no-edit", "HEAD")
    done = runner.calibrate(rubric="code-quality")
    assert done.returncode == 0
    assert (runner.outputs["use"], runner.outputs["status"]) == ("explore", "4")
    assert runner.decide().returncode == 0
    assert runner.decide("never").returncode == 0
    undecided = runner.decide("gate")
    assert (undecided.returncode, "::error title=markscheme::these labels don't show" in undecided.stdout) == (1, True)
    assert runner.decide("trend").returncode == 1
    assert "require must be" in runner.decide("sometimes").stdout


@pytest.mark.parametrize(("require", "status"), [("gate", "1"), ("trend", "0"), ("", "1")])
def test_the_status_of_the_action_says_whether_the_judge_is_good_enough_for_the_required_use(
    runner: Runner, require: str, status: str
) -> None:
    write_table(runner.project / "table.csv", *decisions(32, 12, 168, 166))
    runner.calibrate(rubric="table.csv", require=require)
    assert runner.outputs["status"] == status
    assert runner.decide(require).returncode == int(status)


def test_a_weekly_run_of_the_action_writes_the_pass_rate_and_fails_if_the_pass_rate_changed(runner: Runner) -> None:
    lines = [
        {
            "id": f"{week}-{n}",
            "time": f"{date(2025, 6, 2) + timedelta(weeks=week)}T09:00:00Z",
            "response": "So.",
            "pass": n < (60 if week > 5 else 90),
        }
        for week in range(12)
        for n in range(100)
    ]
    weeks = {"traces.jsonl": lines[:600], "later.jsonl": lines}
    for name, of_file in weeks.items():
        (runner.project / name).write_text("".join(json.dumps(line) + "\n" for line in of_file))
    done = runner.calibrate(rubric="code-quality", track="traces.jsonl", options="--audits-per-week 10")
    assert (done.returncode, runner.outputs["status"], runner.outputs["moved"]) == (0, "4", ""), done.stdout
    assert runner.decide().returncode == 0
    assert "Pass rate of code-quality" in runner.summary
    runner.calibrate(rubric="code-quality", track="later.jsonl")
    assert (runner.outputs["status"], runner.outputs["use"]) == ("1", "")
    assert runner.outputs["moved"] == json.loads((runner.folder / "markscheme/pass-rate.json").read_text())["named"]
    decided = runner.decide()
    assert (decided.returncode, f"moved: {runner.outputs['moved']}" in decided.stdout) == (1, True)
    assert runner.decide("never").returncode == 0
    alone = runner.calibrate(track="later.jsonl", results="results.json")
    assert (alone.returncode, "track goes with a rubric" in alone.stdout) == (2, True)


@pytest.mark.parametrize(
    ("status", "use", "require", "fails"),
    [
        ("0", "gate", "gate", False),
        ("0", "trend", "trend", False),
        ("1", "trend", "gate", True),
        ("4", "trend", "gate", True),
        ("4", "explore", "trend", True),
        ("4", "explore", "", False),
        ("1", "none", "", True),
        ("1", "none", "never", False),
        ("2", "", "never", True),
        ("3", "", "never", True),
        ("5", "explore", "never", True),
        ("70", "", "never", True),
        ("", "", "never", True),
        ("0", "", "trend", False),
    ],
)
def test_the_action_fails_the_build_if_the_judge_lacks_the_required_use_or_nothing_was_measured(
    runner: Runner, status: str, use: str, require: str, fails: bool
) -> None:
    (runner.folder / "output").write_text(f"status={status}\nuse={use}\n")
    done = runner.decide(require)
    assert done.returncode == int(fails), done.stdout
    assert ("::error title=markscheme::" in done.stdout) == fails
