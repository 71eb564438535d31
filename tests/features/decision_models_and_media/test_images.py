"""Decision models that are shown images: what goes out in System One's format, and whether such a model can see."""

import asyncio
import base64
import re
from collections.abc import Mapping
from typing import Any

import pytest

from markscheme import Grade, Image, Pdf, Rubric, Submission, grade, open_judge
from markscheme.errors import NoJudge
from markscheme.grading import questions
from tests.features.media.files import PDF_FILE
from tests.features.media.pictures import Colour, chart, pixels_of, squares_in, word_in
from tests.judges.asking import KEY
from tests.judges.chat_server import Answer, ChatServer
from tests.judges.decision_servers import likely, system_one

pytestmark = pytest.mark.usefixtures("no_authorities")

CHART = Image(chart(4))
RUBRIC = Rubric.from_dict({"inputs": ["chart"], "criteria": [{"name": "right", "requirement": "The number is right"}]})


def claims(squares: int) -> Submission:
    """A claim about the chart."""
    return Submission(f"There are {squares} squares.", {"chart": CHART}, "a")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the keys of both APIs, and addresses where nobody answers."""
    for name in ("TYPESAFE", "OPENAI"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)
        monkeypatch.setenv(f"{name}_BASE_URL", "http://127.0.0.1:9/v1")


def graded(judge: str, *submissions: Submission) -> list[Grade]:
    """Return the grades of submissions, one after the other, by a judge of that name."""

    async def run() -> list[Grade]:
        opened = open_judge(judge)
        try:
            return [await grade(RUBRIC, submission, opened) for submission in submissions]
        finally:
            await opened.aclose()

    return asyncio.run(run())


def pixels_in(request: Mapping[str, Any]) -> list[list[Colour]]:
    """Return the pixels of the one image in a request."""
    (asset,) = request["assets"].values()
    return pixels_of(base64.b64decode(asset["data_base64"]))


def with_eyes(request: dict[str, Any]) -> Answer:
    """A decision model that reads the pixels of what it is sent."""
    rows = pixels_in(request)
    squares = squares_in(rows)
    claimed = re.findall(r"There are (\d+) squares", str(request["state"]))

    def given(question: Mapping[str, Any]) -> list[float]:
        if question["type"] == "noul":
            return [0.1, 0.9] if claimed == [str(squares)] else [0.9, 0.1]
        seen = (word_in(rows), str(squares))
        return [float(option in seen) for option in question["criteria"]]

    return system_one(given)(request)


def blind(request: dict[str, Any]) -> Answer:
    """A decision model that chooses without looking, and has no luck: the first option that is wrong."""
    rows = pixels_in(request)
    right = (word_in(rows), str(squares_in(rows)))

    def given(question: Mapping[str, Any]) -> list[float]:
        options = [*question.get("criteria", ("false", "true"))]
        chosen = next(option for option in options if option not in right)
        return [float(option == chosen) for option in options]

    return system_one(given)(request)


def test_a_decision_model_gets_an_image_as_an_asset_to_which_the_input_in_the_request_refers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (prompt,) = questions(RUBRIC, claims(4))
    with ChatServer(with_eyes) as server:
        monkeypatch.setenv("TYPESAFE_BASE_URL", server.url)
        right, wrong = graded("systemone:seeing", claims(4), claims(5))
    assert (right.passed, wrong.passed) == (True, False)
    probe, request, _ = server.requests  # it has shown once that it sees
    data = base64.b64encode(CHART.content).decode()
    assert request["assets"] == {CHART.mark: {"type": "image", "format": "png", "data_base64": data}}
    assert request["state"]["chart"] == CHART.mark == prompt.material["chart"]
    assert {len(question["criteria"]) for question in probe["questions"].values()} > {4}


def test_a_decision_model_that_answers_without_having_seen_the_image_leaves_the_response_ungraded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(blind) as server:
        monkeypatch.setenv("TYPESAFE_BASE_URL", server.url)
        (done,) = graded("systemone:blind", claims(4))
    assert done.score is None
    assert "systemone:blind can't read images" in str(done.error)
    assert len(server.requests) == 2


def test_a_submission_without_images_is_sent_to_systemone_without_a_field_for_images(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(system_one(likely(0.1, 0.9))) as server:
        monkeypatch.setenv("TYPESAFE_BASE_URL", server.url)
        graded("systemone:m", Submission("There are 4 squares.", {"chart": "four"}, "a"))
    assert list(server.requests[0]) == ["model", "state", "questions"]


def test_decision_models_refuse_images_or_pdfs_that_their_request_format_cannot_carry_before_sending_anything() -> None:
    of_pdf = Submission("x", {"chart": Pdf(PDF_FILE)}, "a")
    for judge, submission, kinds in (("systemone:m", of_pdf, "pdfs"), ("decisions:m", claims(4), "images")):
        with pytest.raises(NoJudge, match=f"doesn't take {kinds}; judges that do: anthropic, openai"):
            graded(judge, submission)
