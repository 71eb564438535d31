"""Certificates of judges that decide one after the other, for the tests of who decides."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from markscheme import Rubric, ScriptedJudge, Submission
from markscheme.errors import JudgeUnavailable
from markscheme.features.certify.certificate_file import CascadeFile, CertaintySignal, StageRecord
from markscheme.features.certify.judges import stage_fingerprint
from markscheme.grading import asking_fingerprint
from markscheme.judges.scripted import Script
from tests.grading.compositions import ANSWERS, RECEIPT, RUBRICS

PATH = Path("calibration") / "reply" / "cascade.json"
BY_NAME = {"yes and no": RUBRICS["yes and no"], "levels": RUBRICS["levels"]}


@dataclass(frozen=True)
class CertifiedComposition:
    """A rubric with a certificate, the judges it names, and a submission.

    Attributes:
        name: A sentence's worth of all of it.
        rubric: As asked.
        file: The certificate.
        stages: The judges of each stage.
        submission: What is graded.
        options: Of grading.
    """

    name: str
    rubric: Rubric
    file: CascadeFile
    stages: tuple[tuple[ScriptedJudge, ...], ...]
    submission: Submission
    options: Mapping[str, Any]


def _certificate(rubric: Rubric, stages: Sequence[Sequence[ScriptedJudge]], signal: CertaintySignal) -> CascadeFile:
    records = [
        StageRecord(
            judge="+".join(judge.name for judge in judges),
            model=("model-0",),
            fingerprint=stage_fingerprint([judge.identity for judge in judges]),
            certainty=signal,
            passes=0.2 if signal == "distance" else 0.75,
            fails=0.3 if place else None,
        )
        for place, judges in enumerate(stages)
    ]
    return CascadeFile(PATH, rubric.fingerprint, asking_fingerprint(rubric), tuple(records), 0.05, 0.9)


def _judge(rubric: Rubric, name: str, answers: str = "levels") -> ScriptedJudge:
    script: Any = ANSWERS[answers](rubric)
    return ScriptedJudge(script, name=name)


def _silent() -> Script:
    return lambda prompt, sample: JudgeUnavailable("asks to wait (429)")


def _stages(rubric: Rubric, sizes: Sequence[int], changed: str) -> tuple[tuple[ScriptedJudge, ...], ...]:
    stages = tuple(
        tuple(_judge(rubric, f"judge {place}.{member}") for member in range(size)) for place, size in enumerate(sizes)
    )
    if changed == "the first is silent":
        return ((ScriptedJudge(_silent(), name="judge 0.0"), *stages[0][1:]), *stages[1:])
    return stages


def _as_changed(file: CascadeFile, changed: str) -> CascadeFile:
    first, *later = file.stages
    if changed == "the rubric":
        return replace(file, rubric="another")
    if changed == "the first judge":
        return replace(file, stages=(replace(first, fingerprint="another"), *later))
    if changed == "the answering model":
        return replace(file, stages=(replace(first, model=("another",)), *later))
    return file


SIGNALS: tuple[tuple[CertaintySignal, tuple[int, ...]], ...] = (
    ("distance", (1, 1)),
    ("probability", (1,)),
    ("votes", (3,)),
    ("votes", (2, 3)),
)
"""What ranks the decisions of stages of so many judges."""
CHANGES = ("nothing", "the rubric", "the first judge", "the answering model", "the first is silent")
WHOLE = {
    f"submission {number}": Submission(f"Reply {number}.", {"query": "Where?"}, f"p{number}") for number in range(4)
}
WITH_RECEIPT = {
    "a fault, with a receipt": Submission("", fault="the response is missing"),
    "a pair, with a receipt": Submission("one", second="two"),
    "an excepted system, with a receipt": Submission("one", {"system": "X"}),
}


def certified_compositions() -> Iterator[CertifiedComposition]:
    """Every signal, with judges and certificates as certified and otherwise, and submissions that are refused."""
    for (kind, rubric), (signal, sizes), changed in product(BY_NAME.items(), SIGNALS, CHANGES):
        for what, submission in {**WHOLE, **WITH_RECEIPT}.items():
            stages = _stages(rubric, sizes, changed)
            file = _as_changed(_certificate(rubric, stages, signal), changed)
            options: Mapping[str, Any] = {"receipt": RECEIPT, "only_gates": True} if what in WITH_RECEIPT else {}
            name = f"{kind}, {signal} of {sizes}; {changed} changed; {what}"
            yield CertifiedComposition(name, rubric, file, stages, submission, options)
