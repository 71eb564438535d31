"""Claude as judge, through the Anthropic SDK, which is imported only with the first request."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final

from markscheme.errors import JudgeError, JudgeUnavailable, NoJudge, UnreadableReply
from markscheme.judges.batching import CLOCKS_APART, SENDING, BatchState
from markscheme.judges.external_words import shown
from markscheme.judges.judge import Identity, Reply, Stop, Usage
from markscheme.judges.provider import MAX_TOKENS, SdkJudge, message_in, usable_key
from markscheme.judges.supported_settings import RequestForm, TakenSettings
from markscheme.judges.timeouts import REQUEST_TIMEOUT
from markscheme.numerals import count
from markscheme.prompts.parts import message_content
from markscheme.prompts.prompt import Prompt

DEFAULT_MODEL = "claude-sonnet-5-5"

FIVE_MINUTES: Final[Mapping[str, str]] = {"type": "ephemeral"}
ONE_HOUR: Final[Mapping[str, str]] = {"type": "ephemeral", "ttl": "1h"}

_STOPS: Final[dict[str, Stop]] = {
    "end_turn": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


class AnthropicJudge(SdkJudge):
    """Claude as judge, with answers constrained to a schema and the rubric's part of the prompt cached.

    It sends one request per reply: retries, rates and budgets are `Limited`'s job. Claude takes no temperature here, so
    a prompt may get different answers; ask several times (`samples`) to see how different.

    Args:
        model: The model as the provider names it.
        api_key: The key; None for that in ANTHROPIC_API_KEY, or else in ANTHROPIC_AUTH_TOKEN, looked up with the first
            request.
        base_url: The address; None for that in ANTHROPIC_BASE_URL, or else the provider's own.
        max_tokens: Largest number of tokens of an answer, thinking included.
        deadline: Timeout of a request in seconds.
        client: An AsyncAnthropic to use; it keeps its own key and address, and the caller closes it.

    Raises:
        UsageError: The base URL is invalid.
    """

    own_address = "https://api.anthropic.com"
    address_variable = "ANTHROPIC_BASE_URL"
    sdk = "anthropic"
    brand = "Anthropic"
    extra = ""

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        max_tokens: int = MAX_TOKENS,
        deadline: float = REQUEST_TIMEOUT,
        client: Any = None,
    ) -> None:
        super().__init__("anthropic", model, api_key, base_url, deadline, client)
        self.max_tokens = max_tokens
        self.settings = TakenSettings(
            {"prompt_cache": ("cache_control",), "limit": ("max_tokens",), "format": ("output_config",)},
            max_tokens,
            needed=("limit",),
        )

    @property
    def identity(self) -> Identity:
        """Identity with model, maximum answer length, and the address if it isn't the provider's own."""
        parameters = {"max_tokens": self.max_tokens, "format": "json_schema"}
        return Identity("anthropic", self.model, parameters, self.other_address)

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:  # noqa: ARG002 - each call is a new sample
        """Ask the model and return its answer to `prompt`.

        Args:
            prompt: The prompt.
            sample: Not used, since each request is a new sample.

        Raises:
            NoJudge: There is no API key.
            JudgeUnavailable: The provider refused, asked to wait, or did not answer in time.
            UnreadableReply: The response isn't a message.
        """

        async def send(client: Any, form: RequestForm) -> Any:
            return await client.messages.with_raw_response.create(**self.request(prompt, form))

        async with self.call(self.deadline) as client:
            message, form, calls = await self.answer(client, send)
        return self.noted(_as_reply(message, self.who, calls), form, with_format=bool(prompt.schema))

    def batches(self) -> "AnthropicBatches":
        """Return the provider's batch API, through which this judge's prompts can be sent."""
        return AnthropicBatches(self)

    def request(self, prompt: Prompt, form: RequestForm, caching: Mapping[str, str] = FIVE_MINUTES) -> dict[str, Any]:
        """Build the body of a Messages API request.

        Args:
            prompt: The prompt.
            form: Which settings to leave out of the request, since the server doesn't take them.
            caching: How the provider is to cache the system prompt.
        """
        request: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self.settings.limit_in(form),
            "messages": [{"role": "user", "content": message_content(prompt.user, prompt.parts, "messages")}],
        }
        if prompt.schema and self.settings.step("format", form):
            request["output_config"] = {"format": {"type": "json_schema", "schema": prompt.schema}}
        if prompt.system:
            is_cached = self.settings.step("prompt_cache", form) != ""
            cached = {"cache_control": dict(caching)} if is_cached else {}
            request["system"] = [{"type": "text", "text": prompt.system, **cached}]
        return request

    @cached_property
    def credential(self) -> dict[str, str]:
        """The key as an argument of the SDK: `api_key` or, from ANTHROPIC_AUTH_TOKEN, `auth_token`.

        Raises:
            NoJudge: No key is set.
        """
        key = usable_key("ANTHROPIC_API_KEY", self._given_key)
        if key:
            return {"api_key": key}
        token = usable_key("ANTHROPIC_AUTH_TOKEN")
        if token:
            return {"auth_token": token}
        raise NoJudge(
            "the judge anthropic needs a key: set ANTHROPIC_API_KEY, or name another judge "
            "(openai:MODEL, local:PATH.gguf, recorded:PATH)"
        )


def _as_reply(message: Any, who: str, calls: int = 1) -> Reply:
    blocks = getattr(message, "content", None)
    if not isinstance(blocks, list):
        raise UnreadableReply(f"the answer of {who} isn't a message; check that the base URL leads to a Messages API")
    texts = [getattr(block, "text", None) for block in blocks if getattr(block, "type", None) == "text"]
    return Reply(
        "".join(text for text in texts if isinstance(text, str)),
        model=message.model or None if isinstance(message.model, str) else None,
        stop=_STOPS.get(str(message.stop_reason), "other"),
        usage=_usage(message.usage, calls),
    )


def _usage(usage: Any, calls: int) -> Usage:
    """Read an answer's numbers of tokens; tokens written to or read from the provider's cache count as input.

    Args:
        usage: The object of the SDK that has these numbers.
        calls: Number of calls to record.
    """
    read = count(getattr(usage, "input_tokens", None))
    if read is not None:
        read += sum(count(getattr(usage, f"cache_{kind}_input_tokens", None)) or 0 for kind in ("creation", "read"))
    return Usage(calls, read, count(getattr(usage, "output_tokens", None)))


# --- batches --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnthropicBatches:
    """Batch API of a Claude judge: Anthropic's Message Batches.

    A batch can't carry markscheme's token: that markscheme sent it shows only in the keys of its results.
    """

    judge: AnthropicJudge
    _forms: dict[str, tuple[RequestForm, bool]] = field(default_factory=dict, init=False, repr=False)
    most: ClassVar[int] = 100_000
    most_bytes: ClassVar[int] = 64_000_000  # the API takes 256 MB; a smaller body needs less memory here

    def request(self, key: str, prompt: Prompt, sample: int) -> dict[str, Any]:  # noqa: ARG002 - each is a new sample
        """Build a batch entry: the prompt as a non-streaming Messages request.

        Args:
            key: The key of the prompt's reply in the cache, which becomes the entry's id.
            prompt: The prompt.
            sample: Number of the sample, which the request doesn't state: each answer is a new sample.
        """
        form = self.judge.settings.form
        self._forms[key] = form, bool(prompt.schema)
        return {"custom_id": key, "params": self.judge.request(prompt, form, ONE_HOUR)}

    async def create(self, token: str, requests: Sequence[Mapping[str, Any]]) -> BatchState:  # noqa: ARG002 - not sent
        """Send the requests as a new batch, and return its state."""
        async with self.judge.call(SENDING) as client:
            made = await client.messages.batches.create(requests=requests, timeout=SENDING)
        return _state(made, self.judge.who)

    async def find(self, token: str, since: float, prompts: int) -> list[BatchState]:  # noqa: ARG002 - not sent
        """Return the batches with this many prompts that were sent at about `since` or later.

        Args:
            token: Our id for a batch, which this provider doesn't store.
            since: Time in seconds since 1970.
            prompts: Number of prompts in the batch.
        """
        batches: list[BatchState] = []
        async with self.judge.call(SENDING) as client:
            async for made in client.messages.batches.list(limit=100):  # the newest first
                if made.created_at.timestamp() < since - CLOCKS_APART:
                    break
                if sum(made.request_counts.to_dict().values()) == prompts:
                    batches.append(_state(made, self.judge.who))
        return batches

    async def state(self, id: str) -> BatchState:
        """Fetch a batch's current state from the provider."""
        async with self.judge.call(self.judge.deadline) as client:
            return _state(await client.messages.batches.retrieve(id), self.judge.who)

    async def results(self, id: str) -> AsyncGenerator[tuple[str, Reply | JudgeError]]:
        """Yield each key of a batch with its reply or error, as the results arrive."""
        async with self.judge.call(None) as client:
            async for result in await client.messages.batches.results(id):
                yield result.custom_id, self._as_result(result.custom_id, result.result)

    async def cancel(self, id: str) -> None:
        """Ask the provider to cancel a batch."""
        async with self.judge.call(self.judge.deadline) as client:
            await client.messages.batches.cancel(id)

    def _as_result(self, key: str, result: Any) -> Reply | JudgeError:
        """Read one result of a batch as a reply, or as an error, which is transient if another batch may succeed.

        Args:
            key: The key by which the batch names the prompt.
            result: The result, as the SDK returns it.
        """
        who = self.judge.who
        sent = self._forms.pop(key, None)
        if result.type == "succeeded":
            with suppress(UnreadableReply):
                return self.judge.noted_in_batch(_as_reply(result.message, who), sent)
            return UnreadableReply(f"an answer of {who} in a batch isn't a message")
        if result.type == "errored":
            body = result.error.to_dict()
            kind = result.error.error.type
            words = shown(message_in(body), self.judge.secrets)
            is_mended = kind == _REFUSED and self.judge.mend_in_batch(sent, body)
            passing = kind in _PASSING or is_mended
            return JudgeUnavailable(f"{who} answered with {kind} in a batch: {words}", transient=passing)
        return JudgeUnavailable(f"{who} left a prompt of a batch {result.type}", transient=result.type == "expired")


def _state(made: Any, who: str) -> BatchState:
    if not isinstance(getattr(made, "id", None), str):
        raise UnreadableReply(f"the answer of {who} isn't a batch; check that the base URL leads to a Messages API")
    counts = made.request_counts
    processed = counts.succeeded + counts.errored + counts.canceled + counts.expired
    return BatchState(made.id, made.processing_status == "ended", processed)


_REFUSED: Final = "invalid_request_error"
_PASSING: Final = {"api_error", "overloaded_error", "rate_limit_error", "timeout_error"}
