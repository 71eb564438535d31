"""`markscheme init --ci` and `--force`: a workflow for a project's rubrics, and files that are replaced."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands.console import run

WORKFLOW = ".github/workflows/markscheme.yml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    assert run("markscheme", "init", cwd=tmp_path).returncode == 0
    return tmp_path


def steps_of(project: Path) -> list[dict[str, Any]]:
    workflow = yaml.safe_load((project / WORKFLOW).read_text())
    steps: list[dict[str, Any]] = workflow["jobs"]["calibrate"]["steps"]
    return steps


def git(folder: Path, *words: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True)


def test_the_workflow_lints_all_rubrics_and_calibrates_the_judge_of_each_rubric_with_examples(project: Path) -> None:
    (project / "rubrics" / "bare.yaml").write_text("criteria: [{requirement: It is short.}]\n")
    done = run("markscheme", "init", "--ci", cwd=project)
    assert (done.returncode, f"  {WORKFLOW}" in done.stdout) == (0, True)
    *_, lint, calibrate = steps_of(project)
    assert lint["run"] == "markscheme lint --allow-advice rubrics/*.yaml"
    assert calibrate["run"] == "calibrate support-reply --judge anthropic --budget 2 || test $? -eq 4"
    assert calibrate["env"] == {"ANTHROPIC_API_KEY": "${{ secrets.ANTHROPIC_API_KEY }}"}


def test_a_rubric_may_have_the_same_name_as_a_placeholder_in_the_template_of_the_workflow(project: Path) -> None:
    for kind in ("rubrics", "calibration"):
        (shipped,) = (project / kind).glob("support-reply*")
        shipped.rename(shipped.with_name(f"JUDGE{shipped.suffix}"))
    assert run("markscheme", "init", "--ci", cwd=project).returncode == 0
    assert steps_of(project)[-1]["run"].startswith("calibrate JUDGE --judge anthropic ")


def test_the_commands_of_the_workflow_run_in_the_project_with_the_judge_of_its_settings(project: Path) -> None:
    (project / "markscheme.toml").write_text('judge = "openai:my-model"\n')
    assert run("markscheme", "init", "--ci", cwd=project).returncode == 0
    *_, lint, calibrate = steps_of(project)
    assert calibrate["run"].startswith("calibrate support-reply --judge openai:my-model ||")
    assert calibrate["env"] == {"OPENAI_API_KEY": "${{ secrets.OPENAI_API_KEY }}"}
    assert run("markscheme", *lint["run"].split()[1:-1], "rubrics/support-reply.yaml", cwd=project).returncode == 0
    words = calibrate["run"].partition(" ||")[0].replace("openai:my-model", "function:stand_in_judge:judge").split()
    assert run(*words, cwd=project).returncode in (0, 4)


def test_init_with_the_ci_option_refuses_projects_without_a_rubric_and_unsafe_rubric_names(
    tmp_path: Path,
) -> None:
    empty = run("markscheme", "init", "--ci", cwd=tmp_path)
    assert (empty.returncode, "has no rubric to check" in empty.stderr) == (2, True)
    both = run("markscheme", "init", "--ci", "--skill", cwd=tmp_path)
    assert (both.returncode, "name one of --from, --skill and --ci" in both.stderr) == (2, True)
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "${{ x }}.yaml").write_text("criteria: [{requirement: It is short.}]\n")
    unsafe = run("markscheme", "init", "--ci", cwd=tmp_path)
    assert (unsafe.returncode, "a rubric's name has only letters" in unsafe.stderr) == (2, True)
    assert not (tmp_path / ".github").exists()


def test_init_with_the_force_option_replaces_existing_files_and_never_writes_through_a_link(project: Path) -> None:
    config = project / "promptfooconfig.yaml"
    shipped = config.read_text()
    config.unlink()
    (project / "elsewhere.yaml").write_text("mine\n")
    config.symlink_to("elsewhere.yaml")
    grader = project / "graders" / "session.py"
    grader.write_text("mine\n")
    assert run("markscheme", "init", "--force", cwd=project).returncode == 0
    assert "mine" not in grader.read_text()
    assert (config.is_symlink(), (project / "elsewhere.yaml").read_text()) == (True, "mine\n")
    config.unlink()
    assert run("markscheme", "init", "--force", cwd=project).returncode == 0
    assert config.read_text() == shipped


def test_init_with_the_force_option_replaces_no_file_if_one_has_uncommitted_changes(project: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    grader, examples = project / "graders" / "session.py", project / "calibration" / "support-reply" / "examples.jsonl"
    grader.write_text("committed\n")
    git(project, "commit", "-qam", "second")
    examples.write_text("{}\n")
    refused = run("markscheme", "init", "--force", cwd=project)
    assert refused.returncode == 2
    assert f"{examples.relative_to(project)} has uncommitted changes" in refused.stderr
    assert (grader.read_text(), examples.read_text()) == ("committed\n", "{}\n")
