"""Any OpenAI-compatible server as judge: OpenAI itself, vLLM, Ollama, llama.cpp, OpenRouter, Gemini.

Servers support different parameters. One that a server rejects by name is left out from then on: a JSON schema falls
back to plain JSON mode, that to no format at all (the prompt itself describes the form), and so on.
"""

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final

from markscheme.errors import JudgeBusy, JudgeError, JudgeUnavailable, NoJudge, UnreadableReply
from markscheme.judges.batching import CLOCKS_APART, SENDING, BatchState
from markscheme.judges.external_words import shown
from markscheme.judges.judge import Identity, Reply, Stop, Usage
from markscheme.judges.probabilities import aligned, read_tokens
from markscheme.judges.provider import MAX_TOKENS, SdkJudge, count, message_in, status_fault, usable_key
from markscheme.judges.timeouts import REQUEST_TIMEOUT
from markscheme.prompt import Prompt

REPORTED_ALTERNATIVES = 20
"""Alternatives requested per token; providers report no more."""
NO_KEY = "none"
"""Sent to servers that need no key, since the SDK requires one."""

_STOPS: Final[dict[str, Stop]] = {"stop": "end", "length": "length", "content_filter": "refusal"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The parameters a server accepts.

    Attributes:
        formats: Ways to request the answer's format, the current one first; the last requests none.
        limits: Names of the parameter that limits the answer, the current one first; the last sends none.
        temperature: Whether a temperature may be sent.
        seed: Whether a seed may be sent.
    """

    formats: tuple[str, ...] = ("json_schema", "json_object", "")
    limits: tuple[str, ...] = ("max_tokens", "max_completion_tokens", "")
    temperature: bool = True
    seed: bool = True

    def without(self, complaint: str) -> "Dialect | None":
        """What is left to try after a server rejected a request with this message; None if nothing is.

        Example:
            >>> Dialect().without("response_format.type 'json_schema' is not supported").formats
            ('json_object', '')
        """
        if self.temperature and re.search(r"\btemperature\b", complaint):
            return replace(self, temperature=False)
        if self.seed and re.search(r"\bseed\b", complaint):
            return replace(self, seed=False)
        if len(self.limits) > 1 and re.search(r"\bmax_(completion_)?tokens\b", complaint):
            return replace(self, limits=self.limits[1:])
        if len(self.formats) > 1 and re.search(r"response_format|json.(schema|object|mode)|schema", complaint, re.I):
            return replace(self, formats=self.formats[1:])
        return None

    def narrowed(self, dialect: "Dialect") -> "Dialect":
        """What both accept."""
        return Dialect(
            min(self.formats, dialect.formats, key=len),
            min(self.limits, dialect.limits, key=len),
            self.temperature and dialect.temperature,
            self.seed and dialect.seed,
        )


class OpenAIJudge(SdkJudge):
    """A model behind an OpenAI-compatible chat endpoint, constrained to the answer's schema if the server supports it.

    Sends one request per reply: retries, rates and budgets are `Limited`'s job. A server that turns chats into one text
    may interpret a model's chat marks in a submission, such as `<|im_end|>`; submissions are sent unchanged.

    Args:
        model: As the server names it.
        api_key: Else OPENAI_API_KEY, looked up with the first request; only OpenAI's own address requires one.
        base_url: Else OPENAI_BASE_URL, else OpenAI's own.
        expected: True uses the expected level by the token probabilities instead of the single one.
        temperature: Sampling temperature; 0 asks for the likeliest answer.
        seed: Random seed; the sample's number is added, so that repeated requests may differ.
        max_tokens: Maximum tokens of an answer, thinking included.
        deadline: Timeout of a request in seconds.
        name: The judge's name, before the colon and the model.
        client: An AsyncOpenAI to use; it keeps its own key and address, and the caller closes it.

    Raises:
        UsageError: The base URL is invalid.
    """

    own_address = "https://api.openai.com/v1"
    address_variable = "OPENAI_BASE_URL"
    sdk = "openai"
    brand = "OpenAI"
    extra = "openai"

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        expected: bool = False,
        temperature: float = 0.0,
        seed: int = 0,
        max_tokens: int = MAX_TOKENS,
        deadline: float = REQUEST_TIMEOUT,
        name: str = "openai",
        client: Any = None,
    ) -> None:
        super().__init__(name, model, api_key, base_url, deadline, client)
        self.max_tokens, self.expected, self.temperature, self.seed = max_tokens, expected, temperature, seed
        limits = Dialect().limits if self.other_address else ("max_completion_tokens", "max_tokens", "")
        self._widest = self._dialect = Dialect(limits=limits)

    @property
    def identity(self) -> Identity:
        """Model, all parameters of the request, and the address if it isn't the provider's own."""
        parameters = {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "expected": self.expected,
        }
        return Identity(f"{self.name}:{self.model}", self.model, parameters, self.other_address)

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """The model's answer to `prompt`.

        Raises:
            NoJudge: There is no key where one is needed, or the SDK is not installed.
            JudgeUnavailable: The server refused, asked to wait, or did not answer in time.
            UnreadableReply: The response isn't a chat completion.
        """
        async with self.call(self.deadline) as client:
            completion, calls = await self._completion(client, prompt, sample)
        return self.as_reply(completion, calls)

    # requests

    async def _completion(self, client: Any, prompt: Prompt, sample: int) -> tuple[Any, int]:
        """The server's answer with the parameters it accepts, and how many requests that took."""
        sdk = self.module()
        calls = 0
        while True:
            calls += 1
            dialect = self._dialect
            try:
                return await client.chat.completions.create(**self.request(prompt, sample)), calls
            except (sdk.BadRequestError, sdk.UnprocessableEntityError) as error:
                complaint = f"{message_in(error.body) or error} {error.param or ''}"
                if self.expected and "logprobs" in complaint:
                    words = shown(complaint, self.secrets)
                    raise JudgeUnavailable(
                        f"{self.who} returns no token probabilities, which `expected` needs: {words}"
                    ) from None
                simpler = dialect.without(complaint)
                if simpler is None:
                    raise
                if self._dialect == dialect:
                    self._dialect = simpler

    def simplify(self, complaint: str) -> bool:
        """Drop a parameter for which a server rejected an entry of a batch; returns whether there was one to drop."""
        simpler = self._widest.without(complaint)
        if simpler is not None:
            self._dialect = self._dialect.narrowed(simpler)
        return simpler is not None

    def batches(self) -> "OpenAIBatches":
        """Its batch API."""
        return OpenAIBatches(self)

    def request(self, prompt: Prompt, sample: int) -> dict[str, Any]:
        """The body of a chat request, with the parameters the server is known to accept."""
        messages = [{"role": "system", "content": prompt.system}] if prompt.system else []
        messages.append({"role": "user", "content": prompt.user})
        dialect = self._dialect
        request: dict[str, Any] = {"model": self.model, "messages": messages}
        if dialect.limits[0]:
            request[dialect.limits[0]] = self.max_tokens
        if dialect.formats[0] and prompt.schema:
            request["response_format"] = _FORMATS[dialect.formats[0]](prompt)
        if dialect.temperature:
            request["temperature"] = self.temperature
        if dialect.seed:
            request["seed"] = self.seed + sample
        if self.expected:
            request |= {"logprobs": True, "top_logprobs": REPORTED_ALTERNATIVES}
        return request

    # opening

    @cached_property
    def credential(self) -> dict[str, str]:
        """The key; NO_KEY for a server that needs none."""
        key = usable_key("OPENAI_API_KEY", self._given_key)
        if not key and not self.other_address:
            raise NoJudge(
                f"the judge {self.name}:{self.model} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server "
                "of your own"
            )
        return {"api_key": key or NO_KEY}

    # reading

    def as_reply(self, completion: Any, calls: int = 1) -> Reply:
        """The reply in a chat completion.

        Args:
            completion: As the SDK returns it, or as plain data.
            calls: Requests that it took.

        Raises:
            UnreadableReply: It isn't a chat completion.
        """
        plain = completion.model_dump(warnings="none") if hasattr(completion, "model_dump") else completion
        reply = chat_reply(plain, calls, expected=self.expected)
        if reply is None:
            raise UnreadableReply(
                f"the answer of {self.who} isn't a chat completion; check the base URL, which usually ends in /v1"
            )
        return reply


def chat_reply(completion: Any, calls: int = 1, *, expected: bool) -> Reply | None:
    """The reply in a chat completion as plain data, with its tokens if `expected`; None if it isn't one."""
    match completion:
        case {"choices": [{"message": {**message}} as choice, *_]}:
            pass
        case _:
            return None
    model, content, refusal = (
        text if isinstance(text, str) else ""
        for text in (completion.get("model"), message.get("content"), message.get("refusal"))
    )
    used, logprobs = (
        part if isinstance(part, Mapping) else {} for part in (completion.get("usage"), choice.get("logprobs"))
    )
    tokens = logprobs.get("content")
    return Reply(
        content or refusal,
        model,
        stop="refusal" if refusal else _STOPS.get(str(choice.get("finish_reason")), "other"),
        usage=Usage(calls, count(used.get("prompt_tokens")), count(used.get("completion_tokens"))),
        tokens=aligned(read_tokens(tokens), content) if expected and isinstance(tokens, list) else (),
    )


def schema_format(prompt: Prompt) -> dict[str, Any]:
    """The `response_format` that constrains an answer to the prompt's schema."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": prompt.schema}}


_FORMATS: Final[Mapping[str, Callable[[Prompt], dict[str, Any]]]] = {
    "json_schema": schema_format,
    "json_object": lambda _: {"type": "json_object"},
}


# --- batches --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenAIBatches:
    """A model through the Batch API: uploads a file, and downloads one or two with the results.

    A batch carries our token as metadata. A parameter that a server rejects is left out in the next batch.
    """

    judge: OpenAIJudge
    most: ClassVar[int] = 50_000
    most_bytes: ClassVar[int] = 64_000_000  # the API takes 200 MB; a smaller file needs less memory here

    def request(self, key: str, prompt: Prompt, sample: int) -> dict[str, Any]:
        """The prompt as a line of the file."""
        body = self.judge.request(prompt, sample)
        return {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}

    async def create(self, token: str, requests: Sequence[Mapping[str, Any]]) -> BatchState:
        """Send the file, then the batch."""
        text = "".join(json.dumps(request, separators=(",", ":")) + "\n" for request in requests)
        async with self.judge.call(SENDING) as client:
            file = (f"{token}.jsonl", text.encode(), "application/jsonl")
            sent = await client.files.create(file=file, purpose="batch", timeout=SENDING)
            made = await client.batches.create(
                input_file_id=sent.id,
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={MARK: token},
            )
        return self._state(made)

    async def find(self, token: str, since: float, prompts: int) -> list[BatchState]:  # noqa: ARG002 - the token tells
        """The batch with that token."""
        async with self.judge.call(SENDING) as client:
            async for made in client.batches.list(limit=100):  # the newest first
                if made.created_at < since - CLOCKS_APART:
                    break
                if (made.metadata or {}).get(MARK) == token:
                    return [self._state(made)]
        return []

    async def state(self, id: str) -> BatchState:
        """The batch's current state."""
        return self._state(await self._retrieved(id))

    async def results(self, id: str) -> AsyncGenerator[tuple[str, Reply | JudgeError]]:
        """Keys with their replies or errors: from the file of answers, then from that of errors, if present."""
        made = await self._retrieved(id)
        for file in filter(None, (made.output_file_id, made.error_file_id)):
            async with self.judge.call(SENDING) as client:
                text = (await client.files.content(file)).text
                entries = [json.loads(entry) for entry in text.splitlines() if entry.strip()]
            for entry in entries:
                yield entry["custom_id"], self._as_result(entry)

    async def cancel(self, id: str) -> None:
        """Cancel the batch."""
        async with self.judge.call(self.judge.deadline) as client:
            await client.batches.cancel(id)

    async def _retrieved(self, id: str) -> Any:
        async with self.judge.call(self.judge.deadline) as client:
            return await client.batches.retrieve(id)

    def _state(self, made: Any) -> BatchState:
        who = self.judge.who
        if not isinstance(getattr(made, "id", None), str):
            raise UnreadableReply(f"the answer of {who} isn't a batch; check the base URL, which usually ends in /v1")
        counts = made.request_counts
        fault = None
        status = str(made.status)
        if status == "failed":
            errors = (made.errors and made.errors.data) or []
            words = shown("; ".join(filter(None, (error.message for error in errors))), self.judge.secrets)
            full = any(error.code == "token_limit_exceeded" for error in errors)
            fault = (JudgeBusy if full else JudgeUnavailable)(f"{who} refused a batch: {words or 'no reason given'}")
        processed = counts.completed + counts.failed if counts else 0
        ended = status in ("failed", "completed", "expired", "cancelled")
        return BatchState(made.id, ended, processed, fault, certain=True)

    def _as_result(self, entry: Mapping[str, Any]) -> Reply | JudgeError:
        """The reply, or the error in its place, which is transient if another batch may succeed."""
        who = self.judge.who
        response = entry.get("response") or {}
        error = entry.get("error") or {}
        status = response.get("status_code")
        body = response.get("body")
        if status == 200:
            try:
                return self.judge.as_reply(body)
            except UnreadableReply:
                return UnreadableReply(f"an answer of {who} in a batch isn't a chat completion")
        if isinstance(status, int):
            fault = status_fault(who, status, {}, body, secrets=self.judge.secrets)
            simpler = status in (400, 422) and self.judge.simplify(message_in(body))
            return JudgeUnavailable(str(fault), transient=True, status=status) if simpler else fault
        code = str(error.get("code") or "no reason given")
        return JudgeUnavailable(f"{who} left a prompt of a batch without an answer: {code}", transient=code in _PASSING)


MARK: Final = "markscheme"
"""The metadata key that holds our token."""
_PASSING: Final = {"batch_expired", "server_error"}
