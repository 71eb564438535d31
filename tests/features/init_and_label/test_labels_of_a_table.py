"""Labels of a table from which a project was made."""

from pathlib import Path

from tests.commands.console import run


def test_init_turns_a_table_of_two_annotators_without_a_judge_into_labels_and_suggests_to_adjudicate(
    tmp_path: Path,
) -> None:
    rows = ["e1,How?,Like this.,pass,pass", "e2,When?,Now.,fail,pass"]
    (tmp_path / "t.csv").write_text("\n".join(["id,question,answer,ana,ben", *rows]) + "\n", encoding="utf-8")
    done = run("markscheme", "init", "--from", "t.csv", "--human", "ana", "--human", "ben", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "decide which label counts where they differ: `markscheme label t --disputed`" in done.stdout
    assert "The same judge" not in done.stdout
    progress = run("markscheme", "label", "t", "--progress", cwd=tmp_path)
    assert "labelled: 2 by 2" in progress.stdout, progress.stderr
    compared = run("calibrate", "t.csv", "--human", "ana", "--human", "ben", cwd=tmp_path)
    assert (compared.returncode, "The two annotators agree on 50%" in compared.stdout) == (0, True)


def test_a_labelling_plan_can_be_made_for_a_project_that_init_made_from_outputs_without_ratings(tmp_path: Path) -> None:
    (tmp_path / "outputs.csv").write_text("id,response\na,Rye.\nb,Oat.\n")
    done = run("markscheme", "init", "project", "--from", "outputs.csv", cwd=tmp_path)
    assert "`cd project && markscheme label outputs`" in done.stdout
    planned = run("markscheme", "label", "outputs", "--plan", cwd=tmp_path / "project")
    assert planned.returncode == 0, planned.stderr
    assert "0 labelled examples" in planned.stdout
