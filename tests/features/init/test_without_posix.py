"""A new project where what only POSIX systems have is missing, as on Windows."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.without_posix import WITHOUT_POSIX, ends_without_a_fault, run, shipped_set_in, variables

GRADED = f"""{WITHOUT_POSIX}
sys.path.insert(0, "graders")
from rubric_grader import get_assert
print(get_assert("[1]", {{"vars": {{}}, "config": {{"rubric": "form"}}}})["pass"])
"""


def test_init_works_on_a_system_without_posix(tmp_path: Path) -> None:
    ends_without_a_fault(tmp_path, "init", "new")


@pytest.mark.proof
def test_on_a_system_without_posix_the_python_assertion_of_a_new_project_grades_in_the_calling_process(
    tmp_path: Path,
) -> None:
    project = shipped_set_in(tmp_path)
    (project / "rubrics" / "form.yaml").write_text(
        "criteria: [{name: form, requirement: It is JSON., check: json_valid}]\n"
    )
    assert run("init", cwd=project).returncode == 0
    done = subprocess.run(
        [sys.executable, "-c", GRADED], cwd=project, env=variables(project), capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1:] == ["True"], done.stderr
