"""The real components that tests share, each started once a session."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from tests.commands.console import forget_projects
from tests.golden_files import GoldenFiles
from tests.marked_files import check_marks, is_left_unread
from tests.memory import MEMORY, has_room
from tests.promptfoo.rated_run import run_promptfoo
from tests.real import messages_front as front
from tests.real.kept import ROOT, made_once, shared_folder
from tests.real.local_model import model_path
from tests.real.promptfoo import PromptfooInstall, install_promptfoo
from tests.session.processes import end_sessions, sockets

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""Hundreds of interpreters are started, and each would compile all of the package again."""
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Threads that multiply small arrays cost the processes beside them more than they gain."""
if has_room(MEMORY):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
"""Thousands of commands flush what they write to the disk, and wait for it; memory takes it at once."""
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
"""A shell starts tests in the background with Ctrl-C ignored, which the commands that they run would inherit."""
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")
"""The same examples in every run, without a deadline, so that only a change makes a test fail, never a busy machine.
`pytest --hypothesis-profile=default` draws others."""
SLOW_FIRST = (
    *("tests/test_rooms.py", "tests/docs/test_pages.py", "tests/package/"),
    *("tests/promptfoo/", "tests/commands/", "tests/session/", "tests/judges/"),
)
"""The files that take longest start first, so that no process works on one alone at the end."""
READ_THE_TREE = (
    "tests/test_rooms.py",
    "tests/test_house.py",
    "tests/test_layers.py",
    "tests/test_phrases.py",
    "tests/stats/test_estimate.py",
    "tests/test_printed_commands.py",
    "tests/commands/test_commands_in_source.py",
    "tests/docs/test_faults.py",
)
"""The files whose tests read the syntax of all others: one process runs them, and parses each file once for all."""
RARELY = 50_000
"""Objects made between two collections of garbage; at Python's 700, collecting takes a seventh of some files' time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the golden files again."""
    parser.addoption("--write-golden", action="store_true", help="write tests/golden/ again instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    """Disable garbage collection until all tests are collected, since nothing made meanwhile is garbage."""
    if config.getoption("dist", "no") == "no":  # it is this process that collects
        gc.disable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files without a test of the mark that `-m` asks for."""
    return is_left_unread(collection_path, config.getoption("markexpr")) or None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let each of pytest's processes start collecting a folder's files at a different file.

    All of them collect all tests. In a fresh clone they share the compiling of the files in this way, instead of doing
    the same at the same time.
    """
    report = yield
    if isinstance(collector, pytest.Dir) and report.result:
        place, of = _turn()
        first = len(report.result) * place // of
        report.result = report.result[first:] + report.result[:first]
    return report


def _turn() -> tuple[int, int]:
    """Return the number of this one of pytest's processes, from 0, and how many there are."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    return int(worker.removeprefix("gw")), int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Schedule tests by file, with the files that read the whole source tree together in one process."""
    if config.getoption("dist") != "loadfile":
        return None
    by_file = LoadFileScheduling(config, log)

    def file_or_tree(nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "the tree" if file in READ_THE_TREE else file

    by_file._split_scope = file_or_tree
    return by_file


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort tests by file, with the slowest files first."""
    check_marks(items)
    if _turn() != (0, 1):
        items.sort(key=lambda item: item.path.parts)
    items.sort(key=lambda item: not item.nodeid.startswith(SLOW_FIRST))


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, and make that rare."""
    gc.freeze()
    gc.set_threshold(RARELY)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Collect the tests' garbage once, and nothing afterwards.

    What a finalizer raises is reported, as after each test. pytest collects five times more when it ends, each time
    through all syntax trees and modules that are still in use.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def golden(request: pytest.FixtureRequest) -> GoldenFiles:
    """Return the golden files, which `--write-golden` writes again."""
    return GoldenFiles(write=request.config.getoption("--write-golden"))


@pytest.fixture(scope="session")
def promptfoo() -> PromptfooInstall:
    """Return the installation of the real Promptfoo."""
    return install_promptfoo()


@pytest.fixture(scope="session")
def local_model() -> Path:
    """Return a small real language model as a GGUF file; as a judge it is near chance."""
    return model_path()


@pytest.fixture(scope="session")
def messages_front(local_model: Path) -> Iterator[front.MessagesFront]:
    """Start a server with Anthropic's Messages API in front of the real local model."""
    with front.MessagesFront(front.local_model(local_model)) as running:
        yield running


@pytest.fixture(scope="session")
def rated_results(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> dict[str, Any]:
    """Return a copy of the results of one run of the real Promptfoo, which all processes share."""
    shared = shared_folder(tmp_path_factory, worker_id)
    found: dict[str, Any] = made_once(shared / "rated.json", lambda: run_promptfoo(tmp_path_factory.mktemp("rated")))
    return found


@pytest.fixture(scope="session")
def unpacked_wheel(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return a folder with the unpacked wheel of the package, built once for all of pytest's processes."""
    folder = shared_folder(tmp_path_factory, worker_id)

    def build() -> str:
        target = folder / "wheel"
        command = (sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target))
        built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
        (wheel,) = target.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target / "unpacked")
        return str(target / "unpacked")

    return Path(made_once(folder / "wheel.json", build))


@pytest.fixture
def no_authorities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that knows no certificate authorities: every client of an SDK reads them all, for 0.03 s of CPU time,
    and plain HTTP has no use for them."""
    (tmp_path / "authorities").mkdir()
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "authorities"))
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)


@pytest.fixture(scope="session", autouse=True)
def sessions_of_this_process() -> Iterator[None]:
    """Set a folder for sessions, so that tests neither see nor use those of the user or of another test run."""
    with sockets() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        yield


@pytest.fixture(scope="session", autouse=True)
def cache_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep replies in a folder of this run, so that tests neither read nor change the user's own cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARKSCHEME_CACHE", str(tmp_path_factory.mktemp("replies")))
        yield


@pytest.fixture(scope="session")
def unused_folders() -> Iterator[list[Path]]:
    """Return session folders that no test has used, for reuse by the next test."""
    folders = list[Path]()
    yield folders
    for folder in folders:
        folder.rmdir()


@pytest.fixture(autouse=True)
def own_project(unused_folders: list[Path]) -> Iterator[None]:
    """Give each test its own folder for sessions, and forget modules of earlier tests' projects.

    What lists sessions shows no other test's, and a module is that of the test's project, whatever others it is named
    like. One fixture for both: each is made and ended for every test.
    """
    folder = unused_folders.pop() if unused_folders else Path(tempfile.mkdtemp(prefix="ms-", dir="/tmp"))
    of_all = os.environ["XDG_RUNTIME_DIR"]
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    yield
    os.environ["XDG_RUNTIME_DIR"] = of_all
    forget_projects()
    if os.listdir(folder):
        end_sessions(folder)
    else:
        unused_folders.append(folder)


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[..., None]:
    """Return a function that prints lines for a person to read, past pytest's capture."""
    """Print lines past pytest, on standard error: what one of its workers prints otherwise is lost."""

    def print_lines(*lines: str) -> None:
        with capsys.disabled():
            print("", *lines, sep="\n", file=sys.stderr)

    return print_lines


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder with a short path for sessions' sockets, and end the sessions in it afterwards."""
    with sockets() as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
        monkeypatch.delenv("MARKSCHEME_SESSION", raising=False)
        yield folder


@pytest.fixture(scope="session")
def shared_chromium() -> Iterator["Browser"]:
    """Return Debian's Chromium, which all tests of pages in a process share."""
    from tests.browser.chromium import running_chromium

    with running_chromium() as browser:
        yield browser


@pytest.fixture
def chromium(shared_chromium: "Browser") -> Iterator["Browser"]:
    """Return Debian's Chromium, and close afterwards what a test opens in it: each page left open is a process."""
    yield shared_chromium
    for context in shared_chromium.contexts:
        context.close()


@pytest.fixture
def page(chromium: "Browser", request: pytest.FixtureRequest) -> Iterator["Page"]:
    """Return a fresh browser page, in the light colour scheme unless a test asks for the dark one."""
    from tests.browser.chromium import fresh_page

    with fresh_page(chromium, getattr(request, "param", "light")) as opened:
        yield opened
