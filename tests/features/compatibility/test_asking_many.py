"""What asks about many at once here leaves that to the core's driver."""

import pytest

from tests.test_layers import SOURCE


@pytest.mark.parametrize("module", ["rewards", "scorers"])
def test_modules_that_grade_many_submissions_call_the_shared_function_ask_many(module: str) -> None:
    assert "ask_many(" in (SOURCE / f"features/compatibility/{module}.py").read_text(encoding="utf-8")
