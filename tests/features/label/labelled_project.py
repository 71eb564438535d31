"""A folder with a rubric and a pool, and the labelling page as a process of its own, used over HTTP."""

import json
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.commands.console import INSTALLED, SECONDS, environment, run, scripts

RUBRIC = """
description: How a reply reads.
inputs: [query]
criteria:
- name: polite
  description: Is the reply polite?
  weight: 1
  not_applicable: true
  levels:
  - {value: 1, label: rude, description: It insults., example: "Go away."}
  - {value: 2, label: cold}
  - {value: 3, label: kind, description: It thanks or greets.}
- {name: waffle, requirement: The reply says things twice, weight: -0.5}
"""


def make_pool(folder: Path, n: int = 20) -> Path:
    """Write rubric `manners`, and pool.jsonl with n responses that a judge has rated."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "manners.yaml").write_text(RUBRIC)
    (folder / ".git").mkdir()
    lines = [
        {
            "id": f"model-x-{i}",
            "query": f"question {i}",
            "system": "model-x",
            "response": f"<script>window.ran = {i}</script> reply {i} & more",
            "labels": [
                {"rater": "judge-z", "kind": "model", "criteria": {"polite": {"level": 1 + i % 3, "reason": "psst"}}}
            ],
        }
        for i in range(n)
    ]
    (folder / "pool.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirect handler that doesn't follow redirects, so that tests can see them."""

    def redirect_request(self, *_: Any) -> None:
        return None


OPENER = urllib.request.build_opener(NoRedirect)


@dataclass(frozen=True)
class Answer:
    """The labelling server's answer to a request."""

    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def data(self) -> dict[str, Any]:
        """The data that the page gives to its script."""
        script = re.search(r'<script type="application/json" id="data">(.*)</script>', self.text)
        assert script, self.text
        return dict(json.loads(script[1]))

    @property
    def open(self) -> str:
        """Name, on the page, of the next step to label."""
        return str(next(step["unit"] for step in self.data["steps"] if step["answer"] is None))

    @property
    def problem(self) -> str:
        """The server's error message."""
        problem = json.loads(self.text)
        return f"{problem['title']} {problem['text']}"


@dataclass
class Server:
    """The labelling page at work.

    Attributes:
        folder: Where it runs.
        options: Further ones.
        rater: Who labels; "" leaves it to `--share`.
        installed: Whether `process` is the server itself, and no go-between of a warm one.
        rubric: What is labelled.
    """

    folder: Path
    options: Sequence[str] = ()
    rater: str = "ann"
    installed: bool = False
    rubric: str = "manners"
    process: subprocess.Popen[str] = field(init=False)
    announced: dict[str, Any] = field(init=False)

    def __enter__(self) -> "Server":
        folder = INSTALLED if self.installed else scripts()
        command = [str(folder / "markscheme"), "label", self.rubric, "--json", *self.options]
        command += ["--rater", self.rater] if self.rater else []
        if "--pool" not in self.options and self.rubric == "manners":
            command += ["--pool", "pool.jsonl"]
        self.process = subprocess.Popen(
            command, cwd=self.folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            _, message = self.process.communicate()
            raise AssertionError(message)
        self.announced = json.loads(line)
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def url(self) -> str:
        """Address of the page on this machine, whatever its public address is."""
        return f"http://127.0.0.1:{self.announced['port']}/{self.announced['url'].split('/')[-2]}/"

    @property
    def file(self) -> Path:
        """The file in which the rater's labels are stored."""
        return self.folder / "calibration" / self.rubric / "ratings" / f"{self.rater}.jsonl"

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of the rater's file of labels."""
        return [json.loads(line) for line in self.file.read_text().splitlines()]

    def kill(self) -> None:
        """Kill the server, as a power cut would."""
        self.process.kill()
        self.process.communicate()

    def end(self) -> str:
        """Interrupt the server, as Ctrl-C does, and return its standard error."""
        if self.process.poll() is None:
            self.get()  # until it answers, Ctrl-C may be ignored, as shells have it for what runs in the background
            self.process.send_signal(2)
        return self.process.communicate(timeout=SECONDS)[1]

    def get(self, place: str = "", **headers: str) -> Answer:
        """Request a page of the server by GET."""
        return fetch(urllib.parse.urljoin(self.url, place), None, headers)

    def post(self, place: str, answers: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Answer:
        """Send answers to the server by POST, as the page's script does."""
        return fetch(urllib.parse.urljoin(self.url, place), json.dumps(answers).encode(), headers or {})

    def reply(self, unit: str) -> int:
        """Return the number of the pool's reply that a step of the page shows."""
        reply = re.search(r"reply (\d+) &amp; more", self.get(f"unit/{unit}").text)
        assert reply
        return int(reply[1])

    def give(self, unit: str, polite: str = "1", waffle: str = "0", *, whole: str = "1", **more: Any) -> Answer:
        """Send answers to both criteria and, if it is asked, to the question about the whole response."""
        answers = {"whole response": whole, "polite": polite, "waffle": waffle}
        return self.post("give", {"unit": unit, "answers": answers, **more})

    def label(self, polite: str = "1", waffle: str = "0", note: str = "") -> int:
        """Label the next response, and return its number in the pool."""
        unit = self.get().open
        answer = self.give(unit, polite, waffle, note=note)
        assert answer.status == 200, answer.text
        return self.reply(unit)


def fetch(url: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
    """Send a request to a server, and return its answer, even if it is an error."""
    request = urllib.request.Request(url, data=body, headers=dict(headers))
    try:
        with OPENER.open(request, timeout=SECONDS) as response:
            return Answer(response.status, response.read().decode(), dict(response.headers))
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.read().decode(), dict(error.headers))


def refused(folder: Path, *options: str) -> tuple[int, str]:
    """Run a `label` command that must fail, and return its exit status and message."""
    done = run("markscheme", "label", "manners", *options, cwd=folder)
    return done.returncode, done.stderr
