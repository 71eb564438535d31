"""What lint says of a rubric with a certificate."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.features.certify.cascade_project import (
    Servers,
    judges,
    write_certified,
)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """The judges, running; what they said once is remembered for every project of this file."""
    with judges(tmp_path_factory.mktemp("judges")) as running:
        yield running


@pytest.fixture(scope="module")
def certified(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Servers]:
    """A project whose cascade is certified, with its judges running."""
    return write_certified(tmp_path_factory.mktemp("cascade"), servers), servers


def test_lint_says_that_a_gray_zone_has_no_effect_under_a_cascade(certified: tuple[Path, Servers]) -> None:
    folder, servers = certified
    file = folder / "rubrics" / "reply.yaml"
    before = file.read_text()
    assert "ask_within" not in run("markscheme", "lint", "reply", cwd=folder).stdout
    file.write_text(f"{before}ask_within: 0.1\n")
    try:
        done = run("markscheme", "lint", "reply", cwd=folder, env=servers.environment)
    finally:
        file.write_text(before)
    assert done.returncode == 1
    assert "ask_within has no effect under `--judge cascade`" in " ".join(done.stdout.split())
