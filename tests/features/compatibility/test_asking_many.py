"""What asks about many at once here leaves that to the core's driver."""

import pytest

from tests.test_layers import SOURCE


@pytest.mark.parametrize("module", ["rewards", "scorers"])
def test_rewards_and_scorers_grade_many_submissions_by_the_shared_ask_many_function(module: str) -> None:
    assert "ask_many(" in (SOURCE / f"features/compatibility/{module}.py").read_text(encoding="utf-8")
