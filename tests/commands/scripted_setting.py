"""A small setting to calibrate in: a rubric, labelled examples, and a function as judge that follows a script."""

import json
from pathlib import Path
from typing import Any

RUBRIC = """
name: clear
strategy: per_criterion
criteria:
  - {name: tone, description: How kind it is, weight: 1}
  - {name: facts, description: How right it is, weight: 1}
"""
JUDGING = '''
import json, pathlib, re

def judge(system_prompt, user_prompt):
    """Rates as labelled, moved by what setting.json says; half of the tones are one lower where asked strictly."""
    setting = json.loads(pathlib.Path(__file__).with_name("setting.json").read_text())
    with pathlib.Path(__file__).with_name("calls.txt").open("a") as calls:
        calls.write(".")
    found = re.search(r"answer (\\d+): tone=(\\d) facts=(\\d)", user_prompt)
    place = int(found[1])
    levels = {"tone": int(found[2]), "facts": int(found[3])}
    verdicts = {}
    for name, level in levels.items():
        if f'"{name}"' in system_prompt:
            level += MOVED.get(name, 0) + setting.get(name, 0)
            level -= name == "tone" and "strictly" in system_prompt
            verdicts[name] = {"quote": "nothing to quote", "reason": "so", "level": str(min(5, max(1, level)))}
    return {"verdicts": verdicts}


judge.environment = ()
'''
JUDGE = "function:judging:judge"
N = 60


def make_setting(folder: Path, *, raters: int = 2) -> Path:
    """Write the project into `folder`, as a repository of its own."""
    (folder / ".git").mkdir(parents=True)
    (folder / "rubrics").mkdir()
    (folder / "calibration" / "clear").mkdir(parents=True)
    (folder / "rubrics" / "clear.yaml").write_text(RUBRIC, encoding="utf-8")
    write_judge(folder)
    set_judge(folder)
    lines = [_example(place, raters) for place in range(N)]
    examples = folder / "calibration" / "clear" / "examples.jsonl"
    examples.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def write_judge(folder: Path, **moved: int) -> None:
    """Write the judge's function with other source code, which moves its levels."""
    code = JUDGING.replace("MOVED", repr(moved))
    (folder / "judging.py").write_text(code, encoding="utf-8")


def set_judge(folder: Path, **moved: int) -> None:
    """Move the judge's levels without a change of its identity, as when a provider changes the model behind a name."""
    (folder / "setting.json").write_text(json.dumps(moved), encoding="utf-8")


def ask_strictly(folder: Path) -> None:
    """Reword the criterion `tone`."""
    file = folder / "rubrics" / "clear.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("How kind", "How strictly kind"), encoding="utf-8")


def calls(folder: Path) -> int:
    """Return how often the judge was asked so far."""
    file = folder / "calls.txt"
    return file.stat().st_size if file.exists() else 0


def environment(folder: Path) -> dict[str, str]:
    """Return environment variables for a cache of replies of the project's own."""
    return {"MARKSCHEME_CACHE": str(folder / "cache")}


def _example(place: int, raters: int) -> dict[str, Any]:
    tone, facts = 1 + place % 5, 1 + (place // 5) % 5
    labels = [{"rater": f"r{number}", "criteria": {"tone": tone, "facts": facts}} for number in range(raters)]
    return {"id": f"x{place}", "response": f"answer {place}: tone={tone} facts={facts}", "labels": labels}
