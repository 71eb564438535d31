"""The parameters that requests to a server left out are part of the judge's identity everywhere."""

import asyncio
import json
from collections.abc import Callable
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric, Submission, calibrate
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.judge_runs import rated_by
from markscheme.grading import Grading, receipt_of
from markscheme.grading.receipt import load_receipt
from markscheme.judges.judge import Identity, Judge, Reply
from markscheme.judges.openai import OpenAIJudge
from markscheme.judges.options import AskOptions
from markscheme.judges.panel import Panel, Repeated
from markscheme.judges.remembering import Memory, Remembering
from markscheme.prompts.prompt import Prompt
from markscheme.ratings.examples import examples_from
from markscheme.ratings.rating import RatingReader
from tests.judges.asking import PROMPT
from tests.judges.chat_server import Answer, ChatServer, completion

pytestmark = pytest.mark.usefixtures("no_authorities")

RUBRIC = Rubric.from_dict([{"name": "polite", "requirement": "The reply is polite", "weight": 1}])
REFUSED = {"message": "not supported", "param": "response_format", "code": "unsupported_parameter"}
NO_FORMAT = ("json_object", "json_schema")
"""What a server leaves out that takes no format at all."""


def rows(n: int = 40) -> list[dict[str, Any]]:
    """Make examples that two annotators label equally, every other one polite."""
    labelled = range(100, 100 + n)
    return [
        {
            "id": f"e{k}",
            "response": f"reply {k}",
            "labels": [{"rater": rater, "criteria": {"polite": bool(k % 2)}} for rater in "ab"],
        }
        for k in labelled
    ]


def server_that_refuses_the_format(refuses: Callable[[int], bool]) -> ChatServer:
    """Make a server whose verdicts equal the labels and that refuses a response format for some examples."""

    def decide(body: dict[str, Any]) -> Answer:
        number = next(k for k in range(100, 200) if f"reply {k}" in body["messages"][-1]["content"])
        if refuses(number) and "response_format" in body:
            return Answer({"error": REFUSED}, 400)
        level = "MET" if number % 2 else "UNMET"
        verdict = {"quote": "nothing to quote", "reason": f"It is number {number}.", "level": level}
        return completion(json.dumps({"verdicts": {"polite": verdict}}))

    return ChatServer(decide)


def for_every_row(*, is_refused: bool) -> Callable[[int], bool]:
    return lambda _: is_refused


def at(server: ChatServer) -> OpenAIJudge:
    return OpenAIJudge("m", api_key="k", base_url=server.url)


def test_if_a_server_refuses_the_json_schema_for_one_response_the_report_says_the_judge_was_asked_in_two_ways() -> None:
    with server_that_refuses_the_format(lambda number: number == 120) as server:
        judge = at(server)
        configured = judge.identity.fingerprint
        with pytest.warns(RuntimeWarning, match="refused one prompt and answered it when asked without"):
            mixed = calibrate(RUBRIC, rows(), judge, concurrency=1)
        with_format = sum("response_format" in body for body in server.requests)
    assert with_format == 39 + 2, "the row is tried with a schema and with JSON mode, and all others keep the schema"
    assert mixed.rater.ways == {(): 39, NO_FORMAT: 1}
    assert mixed.rater.identity is not None
    assert mixed.rater.identity.without == ("json_object in part", "json_schema in part")
    assert mixed.rater.fingerprint != configured
    assert "the judge was asked in 2 ways" in mixed.to_markdown()


def test_the_report_does_not_list_request_formats_if_all_requests_were_sent_in_one_format() -> None:
    with server_that_refuses_the_format(lambda _: True) as server:
        judge = at(server)
        with pytest.warns(RuntimeWarning, match="is asked without json_object, json_schema") as warnings:
            calibration = calibrate(RUBRIC, rows(), judge)
    assert len(warnings) == 1
    assert calibration.rater.ways == {NO_FORMAT: 40}
    assert calibration.rater.identity == replace(judge.identity, without=NO_FORMAT)
    assert "the judge was asked in" not in calibration.to_markdown()


def test_a_judge_s_fingerprint_changes_if_a_parameter_was_left_out_of_some_or_all_of_its_requests() -> None:
    identity = Identity("openai:m", "m", {"seed": 0}, "http://127.0.0.1:9")
    assert identity.fingerprint == "6690485672e2c4bf"
    assert "without" not in identity.to_json()
    assert identity.as_asked({(): 40}) == identity
    dropped = identity.as_asked({("seed",): 40})
    assert Identity.from_json(json.loads(json.dumps(dropped.to_json()))) == dropped
    assert len({identity.fingerprint, dropped.fingerprint, identity.as_asked({(): 1, ("seed",): 1}).fingerprint}) == 3


def test_a_calibration_receipt_is_invalid_if_the_judge_was_asked_with_other_parameters_than_when_accepted(
    tmp_path: Path,
) -> None:
    accepted = tmp_path / "calibration/rubric/accepted.json"
    takes_format = False
    with chdir(tmp_path), server_that_refuses_the_format(lambda _: not takes_format) as server:
        for _ in range(2):
            with pytest.warns(RuntimeWarning, match="is asked without"):
                calibrate(RUBRIC, rows(), at(server), accept=True, accepted=accepted, notify=lambda _: None)
        assert load_receipt(accepted).without == NO_FORMAT
        assert len(load_accepted(accepted).runs) == 2, "the second run joins the first"

        receipt = receipt_of(RUBRIC, at(server), tmp_path)
        assert receipt is not None
        assert receipt.holds, "before it is asked, the judge is the one that was calibrated"
        grade = Grading(RUBRIC, at(server), receipt=receipt).grade
        with pytest.warns(RuntimeWarning, match="is asked without"):
            same = asyncio.run(grade(Submission("reply 150")))
        takes_format = True
        other = asyncio.run(Grading(RUBRIC, at(server), receipt=receipt).grade(Submission("reply 150")))
    assert same.receipt == receipt
    assert other.receipt is not None
    assert other.receipt.differs == ("another way of asking the judge",)
    assert same.fingerprints is not None
    assert other.fingerprints is not None
    assert same.fingerprints.judge != other.fingerprints.judge


def test_a_cached_reply_keeps_the_list_of_parameters_that_its_request_left_out(tmp_path: Path) -> None:
    class Without:
        identity = Identity("some")

        async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
            return Reply("x", without=("seed",))

        async def aclose(self) -> None:
            """Nothing to close."""

    for _ in range(2):
        judge = Remembering(Without(), Memory(tmp_path))
        assert asyncio.run(judge.reply(PROMPT)).without == ("seed",)
        asyncio.run(judge.aclose())


def test_a_judge_that_left_out_a_parameter_in_one_of_two_samples_counts_as_asked_in_two_ways() -> None:
    class Member:
        def __init__(self, *without: str) -> None:
            self.identity = Identity("-".join(("judge", *without)))
            self.without = without

        async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
            return Reply("{}", without=self.without if sample == 0 else ())

        async def aclose(self) -> None:
            """Nothing to close."""

    def ways(judge: Judge) -> set[tuple[str, ...]]:
        return asyncio.run(judge.reply(PROMPT)).ways

    assert ways(Panel([Member(), Member("seed")])) == {("judge-seed: seed",)}
    assert ways(Panel([Member(), Member()])) == {()}
    assert ways(Repeated(Member("seed"), 2)) == {(), ("seed",)}


@pytest.mark.filterwarnings("ignore:.*which its server:RuntimeWarning")
def test_a_rating_records_the_parameters_that_the_judge_s_server_refused_and_nothing_if_it_refused_none() -> None:
    lines = []
    for is_refused in (True, False):
        with server_that_refuses_the_format(for_every_row(is_refused=is_refused)) as server:
            examples = examples_from(rows(2), RUBRIC).examples
            (rating, *_), _ = rated_by(at(server), RUBRIC, examples, AskOptions())
        lines.append(rating.to_json())
        assert RatingReader(RUBRIC).rating(lines[-1]).asked_without == rating.asked_without
    assert lines[0]["asked_without"] == [list(NO_FORMAT)]
    assert "asked_without" not in lines[1]
