"""The GitHub workflow that lints a project's rubrics and calibrates their judges on pull requests."""

import re
from pathlib import Path
from shlex import quote

from markscheme.errors import UsageError
from markscheme.judges.kinds import DEFAULT, kind_of, names_code
from markscheme.options.settings import find_settings
from markscheme.phrases import filled
from markscheme.rubrics.search import RUBRIC_SUFFIXES

WORKFLOW = Path(".github", "workflows", "markscheme.yml")
"""Path of the workflow in a project."""
_NAME = re.compile(r"[\w.-]+")
"""Pattern of the rubric names that are safe in a workflow, which expands `${{ … }}`."""
_HEAD = """\
# Made by `markscheme init --ci`. Commit a wheel of markscheme first: pip wheel --no-deps --wheel-dir vendor PATH
name: markscheme
on:
  pull_request:
    paths: ["rubrics/**", "calibration/**"]
permissions:
  contents: read
jobs:
  calibrate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-python@v6
        with: {python-version: "3.12"}
      - run: pip install vendor/markscheme-*.whl
      - run: markscheme lint --allow-advice LINTED
"""
_STEP = """\
      - name: calibrate NAME
        run: calibrate NAME --judge JUDGE || test $? -eq 4 # 4: more labels are needed
"""
_KEY = """\
        env:
          KEY: ${{ secrets.KEY }}
"""


def ci_files(folder: Path) -> dict[Path, str]:
    """Return the workflow for a project's rubrics, by its path: a step for each rubric that has a set of examples.

    Raises:
        UsageError: The folder has no rubrics, or one with a name that a workflow can't hold.
    """
    rubrics = folder / "rubrics"
    files = sorted(file for file in rubrics.iterdir() if file.suffix in RUBRIC_SUFFIXES) if rubrics.is_dir() else []
    files = [file for file in files if file.name != "schema.json"]
    if not files:
        raise UsageError(f"{rubrics} has no rubric to check: `markscheme init` adds one")
    unsafe = next((file for file in files if not _NAME.fullmatch(file.name)), None)
    if unsafe is not None:
        raise UsageError(f"{unsafe}: in a workflow a rubric's name has only letters, digits, `.`, `-` and `_`")
    judge = next(iter(find_settings(folder.resolve()).texts("judge")), DEFAULT.name)
    kind = kind_of(judge)
    variables = () if kind is None or names_code(judge) else kind.environment[:1]
    budget = " --budget 2" if kind is DEFAULT else ""  # which needs the price of a judge
    key = "".join(_KEY.replace("KEY", variable) for variable in variables)
    steps = [
        filled(_STEP, {"NAME": file.stem, "JUDGE": f"{quote(judge)}{budget}"}) + key
        for file in files
        if any((folder / "calibration" / file.stem).glob("examples.*"))
    ]
    linted = " ".join(dict.fromkeys(f"rubrics/*{file.suffix}" for file in files))
    return {WORKFLOW: _HEAD.replace("LINTED", linted) + "".join(steps)}
