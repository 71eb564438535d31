"""The first screens of commands, and what makes a project ready for them."""

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.commands.console import run
from tests.commands.gate_projects import RARE_FAILS, SEVERE, UNSAFE_REPLIES, make_rubric_project, write_table
from tests.commands.judged_project import write_lines
from tests.commands.reply_project import lines_of, write_examples
from tests.golden_files import GOLDEN

NAME = "support-reply"
CAREFUL = "function:reply_judges:careful"
VARYING = {
    r"\b20\d\d-\d\d-\d\d\b": "2026-11-25",
    r"\b[0-9a-f]{8}\.jsonl": "0a1b2c3d.jsonl",
    r"(?<=card )[0-9a-f]{16}": "0a1b2c3d4e5f6a7b",
    r"\n(asking|grading): .*": "",
}
"""What differs between two runs of the same command, and what a golden screen has in its place."""


COLUMNS = 80
LINES_FOR_PROGRAMS = ("gate-risk", "grade", "init")
"""Screens with lines that aren't broken: a response a line, and commands to copy."""


@dataclass(frozen=True)
class Screen:
    """A command whose first screen is compared.

    Attributes:
        arguments: The command.
        status: Its exit status.
        before: What makes the project ready for it.
        saved_as: The file in which its standard output is saved, where the screen is what it says besides.
        only: The one feature that is offered, where others would add to the screen; None offers all.
        folder: Where its golden file lies.
    """

    arguments: Sequence[str]
    status: int = 0
    before: Callable[[Path], object] = lambda folder: None
    saved_as: str = ""
    only: str | None = None
    folder: Path = GOLDEN


def _pool(folder: Path) -> None:
    """Write outputs that nobody has labelled."""
    lines = lines_of(folder / "calibration" / NAME / "examples.jsonl")
    fresh = [
        {"id": f"new-{place}", "query": line["query"], "response": line["response"]} for place, line in enumerate(lines)
    ]
    write_lines(folder / "outputs.jsonl", fresh[:30])


def _undecided(folder: Path) -> None:
    path = folder / "calibration" / NAME / "examples.jsonl"
    write_lines(path, lines_of(path)[:18])
    write_lines(folder / "careful.jsonl", lines_of(folder / "careful.jsonl")[:18])


def _experiment(folder: Path) -> None:
    outputs = []
    for line in lines_of(folder / "calibration" / NAME / "examples.jsonl")[:30]:
        texts = {"short": line["response"].split(". ")[0], "whole": line["response"]}
        case = {"case": line["id"], "query": line["query"]}
        outputs += [{"variant": variant, **case, "output": text} for variant, text in texts.items()]
    write_lines(folder / "outputs.jsonl", outputs)
    text = f"rubric: {NAME}\nvariants: [{{name: short}}, {{name: whole}}]\noutputs: outputs.jsonl\n"
    (folder / "reply.experiment.yaml").write_text(text, encoding="utf-8")


def _decided(folder: Path) -> None:
    _pool(folder)
    run("calibrate", NAME, "--ratings", "careful.jsonl", "--quiet", "--json", "calibration.json", cwd=folder)
    graded = [
        {"id": line["id"], "pass": place % 3 > 0} for place, line in enumerate(lines_of(folder / "outputs.jsonl"))
    ]
    write_lines(folder / "graded.jsonl", graded)


def _runs(folder: Path) -> None:
    for place in range(6):
        scores = [{"id": f"c{case}", "score": round(0.5 + ((case * 7 + place * 3) % 9) / 18, 3)} for case in range(20)]
        write_lines(folder / f"run{place}.jsonl", scores)


def _table(folder: Path) -> None:
    lines = lines_of(folder / "calibration" / NAME / "examples.jsonl")
    rows = ["id,ana,ben"]
    rows += [f"{line['id']},{','.join(str(label['criteria']['tone']) for label in line['labels'])}" for line in lines]
    (folder / "tones.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def _more_examples(folder: Path) -> None:
    """Add enough examples that a judge without an error on the fails is shown to stop them."""
    write_examples(folder, 120)


def accepted(folder: Path) -> None:
    """Accept a run of a judge that can gate."""
    _more_examples(folder)
    run("calibrate", NAME, "--judge", CAREFUL, "--quiet", "--accept", cwd=folder)


def _agreeing(folder: Path) -> None:
    """Write labels of two annotators who agree on every example."""
    path = folder / "calibration" / NAME / "examples.jsonl"
    lines = lines_of(path)
    for line in lines:
        first, second = line["labels"]
        line["labels"] = [first, {**second, "criteria": first["criteria"]}]
    write_lines(path, lines)


def _repository(folder: Path) -> None:
    """Put the project under version control, and then reword one criterion."""
    (folder / ".git").rmdir()
    author = ("-c", "user.name=ana", "-c", "user.email=ana@example.org")
    for command in (("init", "-q"), ("add", "."), (*author, "commit", "-qm", "First labels")):
        subprocess.run(["git", *command], cwd=folder, check=True)
    path = folder / "rubrics" / f"{NAME}.yaml"
    path.write_text(path.read_text().replace("How calm and polite", "How warm and polite"), encoding="utf-8")


def _some(folder: Path) -> None:
    write_lines(folder / "some.jsonl", lines_of(folder / "calibration" / NAME / "examples.jsonl")[:8])


def _unsafe_table(folder: Path) -> None:
    write_table(folder / "replies.csv", UNSAFE_REPLIES)


def _severe_table(folder: Path) -> None:
    write_table(folder / "replies.csv", SEVERE)


def _rare_fails_table(folder: Path) -> None:
    write_table(folder / "replies.csv", RARE_FAILS)


def _by_one_reviewer(folder: Path) -> None:
    write_table(folder / "replies.csv", RARE_FAILS, ("ben",))


BOTH_REVIEWERS = ("--human", "reviewer_ana", "--human", "reviewer_ben")
SCREENS: Mapping[str, Screen] = {
    "init": Screen(("init", "new")),
    "calibrate": Screen(("calibrate", NAME, "--ratings", "hasty.jsonl"), 4),
    "calibrate-can-gate": Screen(("calibrate", NAME, "--judge", CAREFUL), 0, _more_examples),
    "calibrate-few-labels": Screen(("calibrate", NAME, "--ratings", "careful.jsonl"), 4, _undecided),
    "calibrate-unsafe": Screen(("calibrate", NAME, "--ratings", "unsafe.jsonl"), 1, make_rubric_project),
    "calibrate-unsafe-table": Screen(("calibrate", "replies.csv", *BOTH_REVIEWERS), 1, _unsafe_table),
    "calibrate-severe-table": Screen(("calibrate", "replies.csv", *BOTH_REVIEWERS), 1, _severe_table),
    "calibrate-rare-fails": Screen(("calibrate", "replies.csv", *BOTH_REVIEWERS), 0, _rare_fails_table),
    "calibrate-one-reviewer": Screen(("calibrate", "replies.csv", "--human", "reviewer_ben"), 4, _by_one_reviewer),
    "label": Screen(("label", NAME, "--progress"), 0, _agreeing),
    "demo": Screen(("demo", "-o", "seed=7")),
    "improve": Screen(("improve", NAME, "--proposer", CAREFUL, "--plan")),
    "compare": Screen(("compare", "hasty.jsonl", "careful.jsonl", "--rubric", NAME)),
    "experiment": Screen(("experiment", "reply.experiment.yaml", "--judge", CAREFUL), 0, _experiment),
    "lint": Screen(("lint", NAME), 1),
    "grade": Screen(("grade", NAME, "some.jsonl", "--judge", CAREFUL), 1, _some),
    "gate-risk": Screen(("pass-rate", *(f"run{place}.jsonl" for place in range(6)), "--at-least", "0.7"), 1, _runs),
    "stress": Screen(("stress", NAME, "--judge", CAREFUL, "--n", "40")),
    "stress-moved": Screen(("stress", NAME, "--judge", "function:reply_judges:flattered", "--n", "40"), 1),
    "pass-rate": Screen(("pass-rate", "graded.jsonl", "--calibration", "calibration.json"), 0, _decided),
    "status": Screen(("status",)),
    "import": Screen(("import", "hasty.jsonl", "--rubric", NAME, "--to", "ratings.jsonl")),
    "export": Screen(("export", NAME, "--promptfoo", "rate.yaml")),
    "plan": Screen(("label", NAME, "--plan", "--ratings", "lenient.jsonl")),
    "plan-next": Screen(("label", NAME, "--next", "10", "--pool", "outputs.jsonl", "--to", "to-label.jsonl"), 0, _pool),
    "adjudicate": Screen(("label", NAME, "--disputed"), 0, _agreeing),
    "annotators": Screen(("calibrate", "tones.csv", "--human", "ana", "ben"), 0, _table),
    "compare-rubrics": Screen(("compare", f"{NAME}@HEAD", NAME), 1, _repository),
    "verify": Screen(("verify", f"calibration/{NAME}/card.json"), 0, accepted),
    "discover": Screen(("discover", "reply", "--report"), 4),
    "batches": Screen(("batches",), 1),
    "prompts": Screen(("grade", NAME, "--show-prompt"), saved_as="prompts.jsonl"),
    "session": Screen(("session", "status"), 1),
}
"""By the name of its golden file."""


def holds_command(line: str) -> bool:
    """Return True if a line is or contains a command, which isn't wrapped so that it can be pasted."""
    return re.search(r"^ *(?:→ )?(?:markscheme|calibrate) |`(?:markscheme|calibrate) [^`]+`", line) is not None


def steady(text: str, folder: Path) -> str:
    """Replace the parts of a text that differ between two equal runs, such as times."""
    text = text.replace(str(folder), "PROJECT")
    for pattern, name in VARYING.items():
        text = re.sub(pattern, name, text)
    return text
