"""Estimates of what asking a judge would cost, without asking."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from markscheme.judges.judge import GradingJudge, Reply
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.limited import BYTES_PER_TOKEN
from markscheme.judges.price import Price
from markscheme.judges.registry import price_of
from markscheme.prompts.prompt import Prompt

WRITTEN_PER_CRITERION = 100
"""Number of tokens assumed for a quote, a reason and a level in a reply, if there is no reply to measure."""


@dataclass(frozen=True, slots=True)
class Cost:
    """How many calls a run would make, and what they would cost.

    Attributes:
        judge: Name of the judge; None without one.
        calls: Number of questions without a reply yet; retries of unreadable replies come on top.
        kept: Number of questions with a cached or recorded reply.
        input_tokens: Number of tokens read, estimated from the length of prompts.
        output_tokens: Number of tokens written, estimated.
        usd: Cost in US dollars; None if the price isn't known.
        basis: Description of how the numbers of tokens were estimated.
    """

    judge: str | None
    calls: int
    kept: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    basis: str


def cost_of_asking(
    judge: GradingJudge | None,
    prompts: Iterable[Prompt],
    context: JudgeContext,
    *,
    samples: int,
    at_hand: Callable[[Prompt, int], Reply | None] | None = None,
) -> Cost:
    """Estimate what asking a judge would cost in this run, without asking it.

    Args:
        judge: The judge; None if code decides all.
        prompts: The prompts that the run sends first, before any that depend on replies, such as retries.
        context: Settings of the run, with the price if the user states one.
        samples: Number of times that each prompt is asked.
        at_hand: Function that returns the cached or recorded reply to a prompt and sample, or None if there is no such
            reply; None if no replies are cached or recorded.
    """
    name = None if judge is None else str(judge.identity)
    price = None if judge is None else price_of(judge.identity, context)
    return cost_of(prompts, judge=name, samples=samples, at_hand=at_hand, price=price)


def cost_of(
    prompts: Iterable[Prompt],
    *,
    judge: str | None = None,
    samples: int = 1,
    at_hand: Callable[[Prompt, int], Reply | None] | None = None,
    price: Price | None = None,
) -> Cost:
    """Estimate what asking a judge these prompts would cost, without asking it.

    Args:
        prompts: The prompts that the run sends first, before any that depend on replies, such as retries.
        judge: Name of the judge.
        samples: Number of times that each prompt is asked.
        at_hand: Function that returns the cached or recorded reply to a prompt and sample, or None if there is no such
            reply; None if no replies are cached or recorded.
        price: Price of the judge's tokens; None if it isn't known.
    """
    open_prompts: list[Prompt] = []
    lengths: list[int] = []
    answered = 0
    for prompt in prompts:
        for sample in range(samples):
            reply = at_hand(prompt, sample) if at_hand is not None else None
            if reply is None:
                open_prompts.append(prompt)
            else:
                answered += 1
                lengths.append(_tokens(reply.text))
    read = sum(_tokens(prompt.system, prompt.user, str(prompt.schema)) for prompt in open_prompts)
    read += sum(shown_part.tokens for prompt in open_prompts for shown_part in prompt.parts)
    if lengths:
        written = round(len(open_prompts) * sum(lengths) / len(lengths))
        basis = f"by length, {BYTES_PER_TOKEN} bytes a token; answers as long as the {len(lengths)} at hand"
    else:
        written = sum(WRITTEN_PER_CRITERION * max(1, len(prompt.criteria)) for prompt in open_prompts)
        basis = f"by length, {BYTES_PER_TOKEN} bytes a token; {WRITTEN_PER_CRITERION} written for each criterion"
    usd = 0.0 if not open_prompts else price.cost(read, written) if price is not None else None
    return Cost(judge, len(open_prompts), answered, read, written, usd, basis)


def _tokens(*texts: str) -> int:
    return sum(len(text.encode()) for text in texts) // BYTES_PER_TOKEN
