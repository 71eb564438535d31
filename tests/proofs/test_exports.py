"""Files that the tools' own libraries write, each in an environment of its own, give the figures of our small exports.

`makers/TOOL.txt` is the program that writes them: six replies, a judge, and one annotator with whom it agrees on four.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.console import ROOT, environment, run
from tests.proofs.environments import ran

pytestmark = pytest.mark.release

MAKERS = Path(__file__).parent / "makers"
WRITTEN = {
    "inspect": (["log.eval", "log.json"], ()),
    "deepeval": (["runs/*.json"], ("--map", "metadata.human=place", "--kind", "human", "--rater", "ann")),
    "mlflow": (["mlflow.db"], ()),
    "phoenix": (["phoenix.db"], ()),
}
UNGRADED = {"deepeval": 1}
"""Replies on which the judge failed; they are labelled and count in no agreement."""


@pytest.fixture(params=sorted(WRITTEN))
def tool(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A tool whose library has written its files into `tmp_path`."""
    ran(MAKERS / f"{request.param}.txt", tmp_path, DEEPEVAL_RESULTS_FOLDER=str(tmp_path / "runs"))
    return str(request.param)


def test_what_the_library_writes_is_read(tool: str, tmp_path: Path) -> None:
    patterns, extra = WRITTEN[tool]
    for path in (path for pattern in patterns for path in tmp_path.glob(pattern)):
        done = run("calibrate", str(path), *extra, "--json", "-", cwd=tmp_path)
        assert done.stdout, done.stderr
        found = json.loads(done.stdout)
        (place,) = found["metrics"]
        one = place["calibration"]
        assert (one["agreement"]["n"], one["agreement"]["value"]) == (6, pytest.approx(4 / 6))
        assert (len(one["false_passes"]), one["counts"]["not_graded"]) == (1, UNGRADED.get(tool, 0))
        assert (found["lost"], found["not_compared"]) == ({}, [])


def test_the_response_is_whole(tool: str, tmp_path: Path) -> None:
    patterns, extra = WRITTEN[tool]
    path = next(path for pattern in patterns for path in tmp_path.glob(pattern))
    given = ("--to", "r.jsonl", "--examples", "e.jsonl")
    assert run("markscheme", "import", str(path), *extra, *given, cwd=tmp_path).returncode == 0
    lines = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    responses = sorted(line["response"] for line in lines)[:6]
    tail = " " + "x" * 2000 if tool == "mlflow" else ""
    assert responses == [f"Reply p{number}.{tail}" for number in range(1, 7)]


MEASURED = """
import resource
from markscheme.cli import main
status = main(["import", "scores.json", "traces.json", "--to", "r.jsonl", "--examples", "e.jsonl"])
print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_an_export_of_two_gigabytes_is_read_entry_by_entry(tmp_path: Path) -> None:
    more = {"timestamp": "2026-11-01T09:00:00Z", "name": "a", "input": "?", "metadata": {"log": "x" * 1_000_000}}
    with (tmp_path / "traces.json").open("w") as file:
        for at in range(2000):
            file.write("[" if at == 0 else ",\n")
            file.write(json.dumps({"id": f"t{at}", "output": f"Reply {at}.", **more}))
        file.write("]")
    scores = [
        {"id": f"{at}-{rater}", "traceId": f"t{at}", "source": source, "name": "place", "dataType": "BOOLEAN",
         "value": at % 2, "authorUserName": rater, "timestamp": "2026-11-01T09:00:00Z"}
        for at in range(2000) for source, rater in (("EVAL", "judge-1"), ("ANNOTATION", "ann"))
    ]  # fmt: skip
    (tmp_path / "scores.json").write_text(json.dumps(scores))
    command = [sys.executable, "-c", MEASURED]
    found = {**environment({}), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=tmp_path, env=found, capture_output=True, text=True, check=True)
    status, megabytes = map(int, done.stdout.split()[-2:])
    assert (status, (tmp_path / "traces.json").stat().st_size > 2e9) == (0, True), done.stderr
    assert megabytes < 300
    assert len((tmp_path / "e.jsonl").read_text().splitlines()) == 2000
    (tmp_path / "traces.json").unlink()
