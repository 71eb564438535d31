"""What programs of the other libraries hand over as a response."""

import asyncio

import pytest

from markscheme import reward
from markscheme.errors import SubmissionError, UsageError
from markscheme.scorers import json_valid, run
from tests.test_submission import ACCEPTED, RUBRIC, Picture, _judge


def test_a_reward_refuses_what_is_not_text_before_it_is_scored() -> None:
    judge = _judge()
    for unfit in (b"bytes", Picture()):
        with pytest.raises(ValueError, match="a response is a text or"):
            asyncio.run(reward([unfit], RUBRIC, judge=judge))  # type: ignore[list-item]
        with pytest.raises(SubmissionError, match=f"input 'context' is a .* object; {ACCEPTED}"):
            asyncio.run(reward(["fine"], RUBRIC, judge=judge, context=[unfit]))
    assert judge.prompts == []


def test_a_dataset_for_scorers_has_no_objects() -> None:
    with pytest.raises(UsageError, match=f"`prediction` is a bytes object; {ACCEPTED}"):
        run(name="qa", dataset=[{"prediction": b"x"}], scorers=[json_valid])
