"""Estimates of the cost of asking a judge."""

import pytest

from markscheme import Rubric
from markscheme.judges.cost import cost_of
from markscheme.judges.judge import Reply
from markscheme.judges.price import Price
from markscheme.prompts.prompt import verdict_prompt
from markscheme.prompts.submission import Submission

RUBRIC = Rubric.from_dict(
    {"criteria": [{"name": "kind", "requirement": "Is it kind?"}, {"name": "good", "description": "Is it good?"}]}
)


def test_the_estimated_cost_of_a_cached_reply_is_zero() -> None:
    prompts = [verdict_prompt(RUBRIC, Submission(f"{i}" * 3000, {}, str(i)), RUBRIC.criteria) for i in range(10)]
    bare = cost_of(prompts, judge="j", price=Price(3.0, 15.0))
    assert (bare.calls, bare.kept, bare.output_tokens) == (10, 0, 2000)
    assert bare.input_tokens > 10 * 1000
    assert bare.usd == pytest.approx(bare.input_tokens * 3e-6 + 2000 * 15e-6)
    two = {prompts[0].fingerprint, prompts[1].fingerprint}
    reply = Reply("y" * 600)
    half = cost_of(
        prompts, samples=2, at_hand=lambda p, sample: reply if p.fingerprint in two and sample == 0 else None
    )
    assert (half.calls, half.kept, half.output_tokens, half.usd) == (18, 2, 18 * 200, None)
    everything = cost_of(prompts, at_hand=lambda p, sample: reply)
    assert (everything.calls, everything.usd) == (0, 0.0)
