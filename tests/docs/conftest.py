"""The tutorial, run once; other pages begin in the folder it leaves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, blocks
from tests.docs.stories import Story, promptfoo_command
from tests.session.processes import sockets


@pytest.fixture
def new_story(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    """A story that has not begun, in an empty folder."""
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    return Story(folder, exported={"XDG_RUNTIME_DIR": str(runtime)})


@pytest.fixture(scope="session")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """The tutorial, with the real Promptfoo in it."""
    beside = tmp_path_factory.mktemp("tutorial")
    promptfoo_command(beside / "bin")
    (beside / "project").mkdir()
    with sockets() as runtime:
        story = Story(beside / "project", exported={"XDG_RUNTIME_DIR": str(runtime)})
        for block in blocks(DOCS / "tutorial.md"):
            story.tell(block)
        yield story
