"""The test server for the Messages API: the real SDK gets JSON by schema from a real model, and the API's errors."""

import asyncio
import http.client
import json
import threading
import urllib.parse
from collections.abc import Callable, Coroutine
from typing import Any

import anthropic
import jsonschema
import pytest
from anthropic.types import Message, TextBlock, ToolUseBlock

from tests.real import messages_front as front
from tests.real.messages_front import Answer, MessagesFront, Request

pytestmark = pytest.mark.usefixtures("no_authorities")

KEY = "sk-only-for-this-test"
VERDICT = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "maxLength": 20},
        "level": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
    },
    "required": ["reason", "level"],
    "additionalProperties": False,
}
QUESTION = "Is four right for two and two? Give a reason and a level from 1 to 5."

Use = Callable[[anthropic.AsyncAnthropic], Coroutine[Any, Any, Any]]


def with_sdk(url: str, use: Use, **options: Any) -> Any:
    """Return the result of `use` with the real SDK pointed at `url`, without retries unless `options` ask for them."""

    async def run() -> Any:
        settings = {"max_retries": 0, "timeout": 120.0} | options
        async with anthropic.AsyncAnthropic(base_url=url, api_key=KEY, **settings) as client:
            return await use(client)

    return asyncio.run(run())


async def ask(client: anthropic.AsyncAnthropic, **further: Any) -> Message:
    """Ask one question through the SDK's own interface."""
    reply: Message = await client.messages.create(
        model="claude-haiku-5-5", max_tokens=200, messages=[{"role": "user", "content": QUESTION}], **further
    )
    return reply


def answered(*answers: Answer) -> Callable[[Request], Answer]:
    """Make a script that gives `answers` in order, and then repeats the last one."""
    return lambda request: answers[min(request.number, len(answers) - 1)]


@pytest.mark.proof
def test_the_anthropic_sdk_gets_json_that_obeys_the_schema_from_a_real_local_model(
    messages_front: MessagesFront,
) -> None:
    before = len(messages_front.requests)
    config = {"format": {"type": "json_schema", "schema": VERDICT}}
    system = [{"type": "text", "text": "You rate answers.", "cache_control": {"type": "ephemeral"}}]
    reply = with_sdk(messages_front.url, lambda client: ask(client, output_config=config, system=system))
    (block,) = reply.content
    assert isinstance(block, TextBlock)
    jsonschema.validate(json.loads(block.text), VERDICT)
    assert reply.stop_reason == "end_turn"
    assert reply.usage.input_tokens > 20
    assert reply.usage.output_tokens > 5
    (request,) = messages_front.requests[before:]
    assert request.body["output_config"] == config
    assert KEY not in repr(messages_front.requests)


@pytest.mark.proof
def test_the_test_server_answers_a_forced_tool_call_with_an_input_that_obeys_the_tool_s_schema(
    messages_front: MessagesFront,
) -> None:
    tools = [{"name": "rate", "description": "Give a verdict.", "input_schema": VERDICT}]
    choice = {"type": "tool", "name": "rate"}
    reply = with_sdk(messages_front.url, lambda client: ask(client, tools=tools, tool_choice=choice))
    (block,) = reply.content
    assert isinstance(block, ToolUseBlock)
    assert (block.name, reply.stop_reason) == ("rate", "tool_use")
    jsonschema.validate(block.input, VERDICT)


@pytest.mark.proof  # the real model once more
def test_a_real_local_model_answers_several_simultaneous_requests_of_the_anthropic_sdk(
    messages_front: MessagesFront,
) -> None:
    config = {"format": {"type": "json_schema", "schema": VERDICT}}

    async def four(client: anthropic.AsyncAnthropic) -> list[Message]:
        return await asyncio.gather(*(ask(client, output_config=config) for _ in range(4)))

    texts = [reply.content[0].text for reply in with_sdk(messages_front.url, four)]
    for text in texts:
        jsonschema.validate(json.loads(text), VERDICT)
    assert messages_front.most_in_flight >= 2


def test_an_answer_of_a_real_model_is_cut_off_at_max_tokens(messages_front: MessagesFront) -> None:
    async def briefly(client: anthropic.AsyncAnthropic) -> Message:
        turns = [{"role": "user", "content": "Count from one to a hundred in words."}]
        return await client.messages.create(model="claude-haiku-5-5", max_tokens=4, messages=turns)  # type: ignore[arg-type]

    reply = with_sdk(messages_front.url, briefly)
    assert (reply.stop_reason, reply.usage.output_tokens) == ("max_tokens", 4)


def test_a_request_that_is_too_long_for_the_model_gets_an_error_in_the_form_of_anthropic_s_api(
    messages_front: MessagesFront,
) -> None:
    async def at_length(client: anthropic.AsyncAnthropic) -> Message:
        return await ask(client, system="word " * 9000)

    with pytest.raises(anthropic.BadRequestError, match="context size") as caught:
        with_sdk(messages_front.url, at_length)
    assert caught.value.body == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": caught.value.body["error"]["message"]},  # type: ignore[index]
    }


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, anthropic.AuthenticationError),
        (429, anthropic.RateLimitError),
        (500, anthropic.InternalServerError),
        (529, anthropic.InternalServerError),
    ],
)
def test_errors_of_the_test_server_arrive_as_the_sdk_s_own_exceptions(
    status: int, error: type[anthropic.APIStatusError]
) -> None:
    with MessagesFront(answered(front.failing(status, retry_after=0.01))) as running:
        with pytest.raises(error) as caught:
            with_sdk(running.url, ask)
        assert caught.value.status_code == status
        assert caught.value.response.headers["retry-after"] == "0.01"
        assert len(running.requests) == 1


def test_the_sdk_asks_again_after_the_waiting_time_that_the_answer_names() -> None:
    busy = front.failing(429, retry_after=0.3)
    with MessagesFront(answered(busy, front.failing(529, retry_after=0.01), front.message("here"))) as running:
        reply = with_sdk(running.url, ask, max_retries=2)
        first, second, third = (request.at for request in running.requests)
    assert reply.content[0].text == "here"
    assert second - first >= 0.3
    assert third > second


def test_the_anthropic_sdk_reads_refusals_and_truncated_and_empty_answers_of_the_test_server() -> None:
    answers = front.refusal(), front.cut_off('{"reason": "it'), front.message()
    with MessagesFront(answered(*answers)) as running:
        refused, cut, empty = (with_sdk(running.url, ask) for _ in answers)
    assert (refused.stop_reason, refused.content) == ("refusal", [])
    assert (cut.stop_reason, cut.content[0].text) == ("max_tokens", '{"reason": "it')
    assert (empty.stop_reason, empty.content) == ("end_turn", [])


def test_anthropic_s_sdk_returns_a_page_of_html_as_text_and_raises_an_error_on_invalid_json() -> None:
    with MessagesFront(answered(front.html_page(), front.not_a_message(), front.not_json())) as running:
        page, second = (with_sdk(running.url, ask) for _ in range(2))
        with pytest.raises(json.JSONDecodeError):
            with_sdk(running.url, ask)
    assert isinstance(page, str)
    assert second.content is None


def test_a_dropped_connection_and_a_late_answer_are_connection_errors() -> None:
    with MessagesFront(answered(front.dropped(), front.late(front.message("too late"), 300))) as running:
        with pytest.raises(anthropic.APIConnectionError):
            with_sdk(running.url, ask)
        with pytest.raises(anthropic.APITimeoutError):
            with_sdk(running.url, ask, timeout=0.2)


def test_the_test_server_holds_sixty_four_requests_of_the_anthropic_sdk_open_at_the_same_time() -> None:
    everybody = threading.Barrier(64, timeout=300)

    def once_all_are_here(request: Request) -> Answer:
        everybody.wait()
        return front.message("all here")

    async def together(client: anthropic.AsyncAnthropic) -> list[Message]:
        return await asyncio.gather(*(ask(client) for _ in range(64)))

    with MessagesFront(once_all_are_here) as running:
        replies = with_sdk(running.url, together)
        assert running.most_in_flight == 64
    assert {reply.content[0].text for reply in replies} == {"all here"}


@pytest.mark.proof
def test_thousands_of_requests_over_connections_kept_alive_are_each_answered_once() -> None:
    clients, each = 64, 40

    def client(number: int, host: str) -> None:
        connection = http.client.HTTPConnection(host, timeout=300)
        for turn in range(each):
            body = json.dumps({"asked": [number, turn]})
            connection.request("POST", "/v1/messages", body, {"x-api-key": KEY})
            reply = json.load(connection.getresponse())
            heard.append(json.loads(reply["content"][0]["text"]))
        connection.close()

    heard: list[list[int]] = []
    with MessagesFront(lambda request: front.message(json.dumps(request.body["asked"]))) as running:
        host = urllib.parse.urlsplit(running.url).netloc
        threads = [threading.Thread(target=client, args=(number, host)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        bodies = [request.body["asked"] for request in running.requests]
        assert [request.number for request in running.requests] == list(range(clients * each))
        assert 1 <= running.most_in_flight <= clients
    everything = [[number, turn] for number in range(clients) for turn in range(each)]
    assert sorted(bodies) == sorted(heard) == everything


def test_closing_the_test_server_ends_its_threads_though_clients_keep_connections_open() -> None:
    before = threading.active_count()
    with MessagesFront(answered(front.message("hello"))) as running:
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(running.url).netloc, timeout=300)
        connection.request("POST", "/v1/messages", "{}", {"x-api-key": KEY})
        connection.getresponse().read()
        assert threading.active_count() == before + 2
    assert threading.active_count() == before
    connection.close()


@pytest.mark.parametrize(
    ("path", "headers", "body", "status"),
    [
        ("/v1/complete", {"x-api-key": KEY}, "{}", 404),
        ("/v1/messages", {}, "{}", 401),
        ("/v1/messages", {"authorization": f"Bearer {KEY}"}, "{", 400),
    ],
)
def test_the_test_server_refuses_requests_outside_anthropic_s_messages_api_and_does_not_count_them(
    path: str, headers: dict[str, str], body: str, status: int
) -> None:
    with MessagesFront(answered(front.message("hello"))) as running:
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(running.url).netloc, timeout=300)
        connection.request("POST", path, body, headers)
        reply = connection.getresponse()
        assert (reply.status, json.load(reply)["type"]) == (status, "error")
        assert running.requests == []
        connection.close()
