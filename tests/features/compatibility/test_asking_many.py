"""What asks about many at once here leaves that to the core's driver."""

import pytest

from tests.test_layers import SOURCE


@pytest.mark.parametrize("module", ["rewards", "scorers"])
def test_whatever_asks_about_many_calls_the_driver(module: str) -> None:
    assert "ask_many(" in (SOURCE / f"features/compatibility/{module}.py").read_text(encoding="utf-8")
