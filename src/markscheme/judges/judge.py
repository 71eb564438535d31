"""The Judge protocol, and the Reply a judge gives to a Prompt."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from markscheme.errors import UsageError
from markscheme.fingerprint import IN_PART, fingerprint
from markscheme.prompt import Prompt

Stop = Literal["end", "length", "refusal", "other"]
ReplySource = Literal["live", "recorded", "cache"]
AskedWithout = tuple[str, ...]
"""A way in which a judge was asked: the parameters left out because its server doesn't take them."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of asking a judge.

    Attributes:
        calls: Requests that reached a provider.
        input_tokens: Tokens read, those in the provider's cache included; None if not counted.
        output_tokens: Tokens written; None if not counted.
        usd: US dollars; None if the price or the tokens are unknown, never 0 for "unknown".
        batched: The calls that went in batches.
        batched_usd: The part of `usd` spent on them, at a batch's price.
    """

    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None
    batched: int = 0
    batched_usd: float | None = 0.0

    def __add__(self, more: "Usage") -> "Usage":
        """Return the sum; a number unknown for one is unknown for both, unless that one made no call."""
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
        """Tokens read and written, as far as they are known."""
        return (self.input_tokens or 0) + (self.output_tokens or 0)

    def to_json(self) -> dict[str, Any]:
        """Return a dict that JSON can hold; batch keys are included only if something went in batches."""
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
    """Return the sum of all usages; of none, the usage of no call."""
    return sum(usages, Usage())


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a judge: everything that, if changed, would make its replies another judge's.

    Attributes:
        name: Name as a user writes it: anthropic, local:model.gguf, recorded:PATH, ….
        model: The model asked for, as the provider names it; None where the name says it all.
        parameters: Everything else that affects a reply, as plain data.
        address: The base URL if it isn't the provider's own, never with a key; None if it is.
        lasting: Whether its replies may be kept for later processes; False where they may depend on what isn't known.
        without: Parameters that its server didn't take, so that it was asked without them; () before it is asked.
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
        """Digest that differs between any two judges whose replies must not be mixed."""
        left_out = [list(self.without)] if self.without else []
        return fingerprint(self.name, self.model or "", dict(self.parameters), self.address or "", *left_out)

    def to_json(self) -> dict[str, Any]:
        """Return a dict that JSON can hold; `without` is included only if something was left out."""
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
        """Return the identity in the plain data that `to_json` makes."""
        return cls(**{**written, "without": tuple(map(str, written.get("without", ())))})

    def as_asked(self, ways: "Mapping[AskedWithout, int]") -> "Identity":
        """Return the identity of the judge as it was asked.

        Args:
            ways: How many grades rest on replies without which parameters. Several ways are named with their parameters
                "in part", so that no judge that was asked in one way has the same fingerprint.

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
    """Token of a reply with its alternatives: text to probability, 0 to 1."""

    text: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reply:
    """A judge's raw reply, not yet parsed.

    Attributes:
        text: The answer as received.
        model: The model that answered, as it named itself; None if it did not.
        stop: Why it ended: complete, cut off by length, a refusal, or something else.
        usage: Tokens and cost; an empty Usage without a request (a recording, the cache).
        source: Whether it is new, recorded, or cached from an earlier run.
        provenance: For a recording, who made it and when; None for a new reply.
        tokens: The answer's tokens with their alternatives, if the provider reports them; empty otherwise.
        decided: Whether `text` has a probability for each level, written by the adapter to a decision model, and no
            words of a model.
        parts: The replies of a panel or of one judge asked several times; `text` is then empty.
        rule: Rule by which `parts` are combined.
        error: Why this part is empty, if one of several requests failed; None if it didn't.
        key: Its key in the cache; "" if it isn't cached.
        spared: For a reply from the cache, the tokens that it took when it was new; 0 where they weren't counted.
        without: Parameters that the server didn't take, so that this reply was asked for without them; for a panel's,
            those of its members, each with the member's name.
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
        """Sets of settings left out in asking: one, or several if one judge's replies differ; none for a failure."""
        if self.without or not self.parts:
            return set() if self.error else {self.without}
        return set().union(*(piece.ways for piece in self.parts))

    @property
    def single(self) -> Iterator["Reply"]:
        """Single replies of which this one consists; itself if it has no parts."""
        if not self.parts:
            yield self
        for piece in self.parts:
            yield from piece.single

    @classmethod
    def without_answer(cls, error: BaseException) -> "Reply":
        """Create the empty part of a failed request, among others that succeeded."""
        return cls("", stop="other", error=str(error) or type(error).__name__)


@runtime_checkable
class Judge(Protocol):
    """Anything that can answer a Prompt. A panel, a repeated judge and a limited judge are judges too.

    A judge around another one may also have `make_room` and `forget`, which it passes on, as Wrapping does.
    """

    @property
    def identity(self) -> Identity:
        """Identity that distinguishes this judge from others."""
        ...

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the answer to `prompt`; `sample` numbers repeated requests with the same prompt, from 0.

        Raises:
            JudgeError: The provider or the model gave nothing readable.
        """
        ...

    async def aclose(self) -> None:
        """Close connections and servers; the judge is not asked again."""
        ...


@runtime_checkable
class JudgeGroup(Protocol):
    """Judges that grade together: a judge's name may open them, and they have no reply to a prompt."""

    @property
    def identity(self) -> Identity:
        """Identity that distinguishes these judges, and how they grade, from others."""
        ...

    @property
    def grader(self) -> str:
        """Name of the kind of grader that asks these judges, in grading's table."""
        ...

    @property
    def why_no_reply(self) -> str:
        """Reason why these judges can't be sent a prompt, and the judge to ask instead."""
        ...

    def why_void(self, rubric: str, prompt: str) -> str | None:
        """Return the reason why these judges decide nothing under these fingerprints; None if they decide."""
        ...

    async def aclose(self) -> None:
        """Close every judge."""
        ...


GradingJudge: TypeAlias = Judge | JudgeGroup
"""What submissions are graded by."""


def replying(judge: GradingJudge) -> Judge:
    """Return the judge if it replies to prompts; refuse judges that grade together.

    Raises:
        UsageError: These are judges that grade together.
    """
    if isinstance(judge, JudgeGroup):
        raise UsageError(judge.why_no_reply)
    return judge


@dataclass(frozen=True, slots=True)
class Wrapping:
    """A judge that wraps another one, keeps its identity and closes it.

    Attributes:
        judge: The wrapped judge.
    """

    judge: Judge

    @property
    def identity(self) -> Identity:
        """The wrapped judge's own: how it is asked is not part of its identity."""
        return self.judge.identity

    def make_room(self, calls: int) -> None:
        """Let the wrapped judge be asked `calls` times at once."""
        make_room(self.judge, calls)

    def forget(self, reply: Reply, *, settled: bool) -> None:
        """Let the wrapped judge drop a reply from its cache."""
        forget(self.judge, reply, settled=settled)

    async def aclose(self) -> None:
        """Close the wrapped judge."""
        await self.judge.aclose()


def ways_of(replies: Iterable[Iterable[AskedWithout]]) -> Mapping[AskedWithout, int]:
    """Count the ways in which a judge was asked, each once for every group of replies."""
    return Counter(way for ways in replies for way in set(ways))


def make_room(judge: GradingJudge, calls: int) -> None:
    """Let a judge be asked `calls` times at once, if it has no limit of its own.

    A caller that asks about many says so before; any other asks the judge 8 times at once.
    """
    grow = getattr(judge, "make_room", None)
    if grow is not None:
        grow(calls)


def forget(judge: Judge, reply: Reply, *, settled: bool) -> None:
    """Drop a reply that couldn't be read from the judge's cache, if it is there, so that the next run asks again.

    Args:
        judge: The judge that gave it.
        reply: A single reply, as received.
        settled: Whether another reply gave what this one lacks, so that the next run need not ask for this one.
    """
    drop = getattr(judge, "forget", None)
    if drop is not None:
        drop(reply, settled=settled)
