"""80 outputs through `discover`, `label` and `improve` by printed commands alone, answered as a browser would."""

import json
import re
import shlex
import signal
import subprocess
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import SECONDS, environment, run, scripts
from tests.commands.pasted import printed_commands

FAULTS = {
    "price": ("names a price", "The reply names a price.", "49 euros"),
    "rude": ("is rude", "The reply is rude.", "you fool"),
    "vague": ("stays vague", "The reply stays vague.", "somehow"),
}
"""By mode: the note, the definition, and the words by which a reader sees it in a reply."""
N = 80


def reply(place: int) -> str:
    """A reply in which each fault is there or not, in all combinations."""
    has = [words for bit, (_, _, words) in enumerate(FAULTS.values()) if place >> bit & 1]
    return f"Answer {place}: {', '.join(['take it', *has])}."


def faults_in(text: str) -> list[str]:
    """The modes that a reader sees in a reply."""
    return [mode for mode, (_, _, words) in FAULTS.items() if words in text]


def accepts(text: str) -> bool:
    """Whether people accept a reply: they mind rudeness, and nothing else."""
    return "rude" not in faults_in(text)


class ServedPage:
    """A page that a printed command serves, and its API as the page's script calls it."""

    def __init__(self, command: str, folder: Path) -> None:
        words = shlex.split(command)
        self.process = subprocess.Popen(
            [str(scripts() / words[0]), *words[1:], "--rater", "ann"],
            cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.url = ""
        for line in self.process.stdout:
            if found := re.search(r"http\S+", line):
                self.url = found[0]
                break
        assert self.url, self.process.communicate()[1]

    def get(self, where: str = "") -> str:
        """What the server sends."""
        with urllib.request.urlopen(f"{self.url}{where}", timeout=SECONDS) as answer:
            return str(answer.read().decode())

    def post(self, where: str, sent: dict[str, Any]) -> dict[str, Any]:
        """What the server answers to what the page sends."""
        asked = urllib.request.Request(f"{self.url}{where}", data=json.dumps(sent).encode())
        with urllib.request.urlopen(asked, timeout=SECONDS) as answer:
            return dict(json.loads(answer.read()))

    @property
    def data(self) -> dict[str, Any]:
        """What the page's script knows."""
        script = re.search(r'<script type="application/json" id="data">(.*)</script>', self.get())
        assert script
        return dict(json.loads(script[1]))

    def stop(self) -> str:
        """End it as Ctrl-C does; what it prints by then."""
        self.process.send_signal(signal.SIGINT)
        return "".join(self.process.communicate(timeout=SECONDS))


def read(page: ServedPage, unit: str, listed: dict[str, str]) -> None:
    """Read an output: Good or Bad, and a note on each fault, put into its mode."""
    text = page.get(f"unit/{unit}")
    notes = [
        {"n": n, "text": FAULTS[mode][0], "quote": FAULTS[mode][2], "modes": [mode]}
        for n, mode in enumerate(faults_in(text), 1)
    ]
    page.post(
        "read",
        {
            "unit": unit,
            "read": "noted" if notes else "in full",
            "pass": accepts(text),
            "notes": notes,
            "listed": listed,
        },
    )


def read_all(page: ServedPage) -> int:
    """Read what the page lists: eight outputs, then the modes' definitions, then the rest; how many those are."""
    units = [step["unit"] for step in page.data["steps"]]
    for unit in units[:8]:
        read(page, unit, {})
    for mode, (_, definition, _) in FAULTS.items():
        page.post("group", {"do": "define", "mode": mode, "definition": definition})
    listed = {mode["name"]: mode["under"] for mode in page.data["modes"]}
    for unit in units[8:]:
        read(page, unit, listed)
    return len(units)


def label_all(page: ServedPage) -> dict[str, int]:
    """Answer every question on the page; how often each was asked."""
    data = page.data
    asked: dict[str, int] = {}
    for step in data["steps"]:
        text = page.get(f"unit/{step['unit']}")
        names = [data["criteria"][number] for number in step["criteria"]]
        answers = {
            name: str(int(accepts(text) if name == data["whole"] else name in faults_in(text))) for name in names
        }
        page.post("give", {"unit": step["unit"], "answers": answers})
        for name in names:
            asked[name] = asked.get(name, 0) + 1
    return asked


def one_of(commands: Sequence[str], beginning: str) -> str:
    """The printed command that begins so."""
    (command,) = [command for command in commands if command.startswith(beginning)]
    return command


def shown(command: str, folder: Path) -> str:
    """What a pasted command prints, in lines that aren't broken."""
    done = run(*shlex.split(command), cwd=folder, env={"COLUMNS": "400"})
    assert done.returncode in (0, 1, 4), done.stderr
    return done.stdout + done.stderr


def outputs_alone(folder: Path) -> Path:
    """A folder with nothing but 80 outputs."""
    rows = [{"id": f"o{place}", "query": f"Question {place}", "response": reply(place)} for place in range(N)]
    (folder / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with nothing but 80 outputs."""
    return outputs_alone(tmp_path)


@pytest.mark.proof
def test_80_outputs_lead_to_better_weights_without_a_line_edited_by_hand(folder: Path) -> None:
    page = ServedPage("markscheme discover reply --pool outputs.jsonl", folder)
    assert read_all(page) == N // 2
    write = one_of([*printed_commands(page.stop())], "markscheme discover reply --write")
    label = one_of([*printed_commands(shown(write, folder))], "markscheme label")
    page = ServedPage(label, folder)
    assert label_all(page)["whole response"] == N // 2  # what was read has Good or Bad
    overview = one_of([*printed_commands(page.stop())], "markscheme improve")
    report = json.loads(shown(f"{overview} --json", folder))
    assert report["parts"] == {"dev": N // 2, "test": N // 2}
    assert (report["evidence"]["passes"], report["evidence"]["fails"]) == (N // 2, N // 2)
    look = one_of(report["next"], "markscheme improve reply --numbers")
    assert not (folder / "calibration" / "reply" / "opened.jsonl").exists()
    write = one_of([*printed_commands(shown(look, folder))], "markscheme improve reply --numbers --write")
    before = (folder / "rubrics" / "reply.yaml").read_text()
    assert before.count("weight: -2") == len(FAULTS)
    shown(write, folder)
    weights = dict(
        re.findall(r'name: "(\w+)".*?weight: (-[\d.]+)', (folder / "rubrics/reply.yaml").read_text(), re.DOTALL)
    )
    assert float(weights["rude"]) < 2 * min(float(weights["price"]), float(weights["vague"]))
