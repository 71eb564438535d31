"""Fixtures that run the tutorial once, in whose folder other pages begin, and build the site once."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.console import ROOT, environment
from tests.docs.pages import DOCS, blocks
from tests.docs.stories import Story, promptfoo_command
from tests.real.kept import made_once, shared_folder
from tests.session.processes import sockets


@pytest.fixture
def new_story(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    """Make a Story that has not begun, in an empty folder."""
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    return Story(folder, exported={"XDG_RUNTIME_DIR": str(runtime)})


@pytest.fixture(scope="session")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """Run the tutorial with the real Promptfoo; return its Story."""
    home = tmp_path_factory.mktemp("tutorial")
    promptfoo_command(home / "bin")
    (home / "project").mkdir()
    with sockets() as runtime:
        story = Story(home / "project", exported={"XDG_RUNTIME_DIR": str(runtime)})
        for block in blocks(DOCS / "tutorial.md"):
            story.tell(block)
        yield story


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Build the site once for all of pytest's processes, checking for dead links; return its folder."""
    folder = shared_folder(tmp_path_factory, worker_id)

    def build() -> str:
        site = folder / "site"
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)]
        env = environment({"SITE_URL": "https://docs.example.org/dev/", "NO_MKDOCS_2_WARNING": "1"})
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return str(site)

    return Path(made_once(folder / "site.json", build))
