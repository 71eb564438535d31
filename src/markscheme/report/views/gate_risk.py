"""A gate's false alarms, how to keep them rare, and what the gate still detects."""

from collections.abc import Iterator
from typing import Any

from markscheme.calibration.gate import Gate
from markscheme.phrases import counted, number
from markscheme.report.document import Callout, Document, Facts, Notes, Paragraph, Section, Verbatim
from markscheme.report.json import attributes
from markscheme.stats.gate import ALARM, REPEATS, Figure

RUN_LEVEL = 0.9
"""Probability from which a run-level effect is mentioned."""
FIGURES: dict[Figure, str] = {"score": "mean score", "pass": "pass rate"}


def view(gate: Gate) -> Document:
    """The false alarms first, then what to do about them."""
    risk = gate.risk
    cases = f"{counted(risk.runs, 'run')} of {counted(risk.cases, 'case')}, {FIGURES[gate.of]} {number(risk.center)}"
    dropped = (f"{counted(gate.dropped, 'case')} left out: not graded in every run.",) if gate.dropped else ()
    blocks = _callout(gate), Notes(dropped)
    return Document(f"Gate at {gate.threshold:g}", f"{cases}.", blocks, tuple(_sections(gate)))


def _callout(gate: Gate) -> Callout:
    chance = gate.risk.p_fail.value
    if chance is None:
        return Callout("open", "Can't tell.", gate.because)
    text = " ".join((gate.because, *_advice(gate)))
    if chance <= ALARM:
        return Callout("good", "Few false alarms.", text)
    return Callout("bad", "Too many false alarms.", text)


def _advice(gate: Gate) -> Iterator[str]:
    """How to keep false alarms at 5%."""
    risk = gate.risk
    if risk.safe_threshold is None or risk.smallest_drop is None:
        return
    mark = _down(risk.safe_threshold)
    safe = f"a threshold of {number(mark)} with {counted(gate.averaged, 'run')}"
    finds = f"finds a drop of {number(risk.smallest_drop + gate.threshold - mark)} or more 8 times in 10"
    if risk.center < gate.threshold:
        yield f"The {FIGURES[gate.of]} is {number(risk.center)}, below the threshold. Safe is {safe}; it {finds}."
    elif risk.repeats is None:
        yield f"The {FIGURES[gate.of]} is {number(risk.center)}, so close that averaging {REPEATS[-1]} runs"
        yield f"doesn't help. Safe is {safe}; it {finds}."
    elif risk.repeats > gate.averaged:
        ways = f"averaging {counted(risk.repeats, 'run')} keeps false alarms to 5%; so does {safe}, which then {finds}."
        known = risk.p_fail.value is not None and risk.p_fail.value <= ALARM
        yield f"{counted(risk.runs, 'run')} can't show more: {ways}" if known else f"{ways[0].upper()}{ways[1:]}"
    else:
        yield f"It finds a drop of {number(risk.smallest_drop)} or more 8 times in 10."


def _sections(gate: Gate) -> Iterator[Section]:
    risk = gate.risk
    if risk.smallest_drop is None or risk.run_shift is None or risk.run_level is None or risk.safe_threshold is None:
        return
    facts = Facts(
        (
            ("false alarms", _percent(risk.p_fail.value)),
            (f"allowing for the error of a mean of {risk.runs} runs", _percent(risk.p_fail_wide)),
            ("safe threshold (95% confidence)", number(_down(risk.safe_threshold))),
            ("smallest drop found 8 times in 10", number(max(0.0, risk.smallest_drop))),
            ("runs to average for this threshold", str(risk.repeats or f"more than {REPEATS[-1]}")),
        )
    )
    shift = f"Run means vary about {risk.run_shift:.1f} times as much as their cases explain"
    lines = (f"{shift}: there is a run-level effect.",) if risk.run_level >= RUN_LEVEL else ()
    yield Section("Figures", (facts, Paragraph(lines)))
    yield Section("In Promptfoo", (Verbatim(snippet(gate)),))


def snippet(gate: Gate) -> str:
    """The advice as part of a Promptfoo configuration, and the command that applies the gate."""
    runs = gate.risk.repeats or gate.averaged
    threshold = gate.threshold if gate.risk.repeats else _down(gate.risk.safe_threshold or 0.0)
    config = f"evaluateOptions: {{repeat: {runs}, cache: false}}  # promptfooconfig.yaml"
    if gate.of == "pass":
        return f"{config}\nPROMPTFOO_PASS_RATE_THRESHOLD={100 * threshold:g} promptfoo eval"
    mean = "[.results.results[].score] | add / length"
    return f"{config}\npromptfoo eval -o results.json; jq -e '{mean} >= {threshold:g}' results.json"


def _down(value: float) -> float:
    """A threshold to two decimals, never rounded up past what is safe."""
    return max(0.0, int(value * 100) / 100)


def _percent(chance: float | None) -> str:
    return "–" if chance is None else f"{100 * chance:.1f}%"


def json_of(gate: Gate) -> dict[str, Any]:
    """The risk by the keys of the file format."""
    return {
        "schema": 1,
        **attributes(gate.risk, "runs cases center p_fail p_fail_wide run_shift safe_threshold smallest_drop"),
        **attributes(gate, "dropped because"),
        "advice": attributes(gate.risk, "runs=repeats threshold=safe_threshold"),
    }
