"""Judges that are shown images and PDFs: what goes out to each provider, who is refused, and who can't see."""

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from markscheme import Grade, Image, Pdf, Rubric, ScriptedJudge, Submission, grade
from markscheme.errors import NoJudge
from markscheme.features.media.media import Media
from markscheme.features.media.probe import SightTest, sight_of
from markscheme.grading import Grading, questions
from markscheme.judges.anthropic import AnthropicJudge
from markscheme.judges.function import FunctionJudge
from markscheme.judges.judge import Judge
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.limited import Limited, Limiter
from markscheme.judges.openai import OpenAIJudge
from markscheme.judges.panel import Panel
from markscheme.judges.registry import open_judge
from markscheme.judges.sight import Unprobed
from tests.features.media.charts import read_back
from tests.features.media.files import PDF_FILE, PNG_FILE
from tests.judges.asking import KEY
from tests.judges.chat_server import ChatServer, completion
from tests.real import messages_front as front
from tests.real.messages_front import MessagesFront

pytestmark = pytest.mark.usefixtures("no_authorities")

RUBRIC = Rubric.from_dict(
    {"inputs": ["chart"], "criteria": [{"name": "right", "requirement": "It says what it shows"}]}
)
IMAGE, PDF = Image(PNG_FILE), Pdf(PDF_FILE)
SUBMISSION = Submission([{"type": "text", "text": "Two squares."}, PDF], {"chart": IMAGE}, "one")
MET = json.dumps({"verdicts": {"right": {"quote": IMAGE.mark, "reason": "It does.", "level": "MET"}}})


def graded(judge: Judge, submission: Submission = SUBMISSION) -> Grade:
    """Grade a submission, close the judge, and return the grade."""

    async def run() -> Grade:
        try:
            return await grade(RUBRIC, submission, judge)
        finally:
            await judge.aclose()

    return asyncio.run(run())


def as_sent(data: Mapping[str, Any], *, is_whole: bool = False) -> bytes:
    """Return data as the SDKs serialize it; unless it is whole, without the outer braces."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return text if is_whole else text[1:-1]


def in_base64(content: bytes) -> str:
    """Return content in base64."""
    return base64.b64encode(content).decode()


# --- what goes out ----------------------------------------------------------------------------------------------------


def test_claude_gets_images_and_pdfs_in_the_form_of_anthropic_s_api() -> None:
    (prompt,) = questions(RUBRIC, SUBMISSION)
    with MessagesFront(lambda _: front.message(MET, tokens=(1650, 40))) as server:
        done = graded(Unprobed(AnthropicJudge(api_key=KEY, base_url=server.url)))
    assert done.score == 1.0
    (request,) = server.requests
    image = {"type": "base64", "media_type": "image/png", "data": in_base64(PNG_FILE)}
    document = {"type": "base64", "media_type": "application/pdf", "data": in_base64(PDF_FILE)}
    content = [
        {"type": "text", "text": f"{IMAGE.mark}:"},
        {"type": "image", "source": image},
        {"type": "text", "text": f"{PDF.mark}:"},
        {"type": "document", "source": document},
        {"type": "text", "text": prompt.user},
    ]
    assert request.body["messages"] == [{"role": "user", "content": content}]
    assert as_sent({"messages": [{"role": "user", "content": content}]}) in server.bodies[0]
    assert done.usage.input_tokens == 1650


def test_openai_gets_images_and_pdfs_in_the_form_of_openai_s_api() -> None:
    (prompt,) = questions(RUBRIC, SUBMISSION)
    with ChatServer(lambda _: completion(MET)) as server:
        done = graded(Unprobed(OpenAIJudge("m", api_key=KEY, base_url=server.url)))
    assert done.score == 1.0
    content = [
        {"type": "text", "text": f"{IMAGE.mark}:"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{in_base64(PNG_FILE)}"}},
        {"type": "text", "text": f"{PDF.mark}:"},
        {
            "type": "file",
            "file": {
                "filename": f"{PDF.digest}.pdf",
                "file_data": f"data:application/pdf;base64,{in_base64(PDF_FILE)}",
            },
        },
        {"type": "text", "text": prompt.user},
    ]
    (request,) = server.requests
    assert request["messages"][1] == {"role": "user", "content": content}
    assert as_sent({"role": "user", "content": content}, is_whole=True) in server.bodies[0]
    assert done.usage.input_tokens == 40


def test_a_prompt_without_images_is_sent_as_plain_text() -> None:
    submission = Submission("Two squares.", {"chart": "a chart"})
    (prompt,) = questions(RUBRIC, submission)
    with ChatServer(lambda _: completion(MET)) as server:
        graded(OpenAIJudge("m", api_key=KEY, base_url=server.url), submission)
    (request,) = server.requests
    assert request["messages"][1] == {"role": "user", "content": prompt.user}


def test_a_judge_s_quote_of_an_image_s_placeholder_is_found_in_the_image_s_input() -> None:
    with ChatServer(lambda _: completion(MET)) as server:
        done = graded(Unprobed(OpenAIJudge("m", api_key=KEY, base_url=server.url)))
    assert done.verdicts["right"].quote_in == "chart"


def test_a_judge_function_gets_the_images_next_to_its_other_arguments() -> None:
    seen: list[Sequence[Media]] = []

    def looks(system_prompt: str, user_prompt: str, parts: Sequence[Media]) -> str:
        seen.append(parts)
        return MET

    def older(system_prompt: str, user_prompt: str) -> str:
        return MET

    assert graded(FunctionJudge(looks, "looks")).score == 1.0
    assert graded(FunctionJudge(looks, "looks"), Submission("text", {"chart": "text"})).score == 1.0
    assert seen == [(IMAGE, PDF), ()]
    assert graded(FunctionJudge(older, "older"), Submission("text", {"chart": "text"})).score == 1.0


def test_the_tokens_of_a_prompt_s_images_and_pdfs_are_estimated() -> None:
    (prompt,) = questions(RUBRIC, SUBMISSION)
    assert sum(part.tokens for part in prompt.parts) == IMAGE.tokens + PDF.tokens > 100


# --- who is refused ---------------------------------------------------------------------------------------------------


def blind(system_prompt: str, user_prompt: str) -> str:
    return MET


def test_a_judge_of_a_kind_that_takes_no_images_is_refused_before_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    judge = open_judge("decisions:m", context=JudgeContext(memory=None))
    with pytest.raises(NoJudge, match="take images or pdfs; judges that do: anthropic, openai or function with a"):
        graded(judge)


def test_images_are_refused_for_a_judge_function_that_has_no_parameter_for_images_even_in_a_panel() -> None:
    function = FunctionJudge(blind, "blind")
    for judge in (function, Panel([ScriptedJudge([MET]), function])):
        with pytest.raises(NoJudge, match="doesn't take images"):
            graded(judge)


def test_a_judge_object_written_by_the_user_gets_the_images() -> None:
    judge = ScriptedJudge([MET])
    assert graded(judge).score == 1.0
    assert judge.prompts[0].parts == (IMAGE, PDF)


# --- can it see? ------------------------------------------------------------------------------------------------------


def by_reading(request: Mapping[str, Any]) -> Any:
    """Answer as a model that reads a sight test's picture pixel by pixel, and says MET to everything else."""
    content = request["messages"][1]["content"]
    if isinstance(content, list) and "coloured" not in content and "count the squares" in content[-1]["text"]:
        encoded = content[1]["image_url"]["url"].partition(",")[2]
        return completion(json.dumps(read_back([Image(base64.b64decode(encoded))])))
    return completion(MET)


def blindly(_: Mapping[str, Any]) -> Any:
    """Answer as a server that silently drops images, as some do."""
    return completion(MET)


WITH_IMAGE = Submission("Two squares.", {"chart": IMAGE}, "one")


def test_a_judge_that_proves_that_it_sees_images_is_shown_the_test_image_only_once() -> None:
    with ChatServer(by_reading) as server:
        judge = Limited(OpenAIJudge("sharp", api_key=KEY, base_url=server.url), Limiter())

        async def run() -> list[Grade]:
            grading = Grading(RUBRIC, judge)
            done = await asyncio.gather(*(grading.grade(WITH_IMAGE) for _ in range(5)))
            await judge.aclose()
            return list(done)

        assert [done.score for done in asyncio.run(run())] == [1.0] * 5
    assert len(server.requests) == 6
    assert sight_of(judge.identity, "image") is True


def test_a_judge_that_cannot_read_images_leaves_a_submission_with_an_image_ungraded_with_the_reason() -> None:
    with ChatServer(blindly) as server:
        judge = OpenAIJudge("blind", api_key=KEY, base_url=server.url)
        done = graded(judge, WITH_IMAGE)
    assert done.score is None
    assert done.error is not None
    assert "openai:blind can't read images: shown the word " in done.error
    assert len(server.requests) == 2
    assert sight_of(judge.identity, "image") is False


def test_if_a_judge_function_fails_at_the_test_image_the_error_names_the_setting_that_turns_the_test_off() -> None:
    def verdicts_alone(system_prompt: str, user_prompt: str, schema: dict[str, Any], parts: Any) -> Any:
        return {"verdicts": dict.fromkeys(schema["properties"]["verdicts"]["properties"], "MET")}

    done = graded(FunctionJudge(verdicts_alone, "function:eye"), WITH_IMAGE)
    assert done.score is None
    assert done.error == (
        "function:eye failed: KeyError: 'verdicts', when it was tested whether it can read images "
        "(to leave this test out, set `probe` to off)"
    )


def test_a_judge_that_cannot_see_images_grades_a_submission_without_images_and_is_sent_no_test_image() -> None:
    with ChatServer(blindly) as server:
        assert graded(OpenAIJudge("b", api_key=KEY, base_url=server.url), Submission("x", {"chart": "y"})).score == 1.0
    assert len(server.requests) == 1


def test_a_judge_is_not_shown_a_test_image_if_the_caller_turns_that_off(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(blindly) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        judge = open_judge("openai:unprobed", context=JudgeContext(memory=None, tests_sight=False))
        assert graded(judge, WITH_IMAGE).score == 1.0
    assert len(server.requests) == 1
    assert sight_of(judge.identity, "image") is None


@pytest.mark.parametrize("seed", range(20))
def test_the_question_about_a_test_image_can_be_answered_only_from_the_image_s_pixels(seed: int) -> None:
    test = SightTest.drawn("image", str(seed))
    assert test.is_read(json.dumps(read_back([test.media])))
    assert test.word not in test.prompt.user
    another_test = SightTest.drawn("image", f"{seed} again")
    assert not test.is_read(json.dumps(read_back([another_test.media])))
    for answer in ("", "{}", "[]", '{"word": "", "count": 0}', f'{{"word": "{test.word}"}}', "I can't see it"):
        assert not test.is_read(answer)
