"""What programs of the other libraries hand over as a response."""

import asyncio
from typing import Any

import pytest

from markscheme import reward
from markscheme.errors import SubmissionError, UsageError
from markscheme.scorers import json_valid, llm_judge, run
from tests.prompts.test_submission import ACCEPTED, MESSAGES, RUBRIC, Picture, _judge


def test_a_response_or_input_that_is_not_text_is_refused_by_a_reward_before_the_judge_is_asked() -> None:
    judge = _judge()
    for unfit in (b"bytes", Picture()):
        with pytest.raises(ValueError, match="a response must be a text or"):
            asyncio.run(reward([unfit], RUBRIC, judge=judge))  # type: ignore[list-item]
        with pytest.raises(SubmissionError, match=f"input 'context' is a .* object; {ACCEPTED}"):
            asyncio.run(reward(["fine"], RUBRIC, judge=judge, context=[unfit]))
    assert judge.prompts == []


def test_in_a_dataset_for_scorers_a_prediction_of_bytes_is_refused_with_the_accepted_types() -> None:
    with pytest.raises(UsageError, match=f"`prediction` is a bytes object; {ACCEPTED}"):
        run(name="qa", dataset=[{"prediction": b"x"}], scorers=[json_valid])


@pytest.mark.parametrize("unfit", [b"bytes", Picture()], ids=["bytes", "an object"])
def test_a_scorer_never_shows_a_judge_the_python_repr_of_an_object(unfit: Any) -> None:
    judge = _judge()
    for response, context in ((unfit, "c"), ("r", unfit)):
        with pytest.raises(SubmissionError, match=ACCEPTED):
            llm_judge("Polite?", judge=judge)(response, context)
    assert judge.prompts == []


def test_an_llm_judge_scorer_accepts_lists_and_mappings_and_numbers_as_predictions() -> None:
    judge = _judge()
    response: Any
    for response in (MESSAGES, {"answer": 7}, 7):
        llm_judge("Polite?", judge=judge)(response, MESSAGES)  # type: ignore[arg-type]
        assert "Größe" in judge.prompts[-1].user
