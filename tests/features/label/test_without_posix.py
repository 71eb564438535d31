"""Planning labels where what only POSIX systems have is missing, as on Windows; the labelling page is refused there."""

from pathlib import Path

import pytest

from tests.without_posix import ends_without_a_fault, is_refused


@pytest.mark.proof
def test_a_labelling_plan_works_on_a_system_without_posix(tmp_path: Path) -> None:
    ends_without_a_fault(tmp_path, "label", "code-quality", "--plan")


@pytest.mark.proof
@pytest.mark.parametrize("options", [(), ("--disputed",)])
def test_on_a_system_without_posix_the_labelling_page_is_refused_with_the_reason(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    is_refused(
        tmp_path, "the labelling page runs on Linux and macOS", "label", "code-quality", *options, "--rater", "ann"
    )
