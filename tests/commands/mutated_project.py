"""Every command over every file argument, with files as accidents and strangers leave them, in this process."""

import contextlib
import io
import json
import os
import re
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from markscheme.cli import CRASHED, FAULT, main
from markscheme.commands.table import command_names
from tests.commands.mutations import mutated
from tests.readers import exports
from tests.readers.every_format import lines, make_project

JUDGE = "--judge function:parcel_desk:judge"
SLOW_START = 300.0
"""Seconds for a command that makes the project, the first of which imports everything, and for any that waits."""
LONGEST = 10.0
"""Seconds of the processor that a command may take for a file of a few kilobytes before it counts as hung; by the clock
a busy machine would be called hung."""
RATED = (
    "calibrate FILE --quiet",
    "calibrate FILE --judge verdict --human label --quiet",
    "calibrate place --ratings FILE --kind human --quiet --html out.html --json out.json --junit out.xml",
    "compare FILE ratings.jsonl --rubric place --kind human",
    "pass-rate FILE --calibration decisions.jsonl --rubric place --kind human",
    "pass-rate plan.json --calibration FILE --rubric place",
    "pass-rate FILE FILE --at-least 0.5 --rubric place",
    "calibrate FILE --quiet",
    "import FILE --rubric place --kind human --to out.jsonl --examples out-examples.jsonl",
    "label place --pool FILE --rater zoe --sheet sheet.html",
    f"grade place FILE {JUDGE} -o cache=off",
    f"grade place FILE {JUDGE} -o cache=off --out out.csv",
    "label place --next 1 --pool FILE --to - --examples few.jsonl --json out.json",
    "label place --plan --ratings FILE --kind human",
    "improve place --numbers --open --ratings FILE --kind human",
    "improve place --numbers --open --examples FILE --ratings ratings.jsonl",
    "improve place --examples FILE --plan",
    f"experiment place.experiment.yaml --outputs FILE {JUDGE}",
    "discover fresh --notes FILE --kind human --rater ann --json",
    "discover fresh --pool FILE --json",
    f"experiment place.experiment.yaml --calibration FILE {JUDGE} --model function:parcel_desk:answer",
)
"""Commands that take rated files of any format."""
OTHER: Mapping[str, Sequence[str]] = {
    "rubrics/place.yaml": (
        "lint FILE",
        "status",
        "export FILE --promptfoo out.yaml",
        "calibrate FILE --ratings ratings.jsonl --quiet",
        f"grade FILE reply.txt {JUDGE} -o cache=off",
        "grade FILE --show-prompt",
        f"stress FILE --plan --examples labelled.jsonl {JUDGE}",
    ),
    "rubrics/full.yaml": ("lint FILE", "grade FILE labelled.jsonl --show-prompt", f"grade FILE reply.txt {JUDGE}"),
    "rubrics/full.json": ("lint FILE", "grade FILE labelled.jsonl --show-prompt", f"grade FILE reply.txt {JUDGE}"),
    "place.experiment.yaml": (f"experiment FILE {JUDGE} --model function:parcel_desk:answer",),
    "cases.jsonl": (f"experiment place.experiment.yaml {JUDGE} --model function:parcel_desk:answer",),
    "outputs.jsonl": (f"experiment place.experiment.yaml --outputs FILE {JUDGE}",),
    "calibration/place/examples.jsonl": (
        "calibrate place --ratings ratings.jsonl --quiet",
        "label place --progress",
        "label place --rater zoe --sheet sheet.html",
        "label place --plan",
        "export place --promptfoo out.yaml",
        "status",
    ),
    "calibration/place/ratings/ann.jsonl": (
        "calibrate place --ratings ratings.jsonl --quiet",
        "label place --progress",
        "label place --rater ann --sheet sheet.html",
        "status",
    ),
    "calibration/place/accepted.json": (
        "calibrate place --ratings ratings.jsonl --quiet",
        "status",
        f"grade place reply.txt {JUDGE} -o cache=off",
    ),
    "calibration/place/replies/desk.jsonl": (
        "calibrate place --judge recorded:FILE --quiet",
        "label place --plan --judge recorded:FILE",
        "grade place --show-prompt --missing",
    ),
    "place-ana.json": ("import FILE --rubric place --append --to out.jsonl", "calibrate FILE --quiet"),
    "markscheme.toml": ("status", "lint place", "calibrate place --ratings ratings.jsonl --quiet"),
    "pyproject.toml": ("status",),
    "edits.json": (f"improve place --candidates FILE {JUDGE}",),
    "candidate.yaml": (f"improve place --candidates FILE {JUDGE}",),
    "reply.txt": (f"grade place FILE {JUDGE} -o cache=off",),
    "steps.json": (f"grade agent reply.txt --input messages=@FILE {JUDGE} -o cache=off",),
    "decisions.jsonl": ("pass-rate FILE --calibration FILE",),
    "notes.csv": ("discover fresh --notes FILE --kind human --rater ann --json",),
    "calibration/read/notes/ann.jsonl": ("discover read --json", "discover read --write --json"),
    "calibration/read/modes.yaml": ("discover read --json", "discover read --write --json"),
    "calibration/read/assigned.jsonl": ("discover read --json",),
    "calibration/read/discover.json": ("discover read --json",),
    "groups.jsonl": ("discover read --assign FILE --json",),
    "ids.txt": ("discover read --also FILE --sheet sheet.html",),
    "ratings.jsonl": (
        "certify place --ratings labelled.jsonl FILE",
        "certify place --judge FILE",
        "compare labelled.jsonl FILE --rubric place",
    ),
    "cascade.json": ("grade place reply.txt --judge cascade:FILE -o cache=off", "verify FILE --json"),
    "calibration/place/card.json": ("verify FILE", "status"),
    "calibration/place/accepted_runs.jsonl": ("status", "calibrate place --ratings ratings.jsonl --quiet"),
    "calibration/place/settings.jsonl": (f"calibrate place {JUDGE} --quiet",),
    "calibration/place/wordings.jsonl": ("calibrate place --ratings ratings.jsonl --quiet", "lint place"),
    "calibration/place/next_labels.json": ("status", "label place --plan"),
    "calibration/place/opened.jsonl": ("calibrate place --ratings ratings.jsonl --quiet", "improve place --plan"),
    "calibration/place/asks.jsonl": ("certify place --judge ratings.jsonl",),
    "calibration/place/sheet.key": (
        "label place --rater zoe --sheet sheet.html",
        "import place-ana.json --rubric place",
    ),
    "compared/feedback.json": ("import FILE compared/runs.json --to out.jsonl --examples out-examples.jsonl",),
    "compared/runs.json": ("import compared/feedback.json FILE --to out.jsonl --examples out-examples.jsonl",),
    "dataset.json": (
        "import FILE --rubric place --kind human --to out.jsonl --examples out-examples.jsonl",
        "calibrate place --ratings FILE --kind human --quiet",
        "label place --pool FILE --rater zoe --sheet sheet.html",
    ),
}
"""Files that are not rated ones, or not for every command, with the commands that read them."""
PAIRED = (
    "calibrate FILE --quiet",
    "compare FILE --pairs",
    "calibrate FILE --quiet",
    "import FILE --to out.jsonl --examples out-examples.jsonl",
    "label better --pool FILE --rater zoe --sheet sheet.html",
    "label better --next 2 --pool FILE --to - --examples other-pairs.jsonl",
)
"""Commands that take files of pairs of responses."""
SETTINGS = 'target = 0.8\njudge = "anthropic"\nconcurrency = 2\n'
FULL = {
    "description": "How the desk answers.",
    "threshold": 0.6,
    "inputs": ["query"],
    "guidelines": "Read to the end.",
    "criteria": [
        {"name": "place", "requirement": "It says where the parcel is.", "weight": 2, "required": True},
        {"name": "tone", "description": "How kind it is", "weight": 1, "not_applicable": True,
         "levels": [{"value": 1, "label": "cold", "description": "No greeting"}, {"value": 3, "label": "warm"}]},
        {"name": "length", "requirement": "At most 80 words", "weight": -0.5, "check": "word_count", "max": 80},
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Slot:
    """A command and the file in it that is mutated.

    Attributes:
        file: The file, relative to the project.
        words: The command line; FILE is the file.
    """

    file: str
    words: str

    @property
    def argv(self) -> list[str]:
        """The command line with the file's name."""
        return [word.replace("FILE", self.file) for word in self.words.split()]


@dataclass(frozen=True)
class Outcome:
    """The result of a command run on a mutated file.

    Attributes:
        status: Its exit status.
        printed: What it wrote to standard output and standard error.
        seconds: How long it kept the processor busy.
    """

    status: int
    printed: str
    seconds: float

    def fault(self, slot: Slot) -> str:
        """Say what is wrong with the result: a traceback, a hang, or a refusal that names no file; "" if nothing is.

        Where two files don't fit each other, the other one may be named.
        """
        if self.seconds > LONGEST:
            return "hang"
        if self.status == CRASHED or "Traceback (most recent call last)" in self.printed:
            return "traceback"
        names = (Path(slot.file).name, "examples.jsonl", "labelled.jsonl", "place.experiment.yaml")
        if self.status == FAULT and not any(name in self.printed for name in names):
            return "refusal without the file's name"
        return ""


class Hung(BaseException):
    """Exception raised inside a command that takes too long."""


class MutatedProject:
    """A project that is restored before each command."""

    def __init__(self, folder: Path) -> None:
        """Make the project and its copy under `folder`."""
        self.folder = folder / "project"
        self.folder.mkdir()
        self.slots = _make(self.folder)
        self._pristine = folder / "pristine"
        shutil.copytree(self.folder, self._pristine)
        self._state = self._seen()

    def _seen(self) -> dict[str, tuple[int, int]]:
        """Return size and time of every file and folder of the project."""
        return {
            str(path): (stat.st_size, stat.st_mtime_ns)
            for path in self.folder.rglob("*")
            if (stat := path.lstat()) and "__pycache__" not in path.parts
        }

    def try_mutation(self, slot: Slot, rng: Random) -> tuple[bytes, Outcome]:
        """Mutate the slot's file, and return its content and the command's result."""
        raw = mutated(self._pristine / slot.file, rng)
        return raw, self.try_content(slot, raw)

    def try_content(self, slot: Slot, raw: bytes) -> Outcome:
        """Run the slot's command on a file with given content, restore the project, and return the result."""
        (self.folder / slot.file).write_bytes(raw)
        outcome = _run(slot.argv, self.folder)
        shutil.copy2(self._pristine / slot.file, self.folder / slot.file)
        seen = self._seen()
        if seen != self._state:
            shutil.rmtree(self.folder)
            shutil.copytree(self._pristine, self.folder)
            self._state = self._seen()
        return outcome


def _prepared(argv: Sequence[str], folder: Path) -> str:
    """Run a command that makes a file of the project, and return what it prints."""
    done = _run(argv, folder, longest=SLOW_START)
    if done.status in (2, CRASHED):
        raise RuntimeError(f"the project can't be made: {done.printed}")
    return done.printed


def _run(argv: Sequence[str], folder: Path, *, longest: float = LONGEST) -> Outcome:
    out = io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    began = time.process_time()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), _at_most(longest):
            status = main(argv)
    except Hung as hung:
        status = CRASHED
        out.write("".join(traceback.format_exception(hung)))
    finally:
        os.chdir(before)
    return Outcome(status, out.getvalue(), time.process_time() - began)


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def hung(*_: object) -> None:
        raise Hung

    timers = {signal.SIGPROF: (signal.ITIMER_PROF, seconds), signal.SIGALRM: (signal.ITIMER_REAL, SLOW_START)}
    before = {number: signal.signal(number, hung) for number in timers}
    for timer, longest in timers.values():
        signal.setitimer(timer, longest)
    try:
        yield
    finally:
        for timer, _ in timers.values():
            signal.setitimer(timer, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


# --- the project ------------------------------------------------------------------------------------------------------


def _make(folder: Path) -> list[Slot]:
    """Make the project, and return a Slot for every command with each file that it takes."""
    rated = [str(path.relative_to(folder)) for path in make_project(folder).values()]
    (folder / ".git").mkdir()
    _prepared(["calibrate", "place", "--ratings", "ratings.jsonl", "--json", "report.json", "--quiet"], folder)
    rated += ["report.json", "list.json", "words.txt"]
    (folder / "list.json").write_text(json.dumps([{"id": "p1", "response": "Reply p1.", "place": 1}]))
    (folder / "words.txt").write_text("Reply p1.\nReply p2.\n")
    for name, sample in exports.SAMPLES.items():
        (folder / name).mkdir()
        rated += [str(path.relative_to(folder)) for path in exports.written(folder / name, sample.files())]
    exports.phoenix_store(folder / "phoenix.db")
    exports.eval_archive(folder / "log.eval", exports.inspect()["log.json"])
    rated += ["phoenix.db", "log.eval"]
    _write_others(folder)
    slots = [Slot(file, words) for file in rated for words in RATED]
    slots += [Slot(file, words) for file in ("pairs.jsonl", "pairs.csv", "pairwise.json") for words in PAIRED]
    slots += [Slot(file, words) for file, commands in OTHER.items() for words in commands]
    return [slot for slot in slots if _is_offered(slot.argv) and (folder / slot.file).is_file()]


def _is_offered(argv: Sequence[str]) -> bool:
    """Return False for a command whose feature has been deleted."""
    return argv[0] in command_names()


def _write_others(folder: Path) -> None:
    (folder / "rubrics" / "full.json").write_text(json.dumps(FULL))
    (folder / "rubrics" / "full.yaml").write_text(_as_yaml(FULL))
    (folder / "rubrics" / "agent.yaml").write_text("inputs: [messages]\ncriteria: [{name: a, requirement: It acts}]\n")
    (folder / "markscheme.toml").write_text(SETTINGS)
    (folder / "pyproject.toml").write_text("[tool.markscheme]\n" + SETTINGS)
    (folder / "reply.txt").write_text("Reply p1.")
    (folder / "steps.json").write_text(json.dumps(exports.inspect()["log.json"]["samples"][0]["messages"]))
    (folder / "candidate.yaml").write_text("criteria:\n- {name: place, requirement: It names the parcel's place.}\n")
    edit = {"criterion": "place", "requirement": "It names the parcel's place."}
    (folder / "edits.json").write_text(json.dumps([edit]))
    lines(folder / "outputs.jsonl", [{"variant": "plain", "case": unit, "output": "so"} for unit in exports.UNITS])
    home = folder / "calibration" / "place"
    (home / "ratings").mkdir()
    rating = {"rater": "ann", "kind": "human", "criteria": {"place": "MET"}, "at": "2026-11-20"}
    lines(home / "ratings" / "ann.jsonl", [{"id": unit, **rating} for unit in exports.UNITS])
    _prepared(["calibrate", "place", "--ratings", "ratings.jsonl", "--accept", "--force", "--quiet"], folder)
    _record_replies(folder)
    if _is_offered(["label"]):
        _answer_sheet(folder)
    if _is_offered(["discover"]):
        _note_outputs(folder)
    _pair_responses(folder)
    (folder / "ids.txt").write_text("p1\np2\n")
    items = [
        {"submission": exports.reply(unit), "description": unit, "ground_truth": ["MET"]} for unit in exports.UNITS
    ]
    (folder / "dataset.json").write_text(json.dumps({"name": "parcels", "prompt": exports.ASKED, "items": items}))
    (folder / "cascade.json").write_text(json.dumps(_cascade()))
    look = {"at": "2026-11-20", "by": "calibrate", "labels": "0" * 16, "n": 6, "levels": ["0" * 16]}
    lines(home / "opened.jsonl", [look])
    asked = {"at": "2026-11-20", "judge": "judge-1", "side": "both", "signal": "cascade", "error": 0.05}
    lines(home / "asks.jsonl", [{**asked, "confidence": 0.9, "of": "automatic", "labels": "0" * 16}])


def _pair_responses(folder: Path) -> None:
    (folder / "rubrics" / "better.yaml").write_text(
        "compare: pairs\ncriteria: [{name: helps, prefer: It is clearer.}]\n"
    )
    texts = [(unit, exports.reply(unit), f"No {unit}.") for unit in exports.UNITS]
    pairs = [
        {"id": unit, "query": exports.ASKED, "first": first, "second": second, "system_a": "a", "system_b": "b"}
        for unit, first, second in texts
    ]
    answers = [{"preference": side} for side in ("first", "tie", "second") * 2]
    rated = [{**pair, "labels": {"ann": answer, "ben": answer}, "judge": {"judge-1": answer}}
             for pair, answer in zip(pairs, answers, strict=True)]  # fmt: skip
    lines(folder / "pairs.jsonl", rated)
    lines(folder / "other-pairs.jsonl", [{**rated[0], "id": "other"}])
    rows = [{**pair, **answer, "rater": "ann", "kind": "human"} for pair, answer in zip(pairs, answers, strict=True)]
    table = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    (folder / "pairs.csv").write_text("\n".join(table) + "\n")
    region = {"id": "r", "type": "pairwise", "from_name": "comparison", "value": {"selected": "left"}}
    tasks = [
        {
            "id": place,
            "data": {"prompt": exports.ASKED, "answer1": first, "answer2": second, "model_a": "a", "model_b": "b"},
            "annotations": [{"id": place, "completed_by": {"email": "ann"}, "result": [region]}],
            "predictions": [{"id": place, "model_version": "judge-1", "result": [region]}],
        }
        for place, (_, first, second) in enumerate(texts)
    ]
    (folder / "pairwise.json").write_text(json.dumps(tasks))
    compared = folder / "compared"
    compared.mkdir()
    runs = [
        {"id": f"run-{unit}-{side}", "run_type": "chain", "inputs": {"question": exports.ASKED},
         "outputs": {"output": text}, "session_id": f"session-{side}"}
        for unit, *sides in texts
        for side, text in enumerate(sides)
    ]  # fmt: skip
    (compared / "runs.json").write_text(json.dumps(runs))
    feedback = [
        {"id": f"feedback-{run['id']}", "run_id": run["id"], "key": "ranked_preference", "score": place % 2,
         "feedback_source": {"type": "app", "user_name": "ann"}, "comparative_experiment_id": "c1",
         "feedback_group_id": f"g{place // 2}", "created_at": "2026-11-25"}
        for place, run in enumerate(runs)
    ]  # fmt: skip
    (compared / "feedback.json").write_text(json.dumps(feedback))


def _cascade() -> dict[str, Any]:
    """Write a cascade file, as `certify --write` does, whose only judge replies from a file."""
    stage = {
        "judge": "recorded:calibration/place/replies/desk.jsonl",
        "model": ["m"],
        "fingerprint": "0" * 16,
        "certainty": "distance",
        "certain": {"passes": 0.5, "fails": 0.5},
    }
    prints = {"rubric": "0" * 16, "prompt": "0" * 16}
    decisions = [{"id": f"{n:016x}", "people": n % 2 == 0, "judges": [[n / 99, n % 2 == 0]]} for n in range(99)]
    labels = {"n": len(decisions), "sha256": "sha256:0", "split": "", "groups": None}
    promise = {"schema": 1, "for": "both", "error": 0.05, "confidence": 0.9, "further": 0, "decided": [90, 9]}
    return {**promise, "fingerprints": prints, "labels": labels, "stages": [stage], "decisions": decisions}


def _note_outputs(folder: Path) -> None:
    lines(folder / "read.jsonl", [{"id": unit, "response": exports.reply(unit)} for unit in exports.UNITS])
    note = {
        "note": "wrong town",
        "mode": "town",
        "definition": "It names a wrong town.",
        "rater": "ann",
        "kind": "human",
    }
    lines(folder / "said.jsonl", [{"id": unit, **note} for unit in exports.UNITS])
    (folder / "notes.csv").write_text("id,note,quote,mode\np1,wrong town,Reply,town\np2,,,\n")
    lines(folder / "groups.jsonl", [{"note": "ann/p1/1", "modes": ["town"]}])
    _prepared(["discover", "read", "--pool", "read.jsonl", "--notes", "said.jsonl", "--random", "--json"], folder)


def _record_replies(folder: Path) -> None:
    printed = _prepared(["grade", "place", "--show-prompt"], folder)
    questions = [line for line in printed.splitlines() if line.startswith("{")]  # their count is printed too
    verdict = {"quote": "", "reason": "so", "level": "MET"}
    reply = {"judge": "desk", "model": "m", "text": json.dumps({"verdicts": {"place": verdict}}), "at": "2026-11-20"}
    (folder / "calibration" / "place" / "replies").mkdir()
    lines(
        folder / "calibration" / "place" / "replies" / "desk.jsonl",
        [{"fingerprint": json.loads(line)["fingerprint"], **reply} for line in questions],
    )


def _answer_sheet(folder: Path) -> None:
    _prepared(["label", "place", "--rater", "ana", "--sheet", "sheet.html"], folder)
    script = re.search(r'id="data">(.*)</script>', (folder / "sheet.html").read_text())
    assert script is not None
    sheet = json.loads(script[1])["sheet"]
    head = sheet["head"]
    rated = next(iter(sheet["rated"][0].values()))
    answers = [
        {"id": unit, "rater": "ana", "kind": "human", "sample": sample, "under": head["under"], "blind": True,
         "criteria": {"place": rated}, "at": "2026-11-20T10:00:00.000Z", "seconds": 2.5}
        for unit, sample in head["steps"]
    ]  # fmt: skip
    (folder / "place-ana.json").write_text(json.dumps({**head, "ratings": answers}))
    (folder / "sheet.html").unlink()


def _as_yaml(data: object) -> str:
    import yaml

    return str(yaml.safe_dump(data, sort_keys=False, width=1_000))


if __name__ == "__main__":
    sys.exit("run benchmarks/mutated_files.py")
