"""Records of tools without a reader here, which `import --map` reads; their rows are those of the real libraries."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run

ASKED = "Where is my parcel?"
LABELS = [("MET", "MET", "MET"), ("UNMET", "MET", "MET"), ("UNMET", "UNMET", "UNMET")]
"""Of each reply: ann's, ben's and the judge's."""
RUBRIC = "criteria:\n- {name: place, requirement: It says where the parcel is.}\n"
Rows = list[dict[str, Any]]


def argilla() -> Rows:
    """Return records as argilla 2.8.0's `Record.to_dict` makes them."""
    return [
        {
            "id": f"p{n}",
            "fields": {"question": ASKED, "reply": f"Reply p{n}."},
            "metadata": {"desk": "north"},
            "suggestions": {"place": {"value": judge, "score": 0.9, "agent": "judge-1"}},
            "responses": {"place": [{"value": ann, "user_id": "ann"}, {"value": ben, "user_id": "ben"}]},
            "vectors": {},
            "status": "completed",
            "_server_id": None,
        }
        for n, (ann, ben, judge) in enumerate(LABELS, start=1)
    ]


def braintrust() -> Rows:
    """Return rows with the fields of braintrust's `EvalResult`, and the id that rows of an experiment have."""
    return [
        {
            "id": f"p{n}",
            "input": ASKED,
            "output": f"Reply p{n}.",
            "scores": {"place": float(judge == "MET"), "reviewed place": float(ann == "MET")},
            "classifications": None,
            "expected": None,
            "metadata": {"n": n},
            "tags": None,
            "error": None,
            "origin": None,
        }
        for n, (ann, _, judge) in enumerate(LABELS, start=1)
    ]


def prodigy(view: str) -> Rows:
    """Return lines as the documentation of Prodigy's `db-out` shows them: one for each annotator and task."""

    def answered(level: str) -> dict[str, Any]:
        if view == "choice":
            options = [{"id": name, "text": name} for name in ("MET", "UNMET")]
            return {"options": options, "accept": [level], "answer": "accept"}
        return {"label": "place", "answer": "accept" if level == "MET" else "reject"}

    return [
        {
            "text": f"Reply p{n}.",
            "_input_hash": 100 + n,
            "_task_hash": 200 + n,
            "_view_id": view,
            **answered(level),
            "_annotator_id": rater,
            "_session_id": rater,
            "_timestamp": 1_795_346_682,
        }
        for n, levels in enumerate(LABELS, start=1)
        for rater, level in zip(("ann", "ben"), levels, strict=False)
    ]


FROM_ARGILLA = (
    *("--map", "fields.reply=response", "--map", "fields.question=query", "--map", "suggestions.place.value=verdict"),
    *("--map", "suggestions.place.agent=judge", "--map", "responses.place.*.value=label"),
    *("--map", "responses.place.*.user_id=rater", "--kind", "human"),
)
FROM_BRAINTRUST = ("--map", "scores.place=verdict", "--map", "scores.reviewed place=label", "--kind", "human")
FROM_PRODIGY = ("--map", "_input_hash=id", "--map", "text=response", "--map", "_annotator_id=rater", "--kind", "human")
HUMAN = {("p1", "ann", 1.0), ("p1", "ben", 1.0), ("p2", "ann", 0.0), ("p2", "ben", 1.0), ("p3", "ann", 0.0),
         ("p3", "ben", 0.0)}  # fmt: skip


def imported(folder: Path, rows: Rows, words: Sequence[str], name: str) -> tuple[set[tuple[str, str, float]], str]:
    """Import a file; return id, rater and level of each rating, and the import's report."""
    (folder / "place.yaml").write_text(RUBRIC)
    text = json.dumps(rows) if name.endswith(".json") else "".join(json.dumps(row) + "\n" for row in rows)
    (folder / name).write_text(text)
    done = run("markscheme", "import", name, "--rubric", "place.yaml", "--to", "out.jsonl", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    ratings = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    return {(line["id"], line["rater"], line["criteria"]["place"]["level"]) for line in ratings}, done.stdout


@pytest.mark.parametrize("name", ["records.json", "records.jsonl"])
def test_the_import_command_reads_each_annotator_s_answer_and_the_suggestion_from_argilla_s_records(
    tmp_path: Path, name: str
) -> None:
    ratings, report = imported(tmp_path, argilla(), FROM_ARGILLA, name)
    assert ratings == HUMAN | {("p1", "judge-1", 1.0), ("p2", "judge-1", 1.0), ("p3", "judge-1", 0.0)}
    assert "second ratings" not in report


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl"])
def test_the_import_command_reads_scores_of_a_judge_and_of_a_reviewer_from_braintrust_s_rows(
    tmp_path: Path, name: str
) -> None:
    ratings, report = imported(tmp_path, braintrust(), FROM_BRAINTRUST, name)
    of_judge = {("p1", "judge", 1.0), ("p2", "judge", 1.0), ("p3", "judge", 0.0)}
    assert ratings == of_judge | {("p1", "human", 1.0), ("p2", "human", 0.0), ("p3", "human", 0.0)}
    assert "3 cells of column 'metadata.n'" in report


VIEWS: Mapping[str, Sequence[str]] = {
    "choice": ("--map", "accept=place"),
    "classification": ("--map", "label=criterion", "--map", "answer=level"),
}


@pytest.mark.parametrize("view", VIEWS)
def test_the_import_command_reads_a_choice_or_an_accepted_label_from_prodigy_s_lines(tmp_path: Path, view: str) -> None:
    ratings, _ = imported(tmp_path, prodigy(view), (*FROM_PRODIGY, *VIEWS[view]), "prodigy.jsonl")
    assert ratings == {(unit.replace("p", "10"), rater, level) for unit, rater, level in HUMAN}
