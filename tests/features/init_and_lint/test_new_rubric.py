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


def test_lint_accepts_the_rubric_that_init_writes_from_a_table_with_the_labels_of_two_annotators(
    tmp_path: Path,
) -> None:
    lines = ["id,answer,judge,ana,ben", *(f"r{n},It is {n}.,yes,yes,no" for n in range(3))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    done = run("markscheme", "init", "--from", "t.csv", "--human", "ana", "--human", "ben", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert load_rubric(tmp_path / "rubrics" / "t.yaml").criteria[0].requirement == "What annotators say of a response."
    lint = run("markscheme", "lint", "t", cwd=tmp_path)
    assert (lint.returncode, lint.stdout) == (0, "rubrics/t.yaml: no issues\n")
