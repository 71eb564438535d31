"""Models of any OpenAI-compatible server as judge: OpenAI itself, vLLM, Ollama, llama.cpp, OpenRouter or Gemini.

Servers support different parameters. Those that a server refuses are left out: plain JSON mode is used instead of a
JSON schema, then no format at all (the prompt describes the form anyway), and so on (`supported_settings.py`).
"""

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar, Final

from markscheme.errors import JudgeBusy, JudgeError, JudgeUnavailable, NoJudge, UnreadableReply
from markscheme.judges.batching import CLOCKS_APART, SENDING, BatchState
from markscheme.judges.connections import client_for_many_calls
from markscheme.judges.external_words import shown
from markscheme.judges.judge import Identity, Reply, Stop, Usage
from markscheme.judges.probabilities import aligned, read_tokens
from markscheme.judges.provider import MAX_TOKENS, SdkJudge, error_in_answer, status_fault, usable_key
from markscheme.judges.supported_settings import RequestForm, RequestRefusal, TakenSettings
from markscheme.judges.timeouts import REQUEST_TIMEOUT
from markscheme.numerals import count
from markscheme.plain_data import mapping
from markscheme.prompts.parts import message_content
from markscheme.prompts.prompt import Prompt

REPORTED_ALTERNATIVES = 20
"""Number of alternatives requested for each token, the most that providers report."""
_NO_PROBABILITIES: Final = "returns no token probabilities, which `expected` needs; grade without: -o expected=false"
NO_KEY = "none"
"""Placeholder for an API key, for servers that need none, since the SDK requires one."""

_STOPS: Final[dict[str, Stop]] = {"stop": "end", "length": "length", "content_filter": "refusal"}


class OpenAIJudge(SdkJudge):
    """A model behind an OpenAI-compatible chat endpoint, constrained to the answer's schema if the server supports it.

    It sends one request per reply: retries, rates and budgets are `Limited`'s job. A server that turns chats into one
    text may interpret a model's chat marks in a submission, such as `<|im_end|>`; submissions are sent unchanged.

    Args:
        model: The model as the server names it.
        api_key: The key; None for that in OPENAI_API_KEY, looked up with the first request. Only OpenAI's own address
            requires one.
        base_url: The server's address; None for that in OPENAI_BASE_URL, or else OpenAI's own.
        expected: True to use the mean of the levels by the token probabilities instead of the written level.
        temperature: Sampling temperature; 0 for the most probable answer.
        seed: Random seed; the sample's number is added, so that repeated requests may differ.
        max_tokens: Largest number of tokens of an answer, thinking included.
        deadline: Timeout of a request in seconds.
        name: The part of the judge's name before the colon and the model.
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
        limits = ("max_tokens", "max_completion_tokens")
        self.settings = TakenSettings(
            {
                "temperature": ("temperature",),
                "seed": ("seed",),
                "limit": limits if self.other_address else limits[::-1],
                "format": tuple(_FORMATS),
            },
            max_tokens,
        )

    @property
    def identity(self) -> Identity:
        """Identity with model, all parameters of requests, and the address if it isn't the provider's own."""
        parameters = {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "expected": self.expected,
        }
        return Identity(f"{self.name}:{self.model}", self.model, parameters, self.other_address)

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Ask the model and return its answer to `prompt`.

        Raises:
            NoJudge: There is no key where one is needed, or the SDK is not installed.
            JudgeUnavailable: The server refused, asked to wait, did not answer in time, or returned no token
                probabilities although `expected` needs them.
            UnreadableReply: The response isn't a chat completion.
        """

        async def send(client: Any, form: RequestForm) -> Any:
            body = self.request(prompt, sample, form)  # as extra: else the SDK goes through each key of its schema
            create = client.chat.completions.with_raw_response.create
            return await create(model=self.model, messages=[], extra_body=body)

        async with self.call(self.deadline) as client:
            completion, form, calls = await self.answer(client, send)
        reply = self.as_reply(completion, calls)
        if self.expected and reply.stop == "end" and not completion["choices"][0].get("logprobs"):
            raise JudgeUnavailable(f"{self.who} {_NO_PROBABILITIES}")
        return self.noted(reply, form, with_format=bool(prompt.schema))

    # requests

    def refuse(self, refusal: RequestRefusal) -> None:
        """Raise an error if the server refuses to return token probabilities, which the option `expected` needs."""
        if self.expected and "logprobs" in f"{refusal.words} {refusal.path}":
            raise JudgeUnavailable(f"{self.who} {_NO_PROBABILITIES}")

    def batches(self) -> "OpenAIBatches":
        """Return the server's batch API, through which this judge's prompts can be sent."""
        return OpenAIBatches(self)

    def request(self, prompt: Prompt, sample: int, form: RequestForm) -> dict[str, Any]:
        """Build the body of a chat request.

        Args:
            prompt: The prompt.
            sample: Number of the sample, which is added to the seed.
            form: Which settings the request leaves out or lowers.
        """
        messages: list[dict[str, Any]] = [{"role": "system", "content": prompt.system}] if prompt.system else []
        messages.append({"role": "user", "content": message_content(prompt.user, prompt.parts, "chat")})
        request: dict[str, Any] = {"model": self.model, "messages": messages}
        settings = self.settings
        if limit := settings.step("limit", form):
            request[limit] = settings.limit_in(form)
        answer_format = settings.step("format", form)
        if answer_format and prompt.schema:
            request["response_format"] = _FORMATS[answer_format](prompt)
        if settings.step("temperature", form):
            request["temperature"] = self.temperature
        if settings.step("seed", form):
            request["seed"] = self.seed + sample
        if self.expected:
            request |= {"logprobs": True, "top_logprobs": REPORTED_ALTERNATIVES}
        return request

    # opening

    def http_client(self, sdk: ModuleType) -> Any:
        """Make the HTTP client for the SDK, with a connection for each simultaneous call; None if there is a proxy."""
        return client_for_many_calls(sdk)

    @cached_property
    def credential(self) -> dict[str, str]:
        """Argument `api_key` for the SDK's client: the key; NO_KEY for a server that needs none."""
        key = usable_key("OPENAI_API_KEY", self._given_key)
        if not key and not self.other_address:
            raise NoJudge(
                f"the judge {self.name}:{self.model} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server "
                "of your own"
            )
        return {"api_key": key or NO_KEY}

    # reading

    async def body(self, response: Any) -> Any:
        """Parse a raw HTTP response's JSON directly, which is faster than by the SDK.

        Text that isn't JSON is returned as it is.

        Raises:
            ValueError: The text isn't JSON although the response's content type says that it is.
            RecursionError: As for ValueError, if the text nests too deep to be parsed.
        """
        answer = response.http_response
        try:
            return json.loads(answer.content)
        except (ValueError, RecursionError):
            if answer.headers.get("content-type", "").partition(";")[0].endswith("json"):
                raise
            return answer.text

    def as_reply(self, completion: Any, calls: int = 1) -> Reply:
        """Read the reply from a chat completion.

        Args:
            completion: The completion as plain data.
            calls: Number of requests that it took to get the completion.

        Raises:
            UnreadableReply: The data aren't a chat completion.
        """
        reply = chat_reply(completion, calls, expected=self.expected)
        if reply is None:
            raise UnreadableReply(
                f"the answer of {self.who} isn't a chat completion; check the base URL, which usually ends in /v1; "
                f"it begins: {shown(json.dumps(completion, ensure_ascii=False), self.secrets)}"
            )
        return reply


def chat_reply(completion: Any, calls: int = 1, *, expected: bool) -> Reply | None:
    """Read the reply from a chat completion; None if it isn't a completion.

    Args:
        completion: The server's response, as plain data.
        calls: Number of calls that the reply took, with those that the server refused.
        expected: True to keep the probabilities of the tokens, from which the mean level is computed.
    """
    match completion:
        case {"choices": [{"message": {**message}} as choice, *_]}:
            pass
        case _:
            return None
    model, content, refusal = (
        text if isinstance(text, str) else ""
        for text in (completion.get("model"), _message_text(message.get("content")), message.get("refusal"))
    )
    used, logprobs = map(mapping, (completion.get("usage"), choice.get("logprobs")))
    tokens = logprobs.get("content")
    finish = _STOPS.get(str(choice.get("finish_reason")), "other")
    elsewhere = not content.strip() and any(map(message.get, ("reasoning_content", "reasoning", "tool_calls")))
    return Reply(
        content or refusal,
        model or None,
        stop="refusal" if refusal else "elsewhere" if elsewhere and finish in ("end", "other") else finish,
        usage=Usage(calls, count(used.get("prompt_tokens")), count(used.get("completion_tokens"))),
        tokens=aligned(read_tokens(tokens), content) if expected and isinstance(tokens, list) else (),
    )


def _message_text(content: Any) -> Any:
    """Return the text of a message, joining its parts if the server sends several; return other content unchanged."""
    if not isinstance(content, list):
        return content
    parts = [piece for piece in content if isinstance(piece, Mapping) and piece.get("type") in ("text", "output_text")]
    return "".join(text for piece in parts if isinstance(text := piece.get("text"), str))


def schema_format(prompt: Prompt) -> dict[str, Any]:
    """Build the `response_format` that constrains an answer to the prompt's schema."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": prompt.schema}}


_FORMATS: Final[Mapping[str, Callable[[Prompt], dict[str, Any]]]] = {
    "json_schema": schema_format,
    "json_object": lambda _: {"type": "json_object"},
}


# --- batches --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenAIBatches:
    """Batch API of an OpenAI-compatible judge, which uploads a file of prompts and downloads files of results.

    A batch carries markscheme's token as metadata. A parameter that a server doesn't take is left out in the next
    batch.
    """

    judge: OpenAIJudge
    _forms: dict[str, tuple[RequestForm, bool]] = field(default_factory=dict, init=False, repr=False)
    most: ClassVar[int] = 50_000
    most_bytes: ClassVar[int] = 64_000_000  # the API takes 200 MB; a smaller file needs less memory here

    def request(self, key: str, prompt: Prompt, sample: int) -> dict[str, Any]:
        """Build the line of a batch file for a prompt.

        Args:
            key: The key of the prompt's reply in the cache, which becomes the line's id.
            prompt: The prompt.
            sample: Number of the sample.
        """
        form = self.judge.settings.form
        self._forms[key] = form, bool(prompt.schema)
        body = self.judge.request(prompt, sample, form)
        return {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}

    async def create(self, token: str, requests: Sequence[Mapping[str, Any]]) -> BatchState:
        """Upload prompts as a file, and start a batch of them.

        Args:
            token: Markscheme's name for the batch, by which the file is named, and which the batch's metadata store.
            requests: The lines of the file, one for each prompt.
        """
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
        """Return the batch that was sent with a run's token, as a list; [] if there is none.

        Args:
            token: The token, which is stored with the batch.
            since: Time in seconds since 1970 at which sending began; older batches aren't looked at.
            prompts: Number of prompts in the batch; it isn't used, since the token identifies the batch.
        """
        async with self.judge.call(SENDING) as client:
            async for made in client.batches.list(limit=100):  # the newest first
                if made.created_at < since - CLOCKS_APART:
                    break
                if (made.metadata or {}).get(MARK) == token:
                    return [self._state(made)]
        return []

    async def state(self, id: str) -> BatchState:
        """Fetch a batch's current state from the server."""
        return self._state(await self._retrieved(id))

    async def results(self, id: str) -> AsyncGenerator[tuple[str, Reply | JudgeError]]:
        """Yield each key of a batch with its reply or error."""
        made = await self._retrieved(id)
        for file in filter(None, (made.output_file_id, made.error_file_id)):
            async with self.judge.call(SENDING) as client:
                text = (await client.files.content(file)).text
                entries = [json.loads(line) for line in text.splitlines() if line.strip()]
            for line in entries:
                yield line["custom_id"], self._as_result(line)

    async def cancel(self, id: str) -> None:
        """Ask the server to cancel a batch."""
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

    def _as_result(self, result: Mapping[str, Any]) -> Reply | JudgeError:
        """Read one result of a batch as a reply, or as an error, which is transient if another batch may succeed."""
        who = self.judge.who
        secrets = self.judge.secrets
        response = result.get("response") or {}
        error = result.get("error") or {}
        status = response.get("status_code")
        body = response.get("body")
        sent = self._forms.pop(result["custom_id"], None)
        if status == 200:
            try:
                reply = self.judge.as_reply(body)
            except UnreadableReply:
                fault = error_in_answer(who, body, {}, secrets=secrets)
                return fault or UnreadableReply(f"an answer of {who} in a batch isn't a chat completion")
            return self.judge.noted_in_batch(reply, sent)
        if isinstance(status, int):
            fault = status_fault(who, status, {}, body, secrets=secrets)
            is_mended = status in (400, 422) and self.judge.mend_in_batch(sent, body)
            return JudgeUnavailable(str(fault), transient=True, status=status) if is_mended else fault
        code = str(error.get("code") or "no reason given")
        return JudgeUnavailable(f"{who} left a prompt of a batch without an answer: {code}", transient=code in _PASSING)


MARK: Final = "markscheme"
"""Metadata key of a batch under which markscheme's token is stored."""
_PASSING: Final = {"batch_expired", "server_error"}
