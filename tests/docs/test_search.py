"""Users' questions to the site's search: the page with the answer comes first or second."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.real.promptfoo import NODE

pytestmark = pytest.mark.proof
SEARCH = Path(__file__).with_name("search.mjs")
QUESTIONS = {
    "Azure OpenAI": "howto/servers/",
    "Bedrock": "howto/servers/",
    "Ollama": "howto/servers/",
    "proxy": "howto/servers/",
    "RAG context": "howto/rag/",
    "images": "howto/images/",
    "two judges": "howto/which-judge/",
    "cost": "howto/cost/",
    "how long does labelling take": "howto/plan-labels/",
    "change a label": "howto/label/",
    "what fails in my outputs": "howto/grade/",
    "German": "howto/write-a-rubric/",
    "how many labels": "howto/plan-labels/",
    "drift": "howto/ci/",
    "false passes": "howto/uses/",
    "reword a criterion": "howto/label/",
    "pass rate": "howto/pass-rate/",
    "gray zone": "howto/who-decides-what/",
    "promptfoo": "howto/promptfoo/",
    "budget": "howto/cost/",
    "where does my data go": "privacy/",
    "privacy": "privacy/",
    "install": "install/",
}
"""The page that answers each question."""


@pytest.fixture(scope="module")
def results(built_site: Path) -> dict[str, list[str]]:
    """Return the pages that the built site finds for each question, best first."""
    request = {"site": str(built_site), "questions": list(QUESTIONS)}
    done = subprocess.run(
        [str(NODE), str(SEARCH)], input=json.dumps(request), capture_output=True, text=True, check=True
    )
    return dict(zip(QUESTIONS, json.loads(done.stdout), strict=True))


def test_a_search_of_the_site_lists_the_page_with_the_answer_among_the_first_two(results: dict[str, list[str]]) -> None:
    missed = {question: pages[:4] for question, pages in results.items() if QUESTIONS[question] not in pages[:2]}
    assert missed == {}


def test_a_search_of_the_site_lists_benchmarks_and_the_changelog_last(results: dict[str, list[str]]) -> None:
    for question, pages in results.items():
        helping = [place for place, page in enumerate(pages) if page.startswith(("howto/", "tutorial/", "privacy/"))]
        recorded = [place for place, page in enumerate(pages) if page.startswith("repository/")]
        assert max(helping[:2]) < min(recorded, default=len(pages)), (question, pages[:6])
