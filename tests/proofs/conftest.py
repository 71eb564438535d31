"""What the proofs found, for a person to read."""

import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[..., None]:
    """Prints lines past pytest, on standard error: what one of its workers prints otherwise is lost."""

    def print_lines(*lines: str) -> None:
        with capsys.disabled():
            print("", *lines, sep="\n", file=sys.stderr)

    return print_lines
