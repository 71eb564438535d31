"""The Judge protocol, and the Reply that a judge gives to a prompt."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol, TypeAlias, runtime_checkable

from markscheme.errors import UsageError
from markscheme.fingerprint import IN_PART, fingerprint
from markscheme.prompts.prompt import Prompt

Stop = Literal["end", "length", "refusal", "elsewhere", "other"]
ReplySource = Literal["live", "recorded", "cache"]
AskedWithout = tuple[str, ...]
"""A way in which a judge was asked: the parameters left out because its server doesn't take them."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Number of calls, tokens and cost of asking a judge.

    Attributes:
        calls: Number of requests that reached a provider.
        input_tokens: Number of tokens read, those in the provider's cache included; None if not counted.
        output_tokens: Number of tokens written; None if not counted.
        usd: Cost in US dollars; None, never 0, if the price or the number of tokens is unknown.
        batched: Number of calls that were sent in batches.
        batched_usd: The part of `usd` spent on batches, at their lower price; None if unknown.
    """

    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None
    batched: int = 0
    batched_usd: float | None = 0.0

    def __add__(self, more: "Usage") -> "Usage":
        """Add two usages.

        A number unknown in either is unknown in the sum, except that a usage without calls adds 0.
        """
        if not self.calls or not more.calls:
            return more if more.calls else self
        return Usage(
            self.calls + more.calls,
            _sum(self.input_tokens, more.input_tokens),
            _sum(self.output_tokens, more.output_tokens),
            _sum(self.usd, more.usd),
            self.batched + more.batched,
            _sum(self.batched_usd, more.batched_usd),
        )

    @property
    def tokens(self) -> int:
        """Number of tokens read and written, as far as known."""
        return (self.input_tokens or 0) + (self.output_tokens or 0)

    def to_json(self) -> dict[str, Any]:
        """Return the usage as plain data; keys about batches are included only if some calls were batched."""
        in_batches = {"batched": self.batched, "batched_usd": self.batched_usd} if self.batched else {}
        return {
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "usd": self.usd,
            **in_batches,
        }


def _sum(first: Any, second: Any) -> Any:
    return None if first is None or second is None else first + second


def total(usages: Iterable[Usage]) -> Usage:
    """Add up usages; return a usage without calls if there are none."""
    return sum(usages, Usage())


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a judge: everything that affects its replies, so that replies are reused only for the same judge.

    Attributes:
        name: Name as a user writes it: anthropic, local:model.gguf, recorded:PATH, ….
        model: The model asked for, as the provider names it; None if the judge's name says everything.
        parameters: Everything else that affects a reply, as plain data by name.
        address: The base URL, without a key; None if it is the provider's own.
        lasting: True if replies may be kept for later processes; False if they may depend on something unknown.
        without: Parameters that the server didn't take, so that the judge was asked without them; () until it is asked.
    """

    name: str
    model: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    address: str | None = None
    lasting: bool = field(default=True, compare=False)
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", self.model or None)
        object.__setattr__(self, "address", self.address or None)

    @property
    def fingerprint(self) -> str:
        """Digest that differs between any two judges whose replies mustn't be mixed."""
        left_out = [list(self.without)] if self.without else []
        return fingerprint(self.name, self.model or "", dict(self.parameters), self.address or "", *left_out)

    def to_json(self) -> dict[str, Any]:
        """Return the identity as plain data; its key `without` lists parameters that weren't sent, if there are any."""
        left_out = {"without": list(self.without)} if self.without else {}
        return {
            "name": self.name,
            "model": self.model or "",
            "parameters": dict(self.parameters),
            "address": self.address or "",
            **left_out,
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> "Identity":
        """Make an identity from the plain data that `to_json` returns."""
        return cls(**{**written, "without": tuple(map(str, written.get("without", ())))})

    def as_asked(self, ways: "Mapping[AskedWithout, int]") -> "Identity":
        """Return the identity with a record of the parameters that were left out when the judge was asked.

        Args:
            ways: Number of grades by the set of parameters that requests left out. A parameter left out only for some
                grades gets "in part" added, so that no judge with consistent parameters has the same fingerprint.

        Example:
            >>> Identity("openai:m").as_asked({("seed",): 6}).without
            ('seed',)
            >>> Identity("openai:m").as_asked({(): 5, ("seed",): 1}).without
            ('seed in part',)
        """
        if not ways:
            return self
        every = set.intersection(*map(set, ways))
        some = set.union(*map(set, ways)) - every
        return replace(self, without=tuple(sorted([*every, *(f"{name}{IN_PART}" for name in some)])))

    def __str__(self) -> str:
        return f"{self.name}, {self.model}" if self.model and self.model not in self.name else self.name


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a reply, with the probabilities of the tokens that the model could have written there.

    Attributes:
        text: The token's text.
        alternatives: Probabilities of the likeliest tokens and of this token, by their text.
    """

    text: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reply:
    """A judge's reply as received, not yet parsed.

    Attributes:
        text: The text of the answer.
        model: The model that answered, as it named itself; None if it did not.
        stop: The reason why the answer ended: complete, cut off by length, a refusal, written elsewhere than in the
            text (as thoughts, or as the call of a tool), or something else.
        usage: Tokens and cost; an empty Usage without a request (a recording, the cache).
        source: "live" if it is new, "recorded" if it is from a recording, "cache" if it is from an earlier run.
        provenance: For a recording, who made it and when; None for a new reply.
        tokens: The answer's tokens with their alternatives, if the provider reports them; empty otherwise.
        decided: True if `text` has the probability of each level, written by the adapter of a decision model, instead
            of a model's words.
        parts: The replies of a panel or of one judge asked several times; `text` is then empty.
        rule: Rule by which `parts` are combined.
        error: The reason why this part of a reply has no answer, if one of several requests failed; None otherwise.
        key: The reply's key in the cache; "" if it isn't cached.
        spared: For a reply from the cache, the number of tokens that it took when it was new; 0 if they weren't
            counted.
        without: Parameters that the server didn't take, so that the request left them out; for a panel, those of its
            members, each with the member's name.
    """

    text: str
    model: str | None = None
    stop: Stop = "end"
    usage: Usage = Usage()
    source: ReplySource = "live"
    provenance: str | None = None
    tokens: tuple[Token, ...] = ()
    decided: bool = False
    parts: tuple["Reply", ...] = ()
    rule: Literal["median", "majority"] = "median"
    error: str | None = None
    key: str = field(default="", repr=False, compare=False)
    spared: int = field(default=0, compare=False)
    without: AskedWithout = ()

    @property
    def ways(self) -> set[AskedWithout]:
        """Distinct sets of parameters that were left out of the requests for this reply; none for a failed reply."""
        if self.without or not self.parts:
            return set() if self.error else {self.without}
        return set().union(*(piece.ways for piece in self.parts))

    @property
    def single(self) -> Iterator["Reply"]:
        """The replies to single requests of which this reply is made; the reply itself if it has no parts."""
        if not self.parts:
            yield self
        for piece in self.parts:
            yield from piece.single

    @classmethod
    def without_answer(cls, error: BaseException) -> "Reply":
        """Make the reply of a single failed request, as a part of a reply whose other requests succeeded."""
        return cls("", stop="other", error=str(error) or type(error).__name__)


@runtime_checkable
class Judge(Protocol):
    """Anything that can answer a Prompt, such as a model, a panel of judges, or a judge with limits.

    A judge that wraps another one may also have methods `make_room` and `forget`, whose calls it passes on to that
    judge.
    """

    @property
    def identity(self) -> Identity:
        """Identity of the judge, by which it differs from every other judge."""
        ...

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the answer to `prompt`; `sample` is the request's number, from 0, among those with this prompt.

        Raises:
            JudgeError: The provider or the model gave nothing readable.
        """
        ...

    async def aclose(self) -> None:
        """Close connections and servers; the judge can't be asked afterwards."""
        ...


@runtime_checkable
class JudgeGroup(Protocol):
    """Judges that grade together by a rule, such as a cascade; no prompt can be sent to the group as a whole."""

    @property
    def identity(self) -> Identity:
        """Identity of the group: its judges and the way in which they grade together."""
        ...

    @property
    def grader(self) -> str:
        """Name, in the table of graders, of the grader that asks these judges."""
        ...

    @property
    def why_no_reply(self) -> str:
        """Reason why these judges can't be sent a prompt, with the judge to use instead, for a message."""
        ...

    def why_void(self, rubric: str, prompt: str) -> str | None:
        """Return why this group can't decide for the rubric and prompt with these fingerprints; None if it can."""
        ...

    async def aclose(self) -> None:
        """Close all judges of the group."""
        ...


GradingJudge: TypeAlias = Judge | JudgeGroup
"""A judge, or a group of judges, by which submissions are graded."""


JUDGE_OF_A_FUNCTION: Final = "markscheme.judges.function.FunctionJudge(fn, NAME) makes a judge of a function"
"""End of the error about a value that isn't a judge, or isn't the name of one."""


def replying(judge: GradingJudge) -> Judge:
    """Return a judge that can be sent prompts, unchanged; raise UsageError for a group such as a cascade.

    Raises:
        UsageError: It is a group of judges, which has a grader of its own but can't reply to a prompt.
    """
    if isinstance(judge, JudgeGroup):
        raise UsageError(judge.why_no_reply)
    return judge


@dataclass(frozen=True, slots=True)
class Wrapping:
    """Base class of judges that wrap another judge, keep its identity, and close it.

    Attributes:
        judge: The wrapped judge.
    """

    judge: Judge

    @property
    def identity(self) -> Identity:
        """Identity of the wrapped judge, which doesn't depend on the wrapper."""
        return self.judge.identity

    def make_room(self, calls: int) -> None:
        """Allow the wrapped judge to be asked `calls` times at once."""
        make_room(self.judge, calls)

    def forget(self, reply: Reply, *, settled: bool) -> None:
        """Remove an unreadable reply from the wrapped judge's cache, so that the next run asks again unless `settled`.

        Args:
            reply: The reply.
            settled: True if another reply supplied what this one lacks, so that the next run needn't ask for this one.
        """
        forget(self.judge, reply, settled=settled)

    async def aclose(self) -> None:
        """Close the wrapped judge."""
        await self.judge.aclose()


def ways_of(replies: Iterable[Iterable[AskedWithout]]) -> Mapping[AskedWithout, int]:
    """Count graded responses by the set of parameters that their requests left out, since the server refused them.

    A response whose requests left out different sets counts once for each of the sets.

    Args:
        replies: For each graded response, the set of parameters that each of its requests left out.
    """
    return Counter(way for ways in replies for way in set(ways))


def make_room(judge: GradingJudge, calls: int) -> None:
    """Allow a judge to be asked `calls` times at once, unless it has a limit of its own.

    A caller with many questions calls this first; otherwise the judge is asked 8 times at once.
    """
    grow = getattr(judge, "make_room", None)
    if grow is not None:
        grow(calls)


def forget(judge: Judge, reply: Reply, *, settled: bool) -> None:
    """Remove an unreadable reply from a judge's cache, so that the next run asks again unless `settled` is true.

    Args:
        judge: The judge that gave the reply.
        reply: A single reply, as received.
        settled: True if another reply supplied what this one lacks, so that the next run needn't ask for this one.
    """
    drop = getattr(judge, "forget", None)
    if drop is not None:
        drop(reply, settled=settled)
