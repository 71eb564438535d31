"""A low limit on open files: calls beyond it wait, and no run ends in an unexpected error."""

import asyncio
import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from markscheme.errors import JudgeBusy
from markscheme.judges.judge import Identity, Reply
from markscheme.judges.limited import Limited, Limiter
from markscheme.judges.open_files import calls_that_fit, lacks_files
from markscheme.prompts.prompt import Prompt
from tests.judges.asking import PROMPT, VERDICT
from tests.judges.chat_server import ChatServer, completion

resource = pytest.importorskip("resource", reason="runs on POSIX systems, which limit open files")
ROWS = 40
RUBRIC = "name: r\ninputs: [query]\ncriteria: [{name: c1, requirement: Mentions Paris, weight: 1}]\n"


@pytest.mark.parametrize("files", [64, 24])
@pytest.mark.proof
def test_calls_beyond_the_limit_of_open_files_wait_and_every_row_is_graded(tmp_path: Path, files: int) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics/r.yaml").write_text(RUBRIC)
    rows = [{"id": f"x{n}", "query": "Where?", "response": f"Paris {n}."} for n in range(ROWS)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [
        "grade",
        "r",
        "rows.jsonl",
        "--judge",
        "openai:m",
        "-o",
        "concurrency=64",
        "-o",
        "cache=off",
        "--out",
        "graded.jsonl",
    ]
    with ChatServer(lambda _: completion(VERDICT)) as server:
        done = subprocess.run(
            ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", sys.executable, "-m", "markscheme", *command],
            cwd=tmp_path,
            env={"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "k", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "ulimit -n" in done.stderr
    graded = [json.loads(line) for line in (tmp_path / "graded.jsonl").read_text().splitlines()]
    assert [(row["id"], row["score"]) for row in graded] == [(row["id"], 1.0) for row in rows]


class WithoutFiles:
    """Judge whose first calls fail because no more files can be opened."""

    identity = Identity("without-files")

    def __init__(self, failures: int) -> None:
        self.failures = failures

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        self.failures -= 1
        if self.failures >= 0:
            raise OSError(errno.EMFILE, "Too many open files")
        return Reply(VERDICT)

    async def aclose(self) -> None:
        """Do nothing, since nothing is open."""


def test_a_call_that_fails_for_too_many_open_files_is_retried_and_then_counts_as_a_busy_judge() -> None:
    again = Limited(WithoutFiles(2), Limiter(), first_wait=0.01)
    assert asyncio.run(again.reply(PROMPT)).text == VERDICT
    with pytest.raises(JudgeBusy, match="ulimit -n"):
        asyncio.run(Limited(WithoutFiles(9), Limiter(), first_wait=0.01, attempts=2).reply(PROMPT))


def test_the_number_of_calls_that_may_run_at_once_is_at_most_the_limit_of_open_files() -> None:
    fitting = calls_that_fit()
    assert fitting is None or 1 <= fitting <= resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_an_error_whose_cause_is_too_many_open_files_is_recognized() -> None:
    wrapped = ImportError("no module")
    wrapped.__cause__ = OSError(errno.EMFILE, "Too many open files")
    assert lacks_files(wrapped)
    assert not lacks_files(OSError(errno.ENOENT, "No such file"))
