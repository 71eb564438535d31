"""A project of the judge that reads its rubric's words, and a server that is this judge and a proposer."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.commands.console import environment
from tests.features.improve import reader
from tests.features.improve.reader import HARMS, HELPS, gold_level
from tests.judges.chat_server import Answer, completion

RUBRIC = """\
# how replies should sound
criteria:
  - name: polite
    description: The reply is polite   # one line
    weight: 1
    levels:
      - {value: 1, description: It is rude to the reader.}
      - {value: 2, description: It is neither.}
      - {value: 3, description: It is kind to the reader.}
  - name: short
    requirement: The reply is short
    weight: 0.5
"""
SECRET = "please accept our sincere apologies for the very long delay of your parcel"
"""Words of one example, long enough to be recognised where they are copied."""
PROPOSER = "You improve the words of a rubric"


def make_project(folder: Path, *, n: int = 45, tasks: int | None = None, split: bool = False) -> Path:
    """Write a project: rubric `manners`, a judge, and n labelled examples, spread over `tasks` if given."""
    (folder / "rubrics").mkdir()
    shutil.copy(reader.__file__, folder)
    (folder / "rubrics" / "manners.yaml").write_text(RUBRIC)
    home = folder / "calibration" / "manners"
    home.mkdir(parents=True)
    lines = []
    for i in range(n):
        label = {"rater": "rater-anna", "criteria": {"polite": gold_level(i), "short": i % 2 == 1}, "note": f"as {i}"}
        extra = SECRET if i == 3 else f"word{i}"
        line: dict[str, Any] = {"id": f"ex-{i:03}", "response": f"reply {i} of many, {extra}", "labels": [label]}
        if tasks:
            line["group"] = f"task {i % tasks}"
        if split:
            line["split"] = "dev" if i % 3 == 0 else "test"
        lines.append(json.dumps(line) + "\n")
    (home / "examples.jsonl").write_text("".join(lines))
    return folder


def user_environment(folder: Path, url: str) -> dict[str, str]:
    """Return the environment for a command with a cache of its own, whose models are served at `url`."""
    return {
        **environment(),
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": "none",
        "MARKSCHEME_CACHE": str(folder / "cache"),
    }


def prompts_of(body: dict[str, Any]) -> tuple[str, str]:
    """Return the system and the user prompt of a request."""
    by_role = {message["role"]: message["content"] for message in body["messages"]}
    return by_role.get("system", ""), by_role["user"]


def reading_judge(body: dict[str, Any]) -> Answer:
    """Return the reading judge's answer in the form of a server's reply."""
    return completion(json.dumps(reader.verdicts(*prompts_of(body))))


def edit(new: str, old: str = "The reply is polite", field: str = "description", criterion: str = "polite") -> Any:
    """Return one JSON edit of the rubric's words."""
    return {"criterion": criterion, "field": field, "old": old, "new": new, "why": "it was vague"}


def with_proposer(propose: Callable[[int, int, str], str]) -> Callable[[dict[str, Any]], Answer]:
    """Make a server's answers: the reading judge's, and a proposer's by round, number of the candidate and prompt."""

    def decide(body: dict[str, Any]) -> Answer:
        system, user = prompts_of(body)
        if not system.startswith(PROPOSER):
            return reading_judge(body)
        number, round = re.findall(r"candidate (\d+) of \d+ in round (\d+)", user)[-1]
        return completion(propose(int(round), int(number), system + user))

    return decide


def good_proposals(round: int, number: int, prompt: str) -> str:
    """Return a proposer's edit: the second of the first round is better, the others change nothing or harm."""
    words = f"The {HELPS} is polite" if (round, number) == (1, 2) else f"The reply is polite, {HARMS} {round} {number}"
    old = f"The {HELPS} is polite" if f'"old": "The {HELPS} is polite"' in prompt else "The reply is polite"
    return json.dumps({"edits": [edit(words, old)]})
