"""Decision models that are shown images: what goes out in System One's format, and whether such a model can see."""

import asyncio
import base64
import re
from collections.abc import Mapping
from typing import Any

import pytest

from markscheme import Grade, Image, Pdf, Rubric, Submission, grade
from markscheme.errors import NoJudge
from markscheme.features.decision_models.judge import OPENAI_DECISIONS, DecisionJudge
from markscheme.features.media.drawing import picture
from markscheme.features.media.formats import IMAGE_KIND
from markscheme.features.media.probe import SightTest, sight_of
from markscheme.grading import questions
from markscheme.judges.deciding import SYSTEM_ONE
from tests.features.media.files import PDF_FILE
from tests.features.media.pixels import pixels_of, squares_in, word_in
from tests.judges.asking import KEY
from tests.judges.chat_server import Answer, ChatServer
from tests.judges.decision_servers import likely, system_one

pytestmark = pytest.mark.usefixtures("no_authorities")

CHART = Image(picture("KITE", 4))
RUBRIC = Rubric.from_dict({"inputs": ["chart"], "criteria": [{"name": "right", "requirement": "The number is right"}]})


def claims(squares: int) -> Submission:
    """A claim about the chart."""
    return Submission(f"There are {squares} squares.", {"chart": CHART}, "a")


def graded(judge: DecisionJudge, submission: Submission) -> Grade:
    """The grade of a submission."""

    async def run() -> Grade:
        try:
            return await grade(RUBRIC, submission, judge)
        finally:
            await judge.aclose()

    return asyncio.run(run())


def with_eyes(request: dict[str, Any]) -> Answer:
    """A decision model that reads the pixels of what it is sent."""
    (asset,) = request["assets"].values()
    rows = pixels_of(base64.b64decode(asset["data_base64"]))
    squares = squares_in(rows)
    claimed = re.findall(r"There are (\d+) squares", str(request["state"]))

    def given(question: Mapping[str, Any]) -> list[float]:
        if question["type"] == "noul":
            return [0.1, 0.9] if claimed == [str(squares)] else [0.9, 0.1]
        seen = (word_in(rows), str(squares))
        return [float(option in seen) for option in question["criteria"]]

    return system_one(given)(request)


def test_an_image_is_sent_as_an_asset_that_the_request_s_state_refers_to() -> None:
    (prompt,) = questions(RUBRIC, claims(4))
    with ChatServer(with_eyes) as server:
        judge = DecisionJudge(SYSTEM_ONE, "seeing", api_key=KEY, base_url=server.url)
        done = graded(judge, claims(4))
        wrong = graded(judge, claims(5))
    assert (done.passed, wrong.passed) == (True, False)
    assert sight_of(judge.identity, "image") is True
    probe, request, _ = server.requests
    data = base64.b64encode(CHART.content).decode()
    assert request["assets"] == {CHART.mark: {"type": "image", "format": "png", "data_base64": data}}
    assert request["state"]["chart"] == CHART.mark == prompt.material["chart"]
    assert {len(question["criteria"]) for question in probe["questions"].values()} > {4}


def test_a_decision_model_that_chooses_without_looking_is_left_ungraded(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = SightTest.drawn(IMAGE_KIND, "a picture whose word is no first choice")
    assert shown.word != shown.words[0]
    monkeypatch.setattr(SightTest, "drawn", lambda kind, seed: shown)

    def first(question: Mapping[str, Any]) -> list[float]:
        n = len(question.get("criteria", ())) if question["type"] == "choice" else 2
        return [1.0, *[0.0] * (n - 1)]

    with ChatServer(system_one(first)) as server:
        done = graded(DecisionJudge(SYSTEM_ONE, "blind", api_key=KEY, base_url=server.url), claims(4))
    assert done.score is None
    assert "systemone:blind can't read images" in str(done.error)
    assert len(server.requests) == 2


def test_a_submission_of_text_alone_is_sent_without_assets() -> None:
    with ChatServer(system_one(likely(0.1, 0.9))) as server:
        text = Submission("There are 4 squares.", {"chart": "four"}, "a")
        graded(DecisionJudge(SYSTEM_ONE, "m", api_key=KEY, base_url=server.url), text)
    assert list(server.requests[0]) == ["model", "state", "questions"]


def test_documents_and_images_in_the_other_format_are_refused_before_anything_is_sent() -> None:
    of_pdf = Submission("x", {"chart": Pdf(PDF_FILE)}, "a")
    for wire, submission, kinds in ((SYSTEM_ONE, of_pdf, "pdfs"), (OPENAI_DECISIONS, claims(4), "images")):
        with pytest.raises(NoJudge, match=f"doesn't take {kinds}; judges that do: anthropic, openai"):
            graded(DecisionJudge(wire, "m", api_key=KEY, base_url="http://127.0.0.1:9/v1"), submission)
