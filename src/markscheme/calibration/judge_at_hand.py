"""The judge that a printed command must name, so that the command works when it is pasted."""

import os
import warnings
from pathlib import Path

from markscheme.errors import MarkschemeError, RubricWarning
from markscheme.grading.receipt import accepted_run_data
from markscheme.judges.kinds import DEFAULT, YOUR_JUDGE, kind_of
from markscheme.options.settings import find_settings
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.search import find_calibration, find_rubric


def judge_to_name(rubric: str) -> str | None:
    """Return the judge that a command for a rubric must name.

    That is the judge of the accepted run. If no run is accepted, return None if the command needn't name a judge: one
    is set (in the settings file, the environment or the rubric), recorded replies answer, or code checks all criteria.
    In all other cases, and if the rubric can't be read, return a placeholder for a judge's name.
    """
    here = Path.cwd()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RubricWarning)
            loaded = load_rubric(find_rubric(rubric, here))
        folder = find_calibration(loaded.name, here)
        accepted = None if folder is None else _judge_of_accepted_run(folder / "accepted.json")
        is_set = bool(find_settings(here).texts("judge"))
    except MarkschemeError:
        return YOUR_JUDGE
    if accepted is not None:
        return accepted
    is_asked = is_set or os.environ.get(DEFAULT.environment[0]) or loaded.judge.get("name")
    is_recorded = folder is not None and any(folder.glob("replies/*.jsonl"))
    is_code = all(criterion.check is not None for criterion in loaded.criteria)
    return None if is_asked or is_recorded or is_code else YOUR_JUDGE


def _judge_of_accepted_run(path: Path) -> str | None:
    """Return the name of the judge that was asked in the accepted run, as `--judge` takes it; None without one.

    An accepted run that read ratings or recorded replies asked no judge.

    Args:
        path: The accepted.json, which may be missing.
    """
    judge = accepted_run_data(path).get("judge") if path.is_file() else None
    name = judge.get("name") if isinstance(judge, dict) and judge.get("source") == "live" else None
    return judge_argument(name) if isinstance(name, str) else None


def judge_argument(name: str) -> str | None:
    """Convert a judge's name as reports state it to a value of `--judge`; None if such a judge can't be asked.

    Example:
        >>> judge_argument("anthropic, claude-haiku-4-5"), judge_argument("openai:gpt-5"), judge_argument("a, b")
        ('anthropic:claude-haiku-4-5', 'openai:gpt-5', None)
    """
    typed = name if kind_of(name) is not None else name.replace(", ", ":", 1)
    return typed if kind_of(typed) is not None else None
