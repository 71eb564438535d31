"""The real components that tests share, each started once a session."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from markscheme.session import client
from tests.promptfoo.rated_run import run_promptfoo
from tests.real import messages_front as front
from tests.real.kept import made_once
from tests.real.local_model import model_path
from tests.real.promptfoo import PromptfooInstall, install_promptfoo
from tests.session.processes import session_pids, wait_until


@pytest.fixture(scope="session")
def promptfoo() -> PromptfooInstall:
    """The real Promptfoo, installed."""
    return install_promptfoo()


@pytest.fixture(scope="session")
def local_model() -> Path:
    """A small real language model as a GGUF file; as a judge it is near chance."""
    return model_path()


@pytest.fixture(scope="session")
def messages_front(local_model: Path) -> Iterator[front.MessagesFront]:
    """Anthropic's Messages API in front of the real local model; its counts run through the whole session."""
    with front.MessagesFront(front.local_model(local_model)) as running:
        yield running


@pytest.fixture(scope="session")
def rated_results(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> dict[str, Any]:
    """Results of one run of the real Promptfoo, made once for all of pytest's processes; a test changes only a copy."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder if worker_id == "master" else folder.parent
    found: dict[str, Any] = made_once(shared / "rated.json", lambda: run_promptfoo(tmp_path_factory.mktemp("rated")))
    return found


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A short folder in which sessions put their sockets; whatever runs there is ended, and must leave nothing."""
    folder = Path(tempfile.mkdtemp(prefix="ms-", dir="/tmp"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.delenv("MARKSCHEME_SESSION", raising=False)
    yield folder
    for place in client.sockets():
        client.stop(place)
    assert wait_until(lambda: not session_pids(folder))
    shutil.rmtree(folder)
