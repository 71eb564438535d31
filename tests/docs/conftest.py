"""The tutorial, told once; what it leaves behind is where other pages begin."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from markscheme.session import client
from tests.docs.pages import DOCS, blocks
from tests.docs.stories import Story, promptfoo_command
from tests.session.processes import session_pids, wait_until


@pytest.fixture
def told_in(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    """A story that has not begun, in an empty folder."""
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    return Story(folder, exported={"XDG_RUNTIME_DIR": str(runtime)})


@pytest.fixture(scope="session")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """The tutorial, with the real Promptfoo in it."""
    beside = tmp_path_factory.mktemp("tutorial")
    sockets = Path(tempfile.mkdtemp(prefix="ms-", dir="/tmp"))
    promptfoo_command(beside / "bin")
    (beside / "project").mkdir()
    story = Story(beside / "project", exported={"XDG_RUNTIME_DIR": str(sockets)})
    for block in blocks(DOCS / "tutorial.md"):
        story.tell(block)
    yield story
    for place in sockets.rglob("*.sock"):
        client.stop(str(place))
    assert wait_until(lambda: not session_pids(sockets))
    shutil.rmtree(sockets)
