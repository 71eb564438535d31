"""On a yes/no table our point figures are those of judgekeeper."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run

# judgekeeper 0.1.3 (PyPI), `judgekeeper check table.csv`, report.json: runs[0] of each table made by `rows` below.
# `python -m benchmarks.judgekeeper` runs it again next to ours.
JUDGEKEEPER = {
    "good": {
        "tpr": 0.8888888888888888, "tnr": 0.9583333333333334, "kappa": 0.8299319727891156,
        "accuracy": 0.9166666666666666, "confusion": {"tp": 32, "fn": 4, "fp": 1, "tn": 23},
    },
    "always": {
        "tpr": 1.0, "tnr": 0.0, "kappa": 0.0, "accuracy": 0.6, "confusion": {"tp": 36, "fn": 0, "fp": 24, "tn": 0},
    },
    "errors": {
        "tpr": 0.8666666666666667, "tnr": 0.9583333333333334, "kappa": 0.8148148148148149,
        "accuracy": 0.9074074074074074, "confusion": {"tp": 26, "fn": 4, "fp": 1, "tn": 23},
    },
}  # fmt: skip
WRONG = (4, 13, 17, 31, 44)


def rows(kind: str) -> list[str]:
    """Make 60 answers, 36 of which pass by label; the judge misses five, always passes, or leaves six undecided."""
    lines = []
    for i in range(60):
        label = int((i + 1) * 0.6) > int(i * 0.6)
        verdict = True if kind == "always" else label != (i in WRONG)
        verdict_text = "" if kind == "errors" and i % 10 == 9 else "pass" if verdict else "fail"
        lines.append(f"e{i},question {i},answer {i},{verdict_text},{'pass' if label else 'fail'}")
    return ["id,input,output,verdict,label", *lines]


@pytest.mark.parametrize(("kind", "status"), [("good", 0), ("always", 1), ("errors", 4)])
def test_confusion_counts_and_kappa_of_calibrate_equal_those_of_the_tool_judgekeeper(
    tmp_path: Path, kind: str, status: int
) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "one.yaml").write_text("criteria:\n- {name: good, requirement: It is good}\n")
    (tmp_path / "table.csv").write_text("\n".join(rows(kind)) + "\n")
    home = tmp_path / "calibration" / "one"
    people = ("--only", "people", "--kind", "human", "--to", str(home / "ratings" / "person.jsonl"))
    examples = ("--examples", str(home / "examples.jsonl"))
    assert run("markscheme", "import", "table.csv", "--rubric", "one", *people, *examples, cwd=tmp_path).returncode == 0
    judges = ("--only", "judges", "--kind", "human", "--to", "judge.jsonl")
    assert run("markscheme", "import", "table.csv", "--rubric", "one", *judges, cwd=tmp_path).returncode == 0
    done = run("calibrate", "one", "--ratings", "judge.jsonl", "--json", "-", cwd=tmp_path)
    report = json.loads(done.stdout)
    good, theirs = report["criteria"]["good"], JUDGEKEEPER[kind]
    names = {"tpr": "recall", "tnr": "specificity", "kappa": "cohen_kappa", "accuracy": "accuracy"}
    ours = {name: good[our]["value"] for name, our in names.items()}
    assert ours == {name: pytest.approx(theirs[name], abs=1e-12) for name in names}
    (tn, fp), (fn, tp) = good["confusion"]["matrix"]
    assert {"tp": tp, "fn": fn, "fp": fp, "tn": tn} == theirs["confusion"]
    assert report["overall"]["accuracy"]["value"] == ours["accuracy"]
    assert done.returncode == status
