"""A scripted Messages server in a process of its own, so that it and the client don't take turns.

    python -m tests.proofs.server KIND

prints its address, serves until standard input ends, and then prints what it was asked, as JSON.
"""

import hashlib
import json
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.real.messages_front import Answer, MessagesFront, Request, cut_off, dropped, failing, late, message

ROOT = Path(__file__).parents[2]
SHARE = 0.35
"""Of the calls, how many meet a fault."""
RETRY_AFTER = 0.02
STUBBORN = 500
"""Every so many submissions there is one that no asking mends."""


# --- what it answers ------------------------------------------------------------------------------------------------


def true_levels(number: int) -> dict[str, str]:
    """Return the levels that the script gives to submission `number`."""
    return {"even": "MET" if number % 2 == 0 else "UNMET", "rest": str(number % 5 + 1)}


def answer_text(number: int, levels: dict[str, str]) -> str:
    """Return a well-formed answer that quotes the submission it is about."""
    verdicts = {
        name: {"quote": f"submission {number}", "reason": f"It is number {number}.", "level": level}
        for name, level in levels.items()
    }
    return json.dumps({"verdicts": verdicts})


Faulty = Callable[[int, dict[str, str]], Answer]

FAULTS: dict[str, Faulty] = {
    "429": lambda number, levels: failing(429),
    "429 with retry-after": lambda number, levels: failing(429, retry_after=RETRY_AFTER),
    "529 inside an answer": lambda number, levels: replace(failing(529), status=200),
    "500": lambda number, levels: failing(500),
    "529": lambda number, levels: failing(529),
    "dropped connection": lambda number, levels: dropped(),
    "cut-off JSON": lambda number, levels: cut_off(answer_text(number, levels)[:-20]),
    "fenced JSON": lambda number, levels: message(f"```json\n{answer_text(number, levels)}\n```"),
    "off the scale": lambda number, levels: message(answer_text(number, levels | {"rest": "6"})),
    "missing criterion": lambda number, levels: message(answer_text(number, {"even": true_levels(number)["even"]})),
}
HARMLESS = {"fenced JSON"}


def chance(text: str, times: int) -> float:
    """Return a number from 0 to 1 that depends on the question and how often it was asked, not on arrival order."""
    return int.from_bytes(hashlib.sha256(f"{times} {text}".encode()).digest()[:6], "big") / 2**48


@dataclass
class Script:
    """A scripted server that decides by the question what to answer, and keeps counts.

    Attributes:
        share: Share of the calls that fail.
        moody: Whether a repeated question gets another answer.
        seconds: Duration of an answer.
        asked: How often each question was asked.
        met: How often each kind of fault occurred.
    """

    share: float
    moody: bool
    seconds: float = 0.0
    asked: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> Answer:
        """Return an answer, or play a fault."""
        text = request.body["messages"][0]["content"]
        names = request.body["output_config"]["format"]["schema"]["properties"]["verdicts"]["properties"]
        match = re.search(r"submission (\d+)", text)
        assert match
        number = int(match[1])
        with self._lock:
            times = self.asked[text]
            self.asked[text] += 1
            kind = self._kind(number, text, times)
            if kind:
                self.met[kind] += 1
        levels = {name: level for name, level in true_levels(number + times * self.moody).items() if name in names}
        answer = FAULTS[kind](number, levels) if kind else message(answer_text(number, levels))
        return late(answer, self.seconds) if self.seconds else answer

    def _kind(self, number: int, text: str, times: int) -> str | None:
        if not self.share:
            return None
        if number % STUBBORN == 0:
            lasting = [kind for kind in FAULTS if kind not in HARMLESS]
            return lasting[number // STUBBORN % len(lasting)]
        drawn = chance(text, times)
        return list(FAULTS)[int(drawn / self.share * len(FAULTS))] if drawn < self.share else None

    def report(self) -> dict[str, Any]:
        """Return the counts of questions and faults as plain data."""
        return {"calls": self.asked.total(), "questions": len(self.asked), "met": dict(self.met)}


KINDS = {"faulty": (SHARE, False, 0.0), "moody": (0.0, True, 0.0), "slow": (0.0, True, 0.5)}
"""Share of faults, whether a question asked again gets another answer, and seconds for an answer."""


# --- from the test's side -------------------------------------------------------------------------------------------


@dataclass
class Running:
    """A running server; `report` is available once it has stopped."""

    url: str
    report: dict[str, Any] = field(default_factory=dict)


@contextmanager
def serving(kind: str) -> Iterator[Running]:
    """Run the server of a kind inside the context."""
    command = (sys.executable, "-m", "tests.proofs.server", kind)
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        running = Running(process.stdout.readline().strip())
        try:
            yield running
        finally:
            process.stdin.close()
            running.report |= json.loads(process.stdout.read())


def serve(kind: str) -> None:
    """Serve until standard input ends."""
    script = Script(*KINDS[kind])
    with MessagesFront(script) as front:
        print(front.url, flush=True)
        sys.stdin.read()
    print(json.dumps(script.report()), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1])
