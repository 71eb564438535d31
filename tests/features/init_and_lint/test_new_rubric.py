"""What lint says of the rubric of a new project."""

from pathlib import Path

from markscheme.ratings.examples import load_examples
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run


def test_the_rubric_that_init_writes_has_yes_no_criteria_and_lint_has_no_advice_on_it(tmp_path: Path) -> None:
    run("markscheme", "init", str(tmp_path))
    rubric = load_rubric(tmp_path / "rubrics" / "support-reply.yaml")
    assert all(criterion.scale.is_yes_no for criterion in rubric.criteria)
    done = run("markscheme", "lint", "rubrics/support-reply.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    examples = load_examples(tmp_path / "calibration" / "support-reply" / "examples.jsonl", rubric)
    assert len(examples.examples) == 10
    assert all(label.kind == "constructed" for example in examples.examples for label in example.labels)
