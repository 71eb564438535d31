"""From the name a user types to a judge that can be asked, and from no name to whoever can be."""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from markscheme.errors import NoJudge, UsageError
from markscheme.judges.judge import Judge
from markscheme.judges.limited import DEADLINE, Limited, Limiter
from markscheme.judges.price import Price
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.remembering import Memory, Remembering
from markscheme.judges.scripted import ScriptedJudge
from markscheme.prompt import Prompt
from markscheme.rubrics.rubric import Rubric

NAMES = "anthropic[:MODEL], openai:MODEL, local:PATH.gguf, recorded:PATH, function:module:name"
WAYS_OUT = (
    "set ANTHROPIC_API_KEY; or name recorded replies (--judge recorded:PATH), a local model "
    "(--judge local:PATH.gguf) or any OpenAI-compatible server (--judge openai:MODEL with OPENAI_BASE_URL)"
)


@dataclass(frozen=True)
class Asking:
    """What all judges of one run share: one limiter, one memory.

    Attributes:
        limiter: Bounds how many questions are under way, how many a minute, and what they may cost.
        price: Of a judge's tokens; None where it is not known.
        memory: Where replies are kept; None keeps none.
        expected: Whether to score the expected level where a provider tells the odds.
        temperature: How freely a model answers, of those that take one; None leaves the likeliest answer.
        max_tokens: The longest answer; None leaves the adapter's own.
    """

    limiter: Limiter = field(default_factory=Limiter)
    price: Price | None = None
    memory: Memory | None = field(default_factory=Memory)
    expected: bool = False
    temperature: float | None = None
    max_tokens: int | None = None

    def settings(self, *names: str) -> dict[str, Any]:
        """Those of temperature and max_tokens that are given, for a model that takes the ones named.

        Raises:
            UsageError: One is given that it doesn't take.
        """
        given = {name: getattr(self, name) for name in ("temperature", "max_tokens")}
        there = {name: value for name, value in given.items() if value is not None}
        refused = [name for name in there if name not in names]
        if refused:
            raise UsageError(f"this kind of model takes no {' and no '.join(refused)}; leave it out")
        return there


def open_judge(name: str, *, model: str | None = None, asking: Asking | None = None) -> Judge:
    """The judge of that name, limited and remembering; nothing is asked or imported before its first reply.

    Args:
        name: One of NAMES.
        model: The model, where the name doesn't say it.
        asking: What it shares with the other judges of the run.

    Raises:
        UsageError: No such kind of judge, a file that is not there, a function that cannot be had.
    """
    asking = asking or Asking()
    kind, _, rest = name.partition(":")
    if kind == "recorded":
        return RecordedJudge.load(rest) if rest else _refused(name, "name the file: recorded:PATH")
    if kind not in _OPENERS:
        raise UsageError(f"{name!r} names no judge; judges are named {NAMES}")
    # a local model answers when its turn comes: questions that wait for it are not late
    deadline = math.inf if kind == "local" else DEADLINE
    opened = _OPENERS[kind](rest or model or "", asking)
    judge: Judge = Limited(opened, asking.limiter, asking.price, deadline=deadline)
    return Remembering(judge, asking.memory) if asking.memory is not None else judge


def model_for(rubric: Rubric, name: str) -> str | None:
    """The model that a rubric names, for a judge of the kind that it names; None for one of another kind.

    Example:
        >>> from markscheme import Rubric
        >>> rubric = Rubric.from_dict({"judge": {"name": "openai", "model": "m"}, "criteria": [{"requirement": "A"}]})
        >>> model_for(rubric, "openai"), model_for(rubric, "anthropic")
        ('m', None)
    """
    is_its_kind = _kind(rubric.judge.get("name", name)) == _kind(name)
    return rubric.judge.get("model") if is_its_kind else None


def _kind(name: str) -> str:
    return name.partition(":")[0]


def choose_judge(
    rubric: Rubric,
    prompts: Sequence[Prompt],
    replies: Path | None,
    *,
    asking: Asking | None = None,
    environment: Mapping[str, str] = os.environ,
    opening: Callable[[str, str | None], Judge] | None = None,
) -> Judge:
    """Who is asked where nobody was named on the spot.

    Nobody where code decides every criterion. Else the rubric's own default first; then Anthropic, if there is a key;
    then recorded replies, if they cover all of `prompts`. A local model is never chosen by itself.

    Args:
        rubric: Whose `judge:` may name one.
        prompts: The first questions of the run.
        replies: The folder in which recordings for this rubric are kept, if there is one.
        asking: What the judges of the run share.
        environment: Where keys are looked for.
        opening: What opens a judge by name and model, for callers who keep theirs open; else `open_judge`.

    Raises:
        NoJudge: Nobody can be asked; the message tells the ways out.
    """
    if all(criterion.check is not None for criterion in rubric.criteria):
        return ScriptedJudge((), name="code")
    opening = opening or (lambda name, model: open_judge(name, model=model, asking=asking))
    if rubric.judge.get("name"):
        return opening(rubric.judge["name"], rubric.judge.get("model"))
    if environment.get("ANTHROPIC_API_KEY"):
        return opening("anthropic", rubric.judge.get("model"))
    recordings = [RecordedJudge.load(file) for file in sorted(replies.glob("*.jsonl"))] if replies else []
    for recording in recordings:
        if prompts and not recording.lacks(prompts):
            return recording
    if recordings:
        nearest = min(recordings, key=lambda recording: len(recording.lacks(prompts)))
        lacks = len(nearest.lacks(prompts))
        detail = f"recorded replies in {nearest.path.name} lack {lacks} of {len(prompts)} prompts"
    else:
        detail = f"no recorded replies cover rubric {rubric.name!r}"
    raise NoJudge(f"no judge to ask: ANTHROPIC_API_KEY is not set, and {detail}. Ways out: {WAYS_OUT}")


def _anthropic(rest: str, asking: Asking) -> Judge:
    from markscheme.judges.anthropic import DEFAULT_MODEL, AnthropicJudge

    return AnthropicJudge(rest or DEFAULT_MODEL, **asking.settings("max_tokens"))


def _openai(rest: str, asking: Asking) -> Judge:
    from markscheme.judges.openai import OpenAIJudge

    if not rest:
        return _refused("openai", "name the model: openai:MODEL")
    return OpenAIJudge(rest, expected=asking.expected, **asking.settings("temperature", "max_tokens"))


def _local(rest: str, asking: Asking) -> Judge:
    from markscheme.judges.local import LocalJudge

    if not rest:
        return _refused("local", "name the file: local:PATH.gguf")
    return LocalJudge(Path(rest), expected=asking.expected, **asking.settings("temperature", "max_tokens"))


def _function(rest: str, asking: Asking) -> Judge:
    from markscheme.judges.function import FunctionJudge

    module_name, _, function_name = rest.partition(":")
    if not module_name or not function_name:
        return _refused(f"function:{rest}", "name module and function: function:module:name")
    try:
        found = getattr(import_module(module_name), function_name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"function {function_name!r} of module {module_name!r} cannot be had: {error}") from error
    asking.settings()
    return FunctionJudge(found, f"function:{rest}")


def _refused(name: str, way_out: str) -> Judge:
    raise UsageError(f"{name!r} is not enough to find a judge: {way_out}")


_OPENERS: Mapping[str, Callable[[str, Asking], Judge]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "local": _local,
    "function": _function,
}
KINDS = frozenset({"recorded", *_OPENERS})
"""What the name of a judge may begin with."""
