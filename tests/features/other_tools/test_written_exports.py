"""Files that the tools' own libraries write, each in an environment of its own, give the figures of our small exports.

`tests/proofs/makers/TOOL.txt` is the program that writes them: six replies, a judge, and one annotator with whom it
agrees on four.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.console import ROOT, environment, run
from tests.proofs.environments import ran

pytestmark = pytest.mark.release

MAKERS = ROOT / "tests" / "proofs" / "makers"
WRITTEN = {
    "inspect": (["log.eval", "log.json"], ()),
    "deepeval": (["runs/*.json"], ("--map", "metadata.human=place", "--kind", "human", "--rater", "ann")),
    "mlflow": (["mlflow.db", "traces.json"], ()),
    "phoenix": (["phoenix.db"], ()),
    "langsmith": (["feedback.json runs.json"], ("--kind", "human", "--rater", "ann")),
    "langfuse": (["scores.json"], ("--kind", "model", "--rater", "judge-1")),
    "labelstudio": (["snapshot.json"], ()),
    "argilla": (["records.json", "flat.json"], ()),
    "ragas": (["annotated.json"], ("--rater", "ann")),
}
"""By tool the files, those that are read together in one text, and what has to be said to read them."""
LOST = {
    "langfuse": {"scores of the type TEXT": 1},
    "labelstudio": {"'value.labels' of a result": 2, "'value.start' of a result": 4, "'value.end' of a result": 4},
}
"""What isn't a rating."""
WITHOUT_RESPONSES = {"langfuse"}
"""Tools whose files, as written here, have ratings alone."""
UNGRADED = {"deepeval": 1}
"""Replies on which the judge failed; they are labelled and count in no agreement."""


@pytest.fixture(scope="module", params=sorted(WRITTEN))
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return a tool's name, and the folder of the files that the tool's own library wrote."""
    folder = tmp_path_factory.mktemp(request.param)
    ran(MAKERS / f"{request.param}.txt", folder, DEEPEVAL_RESULTS_FOLDER=str(folder / "runs"))
    return request.param, folder


def test_exports_written_by_a_tool_s_own_library_are_read(written: tuple[str, Path]) -> None:
    tool, folder = written
    patterns, extra = WRITTEN[tool]
    for pattern in patterns:
        done = run("calibrate", *paths(folder, pattern), *extra, "--json", "-", cwd=folder)
        assert done.stdout, done.stderr
        report = json.loads(done.stdout)
        (place,) = report["metrics"]
        calibration = place["calibration"]
        assert (calibration["agreement"]["n"], calibration["agreement"]["value"]) == (6, pytest.approx(4 / 6))
        assert (len(calibration["false_passes"]), calibration["counts"]["not_graded"]) == (1, UNGRADED.get(tool, 0))
        assert (report["lost"], report["not_compared"]) == (LOST.get(tool, {}), [])


def paths(folder: Path, patterns: str) -> list[str]:
    """Return the paths of the files that these patterns match."""
    return [str(path) for pattern in patterns.split() for path in folder.glob(pattern)]


@pytest.mark.parametrize("written", sorted(WRITTEN.keys() - WITHOUT_RESPONSES), indirect=True)
def test_responses_in_exports_written_by_a_tool_s_own_library_are_read_completely(written: tuple[str, Path]) -> None:
    tool, folder = written
    patterns, extra = WRITTEN[tool]
    options = ("--to", "r.jsonl", "--examples", "e.jsonl")
    assert run("markscheme", "import", *paths(folder, patterns[0]), *extra, *options, cwd=folder).returncode == 0
    lines = [json.loads(line) for line in (folder / "e.jsonl").read_text().splitlines()]
    responses = sorted(line["response"] for line in lines)[:6]
    tail = " " + "x" * 2000 if tool == "mlflow" else ""
    assert responses == [f"Reply p{number}.{tail}" for number in range(1, 7)]


MEASURED = """
import resource
from markscheme.cli import main
status = main(["import", "scores.json", "traces.json", "--to", "r.jsonl", "--examples", "e.jsonl"])
print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_an_export_of_two_gigabytes_is_read_without_loading_it_as_a_whole(tmp_path: Path) -> None:
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
    variables = {**environment({}), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True)
    status, megabytes = map(int, done.stdout.split()[-2:])
    assert (status, (tmp_path / "traces.json").stat().st_size > 2e9) == (0, True), done.stderr
    assert megabytes < 300
    assert len((tmp_path / "e.jsonl").read_text().splitlines()) == 2000
    (tmp_path / "traces.json").unlink()
