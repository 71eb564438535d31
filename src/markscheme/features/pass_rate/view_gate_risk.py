"""The report on a gate: how often it fails by chance, how to keep that rare, and what the gate still detects."""

from collections.abc import Iterator
from typing import Any

from markscheme.calibration.rates.repeats import RAREST
from markscheme.phrases import counted, number
from markscheme.report.document import Callout, Document, Facts, Notes, Paragraph, Section, Verbatim
from markscheme.report.gate_words import gate_in_words
from markscheme.report.json import attributes
from markscheme.stats.threshold_risk import RunFigure, ThresholdRisk

FALSE_FAILS = 0.05
"""Share of runs that may fall below a safe threshold although nothing changed: 1 in 20."""
_RUN_LEVEL = 0.9
"""Probability of an effect of whole runs from which on the report mentions it."""
ENOUGH_RUNS = 5
"""Number of runs from which on a threshold close below their means is recommended. With 2 or 3 runs, the spread of
means is so uncertain that, in the simulations of `benchmarks/gate_risk.py`, safe thresholds are too low to detect
anything."""
FEW_GROUPS = 5
"""Number of groups below which the data hardly show how much the cases of a group vary together; agreement by group has
the same limit."""
FARTHEST = 0.2
"""Largest distance of a safe threshold below the given one with which it is still worth setting; a judgement."""
REPEAT_NEXT = 6
"""Recommended number of runs, between 5 and 8: 5 runs tell half as much again as 3, and 8 hardly more than 6."""
UNCACHED = "MARKSCHEME_NO_CACHE=1"
"""Setting of the environment that bypasses the judge's cache; Promptfoo's `--no-cache` bypasses that of the model
under test."""
_OPTION: dict[RunFigure, str] = {"score": "", "pass": " --of pass"}
_RARELY = "by these runs it keeps false alarms to 5%"
_FIGURES: dict[RunFigure, str] = {"score": "mean score", "pass": "pass rate"}


def is_risky(gate: ThresholdRisk) -> bool:
    """Return True if a run falls below the threshold by chance, with nothing changed, more often than 1 time in 20."""
    return gate.p_fail_wide is not None and gate.p_fail_wide > FALSE_FAILS


def view(gate: ThresholdRisk, *, in_promptfoo: bool) -> Document:
    """Render how often runs fall below a threshold by chance, then how to keep that rare.

    Args:
        gate: The threshold, and how runs vary about it.
        in_promptfoo: True if Promptfoo may have made the runs; then the next steps are its settings and commands.
    """
    cases = f"{counted(gate.runs, 'run')} of {counted(gate.cases, 'case')}"
    grouped = "" if gate.groups is None else f" in {counted(gate.groups, 'group')}"
    again = "run the cases 5 to 8 times and ask again"
    if in_promptfoo:
        again = f"run the cases 5 to 8 times (`npx promptfoo eval --repeat {REPEAT_NEXT}`) and ask again"
    onward = _in_promptfoo(gate) if in_promptfoo else ()
    blocks = _callout(gate, again), *onward, Notes(tuple(_notes(gate)))
    subtitle = f"{cases}{grouped}, {_FIGURES[gate.of]} {number(gate.center)}."
    return Document(f"Gate at {gate.threshold:g}", subtitle, blocks, tuple(_sections(gate)))


def _notes(gate: ThresholdRisk) -> Iterator[str]:
    if gate.dropped:
        yield f"{counted(gate.dropped, 'case')} left out: not graded in every run."
    if gate.groups is not None and gate.groups < FEW_GROUPS:
        yield (
            f"{counted(gate.groups, 'group')} of cases can't show how much the cases of a group vary together: "
            "the gate may fail more often."
        )


def _callout(gate: ThresholdRisk, again: str) -> Callout:
    """Build the box with the answer: whether runs fail by chance too often, how often, and what to do.

    Args:
        gate: The threshold, and how runs vary about it.
        again: Advice on how to get more runs, as a clause.
    """
    if gate.p_fail_wide is None:
        return Callout("open", "Can't tell.", gate_in_words(gate))
    text = " ".join((gate_in_words(gate), *_advice(gate, again)))
    if _is_unusable(gate):
        head = f"{counted(gate.runs, 'run')} can't show a usable threshold: {again}."
        return Callout("bad" if is_risky(gate) else "open", head, text)
    if is_risky(gate):
        return Callout("bad", "Too many false alarms.", text)
    return Callout("good", "Few false alarms.", text)


def _is_unusable(gate: ThresholdRisk) -> bool:
    """Return True if the safe threshold is too low to be of use, since there are few runs."""
    if gate.safe_threshold is None or gate.runs >= ENOUGH_RUNS or gate.center < gate.threshold:
        return False
    return gate.safe_threshold <= 0 or gate.threshold - gate.safe_threshold > FARTHEST


def _advice(gate: ThresholdRisk, again: str) -> Iterator[str]:
    """Yield sentences on how to limit false alarms to 5% of runs: another threshold, or the mean of several runs.

    Args:
        gate: The threshold, and how runs vary about it.
        again: Advice on how to get more runs, as a clause.
    """
    if gate.safe_threshold is None or gate.smallest_drop is None:
        return
    if gate.p_fail_wide is not None and gate.p_fail_wide < 1 / RAREST:
        yield f"{counted(gate.runs, 'run')} can't show how much less."
    mark = _rounded_down(gate.safe_threshold)
    safe = f"a threshold of {number(mark)} with {counted(gate.averaged, 'run')}"
    drop = number(gate.smallest_drop + gate.threshold - mark)
    finds = f"finds a {_FIGURES[gate.of]} that drops by {drop} or more with 80% probability"
    if gate.center < gate.threshold:
        below = f"The {_FIGURES[gate.of]} is {number(gate.center)}, below the threshold."
        yield f"{below} Use {safe} instead: {_RARELY} and {finds}."
    elif gate.repeats is None:
        few = f"; {again}" if gate.runs < ENOUGH_RUNS and not _is_unusable(gate) else ""
        runs = f"{counted(gate.runs, 'run')} {'is' if gate.runs == 1 else 'are'} too few to say how many to average"
        yield f"{runs} for a threshold of {gate.threshold:g}{few}."
        if not _is_unusable(gate):
            yield f"Use {safe} instead: {_RARELY} and {finds}."
    elif _is_unusable(gate):
        yield f"Averaging {counted(gate.repeats, 'run')} keeps false alarms to 5% with 80% probability."
    elif gate.repeats > gate.averaged:
        ways = f"averaging {counted(gate.repeats, 'run')} keeps false alarms to 5%; so does {safe}, which then {finds}."
        yield f"{ways[0].upper()}{ways[1:]}" if is_risky(gate) else f"To be surer of that: {ways}"
    else:
        drop = number(gate.smallest_drop)
        yield f"It finds a {_FIGURES[gate.of]} that drops by {drop} or more with 80% probability."


def _sections(gate: ThresholdRisk) -> Iterator[Section]:
    if gate.smallest_drop is None or gate.run_shift is None or gate.run_level is None or gate.safe_threshold is None:
        return
    facts = Facts(
        (
            ("false alarms", _percent(gate.p_fail_wide)),
            (f"if the mean of {counted(gate.runs, 'run')} were exact", _percent(gate.p_fail.value)),
            ("safe threshold (95% confidence)", number(_rounded_down(gate.safe_threshold))),
            ("smallest drop found with 80% probability", number(max(0.0, gate.smallest_drop))),
            ("runs to average for this threshold", str(gate.repeats or f"not seen from {counted(gate.runs, 'run')}")),
        )
    )
    shift = f"Run means vary about {number(gate.run_shift, 1)} times as much as their cases explain"
    lines = (f"{shift}: there is a run-level effect.",) if gate.run_level >= _RUN_LEVEL else ()
    yield Section("Figures", (facts, Paragraph(lines)))


def _in_promptfoo(gate: ThresholdRisk) -> Iterator[Section]:
    """Yield a section on how to set the safe threshold in Promptfoo.

    If there are too few runs to know that threshold, or if they don't vary, the section is on how to get more runs. If
    the threshold is known, but not the smallest drop that the gate would notice, nothing is yielded.
    """
    if gate.smallest_drop is not None or gate.safe_threshold is None:
        yield Section("Next, in Promptfoo", (Verbatim(snippet(gate)),))


def snippet(gate: ThresholdRisk) -> str:
    """Return lines for Promptfoo's configuration with the advised number of runs, and the command of CI's step.

    The command has the safe threshold. If there is none, or if it is too low to be of use, the command makes more runs.
    """
    if gate.safe_threshold is None or (_is_unusable(gate) and gate.repeats is None):
        repeats = f"{UNCACHED} npx promptfoo eval --repeat {REPEAT_NEXT} --no-cache -o results.json"
        return f"{repeats}\nmarkscheme pass-rate results.json --at-least {gate.threshold:g}{_OPTION[gate.of]}"
    runs = gate.repeats or gate.averaged
    threshold = gate.threshold if gate.repeats else _rounded_down(gate.safe_threshold or 0.0)
    config = f"# in promptfooconfig.yaml\nevaluateOptions: {{repeat: {runs}, cache: false}}\n\n# in the shell"
    if gate.of == "pass":
        return f"{config}\n{UNCACHED} PROMPTFOO_PASS_RATE_THRESHOLD={100 * threshold:g} npx promptfoo eval"
    mean = "[.results.results[].score] | add / length"
    return f"{config}\n{UNCACHED} npx promptfoo eval -o results.json\njq -e '{mean} >= {threshold:g}' results.json"


def _rounded_down(value: float) -> float:
    """Round a threshold down to two decimals."""
    return max(0.0, int(value * 100) / 100)


def _percent(chance: float | None) -> str:
    if chance is None:
        return "–"
    rarest = 100 / RAREST
    return f"under {rarest:g}%" if 100 * chance < rarest else f"{number(100 * chance, 1)}%"


def json_of(gate: ThresholdRisk) -> dict[str, Any]:
    """Return how often runs fall below a threshold by chance as a dict with the keys of the JSON output."""
    return {
        "schema": 1,
        **attributes(gate, "runs cases center p_fail p_fail_wide run_shift safe_threshold smallest_drop dropped"),
        "because": gate_in_words(gate),
        "advice": attributes(gate, "runs=repeats threshold=safe_threshold"),
    }
