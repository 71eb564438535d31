"""A project in which two decision models judge replies: what they say is written into each reply, behind loopback."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.commands.console import run
from tests.judges.chat_server import Answer, ChatServer
from tests.judges.decision_servers import decisions, system_one

RUBRIC = """\
name: reply
passingThreshold: 0.5
criteria:
- {name: tone, requirement: The reply is polite., weight: 1}
"""
LABELLED, OUTPUTS = 260, 30
"""As many labels as promises about passes take, and outputs of which each judge decides some and neither some."""
CHEAP, BETTER = "systemone:cheap-1", "decisions:better-1"
CASCADE = f"{CHEAP},{BETTER}"


def rows(n: int, seed: int) -> list[tuple[bool, float, float]]:
    """Whether a reply is polite, and the probabilities that a cheap and a better judge give that."""
    generator = np.random.default_rng(seed)
    polite = generator.random(n) < 0.6
    signs = np.where(polite, 1, -1)
    ease = np.exp(generator.normal(0, 0.7, n))
    chances = []
    for strength in (2.2, 3.2):
        odds = signs * (strength * ease) ** 2 / 2 + strength * ease * generator.normal(size=n)
        chances.append(1 / (1 + np.exp(-np.clip(odds, -9, 9))))
    return list(zip(polite.tolist(), chances[0].tolist(), chances[1].tolist(), strict=True))


def reply(place: int, cheap: float, better: float) -> str:
    """A reply that tells the stand-ins what to say."""
    return f"Reply {place}. cheap={cheap:.4f} better={better:.4f}"


def write_project(folder: Path, n: int = LABELLED, *, group: int = 0) -> Path:
    """The rubric, labelled examples, and further outputs in `outputs.jsonl`."""
    (folder / "rubrics").mkdir(parents=True)
    (folder / "rubrics" / "reply.yaml").write_text(RUBRIC)
    home = folder / "calibration" / "reply"
    home.mkdir(parents=True)
    with (home / "examples.jsonl").open("w") as file:
        for place, (polite, cheap, better) in enumerate(rows(n, 1)):
            label = {"rater": "ann", "kind": "human", "criteria": {"tone": int(polite)}, "pass": polite}
            example = {"id": f"e{place}", "response": reply(place, cheap, better), "labels": [label], "drawn": "random"}
            file.write(json.dumps({**example, "group": f"g{place // group}"} if group else example) + "\n")
    with (folder / "outputs.jsonl").open("w") as file:
        for place, (_, cheap, better) in enumerate(rows(OUTPUTS, 2)):
            file.write(json.dumps({"id": f"o{place}", "response": reply(place, cheap, better)}) + "\n")
    return folder


@dataclass
class Servers:
    """The two judges' servers, and how commands reach them."""

    cheap: ChatServer
    better: ChatServer
    folder: Path
    models: dict[str, str]

    @property
    def environment(self) -> dict[str, str]:
        """What commands need; no key is wanted."""
        return {
            "TYPESAFE_BASE_URL": self.cheap.url,
            "OPENAI_BASE_URL": self.better.url,
            "MARKSCHEME_CACHE": str(self.folder / "cache"),
        }


@contextmanager
def judges(folder: Path) -> Iterator[Servers]:
    """Both servers; what they call themselves can be changed while they run."""
    models = {"cheap": "cheap-1", "better": "better-1"}

    def answering(
        name: str, form: Callable[..., Callable[[dict[str, Any]], Answer]]
    ) -> Callable[[dict[str, Any]], Answer]:
        def decide(request: dict[str, Any]) -> Answer:
            p = float(re.findall(rf"{name}=([\d.]+)", json.dumps(request))[-1].rstrip("."))
            return form(lambda _: [1 - p, p], model=models[name])(request)

        return decide

    with (
        ChatServer(answering("cheap", system_one)) as cheap,
        ChatServer(answering("better", decisions)) as better,
    ):
        yield Servers(cheap, better, folder, models)


def write_certified(folder: Path, servers: Servers) -> Path:
    """Write a project and certify its cascade by the judges."""
    project = write_project(folder)
    done = run("markscheme", "certify", "reply", "--judge", CASCADE, "--write", cwd=project, env=servers.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return project
