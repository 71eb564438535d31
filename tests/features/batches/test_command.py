"""`--batch` and `markscheme batches` as a user runs them, and what is listed as under way."""

import json
from pathlib import Path

import pytest

from markscheme.features.batches.ledger import BatchLedger
from markscheme.judges.judge import Identity, Reply, Usage
from markscheme.report.under_way import UNDER_WAY
from tests.commands.console import run
from tests.features.batches.batch_server import BatchServer
from tests.judges.asking import KEY

RUBRIC = "name: capital\ncriteria:\n  - requirement: Mentions Paris\n"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A working directory with a rubric and three responses, and a cache of its own."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "capital.yaml").write_text(RUBRIC, encoding="utf-8")
    lines = (json.dumps({"id": f"r{n}", "response": f"Paris, {n}"}) for n in range(3))
    (tmp_path / "responses.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def _environment(here: Path, url: str) -> dict[str, str]:
    return {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url, "MARKSCHEME_CACHE": str(here / "cache")}


def _left_batch(here: Path, address: str, remote: str = "batch_0") -> None:
    """A batch of three prompts, one of them read, as a stopped run leaves it."""
    ledger, judge = BatchLedger(here / "cache"), Identity("anthropic", "judge", {"max_tokens": 9}, address)
    ledger.intend("token", judge, ["1", "2", "3"], 0.75)
    if remote:
        ledger.sent("token", remote)
    ledger.processed("token", 2)
    ledger.keep("token", [("1", Reply("x", usage=Usage(1, 10, 5, 0.01, 1, 0.01)))])
    ledger.close()


@pytest.mark.proof  # a process that loads the SDK
def test_the_grade_command_with_the_batch_option_sends_one_batch_and_prints_what_the_batch_cost(here: Path) -> None:
    command = ("markscheme", "grade", "capital", "responses.jsonl", "--judge", "anthropic", "--batch", "--json")
    with BatchServer(delay=0.0) as server:
        done = run(*command, "-o", "price=3:15", cwd=here, env=_environment(here, server.url))
    assert done.returncode == 0, done.stderr
    grades = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(grade["id"], grade["score"]) for grade in grades] == [("r0", 1.0), ("r1", 1.0), ("r2", 1.0)]
    assert grades[0]["usage"]["batched_usd"] == grades[0]["usage"]["usd"] > 0
    assert "batch batch_0: 3 prompts sent. You can stop here: run the same command again to take it up" in done.stderr
    assert "batch batch_0: 3 replies, $0.0025 at half price" in done.stderr


def test_the_batches_command_lists_a_batch_that_is_under_way(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _left_batch(here, "http://127.0.0.1:9")
    monkeypatch.setenv("MARKSCHEME_CACHE", str(here / "cache"))
    line = "batch_0: 3 prompts to anthropic, judge, sent 0 min ago, 2 processed, 1 read, $0.0100 so far, $0.75 at most"
    assert run("markscheme", "batches", cwd=here, env=_environment(here, "")).stdout == line + "\n"
    listed = [look() for look in UNDER_WAY]
    assert [lines for lines, by_key in listed if "batches" in by_key] == [[f"batch {line}"]]
    ((batch,),) = [by_key["batches"] for _, by_key in listed if "batches" in by_key]
    assert batch["age_seconds"] < 60
    del batch["age_seconds"]
    assert batch == {
        "id": "batch_0",
        "token": "token",
        "judge": "anthropic, judge",
        "prompts": 3,
        "processed": 2,
        "read": 1,
        "usd": 0.01,
        "usd_at_most": 0.75,
    }


def test_a_batch_is_cancelled_at_its_provider_and_can_be_forgotten_locally(here: Path) -> None:
    with BatchServer(delay=30) as server:
        server.add([])
        _left_batch(here, server.url)
        done = run("markscheme", "batches", "cancel", "batch_0", cwd=here, env=_environment(here, server.url))
        assert done.stdout.startswith("cancelled: batch_0: 3 prompts")
        assert server.batches["batch_0"].canceled
        elsewhere = run("markscheme", "batches", "cancel", cwd=here, env=_environment(here, "http://127.0.0.1:9"))
        assert (elsewhere.returncode, "set the base URL of anthropic to that" in elsewhere.stderr) == (2, True)
    assert run("markscheme", "batches", "forget", cwd=here, env=_environment(here, "")).returncode == 0
    done = run("markscheme", "batches", cwd=here, env=_environment(here, ""))
    assert (done.returncode, done.stdout.partition(";")[0]) == (1, "no batch is under way")


def test_a_batch_cannot_be_cancelled_before_its_provider_has_given_it_an_id(here: Path) -> None:
    _left_batch(here, "", remote="")
    done = run("markscheme", "batches", "cancel", cwd=here, env=_environment(here, ""))
    assert (done.returncode, "run the command that sent it again" in done.stderr) == (2, True)
    unknown = run("markscheme", "batches", "forget", "other", cwd=here, env=_environment(here, ""))
    assert (unknown.returncode, "no batch other is under way" in unknown.stderr) == (2, True)
