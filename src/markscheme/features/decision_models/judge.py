"""Decision models as judges: they answer questions on a response by a probability for each level, not in words.

Two formats: System One (`POST /v1/systemone`) and OpenAI's Decisions (`POST /v1/decisions`).
"""

import asyncio
import json
import os
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from markscheme.errors import JudgeError, JudgeSilent, JudgeUnavailable, NoJudge, UnreadableReply
from markscheme.judges.deciding import (
    ASSETS,
    SYSTEM_ONE,
    TWICE,
    AnswersById,
    DecisionFormat,
    decided_reply,
    level_text,
    named_options,
    questions_by_id,
    refuse_unaskable,
    yes_no_distribution,
)
from markscheme.judges.external_words import shown
from markscheme.judges.judge import Identity, Reply
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.price import Price
from markscheme.judges.provider import error_in_answer, message_in, parse_address, status_fault, unreached, usable_key
from markscheme.judges.timeouts import REQUEST_TIMEOUT
from markscheme.prompts.prompt import DecisionQuestion, Prompt

IMAGES_HEADER: Final = {"TypeSafe-Danger-Zone-Images": "true"}
"""Header that other clients of System One send with images."""
LONGEST_BODY = 4_000_000
"""Largest number of bytes of a response that are read: hundreds of questions with 255 options each."""
HTTP: Final = "httpx2"
"""The HTTP library of the Anthropic SDK, which is loaded with the first request, without the SDK itself."""
TOO_LONG: Final = "max_tokens_exceeded"
"""Code by which a server of System One says that a request has too many tokens."""


# --- OpenAI's format -------------------------------------------------------------------------------------------------


def _decisions_request(model: str, prompt: Prompt) -> dict[str, Any]:
    questions = []
    for key, question in questions_by_id(prompt):
        request: dict[str, Any] = {"type": question.kind, "name": key, "instructions": question.instructions}
        if question.kind == "yes_no":
            request["type"] = "predicate"
            signs = [
                f"{name}: {text}" for name, (_, text) in zip(("False", "True"), question.options, strict=True) if text
            ]
            request["instructions"] = "\n".join([question.instructions, *signs])
        elif question.kind == "score":
            request["levels"] = [
                {"label": choice, "description": level_text(choice, text)} for choice, text in question.options
            ]
        else:
            request["choices"] = [
                {"value": choice} | ({"description": text} if text else {}) for choice, text in question.options
            ]
        questions.append(request)
    return {"model": model, "input": f"{prompt.guidelines or ''}\n\n{prompt.user}", "questions": questions}


def _decisions_answers(body: Mapping[str, Any]) -> AnswersById:
    if not isinstance(body["answers"], list):
        raise ValueError("no answers")
    for answer in body["answers"]:
        if isinstance(answer, Mapping) and isinstance(answer.get("name"), str):
            yield answer["name"], answer


def _decisions_distribution(answer: Mapping[str, Any], question: DecisionQuestion) -> dict[str, Any] | None:
    if question.kind == "yes_no":
        return yes_no_distribution(answer.get("probability"), question) if answer.get("type") == "predicate" else None
    entries = answer.get("probabilities")
    if answer.get("type") != question.kind or not isinstance(entries, list):
        return None
    if not all(isinstance(option, Mapping) for option in entries):
        return None
    offered: dict[Any, str] = dict(enumerate(question.choices))
    if question.kind == "choice":
        offered = {choice: choice for choice in question.choices}
    return named_options(((option.get("value"), option.get("probability")) for option in entries), offered)


OPENAI_DECISIONS: Final = DecisionFormat(
    "decisions",
    "/decisions",
    "https://api.openai.com/v1",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "this server has no route for decisions, or no such model; for a server of System One use systemone:MODEL",
    _decisions_request,
    _decisions_answers,
    _decisions_distribution,
)
WIRE_FORMATS: Final[Mapping[str, DecisionFormat]] = {wire.name: wire for wire in (SYSTEM_ONE, OPENAI_DECISIONS)}
"""The formats of servers, by the names of their judges."""


# --- a server -------------------------------------------------------------------------------------------------------


class DecisionJudge:
    """A judge that asks a decision model on a server for probabilities.

    Sends one request per reply: retries, rates and budgets are `Limited`'s job. Repeating a request may change
    probabilities a little, so replies are cached as for any other judge.

    Args:
        wire: The format of requests: SYSTEM_ONE or OPENAI_DECISIONS.
        model: The model as the server names it.
        api_key: The key; None for that in the format's environment variable, looked up with the first request. Only the
            provider's own address requires one.
        base_url: The server's address; None for that in the format's environment variable, or else the provider's own.
        expected: True to use the mean of the levels by their probabilities instead of the most probable level.
        deadline: Timeout of a request in seconds.

    Raises:
        UsageError: The base URL is invalid.
    """

    def __init__(
        self,
        wire: DecisionFormat,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        expected: bool = False,
        deadline: float = REQUEST_TIMEOUT,
    ) -> None:
        self.wire, self.model, self.expected, self.deadline = wire, model, expected, deadline
        self._given_key = api_key
        self._address = parse_address(base_url or os.environ.get(wire.address_variable) or wire.own_address)
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"DecisionJudge({self.wire.name}:{self.model})"

    @property
    def identity(self) -> Identity:
        """Identity: the model, the address if it isn't the usual one, and how probabilities become a level.

        The level is either the mean of the levels by their probabilities, or the most probable level.
        """
        return Identity(f"{self.wire.name}:{self.model}", self.model, {"expected": self.expected}, self.other_address)

    @property
    def other_address(self) -> str:
        """The server's address if it isn't the provider's own, else ""."""
        return "" if self._address.url == self.wire.own_address else self._address.url

    @property
    def who(self) -> str:
        """Name of the judge in messages."""
        return f"{self.wire.name} ({self.model})" + (f" at {self.other_address}" if self.other_address else "")

    @cached_property
    def key(self) -> str:
        """API key; "" for a server that needs none.

        Raises:
            NoJudge: A key is needed and there is none.
        """
        key = usable_key(self.wire.key_variable, self._given_key)
        if not key and not self.other_address:
            raise NoJudge(
                f"the judge {self.wire.name}:{self.model} needs a key: set {self.wire.key_variable}, or "
                f"{self.wire.address_variable} for a server of your own"
            )
        return key

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:  # noqa: ARG002 - each call is a new sample
        """Return the model's answer to `prompt`.

        Raises:
            NoJudge: There is no key where one is needed, or the HTTP library is missing.
            UsageError: The prompt can't be asked of a decision model.
            JudgeUnavailable: The server refused, asked to wait, or did not answer in time.
            UnreadableReply: The response isn't an answer of a decision model.
        """
        refuse_unaskable(prompt)
        secrets = tuple(filter(None, (self.key, *self._address.secrets)))
        status, headers, body = await self._sent(self.wire.request(self.model, prompt), secrets)
        if status != 200:
            raise self._refusal(status, headers, body, secrets)
        try:
            answer = parsed_body(body)
            fault = error_in_answer(self.who, answer, headers, secrets=secrets)
            if fault is not None:
                raise fault
            return decided_reply(answer, prompt, self.wire, expected=self.expected)
        except (ValueError, RecursionError):
            raise UnreadableReply(
                f"the answer of {self.who} isn't that of a decision model; check the address, which usually ends in /v1"
            ) from None

    async def aclose(self) -> None:
        """Close the HTTP client if it was opened in the running event loop; otherwise drop it."""
        client, loop = self._client, self._loop
        self._client = self._loop = None
        if client is not None and loop is asyncio.get_running_loop():
            await client.aclose()

    async def _sent(self, request: dict[str, Any], secrets: tuple[str, ...]) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request, and return status, headers and body of the response.

        Args:
            request: The body of the request.
            secrets: Texts that must not be shown in messages.
        """
        http = self._library()
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        headers |= IMAGES_HEADER if ASSETS in request else {}
        url = self._address.url.removesuffix("/v1") if self.wire is SYSTEM_ONE else self._address.url
        try:
            async with (
                asyncio.timeout(self.deadline),
                self._opened(http).stream(
                    "POST", url + self.wire.path, json=request, headers=headers | self._address.headers
                ) as response,
            ):
                body = b""
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > LONGEST_BODY:
                        raise UnreadableReply(f"the answer of {self.who} is longer than {LONGEST_BODY:,} bytes")
                return response.status_code, response.headers, body
        except (TimeoutError, http.TimeoutException):
            raise JudgeSilent(f"{self.who} gave no answer within {self.deadline:g} s") from None
        except http.DecodingError:
            raise UnreadableReply(f"the answer of {self.who} can't be decoded") from None
        except http.TransportError as error:
            raise unreached(self.who, error) from None
        except (http.HTTPError, http.InvalidURL) as error:
            words = shown(str(error), secrets)
            raise JudgeUnavailable(f"{self.who} could not be asked: {type(error).__name__}: {words}") from None

    def _library(self) -> ModuleType:
        try:
            return import_module(HTTP)
        except ModuleNotFoundError:
            raise NoJudge(f"{self.who} is asked through the package {HTTP}: pip install {HTTP}") from None

    def _opened(self, http: ModuleType) -> Any:
        """Return the HTTP client of the running event loop, opening one on first use."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._client = http.AsyncClient(timeout=self.deadline)
            self._loop = loop
        return self._client

    def _refusal(self, status: int, headers: Mapping[str, str], raw: bytes, secrets: tuple[str, ...]) -> JudgeError:
        try:
            body: Any = parsed_body(raw)
        except (ValueError, RecursionError):
            body = None
        if status in (400, 413, 422) and (TOO_LONG in message_in(body) or TOO_LONG in str(body)[:LONGEST_BODY]):
            return JudgeUnavailable(f"the prompt is too long for {self.model}", status=status)
        fault = status_fault(self.who, status, headers, body, secrets=secrets)
        if status == 404:
            return JudgeUnavailable(f"{fault}; {self.wire.instead}", status=status)
        return fault


def parsed_body(text: str | bytes) -> Any:
    """Parse the JSON of an HTTP response, allowing NaN; a key that occurs twice gets a value that says so.

    Raises:
        ValueError: The text isn't JSON.
    """
    return json.loads(text, object_pairs_hook=_noting_twice)


def _noting_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for key, value in pairs:
        entries[key] = TWICE if key in entries else value
    return entries


# --- what a judge kind needs -----------------------------------------------------------------------------------------


def open_decision_model(wire: str, model: str, context: JudgeContext) -> DecisionJudge:
    """Open the judge for a decision model.

    Args:
        wire: Name of the format in which the model is asked: "systemone" or "decisions".
        model: The model.
        context: The settings that the judges of the run share.
    """
    return DecisionJudge(WIRE_FORMATS[wire], model, expected=context.expected, **context.settings())


def price_at_home(models: str, dollars_per_million: float, identity: Identity) -> Price | None:
    """Return a price that counts only input tokens, for a model at its provider's own address; else None.

    Args:
        models: The beginning of the names of the models that have this price.
        dollars_per_million: Price of a million input tokens.
        identity: The judge's identity, with model and address.
    """
    is_known = identity.model is not None and identity.model.startswith(models) and identity.address is None
    return Price(dollars_per_million, 0.0) if is_known else None
