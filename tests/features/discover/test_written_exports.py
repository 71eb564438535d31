"""What an annotator wrote in files of the tools' own libraries comes in as notes."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.commands.console import ROOT
from tests.features.discover.written_notes import WRITTEN_NOTES, WrittenNotes
from tests.proofs.environments import ran

pytestmark = pytest.mark.release

MAKERS = ROOT / "tests" / "proofs" / "makers"
NOTED = {
    "mlflow": [WRITTEN_NOTES["mlflow"], replace(WRITTEN_NOTES["mlflow"], files=("mlflow.db",))],
    "phoenix": [WrittenNotes(("phoenix.db",))],
    **{tool: [WRITTEN_NOTES[tool]] for tool in ("langsmith", "langfuse", "labelstudio")},
}


@pytest.fixture(scope="module", params=sorted(NOTED))
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A tool, and the folder into which its library has written its files."""
    folder = tmp_path_factory.mktemp(request.param)
    ran(MAKERS / f"{request.param}.txt", folder, DEEPEVAL_RESULTS_FOLDER=str(folder / "runs"))
    return request.param, folder


def test_comments_that_an_annotator_wrote_in_other_tools_are_imported_as_notes(written: tuple[str, Path]) -> None:
    tool, folder = written
    for expected in NOTED[tool]:
        expected.check(expected.read(folder))
