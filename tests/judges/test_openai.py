"""OpenAI-compatible servers as judges: the real SDK with llama.cpp's server, and with every kind of failure."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from math import log
from pathlib import Path
from typing import Any

import openai
import pytest

from markscheme import Rubric, grade
from markscheme.errors import JudgeBusy, JudgeError, JudgeSilent, JudgeUnavailable, NoJudge, UnreadableReply, UsageError
from markscheme.judges.judge import Reply, Usage
from markscheme.judges.openai import OpenAIJudge
from markscheme.judges.provider import STATUSES
from tests.judges.asking import KEY, PROMPT, VERDICT, Briefly, asked, asked_often, refusal
from tests.judges.chat_server import Answer, ChatServer, completion, failing

pytestmark = pytest.mark.usefixtures("no_authorities")

httpx: Any = import_module(openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])
"""The HTTP library of the SDK, which was another one in its first versions."""


@pytest.fixture(autouse=True)
def _no_keys_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def llama(local_model: Path) -> Iterator[str]:
    """Start llama.cpp's OpenAI-compatible server with the real model; return its address."""
    xllamacpp = import_module("xllamacpp")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(local_model)
    settings.port, settings.n_parallel, settings.n_ctx = 0, 1, 4096
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = -1
    settings.api_keys = [KEY]
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


def at(url: str, **options: Any) -> OpenAIJudge:
    return OpenAIJudge("some-model", **{"api_key": KEY, "base_url": url} | options)


def played(answer: Answer, **options: Any) -> JudgeError:
    """Return the error of a judge whose server gives `answer`, after checking that it asks exactly once."""
    with ChatServer(lambda _: answer) as server:
        error = refusal(at(server.url, **options))
        assert len(server.requests) == 1
    return error


# --- a real model ----------------------------------------------------------------------------------------------------


@pytest.mark.proof
def test_token_probabilities_of_a_real_model_s_answer_give_a_mean_level(
    llama: str,
) -> None:
    rubric = Rubric.from_dict({"criteria": [{"name": "clarity", "description": "Clear", "weight": 1}]})

    async def run() -> None:
        single, expected = at(llama, max_tokens=300), at(llama, max_tokens=300, expected=True)
        grades = [await grade(rubric, "Paris.", Briefly(judge)) for judge in (single, expected)]
        for judge in (single, expected):
            await judge.aclose()
        assert grades[0].error is None
        assert (grades[0].usage.input_tokens or 0) > 20
        levels = [graded.verdicts["clarity"].level for graded in grades]
        assert levels[0] in (1, 2, 3, 4, 5)
        assert 1 < levels[1] < 5
        assert levels[1] != int(levels[1])

    asyncio.run(run())


@pytest.mark.proof
def test_a_wrong_api_key_is_refused_by_a_real_server(llama: str) -> None:
    error = refusal(at(llama, api_key="sk-some-other-key"))
    assert "refused the key (401)" in str(error)


# --- what is asked ---------------------------------------------------------------------------------------------------


def test_a_request_to_openai_has_the_answer_s_schema_and_temperature_0() -> None:
    with ChatServer(lambda _: completion(VERDICT)) as server:
        asked_often(at(server.url, max_tokens=77, seed=5), 3)
        requests = sorted(server.requests, key=lambda request: request["seed"])
    assert [request.pop("seed") for request in requests] == [5, 6, 7]
    schema = {"name": "answer", "strict": True, "schema": PROMPT.schema}
    assert (
        requests[0]
        == requests[1]
        == {
            "model": "some-model",
            "messages": [{"role": "system", "content": PROMPT.system}, {"role": "user", "content": PROMPT.user}],
            "response_format": {"type": "json_schema", "json_schema": schema},
            "max_tokens": 77,
            "temperature": 0.0,
        }
    )


def test_a_reply_from_openai_has_the_text_and_model_name_and_stop_reason_and_usage() -> None:
    with ChatServer(lambda _: completion(VERDICT)) as server:
        reply = asked(at(server.url))
    assert (reply.text, reply.model, reply.stop, reply.tokens) == (VERDICT, "served", "end", ())
    assert reply.usage == Usage(calls=1, input_tokens=40, output_tokens=9)


@pytest.mark.parametrize(
    ("choice", "text", "stop"),
    [
        ({"finish_reason": "length"}, "{}", "length"),
        ({"finish_reason": "content_filter"}, "{}", "refusal"),
        ({"finish_reason": "tool_calls"}, "{}", "other"),
        ({"finish_reason": None}, "{}", "other"),
        ({"message": {"role": "assistant", "content": None, "refusal": "I won't."}}, "I won't.", "refusal"),
        ({"message": {"role": "assistant", "content": None}}, "", "end"),
        ({"message": {"role": "assistant", "content": None, "tool_calls": []}}, "", "end"),
        ({"message": {"role": "assistant", "content": None, "reasoning_content": VERDICT}}, "", "elsewhere"),
        ({"message": {"role": "assistant", "content": "", "reasoning": VERDICT}}, "", "elsewhere"),
        (
            {
                "finish_reason": "tool_calls",
                "message": {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function"}]},
            },
            "",
            "elsewhere",
        ),
        (
            {
                "finish_reason": "length",
                "message": {"role": "assistant", "content": None, "reasoning_content": "Hm"},
            },
            "",
            "length",
        ),
        ({"message": {"role": "assistant", "content": ["MET"]}}, "", "end"),
        ({"message": {"role": "assistant", "content": [{"type": "text", "text": "{}"}]}}, "{}", "end"),
        ({"message": {"role": "assistant", "content": [{"type": "output_text", "text": "{}"}]}}, "{}", "end"),
        (
            {
                "message": {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": [{"type": "text", "text": "{Hm"}]},
                        {"type": "text", "text": '{"a"'},
                        {"type": "text", "text": ": 1}"},
                        {"type": "text", "text": 7},
                        None,
                    ],
                }
            },
            '{"a": 1}',
            "end",
        ),
    ],
)
def test_a_reply_from_openai_has_the_reason_why_the_answer_ended(choice: dict[str, Any], text: str, stop: str) -> None:
    with ChatServer(lambda _: completion("{}", **choice)) as server:
        reply = asked(at(server.url))
    assert (reply.text, reply.stop) == (text, stop)


# --- servers that take less ------------------------------------------------------------------------------------------


def refusing(*names: str, status: int = 400) -> Callable[[dict[str, Any]], Answer]:
    """Make a server's answers that refuse, by name, the first of these parameters or values in a request."""

    def decide(body: dict[str, Any]) -> Answer:
        sent = [name for name in names if name in body or body.get("response_format", {}).get("type") == name]
        return failing(status, f"'{sent[0]}' is not supported by this server") if sent else completion(VERDICT)

    return decide


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("refused", "left"),
    [
        (["json_schema"], {"response_format": {"type": "json_object"}}),
        (["response_format"], {}),
        (["json_schema", "json_object"], {}),
    ],
)
def test_if_a_server_refuses_a_json_schema_the_judge_asks_for_plain_json_and_then_for_no_format(
    refused: list[str], left: dict[str, Any], status: int
) -> None:
    with ChatServer(refusing(*refused, status=status)) as server:
        judge = at(server.url)
        with pytest.warns(RuntimeWarning, match="is asked without json_"):
            first = asked(judge)
        calls = len(server.requests)
        assert first.text == VERDICT
        assert first.without == (("json_schema",) if left else ("json_object", "json_schema"))
        assert first.usage.calls == calls
        assert server.requests[-1].get("response_format") == left.get("response_format")
        asked(judge)
        assert len(server.requests) == calls + 1, "what was refused once is not tried again"


@pytest.mark.parametrize("name", ["temperature", "seed"])
def test_a_parameter_that_a_server_refuses_by_name_is_left_out_of_requests(name: str) -> None:
    with ChatServer(refusing(name)) as server:
        with pytest.warns(RuntimeWarning, match=f"is asked without {name}"):
            assert asked(at(server.url)).without == (name,)
        assert name not in server.requests[-1]
        assert len(server.requests) == 2


def test_a_server_that_refuses_the_max_tokens_parameter_is_sent_max_completion_tokens_instead() -> None:
    with ChatServer(refusing("max_tokens")) as server:
        assert asked(at(server.url)).without == (), "another name is no other judge"
        assert server.requests[-1]["max_completion_tokens"] == 4096
    with ChatServer(refusing("max_tokens", "max_completion_tokens")) as server:
        with pytest.warns(RuntimeWarning, match="is asked without max_tokens"):
            assert asked(at(server.url)).without == ("max_tokens",)
        assert not {"max_tokens", "max_completion_tokens"} & server.requests[-1].keys()


def test_requests_to_openai_s_own_address_send_max_completion_tokens() -> None:
    seen: list[bytes] = []

    def answer(request: Any) -> Any:
        seen.append(request.content)
        return httpx.Response(200, json=completion(VERDICT).body)

    async def run() -> None:
        transport = openai.DefaultAsyncHttpxClient(transport=httpx.MockTransport(answer))
        async with openai.AsyncOpenAI(api_key=KEY, http_client=transport) as client:
            judge = OpenAIJudge("gpt", client=client)
            assert judge.identity.address is None
            assert (await judge.reply(PROMPT)).text == VERDICT

    asyncio.run(run())
    assert b'"max_completion_tokens":4096' in seen[0]
    assert b'"max_tokens"' not in seen[0]


def test_a_server_that_refuses_everything_is_asked_only_a_few_times() -> None:
    words = "max_tokens, max_completion_tokens, seed, temperature and response_format are bad"
    with ChatServer(lambda _: failing(400, words)) as server:
        error = refusal(at(server.url))
        assert len(server.requests) == 7
    assert "refused the request (400): max_tokens" in str(error)


def test_many_requests_at_once_adapt_to_the_parameters_that_the_server_accepts() -> None:
    with ChatServer(refusing("json_schema", "seed")) as server:
        judge = at(server.url)
        with pytest.warns(RuntimeWarning) as warnings:
            assert {reply.without for reply in asked_often(judge, 8)} == {("json_schema", "seed")}
        assert len(warnings) == 1
        before = len(server.requests)
        asked_often(judge, 8)
        assert len(server.requests) == before + 8


SCHEMA_AND_LENGTH = "your messages resulted in 9000 tokens (including 132 in the response_format schemas)"
ABOUT_ONE_PROMPT = {
    "context length": {"message": SCHEMA_AND_LENGTH, "param": "messages", "code": "context_length_exceeded"},
    "context length by a parameter": {
        "message": "max_tokens is too large: 4096. This model's maximum context length is 8192 tokens.",
        "param": "max_tokens",
    },
    "vLLM's context length": {
        "message": "'max_tokens' is too large: 4096. Your request has 5000 input tokens (4096 > 8192 - 5000).",
        "code": 400,
    },
    "content filter": {"message": "flagged: the body temperature of a schema", "code": "content_filter"},
    "content filter in words": {"message": "The prompt triggered our content management policy: seed, temperature"},
    "an answer that misses the schema": {
        "message": "Generated JSON does not match the expected schema.",
        "code": "json_validate_failed",
    },
    "another parameter": {"message": "no seed, temperature or schema", "param": "messages", "code": "invalid_value"},
    "another code": {"message": "no seed, temperature or schema", "code": "bad_image"},
}


@pytest.mark.parametrize("error", ABOUT_ONE_PROMPT.values(), ids=ABOUT_ONE_PROMPT.keys())
@pytest.mark.parametrize("refused", [0, 1], ids=["first", "second"])
def test_a_refusal_of_one_prompt_by_openai_leaves_all_parameters_in_requests_for_other_prompts(
    error: dict[str, Any], refused: int
) -> None:
    def decide(body: dict[str, Any]) -> Answer:
        return Answer({"error": error}, 400) if body["seed"] == refused else completion(VERDICT)

    with ChatServer(decide) as server:
        judge = at(server.url)
        outcomes = one_by_one(judge, 3)
        assert len(server.requests) == 3
        assert all(same_settings(body, server.requests[0]) for body in server.requests)
    assert [type(outcome) for outcome in outcomes].count(JudgeUnavailable) == 1
    assert {outcome.without for outcome in outcomes if isinstance(outcome, Reply)} == {()}


def one_by_one(judge: OpenAIJudge, times: int) -> list[Reply | JudgeError]:
    """Ask a judge the same prompt several times, one after another; return each reply or error."""

    async def run() -> list[Reply | JudgeError]:
        outcomes: list[Reply | JudgeError] = []
        for sample in range(times):
            try:
                outcomes.append(await judge.reply(PROMPT, sample))
            except JudgeError as error:
                outcomes.append(error)
        await judge.aclose()
        return outcomes

    return asyncio.run(run())


def same_settings(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Return whether two requests differ only in their seeds."""
    return {**first, "seed": 0} == {**second, "seed": 0} and ("seed" in first) == ("seed" in second)


@pytest.mark.parametrize("refused", [1, 2])
@pytest.mark.parametrize("code", ["unsupported_parameter", "unsupported_value", None])
def test_a_parameter_that_a_server_refuses_for_one_prompt_is_still_sent_with_the_other_prompts(
    refused: int, code: str | None
) -> None:
    error = {"message": "response_format isn't supported", "param": "response_format", "code": code}

    def decide(body: dict[str, Any]) -> Answer:
        is_refused = body["seed"] == refused and "response_format" in body
        return Answer({"error": error}, 400) if is_refused else completion(VERDICT)

    with ChatServer(decide) as server:
        judge = at(server.url)
        with pytest.warns(RuntimeWarning, match="refused one prompt and answered it when asked without json_object"):
            outcomes = one_by_one(judge, 4)
        with_schema = [body["seed"] for body in server.requests if "json_schema" in str(body.get("response_format"))]
    assert with_schema == [0, 1, 2, 3]
    ways = [outcome.without for outcome in outcomes if isinstance(outcome, Reply)]
    assert ways == [("json_object", "json_schema") if n == refused else () for n in range(4)]


def test_a_parameter_named_in_a_refusal_is_still_sent_if_an_earlier_request_with_it_was_answered() -> None:
    def decide(body: dict[str, Any]) -> Answer:
        return failing(400, "the temperature of this schema is bad") if body["seed"] == 1 else completion(VERDICT)

    with ChatServer(decide) as server:
        outcomes = one_by_one(at(server.url), 3)
        assert len(server.requests) == 3
    assert isinstance(outcomes[1], JudgeUnavailable)


def test_a_parameter_left_out_by_mistake_is_sent_again_once_an_answer_shows_that_the_server_takes_it() -> None:
    """Only the first prompt is refused because of the seed, as by another server behind the same gateway."""

    def decide(body: dict[str, Any]) -> Answer:
        return failing(400, "no seed here") if body.get("seed") == 0 else completion(VERDICT)

    async def run(judge: OpenAIJudge) -> list[Reply]:
        form = judge.settings.form
        first = await judge.reply(PROMPT, 0)
        judge.settings.answered(form)  # a prompt sent at the same time, and answered with the seed
        second = await judge.reply(PROMPT, 1)
        await judge.aclose()
        return [first, second]

    with ChatServer(decide) as server, pytest.warns(RuntimeWarning, match="is asked without seed"):
        first, second = asyncio.run(run(at(server.url)))
    assert (first.without, second.without) == (("seed",), ())


@pytest.mark.parametrize(
    "error",
    [
        {"detail": [{"loc": ["body", "seed"], "msg": "extra fields not permitted", "type": "extra_forbidden"}]},
        {"error": {"message": "seed: Extra inputs are not permitted", "code": None}},
        {"error": {"message": "Unknown parameter", "param": "seed", "code": "unknown_parameter"}},
        [{"error": {"message": 'Unknown name "seed": Cannot find field.', "code": 400}}],
    ],
)
def test_refusals_of_parameters_are_understood_in_every_form_that_servers_use(error: Any) -> None:
    with ChatServer(lambda body: Answer(error, 422) if "seed" in body else completion(VERDICT)) as server:
        with pytest.warns(RuntimeWarning, match="is asked without seed"):
            assert asked(at(server.url)).without == ("seed",)
        assert len(server.requests) == 2


def test_a_model_s_lower_token_limit_is_adopted_from_the_refusal_that_names_it() -> None:
    def decide(body: dict[str, Any]) -> Answer:
        words = f"max_tokens is too large: {body['max_tokens']}. This model supports at most 1000 completion tokens."
        error = {"message": words, "param": "max_tokens", "code": "invalid_value"}
        return Answer({"error": error}, 400) if body["max_tokens"] > 1000 else completion(VERDICT)

    with ChatServer(decide) as server:
        with pytest.warns(RuntimeWarning, match="max_tokens above 1000"):
            assert asked(at(server.url)).without == ("max_tokens above 1000",)
        assert [body["max_tokens"] for body in server.requests] == [4096, 1000]


def test_a_refusal_that_names_no_parameter_is_reported_as_an_unavailable_judge() -> None:
    error = played(failing(400, "the prompt is too long for this model"))
    assert type(error) is JudgeUnavailable
    assert "the prompt is too long" in str(error)


# --- token probabilities ---------------------------------------------------------------------------------------------


def token(text: str, **alternatives: float) -> dict[str, Any]:
    reported = [{"token": other, "logprob": log(p), "bytes": list(other.encode())} for other, p in alternatives.items()]
    return {"token": text, "logprob": -0.1, "bytes": list(text.encode()), "top_logprobs": reported}


def with_tokens(text: str, tokens: list[Any]) -> Answer:
    return completion(text, logprobs={"content": tokens, "refusal": None})


def test_the_openai_judge_asks_for_token_probabilities_and_reads_them() -> None:
    answer = with_tokens('{"a": 1}', [token('{"a": '), token("1", **{"1": 0.6, "2": 0.3}), token("}")])
    with ChatServer(lambda _: answer) as server:
        reply = asked(at(server.url, expected=True))
        assert server.requests[0]["logprobs"] is True
        assert server.requests[0]["top_logprobs"] == 20
        assert asked(at(server.url)).tokens == (), "not asked for, not read"
    assert [token.text for token in reply.tokens] == ['{"a": ', "1", "}"]
    assert reply.tokens[1].alternatives == pytest.approx({"1": 0.6, "2": 0.3})


def test_a_character_split_over_several_tokens_does_not_shift_the_tokens_after_it() -> None:
    first, second = "é".encode()
    spread = [token("x") | {"token": "\\xc3", "bytes": [first]}, token("y") | {"token": "\\xa9", "bytes": [second]}]
    with ChatServer(lambda _: with_tokens("é1", [*spread, token("1")])) as server:
        tokens = asked(at(server.url, expected=True)).tokens
    assert [token.text for token in tokens] == ["é", "1"]


@pytest.mark.parametrize(
    "tokens",
    [
        [token("something else")],
        [{"token": 5, "logprob": "x"}],
        [token("{}") | {"logprob": "NaN"}],
        [token("{}") | {"logprob": 10**400}],
        [7],
        [],
    ],
)
def test_token_probabilities_that_do_not_match_the_text_are_left_out(tokens: list[Any]) -> None:
    with ChatServer(lambda _: with_tokens("{}", tokens)) as server:
        reply = asked(at(server.url, expected=True))
    assert (reply.text, reply.tokens) == ("{}", ())


def test_a_server_without_token_probabilities_is_refused_for_mean_levels_weighted_by_probability() -> None:
    error = played(failing(400, "logprobs are not supported"), expected=True)
    assert "returns no token probabilities" in str(error)


def test_a_server_that_answers_without_the_requested_token_probabilities_is_refused() -> None:
    error = played(completion("{}"), expected=True)
    assert "returns no token probabilities, which `expected` needs; grade without: -o expected=false" in str(error)


def test_an_answer_that_is_no_completion_is_quoted_so_that_a_page_or_a_stream_is_recognized() -> None:
    with ChatServer(lambda _: Answer(b"data: {}\n\n", headers={"Content-Type": "text/event-stream"})) as server:
        assert 'it begins: "data: {}' in str(refusal(at(server.url)))


# --- keys and addresses ----------------------------------------------------------------------------------------------


def test_openai_s_own_address_needs_an_api_key_and_nothing_is_sent_without_one() -> None:
    error = refusal(OpenAIJudge("gpt"))
    assert isinstance(error, NoJudge)
    assert "OPENAI_API_KEY" in str(error)


def test_a_server_at_an_address_other_than_openai_s_needs_no_api_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(lambda _: completion(VERDICT)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert asked(OpenAIJudge("llama")).text == VERDICT
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        asked(OpenAIJudge("llama"))
        assert server.keys == ["Bearer none", f"Bearer {KEY}"]


def test_the_api_key_is_hidden_in_messages_even_if_the_server_repeats_it() -> None:
    error = played(failing(401, f"Incorrect API key provided: {KEY}"))
    assert "refused the key (401): Incorrect API key provided: …" in str(error)


def test_an_invalid_address_is_refused() -> None:
    with pytest.raises(UsageError, match="http"):
        OpenAIJudge("x", base_url="localhost:8000/v1")


def test_the_openai_judge_s_identity_changes_with_everything_that_affects_an_answer() -> None:
    judges = [
        at("http://127.0.0.1:9"),
        at("http://127.0.0.1:8"),
        at("http://127.0.0.1:9", expected=True),
        at("http://127.0.0.1:9", temperature=0.5),
        at("http://127.0.0.1:9", seed=1),
        at("http://127.0.0.1:9", max_tokens=9),
        OpenAIJudge("another", base_url="http://127.0.0.1:9"),
        OpenAIJudge("some-model"),
    ]
    assert len({judge.identity.fingerprint for judge in judges}) == len(judges)
    assert at("http://127.0.0.1:9", api_key="x").identity == judges[0].identity
    assert KEY not in repr(judges[0]) + repr(judges[0].identity)


def test_the_openai_judge_can_be_created_without_importing_the_sdk() -> None:
    code = (
        "import sys; from markscheme.judges.openai import OpenAIJudge; OpenAIJudge('m').identity; "
        "print('openai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_error_for_a_missing_sdk_says_how_to_install_it() -> None:
    code = (
        "import sys, asyncio; sys.modules['openai'] = None; "
        "from markscheme.judges.openai import OpenAIJudge; from markscheme.prompts.prompt import Prompt; "
        "asyncio.run(OpenAIJudge('m', api_key='k').reply(Prompt('', 'x', {}, ())))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "NoJudge" in done.stderr
    assert "[openai]'" in done.stderr


# --- faults ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "transient"), [(400, False), (402, False), (404, False), (500, True), (504, True)])
def test_refused_requests_are_final_errors_and_server_failures_are_transient(status: int, transient: bool) -> None:
    error = played(failing(status, "because"))
    assert type(error) is JudgeUnavailable
    assert error.transient is transient
    assert f"({status}): because" in str(error)


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_to_wait_counts_as_a_busy_judge(status: int) -> None:
    error = played(failing(status, "slow down", **{"retry-after": "11"}))
    assert isinstance(error, JudgeBusy)
    assert error.retry_after == 11.0


def test_an_exhausted_quota_is_an_error_that_is_not_worth_a_retry() -> None:
    error = played(failing(429, "You exceeded your current quota", "insufficient_quota"))
    assert type(error) is JudgeUnavailable
    assert not error.transient


def test_the_error_for_an_exhausted_quota_advises_to_check_plan_and_credit() -> None:
    error = played(failing(429, "You exceeded your current quota", "insufficient_quota"))
    assert "has nothing left to spend (429): You exceeded your current quota" in str(error)
    assert "check its plan and credit" in str(error)


RATE_LIMIT = {"message": "Provider returned error", "code": 429, "metadata": {"raw": "Too Many Requests"}}
INSIDE_200: dict[str, tuple[Any, dict[str, str], type[JudgeError], str, float | None]] = {
    "choices null": ({"choices": None, "error": RATE_LIMIT}, {}, JudgeBusy, "error: Too Many Requests", None),
    "the header's wait": ({"error": RATE_LIMIT}, {"retry-after": "11"}, JudgeBusy, "for 11 s", 11.0),
    "the body's wait": (
        {"error": {"message": "slow", "code": "429", "metadata": {"retry_after": 3}}},
        {},
        JudgeBusy,
        "slow",
        3.0,
    ),
    "the wait in headers passed on": (
        {"error": {"message": "slow", "code": 429, "metadata": {"headers": {"Retry-After": "7"}}}},
        {},
        JudgeBusy,
        "slow",
        7.0,
    ),
    "a wait of 400 digits": (
        {"error": {"message": "slow", "code": 429, "metadata": {"retry_after": 10**400}}},
        {},
        JudgeBusy,
        "slow",
        None,
    ),
    "a failure": ({"error": {"message": "Upstream overloaded", "code": 502}}, {}, JudgeUnavailable, "overloaded", None),
    "a name": ({"error": {"message": "no", "type": "overloaded_error"}}, {}, JudgeBusy, "(529", None),
    "a text": ({"error": "no worker left"}, {}, JudgeUnavailable, "no worker left", None),
    "in the choice": (
        {"choices": [{"error": {"code": 502, "message": "cut"}, "message": {"content": VERDICT}}]},
        {},
        JudgeUnavailable,
        "cut",
        None,
    ),
    "unnamed": (
        {"choices": [{"finish_reason": "error", "message": {"content": VERDICT}}]},
        {},
        JudgeUnavailable,
        "doesn't name",
        None,
    ),
}


@pytest.mark.parametrize("case", INSIDE_200)
def test_an_error_inside_an_answer_of_http_status_200_is_raised_as_that_error(case: str) -> None:
    body, headers, kind, words, wait = INSIDE_200[case]
    error = played(Answer(body, headers=headers))
    assert type(error) is kind
    assert words in str(error)
    assert "base URL" not in str(error)
    assert getattr(error, "retry_after", None) == wait


def test_a_final_refusal_inside_a_response_with_status_200_is_not_retried() -> None:
    error = played(Answer({"error": {"message": "no credit", "code": 402}}))
    assert isinstance(error, JudgeUnavailable)
    assert (error.status, error.transient) == (402, False)


def test_a_token_count_of_400_digits_leaves_the_usage_unknown() -> None:
    usage = {"prompt_tokens": 10**400, "completion_tokens": 9}
    body = {**completion(VERDICT).body, "usage": usage}
    with ChatServer(lambda _: Answer(body)) as server:
        assert asked(at(server.url)).usage == Usage(1, None, 9)


UNREADABLE = {
    "cut-off JSON": Answer(b'{"id": "x'),
    "an HTML page": Answer(b"<html>sign in</html>", headers={"content-type": "text/html"}),
    "null": Answer(None),
    "a list": Answer([]),
    "other JSON": Answer({"status": "ok"}),
    "no choices": Answer({"choices": []}),
    "choices of another kind": Answer({"choices": "none"}),
    "a choice without a message": Answer({"choices": [{}]}),
    "too deep": Answer(b"[" * 100_000),
    "10,000 digits": Answer(b'{"choices": ' + b"9" * 10_000 + b"}"),
}


@pytest.mark.parametrize("answer", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_answer_of_the_server_that_is_not_a_chat_completion_is_an_unreadable_reply(answer: Answer) -> None:
    assert isinstance(played(answer), UnreadableReply)


def test_an_address_where_no_server_listens_counts_as_no_answer_from_the_server() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # kept, so that nobody else gets the port meanwhile
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        error = refusal(at(url))
    assert isinstance(error, JudgeSilent)
    assert url in str(error)


REQUEST = httpx.Request("POST", "http://127.0.0.1/")
OK = httpx.Response(200, request=REQUEST)
COMPLETION = openai.types.chat.ChatCompletion(id="x", choices=[], created=0, model="m", object="chat.completion")
WITHOUT_STATUS: dict[str, tuple[Callable[[], Exception], type[JudgeError]]] = {
    "OpenAIError": (lambda: openai.OpenAIError(f"oh {KEY}"), JudgeUnavailable),
    "APIError": (lambda: openai.APIError("oh", REQUEST, body=None), JudgeUnavailable),
    "APIConnectionError": (lambda: openai.APIConnectionError(request=REQUEST), JudgeSilent),
    "APITimeoutError": (lambda: openai.APITimeoutError(REQUEST), JudgeSilent),
    "APIResponseValidationError": (lambda: openai.APIResponseValidationError(OK, None), UnreadableReply),
    "LengthFinishReasonError": (lambda: openai.LengthFinishReasonError(completion=COMPLETION), JudgeUnavailable),
    "ContentFilterFinishReasonError": (lambda: openai.ContentFilterFinishReasonError(), JudgeUnavailable),
    "InvalidWebhookSignatureError": (lambda: openai.InvalidWebhookSignatureError("oh"), UnreadableReply),
    "WebSocketQueueFullError": (lambda: openai.WebSocketQueueFullError("oh"), JudgeUnavailable),
    "WebSocketConnectionClosedError": (
        lambda: openai.WebSocketConnectionClosedError("oh", unsent_messages=[]),
        JudgeUnavailable,
    ),
}


def raising(error: Exception) -> OpenAIJudge:
    """Make a judge whose SDK raises `error` when it sends a request."""

    class Client(openai.AsyncOpenAI):
        async def post(self, *_: Any, **__: Any) -> Any:
            raise error

    return OpenAIJudge("m", client=Client(api_key=KEY))


def exceptions_of_the_sdk() -> list[tuple[str, type[Exception]]]:
    named = [(name, getattr(openai, name)) for name in openai.__all__]
    return [(name, kind) for name, kind in named if isinstance(kind, type) and issubclass(kind, Exception)]


@pytest.mark.parametrize(("name", "kind"), exceptions_of_the_sdk())
def test_every_exception_of_the_sdk_is_converted_to_a_judge_error(name: str, kind: type[Exception]) -> None:
    if name == "OAuthError":
        error: Exception = openai.OAuthError(response=httpx.Response(401, request=REQUEST), body=None)
        assert isinstance(refusal(raising(error)), JudgeUnavailable)
    elif issubclass(kind, openai.APIStatusError):
        status = getattr(kind, "status_code", None)
        assert status is None or status in STATUSES, f"say in STATUSES what {name} ({status}) means"
        error = kind("oh", response=httpx.Response(status or 500, request=REQUEST), body=None)
        assert isinstance(refusal(raising(error)), JudgeUnavailable)
    else:
        assert name in WITHOUT_STATUS, f"say in SdkJudge what {name} means, and here"
        make, expected = WITHOUT_STATUS[name]
        assert type(refusal(raising(make()))) is expected


# --- batches ---------------------------------------------------------------------------------------------------------

BATCHED_REFUSAL = {"error": {"message": "no seed", "param": "seed", "code": "unsupported_parameter"}}


@pytest.mark.parametrize("answered_before", [False, True])
def test_a_parameter_refused_in_a_batch_is_left_out_of_later_batches_unless_it_was_accepted_before(
    answered_before: bool,
) -> None:
    judge = at("http://127.0.0.1:9")
    batches = judge.batches()
    for key in ("first", "second"):
        assert batches.request(key, PROMPT, 0)["body"]["seed"] == 0
    if answered_before:
        body = completion(VERDICT).body
        answered = batches._as_result({"custom_id": "first", "response": {"status_code": 200, "body": body}})
        assert isinstance(answered, Reply)
        assert answered.without == ()
    refused = batches._as_result({"custom_id": "second", "response": {"status_code": 400, "body": BATCHED_REFUSAL}})
    assert isinstance(refused, JudgeUnavailable)
    assert refused.transient is not answered_before
    assert ("seed" in batches.request("second", PROMPT, 0)["body"]) is answered_before


def test_an_error_code_in_the_body_of_a_batch_s_answer_raises_that_error_even_under_http_status_200() -> None:
    body = {"error": {"message": "no worker left", "code": 503}}
    batches = at("http://127.0.0.1:9").batches()
    error = batches._as_result({"custom_id": "first", "response": {"status_code": 200, "body": body}})
    assert isinstance(error, JudgeBusy)
    assert "no worker left" in str(error)
