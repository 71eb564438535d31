"""Claude as judge through the real SDK over HTTP, with a real local model and with every kind of failure."""

import asyncio
import gc
import json
import logging
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable

import anthropic
import httpx2
import pytest

from markscheme import Rubric, grade
from markscheme.errors import (
    JudgeBusy,
    JudgeError,
    JudgeSilent,
    JudgeUnavailable,
    NoJudge,
    UnreadableReply,
    UsageError,
)
from markscheme.judges.anthropic import DEFAULT_MODEL, AnthropicJudge
from markscheme.judges.judge import Usage
from markscheme.judges.provider import STATUSES
from markscheme.prompts.prompt import Prompt
from tests.judges.asking import KEY, PROMPT, RUBRIC, VERDICT, Briefly, asked, asked_often, refusal
from tests.judges.chat_server import ChatServer
from tests.judges.chat_server import failing as chat_failing
from tests.real import messages_front as front
from tests.real.messages_front import Answer, MessagesFront, Request

pytestmark = pytest.mark.usefixtures("no_authorities")


@pytest.fixture(autouse=True)
def _no_keys_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def at(url: str, **options: object) -> AnthropicJudge:
    return AnthropicJudge(api_key=KEY, base_url=url, **options)  # type: ignore[arg-type]


def played(answer: Answer, **options: object) -> JudgeError:
    """Return the error of a judge whose server gives `answer`, after checking that it asks exactly once."""
    with MessagesFront(lambda _: answer) as server:
        error = refusal(at(server.url, **options))
        assert len(server.requests) == 1
    return error


# --- a verdict from a real model -------------------------------------------------------------------------------------


def test_a_real_model_gives_a_verdict_that_obeys_the_schema_through_the_real_sdk(messages_front: MessagesFront) -> None:
    async def run() -> None:
        judge = at(messages_front.url, max_tokens=300)
        graded = await grade(RUBRIC, "Paris is the capital of France.", Briefly(judge))
        await judge.aclose()
        assert graded.error is None
        assert graded.score in (0.0, 1.0)
        assert graded.verdicts["c1"].reason
        assert graded.usage.calls == 1
        assert (graded.usage.input_tokens or 0) > 20
        assert (graded.usage.output_tokens or 0) > 10
        assert graded.replies == {"live": 1}

    asyncio.run(run())


def test_a_request_to_anthropic_has_the_answer_s_schema_and_a_cached_system_part_and_no_temperature() -> None:
    with MessagesFront(lambda _: front.message(VERDICT)) as server:
        asked(at(server.url, max_tokens=77))
        (request,) = server.requests
    assert request.body["model"] == DEFAULT_MODEL
    assert request.body["max_tokens"] == 77
    assert request.body["output_config"] == {"format": {"type": "json_schema", "schema": PROMPT.schema}}
    assert request.body["system"] == [{"type": "text", "text": PROMPT.system, "cache_control": {"type": "ephemeral"}}]
    assert request.body["messages"] == [{"role": "user", "content": PROMPT.user}]
    assert not {"temperature", "top_p", "top_k"} & request.body.keys()


def test_a_request_to_anthropic_without_a_system_prompt_has_no_system_part() -> None:
    with MessagesFront(lambda _: front.message(VERDICT)) as server:
        asked(at(server.url), Prompt("", "Rate this.", PROMPT.schema, ("c1",)))
        assert "system" not in server.requests[0].body


def test_a_reply_from_anthropic_counts_cached_tokens_as_input_tokens() -> None:
    usage = {
        "input_tokens": 5,
        "cache_creation_input_tokens": 70,
        "cache_read_input_tokens": 600,
        "output_tokens": 12,
    }
    body = json.loads(front.message({"type": "thinking", "thinking": "Hm.", "signature": "s"}, "a", "b").body)
    with MessagesFront(lambda _: Answer(json.dumps(body | {"usage": usage}).encode())) as server:
        reply = asked(at(server.url))
    assert (reply.text, reply.model, reply.stop) == ("ab", "local", "end")
    assert reply.usage == Usage(calls=1, input_tokens=675, output_tokens=12, usd=None)


@pytest.mark.parametrize(
    ("stop_reason", "stop"),
    [
        ("end_turn", "end"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("stop_sequence", "other"),
        ("tool_use", "other"),
        ("pause_turn", "other"),
        ("a reason of tomorrow", "other"),
    ],
)
def test_a_reply_from_anthropic_has_the_reason_why_the_answer_ended(stop_reason: str, stop: str) -> None:
    with MessagesFront(lambda _: front.message("{}", stop_reason=stop_reason)) as server:
        assert asked(at(server.url)).stop == stop


def test_an_answer_without_content_that_anthropic_marks_as_a_refusal_is_read_as_a_refusal() -> None:
    with MessagesFront(lambda _: front.refusal()) as server:
        reply = asked(at(server.url))
    assert (reply.text, reply.stop) == ("", "refusal")


def test_answers_without_token_counts_leave_the_usage_unknown() -> None:
    body = json.loads(front.message(VERDICT).body) | {"usage": {"input_tokens": "many", "output_tokens": -1}}
    with MessagesFront(lambda _: Answer(json.dumps(body).encode())) as server:
        assert asked(at(server.url)).usage == Usage(calls=1)


# --- the key ---------------------------------------------------------------------------------------------------------


def test_without_an_api_key_nothing_is_sent_and_the_error_names_the_alternatives() -> None:
    with MessagesFront(lambda _: front.message(VERDICT)) as server:
        error = refusal(AnthropicJudge(base_url=server.url))
        assert server.requests == []
    assert isinstance(error, NoJudge)
    assert "ANTHROPIC_API_KEY" in str(error)


@pytest.mark.parametrize("variable", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_api_key_and_address_are_read_from_the_environment(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with MessagesFront(lambda _: front.message(VERDICT)) as server:
        monkeypatch.setenv(variable, f" {KEY}\n")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        judge = AnthropicJudge()
        assert asked(judge).text == VERDICT
    assert judge.identity.address == server.url


def test_an_api_key_with_characters_that_a_header_cannot_have_is_refused_without_being_shown() -> None:
    error = refusal(AnthropicJudge(api_key=f"{KEY}\nX-More: 1"))
    assert isinstance(error, NoJudge)
    assert "line break" in str(error)


def test_the_api_key_is_hidden_in_messages_even_if_the_provider_repeats_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    error = played(front.failing(401, why=f"invalid x-api-key: {KEY}"))
    assert isinstance(error, JudgeUnavailable)
    assert not error.transient
    assert "refused the key (401): invalid x-api-key: …" in str(error)
    judge = at("http://127.0.0.1:1")
    assert KEY not in caplog.text + repr(judge) + repr(judge.identity)


def test_a_user_and_password_in_the_address_are_sent_but_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with ChatServer(lambda _: chat_failing(403, "no entry for hunter22")) as server:
        judge = at(server.url.replace("//", "//me:hunter22@"))
        error = refusal(judge)
        assert judge.identity.address == server.url
        assert server.keys == ["Basic bWU6aHVudGVyMjI="]
    assert "hunter22" not in caplog.text + str(error) + repr(judge)


@pytest.mark.parametrize(
    "address", ["nonsense", "ftp://host", "http://", "http://host:port", f"https://host/?key={KEY}", "http://[::1"]
)
def test_an_invalid_address_is_refused_without_being_shown(address: str) -> None:
    with pytest.raises(UsageError) as caught:
        AnthropicJudge(base_url=address)
    assert KEY not in str(caught.value)


# --- who the judge is ------------------------------------------------------------------------------------------------


def test_the_anthropic_judge_s_identity_depends_on_model_and_token_limit_and_address_but_not_on_the_api_key() -> None:
    own = AnthropicJudge(api_key="one").identity
    assert own == AnthropicJudge(api_key="two", base_url="https://API.anthropic.com:443/").identity
    assert own.address is None
    others = [
        AnthropicJudge("claude-haiku-5-5").identity,
        AnthropicJudge(max_tokens=99).identity,
        AnthropicJudge(base_url="http://127.0.0.1:9").identity,
    ]
    assert len({identity.fingerprint for identity in (own, *others)}) == 4


def test_the_anthropic_judge_can_be_created_without_importing_the_sdk() -> None:
    code = (
        "import sys; from markscheme.judges.anthropic import AnthropicJudge; AnthropicJudge(api_key='k').identity; "
        "print('anthropic' in sys.modules, 'httpx2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


# --- faults: those with a status -------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 402, 403, 404, 413, 418, 422, 501])
def test_refused_requests_are_not_retried_and_the_error_quotes_the_provider(status: int) -> None:
    error = played(front.failing(status, why="because \x1b[31mof\nthis"))
    assert type(error) is JudgeUnavailable
    assert not error.transient
    assert f"({status}): because �[31mof this" in str(error)


@pytest.mark.parametrize("status", [408, 409, 500, 502, 504, 520])
def test_failures_that_waiting_may_cure_are_reported_as_transient(status: int) -> None:
    error = played(front.failing(status))
    assert type(error) is JudgeUnavailable
    assert error.transient


@pytest.mark.parametrize("status", [429, 503, 529])
@pytest.mark.parametrize(
    ("header", "wait"),
    [
        (None, None),
        (("retry-after", "7"), 7.0),
        (("retry-after", "1000000"), 1_000_000.0),
        (("retry-after-ms", "250"), 0.25),
        (("retry-after", "soon"), None),
        (("retry-after", "-3"), None),
        (("retry-after", "nan"), None),
        (("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT"), 0.0),
    ],
)
def test_a_provider_that_asks_to_wait_counts_as_busy_for_as_long_as_it_says(
    status: int, header: tuple[str, str] | None, wait: float | None
) -> None:
    answer = Answer(b'{"error": {"message": "slow down"}}', status, (front.JSON, *([header] if header else [])))
    error = played(answer)
    assert isinstance(error, JudgeBusy)
    assert error.transient
    assert error.retry_after == wait


def refusing_400(*names: str) -> Callable[[front.Request], Answer]:
    """Make a server's answers for the Messages API that refuse some parameters, and more than 1,000 tokens."""
    at = {"output_config": "output_config", "cache_control": "system.0.cache_control"}

    def decide(request: front.Request) -> Answer:
        for name in names:
            if name in json.dumps(request.body):
                return front.failing(400, why=f"{at[name]}: Extra inputs are not permitted")
        if request.body["max_tokens"] > 1000:
            limit = f"max_tokens: {request.body['max_tokens']} > 1000, which is the maximum allowed number"
            return front.failing(400, why=limit)
        return front.message(VERDICT)

    return decide


def test_parameters_that_a_gateway_refuses_are_left_out_of_all_later_requests() -> None:
    with MessagesFront(refusing_400("output_config", "cache_control")) as server:
        judge = at(server.url)
        with pytest.warns(RuntimeWarning, match="is asked without max_tokens above 1000, output_config") as warnings:
            replies = [asked(judge) for _ in range(3)]
        bodies = [request.body for request in server.requests]
    assert len(warnings) == 1
    assert len(bodies) == 4 + 2, "what was refused once is not tried again"
    assert {reply.without for reply in replies} == {("max_tokens above 1000", "output_config")}
    assert [reply.usage.calls for reply in replies] == [4, 1, 1]
    assert bodies[-1]["max_tokens"] == 1000
    assert bodies[-1]["system"] == [{"type": "text", "text": PROMPT.system}]
    assert "output_config" not in bodies[-1]


def test_leaving_out_the_prompt_cache_that_a_server_refuses_does_not_change_the_judge_s_identity() -> None:
    with MessagesFront(refusing_400("cache_control")) as server:
        assert asked(at(server.url, max_tokens=900)).without == ()
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    "why",
    [
        "prompt is too long: 250000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000, decrease `max_tokens`",
        "Your credit balance is too low to access the API.",
        "messages.0: the output_config of this prompt was flagged",
    ],
)
def test_a_request_that_the_api_calls_invalid_is_reported_as_an_unavailable_judge(why: str) -> None:
    assert isinstance(played(front.failing(400, why=why)), JudgeUnavailable)


@pytest.mark.parametrize("headers", [(), (("retry-after", "4"),)])
def test_an_error_inside_an_answer_of_http_status_200_is_raised_as_that_error(
    headers: tuple[tuple[str, str], ...],
) -> None:
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    error = played(Answer(json.dumps(body).encode(), headers=(front.JSON, *headers)))
    assert isinstance(error, JudgeBusy)
    assert "529, inside an answer of status 200): Overloaded" in str(error)
    assert error.retry_after == (4.0 if headers else None)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b'{"error": {"message": "over", "details": {"error_code": "enforced_spend_limit_reached"}}}', 429),
        Answer(b'{"error": {"message": "over"}}', 429, (front.JSON, ("x-should-retry", "false"))),
    ],
)
def test_an_exhausted_usage_limit_is_a_final_error(answer: Answer) -> None:
    error = played(answer)
    assert type(error) is JudgeUnavailable
    assert not error.transient


def test_a_long_error_page_is_not_quoted_and_a_long_message_is_cut() -> None:
    page = Answer(b"<html>" + b"x" * 10_000, 502, (("content-type", "text/html"),))
    assert len(str(played(page))) < 120
    assert len(str(played(front.failing(400, why="y" * 10_000)))) < 320


# --- faults: those without -------------------------------------------------------------------------------------------


LATE = 300.0
"""Seconds until the answer comes, for which nobody waits; far longer than a slow machine takes to give it up."""


def test_the_judge_stops_waiting_for_an_answer_at_its_deadline() -> None:
    is_given_up = threading.Event()
    came_first: list[bool] = []

    def late(_: Request) -> Answer:
        came_first.append(not is_given_up.wait(LATE))
        return front.message(VERDICT)

    with MessagesFront(late) as server:
        error = refusal(at(server.url, deadline=0.3))
        is_given_up.set()
        assert len(server.requests) <= 1  # on a busy machine none has arrived by then
    assert isinstance(error, JudgeSilent)
    assert error.transient
    assert "0.3 s" in str(error)
    assert not any(came_first)


def test_a_dropped_connection_counts_as_no_answer_from_the_provider() -> None:
    assert isinstance(played(front.dropped()), JudgeSilent)


def test_an_address_where_no_server_listens_counts_as_no_answer_from_the_provider() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # kept, so that nobody else gets the port meanwhile
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        error = refusal(at(url))
    assert isinstance(error, JudgeSilent)
    assert url in str(error)


UNREADABLE = {
    "cut-off JSON": front.not_json(),
    "JSON that isn't a message": front.not_a_message(),
    "an HTML page": front.html_page(),
    "a plain text": Answer(b"hello", headers=(("content-type", "text/plain"),)),
    "nothing": Answer(b""),
    "null": Answer(b"null"),
    "a list": Answer(b"[]"),
    "a text as content": Answer(b'{"content": "MET"}'),
    "null as content": Answer(b'{"content": null, "stop_reason": "end_turn"}'),
    "too deep": Answer(b"[" * 100_000),
    "10,000 digits": Answer(b'{"content": ' + b"9" * 10_000 + b"}"),
    "not UTF-8": Answer(b"\xff\xfe\x00"),
}


@pytest.mark.parametrize("answer", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_answer_of_the_api_that_is_not_a_message_is_an_unreadable_reply(answer: Answer) -> None:
    error = played(answer)
    assert isinstance(error, UnreadableReply)
    assert len(str(error)) < 200


@pytest.mark.parametrize("content", [b"[1, null]", b'[{"type": "text", "text": 5}]', b'[{"type": "image"}]', b"[]"])
def test_an_answer_without_text_blocks_gives_an_empty_reply(content: bytes) -> None:
    with MessagesFront(lambda _: Answer(b'{"content": ' + content + b"}")) as server:
        reply = asked(at(server.url))
    assert (reply.text, reply.model, reply.stop) == ("", None, "other")


# --- nothing the SDK raises goes by unmapped -------------------------------------------------------------------------


def raising(error: Exception) -> AnthropicJudge:
    """Make a judge whose SDK raises `error` when it sends a request."""

    async def middleware(*_: object) -> object:
        raise error

    return AnthropicJudge(client=anthropic.AsyncAnthropic(api_key=KEY, middleware=[middleware]))  # type: ignore[list-item]


REQUEST = httpx2.Request("POST", "http://127.0.0.1/")
WITHOUT_STATUS: dict[str, tuple[Callable[[], Exception], type[JudgeError]]] = {
    "AnthropicError": (lambda: anthropic.AnthropicError(f"oh {KEY}"), JudgeUnavailable),
    "APIError": (lambda: anthropic.APIError(f"oh {KEY}", REQUEST, body=None), JudgeUnavailable),
    "APIConnectionError": (lambda: anthropic.APIConnectionError(request=REQUEST), JudgeSilent),
    "APITimeoutError": (lambda: anthropic.APITimeoutError(REQUEST), JudgeSilent),
    "APIResponseValidationError": (
        lambda: anthropic.APIResponseValidationError(httpx2.Response(200, request=REQUEST), None),
        UnreadableReply,
    ),
    "APIWebhookValidationError": (
        lambda: anthropic.APIWebhookValidationError("oh", REQUEST, body=None),
        JudgeUnavailable,
    ),
    "RetryableError": (lambda: anthropic.RetryableError("oh"), JudgeUnavailable),
    "CredentialsError": (lambda: anthropic.CredentialsError("oh"), JudgeUnavailable),
    "IdentityTokenFileError": (lambda: anthropic.IdentityTokenFileError("oh"), JudgeUnavailable),
}


def exceptions_of_the_sdk() -> list[tuple[str, type[Exception]]]:
    named = [(name, getattr(anthropic, name)) for name in anthropic.__all__]
    return [(name, kind) for name, kind in named if isinstance(kind, type) and issubclass(kind, Exception)]


@pytest.mark.parametrize(("name", "kind"), exceptions_of_the_sdk())
def test_every_exception_of_the_sdk_is_converted_to_a_judge_error(name: str, kind: type[Exception]) -> None:
    if issubclass(kind, anthropic.APIStatusError):
        status = getattr(kind, "status_code", None)
        assert status is None or status in STATUSES, f"say in STATUSES what {name} ({status}) means"
        assert isinstance(
            refusal(raising(kind("oh", response=httpx2.Response(status or 500, request=REQUEST), body=None))),
            JudgeUnavailable,
        )
    else:
        assert name in WITHOUT_STATUS, f"say in SdkJudge what {name} means, and here"
        make, expected = WITHOUT_STATUS[name]
        assert type(refusal(raising(make()))) is expected


# --- clients and loops -----------------------------------------------------------------------------------------------


def test_a_judge_can_be_asked_from_one_event_loop_after_another() -> None:
    with MessagesFront(lambda _: front.message(VERDICT)) as server:
        judge = at(server.url)
        assert [asked(judge).text for _ in range(2)] == [VERDICT, VERDICT]


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_judge_that_was_not_closed_can_still_be_asked_in_the_next_event_loop() -> None:
    with MessagesFront(lambda _: front.message(VERDICT)) as server:
        judge = at(server.url)
        for _ in range(3):
            assert asyncio.run(judge.reply(PROMPT)).text == VERDICT
        asyncio.run(judge.aclose())
        gc.collect()


def test_twenty_simultaneous_requests_to_the_anthropic_judge_are_all_sent_at_once() -> None:
    with MessagesFront(lambda _: front.late(front.message(VERDICT), 0.2)) as server:
        asked_often(at(server.url), 20)
        assert server.most_in_flight == 20


def test_a_client_passed_by_the_user_is_called_without_retries_and_left_open() -> None:
    async def run(url: str) -> None:
        async with anthropic.AsyncAnthropic(api_key=KEY, base_url=url, max_retries=5) as client:
            judge = AnthropicJudge(client=client)
            assert judge.identity.address == url
            with pytest.raises(JudgeUnavailable):
                await judge.reply(PROMPT)
            await judge.aclose()
            assert not client.is_closed()

    with MessagesFront(lambda _: front.failing(500)) as server:
        asyncio.run(run(server.url))
        assert len(server.requests) == 1


def test_a_failed_request_leaves_the_submission_ungraded_with_the_reason() -> None:
    async def run(url: str) -> str:
        judge = at(url)
        graded = await grade(Rubric.from_dict([{"weight": 1, "requirement": "A"}]), "x", judge)
        await judge.aclose()
        assert graded.score is None
        return graded.error or ""

    with MessagesFront(lambda _: front.failing(404, why="model: claude-9")) as server:
        assert re.search(r"knows no such model or address \(404\): model: claude-9", asyncio.run(run(server.url)))
