"""`markscheme init`: what it puts into a project runs there, and what was there stays."""

import json
import subprocess
import sys
from pathlib import Path

from markscheme.ratings.examples import load_examples
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run
from tests.promptfoo.answering import judging
from tests.real.messages_front import MessagesFront
from tests.real.promptfoo import PromptfooInstall, run_eval

FILES = [
    "calibration/support-reply/README.md",
    "calibration/support-reply/examples.jsonl",
    "graders/rubric_grader.mjs",
    "graders/rubric_grader.py",
    "graders/rubric_provider.mjs",
    "graders/rubric_provider.py",
    "graders/session.py",
    "graders/warm_session.mjs",
    "promptfooconfig.yaml",
    "rubrics/support-reply.yaml",
]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_it_makes_graders_a_rubric_examples_and_a_configuration(tmp_path: Path) -> None:
    done = run("markscheme", "init", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"schema": 1, "created": FILES, "kept": []}
    assert list(files(tmp_path)) == FILES


def test_it_touches_nothing_that_exists(tmp_path: Path) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text("mine\n")
    (tmp_path / "graders").mkdir()
    (tmp_path / "graders" / "rubric_grader.py").write_text("mine too\n")
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "support-reply.yaml").symlink_to("nowhere")
    done = run("markscheme", "init", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "kept  promptfooconfig.yaml (already there)" in done.stdout
    assert "file://graders/rubric_grader.mjs" in done.stdout
    assert (tmp_path / "promptfooconfig.yaml").read_text() == "mine\n"
    assert (tmp_path / "graders" / "rubric_grader.py").read_text() == "mine too\n"
    assert not (tmp_path / "rubrics" / "nowhere").exists()
    once = files(tmp_path)
    assert run("markscheme", "init", cwd=tmp_path).returncode == 0
    assert files(tmp_path) == once


def test_a_full_disk_never_leaves_a_file_that_the_next_run_takes_for_yours(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    run("markscheme", "init", str(whole))
    sizes = sorted(len(content) for content in files(whole).values())
    project = tmp_path / "project"
    code = f"""if True:
        from markscheme.cli import main
        from tests.full_disk import disk_of
        with disk_of({sizes[-1] - 1}):
            raise SystemExit(main(["init", {str(project)!r}]))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, "cannot be written: File too large" in done.stderr) == (2, True), done.stderr
    assert all(files(whole)[name] == content for name, content in files(project).items())
    assert run("markscheme", "init", str(project)).returncode == 0
    assert files(project) == files(whole)


def test_a_file_in_the_place_of_a_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "graders").write_text("a file")
    done = run("markscheme", "init", cwd=tmp_path)
    assert done.returncode == 2
    assert "graders" in done.stderr
    assert run("markscheme", "init", str(tmp_path / "graders")).returncode == 2


def test_its_rubric_has_yes_no_criteria_that_lint_has_nothing_to_say_about(tmp_path: Path) -> None:
    run("markscheme", "init", str(tmp_path))
    rubric = load_rubric(tmp_path / "rubrics" / "support-reply.yaml")
    assert all(criterion.scale.is_yes_no for criterion in rubric.criteria)
    done = run("markscheme", "lint", "rubrics/support-reply.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    examples = load_examples(tmp_path / "calibration" / "support-reply" / "examples.jsonl", rubric)
    assert len(examples.examples) == 10
    assert all(label.kind == "constructed" for example in examples.examples for label in example.labels)


def test_its_configuration_runs_and_its_examples_calibrate(
    promptfoo: PromptfooInstall, runtime: Path, tmp_path: Path
) -> None:
    run("markscheme", "init", str(tmp_path))
    with MessagesFront(judging()) as front:
        env = {
            "ANTHROPIC_API_KEY": "key-of-a-test",
            "ANTHROPIC_BASE_URL": front.url,
            "MARKSCHEME_CACHE": str(tmp_path / "cache"),
        }
        done = run_eval(tmp_path / "promptfooconfig.yaml", cwd=tmp_path, env=env)
        rows = done.results["results"]["results"]
        assert len(rows) == 2
        for row in rows:
            assert set(row["namedScores"]) >= {"answers", "next-step", "notices", "promises"}
        calibrated = run("calibrate", "support-reply", "--json", "-", cwd=tmp_path, env=env)
    assert calibrated.returncode in (1, 4), calibrated.stderr
    assert json.loads(calibrated.stdout)["counts"]["examples"] == 10


def test_a_wheel_carries_what_it_copies(unpacked_wheel: Path, tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(unpacked_wheel)!r})
from markscheme.cli import main
from markscheme.rubrics.search import find_rubric
main(["init"])
print(find_rubric("api-design").relative_to({str(unpacked_wheel)!r}))
"""
    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == str(Path("markscheme", "shipped", "rubrics", "api-design.yaml"))
    assert list(files(tmp_path)) == FILES
