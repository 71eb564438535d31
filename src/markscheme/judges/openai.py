"""Any OpenAI-compatible server as judge: OpenAI itself, vLLM, Ollama, llama.cpp, OpenRouter, Gemini.

Servers differ in what they take. What one refuses by name is left out and not tried again: the schema gives way to
"some JSON object", that to no format at all (the prompt itself describes the form), and so on.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from markscheme.errors import JudgeUnavailable, NoJudge, UnreadableReply
from markscheme.judges.judge import Identity, Reply, Stop, Token, Usage
from markscheme.judges.probabilities import aligned, read_tokens
from markscheme.judges.provider import Line, SdkJudge, count, environment, said, shown, usable_key
from markscheme.prompt import Prompt

MAX_TOKENS = 4096
DEADLINE = 120.0
TOP = 20
"""Alternatives asked for at each token; providers tell no more."""
NO_KEY = "none"
"""Sent where a server asks for no key, since the SDK insists on one."""

_STOPS: Final[dict[str, Stop]] = {"stop": "end", "length": "length", "content_filter": "refusal"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes.

    Attributes:
        formats: Ways to ask for the form of the answer, the one in use first; the last asks for none.
        limits: Names of the parameter that limits the answer, the one in use first; the last sends none.
        temperature: Whether a temperature may be sent.
        seed: Whether a seed may be sent.
    """

    formats: tuple[str, ...] = ("json_schema", "json_object", "")
    limits: tuple[str, ...] = ("max_tokens", "max_completion_tokens", "")
    temperature: bool = True
    seed: bool = True

    def without(self, complaint: str) -> "Dialect | None":
        """What is left to try after a server refused a request with these words; None if nothing is.

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


class OpenAIJudge(SdkJudge):
    """A model behind an OpenAI-compatible chat address, held to the schema of the answer where the server can.

    It asks once: retries, rates and budgets are `Limited`'s. A server that turns chats into one text may take a model's
    chat marks in a submission, such as `<|im_end|>`, for its own; what is sent is what was submitted.

    Args:
        model: As the server names it.
        api_key: Else OPENAI_API_KEY, looked up when first asked; only OpenAI's own address insists on one.
        base_url: Else OPENAI_BASE_URL, else OpenAI's own.
        expected: True takes the expected level by the token probabilities instead of the single one.
        temperature: 0 asks for the likeliest answer.
        seed: Sent with the sample's number added, so that repeated askings may differ.
        max_tokens: The longest answer, in tokens; what the model thinks counts.
        deadline: Seconds after which a question is given up.
        name: What the judge is called, before the colon and the model.
        client: An AsyncOpenAI to ask through, closed by its maker; it brings its own key and address.

    Raises:
        UsageError: The address is none.
    """

    own_address = "https://api.openai.com/v1"
    address_variable = "OPENAI_BASE_URL"
    sdk = ("openai", "OpenAIError", "pip install 'markscheme[openai]'")
    client_class = "AsyncOpenAI"

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
        deadline: float = DEADLINE,
        name: str = "openai",
        client: Any = None,
    ) -> None:
        super().__init__(name, model, base_url, deadline, client)
        self.max_tokens, self.expected, self.temperature, self.seed = max_tokens, expected, temperature, seed
        self._given_key = api_key
        limits = (
            ("max_tokens", "max_completion_tokens") if self.other_address else ("max_completion_tokens", "max_tokens")
        )
        self._dialect = Dialect(limits=(*limits, ""))

    @property
    def identity(self) -> Identity:
        """Model, all parameters of the request, and the address where it is not the provider's own."""
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
            JudgeUnavailable: The server refused, asks to wait, or did not answer in time.
            UnreadableReply: What came is no chat completion.
        """
        line = self.line()
        async with line.call(self.deadline):
            completion, calls = await self._completion(line, prompt, sample)
        held = not self.other_address and bool(prompt.schema) and self._dialect.formats[0] == "json_schema"
        return replace(self._as_reply(completion, calls, line.who), enforced=held)  # other servers may only take it

    # asking

    async def _completion(self, line: Line, prompt: Prompt, sample: int) -> tuple[Any, int]:
        """The server's answer in whatever dialect it takes, and how many requests that took."""
        sdk, completions = line.module(), line.client().chat.completions
        calls = 0
        while True:
            calls, dialect = calls + 1, self._dialect
            try:
                return await completions.create(**self._request(prompt, sample, dialect)), calls
            except (sdk.BadRequestError, sdk.UnprocessableEntityError) as error:
                complaint = f"{said(error.body) or error} {error.param or ''}"
                if self.expected and "logprobs" in complaint:
                    raise self._no_probabilities(line, complaint) from None
                simpler = dialect.without(complaint)
                if simpler is None:
                    raise
                if self._dialect == dialect:
                    self._dialect = simpler

    def _no_probabilities(self, line: Line, complaint: str) -> JudgeUnavailable:
        words = shown(complaint, line.secrets)
        return JudgeUnavailable(f"{line.who} returns no token probabilities, which `expected` needs: {words}")

    def _request(self, prompt: Prompt, sample: int, dialect: Dialect) -> dict[str, Any]:
        messages = [{"role": "system", "content": prompt.system}] if prompt.system else []
        request: dict[str, Any] = {"model": self.model, "messages": [*messages, _user(prompt)]}
        if dialect.limits[0]:
            request[dialect.limits[0]] = self.max_tokens
        if dialect.formats[0] and prompt.schema:
            request["response_format"] = _FORMATS[dialect.formats[0]](prompt)
        if dialect.temperature:
            request["temperature"] = self.temperature
        if dialect.seed:
            request["seed"] = self.seed + sample
        if self.expected:
            request |= {"logprobs": True, "top_logprobs": TOP}
        return request

    # opening

    def credential(self) -> dict[str, str]:
        """The key; NO_KEY for a server that asks for none."""
        key = usable_key(self._given_key or environment("OPENAI_API_KEY"), "OPENAI_API_KEY")
        if key is None and not self.other_address:
            raise NoJudge(
                f"the judge {self.name}:{self.model} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server "
                "of your own"
            )
        return {"api_key": key or NO_KEY}

    # reading

    def _as_reply(self, completion: Any, calls: int, who: str) -> Reply:
        choices = getattr(completion, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = getattr(choice, "message", None)
        if message is None:
            raise UnreadableReply(f"what came from {who} is no chat completion; does the address end as it should?")
        refusal, content = getattr(message, "refusal", None), getattr(message, "content", None)
        text = content if isinstance(content, str) else ""
        refused = isinstance(refusal, str) and bool(refusal)
        return Reply(
            text or (str(refusal) if refused else ""),
            model=completion.model if isinstance(completion.model, str) else "",
            stop="refusal" if refused else _STOPS.get(str(getattr(choice, "finish_reason", None)), "other"),
            usage=_usage(completion.usage, calls),
            tokens=self._tokens(choice, text),
        )

    def _tokens(self, choice: Any, text: str) -> tuple[Token, ...]:
        told = getattr(getattr(choice, "logprobs", None), "content", None)
        if not self.expected or not isinstance(told, Sequence):
            return ()
        return aligned(read_tokens([_plain(token) for token in told]), text)


def schema_format(prompt: Prompt) -> dict[str, Any]:
    """The `response_format` that holds an answer to the prompt's schema."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": prompt.schema}}


_FORMATS: Final[Mapping[str, Callable[[Prompt], dict[str, Any]]]] = {
    "json_schema": schema_format,
    "json_object": lambda _: {"type": "json_object"},
}


def _user(prompt: Prompt) -> dict[str, str]:
    return {"role": "user", "content": prompt.user}


def _plain(token: Any) -> Mapping[str, Any]:
    return token.model_dump(warnings="none") if hasattr(token, "model_dump") else {}


def _usage(told: Any, calls: int) -> Usage:
    return Usage(calls, count(getattr(told, "prompt_tokens", None)), count(getattr(told, "completion_tokens", None)))
