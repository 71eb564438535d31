"""Who rates: the Judge protocol, and the Reply it gives to a Prompt."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from markscheme.fingerprint import fingerprint
from markscheme.prompt import Prompt

Stop = Literal["end", "length", "refusal", "other"]
Source = Literal["live", "recorded", "cache"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What asking cost.

    Attributes:
        calls: Requests that reached a provider.
        input_tokens: Tokens read, those kept by the provider included; None where nobody counted.
        output_tokens: Tokens written; None where nobody counted.
        usd: US dollars; None where the price or the tokens are not known, never 0 for "not known".
        batched: Those of the calls that went in batches.
        batched_usd: What of `usd` they cost, at a batch's price.
    """

    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None
    batched: int = 0
    batched_usd: float | None = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        """Both together; what is not known of one is not known of both, unless that one made no call."""
        if not self.calls or not other.calls:
            return other if other.calls else self
        return Usage(
            self.calls + other.calls,
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.usd, other.usd),
            self.batched + other.batched,
            _sum(self.batched_usd, other.batched_usd),
        )

    def to_json(self) -> dict[str, Any]:
        """As plain data; what went in batches is there only where anything did."""
        hidden = () if self.batched else ("batched", "batched_usd")
        return {name: value for name, value in asdict(self).items() if name not in hidden}


def _sum(one: Any, other: Any) -> Any:
    return None if one is None or other is None else one + other


def total(usages: Iterable[Usage]) -> Usage:
    """All of them together; of none, the cost of having asked nobody."""
    together = Usage()
    for usage in usages:
        together += usage
    return together


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes a judge this judge: whatever, if it were changed, would make its replies another judge's.

    Attributes:
        name: As a user names it: anthropic, local:model.gguf, recorded:PATH, ….
        model: The model asked for, as the provider names it.
        parameters: Whatever else shapes a reply, as plain data.
        address: The base URL where it is not the provider's own; never with a key.
    """

    name: str
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    address: str = ""

    @property
    def fingerprint(self) -> str:
        """Digest that differs between any two judges whose replies must not be mixed."""
        return fingerprint(self.name, self.model, dict(self.parameters), self.address)

    def __str__(self) -> str:
        return f"{self.name}, {self.model}" if self.model and self.model not in self.name else self.name


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a reply and what might have stood in its place: text to probability, 0 to 1."""

    text: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back from a judge, unread.

    Attributes:
        text: The answer as it came.
        model: The model that answered, as it named itself; "" if it did not.
        stop: Why it ended: at its end, cut off by length, a refusal, or something else.
        usage: What it cost; an empty Usage where nobody was asked (a recording, the cache).
        source: Whether it was asked now, recorded, or kept from an earlier run.
        provenance: For a recording, who made it and when.
        tokens: The answer's tokens with their alternatives, where the provider tells; empty otherwise.
        parts: The replies of a panel or of one judge asked several times; `text` is then empty.
        rule: How `parts` are combined.
        error: Why nothing came, where one of several requests gave nothing.
        enforced: Whether the provider lets the model write nothing but the object of the prompt's schema.
        discard: Takes it from where it is kept, since nothing could be read from it, and notes that it was tried;
            True says that a second asking gave what was missing. None where it isn't kept.
    """

    text: str
    model: str = ""
    stop: Stop = "end"
    usage: Usage = Usage()
    source: Source = "live"
    provenance: str = ""
    tokens: tuple[Token, ...] = ()
    parts: tuple["Reply", ...] = ()
    rule: Literal["median", "majority"] = "median"
    error: str = ""
    enforced: bool = False
    discard: Callable[[bool], None] | None = field(default=None, repr=False, compare=False)

    @property
    def single(self) -> Iterator["Reply"]:
        """The replies it consists of; itself where it has no parts."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.single

    @classmethod
    def without_answer(cls, error: BaseException) -> "Reply":
        """The part of a request that gave nothing, among others that did."""
        return cls("", stop="other", error=str(error) or type(error).__name__)


@runtime_checkable
class Judge(Protocol):
    """What can answer a Prompt. A panel, a repeated judge and a limited judge are judges too."""

    @property
    def identity(self) -> Identity:
        """What makes this judge this judge."""
        ...

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """The answer to `prompt`; `sample` numbers repeated askings of the same prompt, from 0.

        Raises:
            JudgeError: The provider or the model gave nothing to read.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections and servers; the judge is not asked again."""
        ...


@dataclass(frozen=True, slots=True)
class Wrapping:
    """A judge round another one: it has that one's identity, and closes it.

    Attributes:
        judge: Who is asked.
    """

    judge: Judge

    @property
    def identity(self) -> Identity:
        """The judge's own: how it is asked is no part of who it is."""
        return self.judge.identity

    async def aclose(self) -> None:
        """Close the judge that is asked."""
        await self.judge.aclose()
