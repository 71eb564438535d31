"""The report on a Promptfoo run: a row per system, significant differences, and how far its grades can be trusted."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markscheme.calibration.findings.commands import Commands
from markscheme.features.pass_rate.run_summary import Gap, RunWorth, SystemWorth
from markscheme.features.pass_rate.view_gate_risk import json_of as gate_json
from markscheme.grading.receipt import NO_ACCEPTED_RUN
from markscheme.phrases import commonest, counted, number, percent
from markscheme.report.document import Document, Items, Line, Name, Notes, Table
from markscheme.report.figures import NONE, points, share_with_interval
from markscheme.report.gate_words import gate_in_words
from markscheme.report.json import attributes
from markscheme.report.sections.run import cost_line
from markscheme.rubrics.search import POOL, find_calibration, known_rubrics

_REPEAT = "repeat to know (`npx promptfoo eval --repeat 3`, with `cache: off` in the assertion's config)"


def view(worth: RunWorth) -> Document:
    """Render the summary of a Promptfoo run."""
    names = list(dict.fromkeys(name for system in worth.systems for name in system.criteria))
    headings = ("Prompt / provider", "passed", "as people would decide", "not graded", *names, "cost")
    undefined = [
        f"– {_name(system)}: {estimate.undefined}."
        for system in worth.systems
        for estimate in (system.raw, system.corrected)
        if estimate is not None and estimate.undefined
    ]
    lines = [
        _rate(worth),
        _flips(worth),
        *_not_graded(worth),
        *map(_gap, worth.gaps),
        *_trust(worth),
        f"Grading cost: {cost_line(worth.usage)}.",
    ]
    return Document(
        title="Summary of this run",
        source=counted(_outputs(worth), "output"),
        blocks=(
            Table(headings, tuple(_row(system, names) for system in worth.systems)),
            Notes(tuple(dict.fromkeys(undefined))),
            Items(tuple((line,) for line in lines)),
        ),
    )


def _row(system: SystemWorth, names: list[str]) -> tuple[Line, ...]:
    return (
        Name(_name(system)),
        share_with_interval(system.raw),
        share_with_interval(system.corrected),
        f"{system.not_graded} of {system.outputs}",
        *(number(system.criteria[name][0]) if name in system.criteria else NONE for name in names),
        cost_line(system.usage),
    )


def _name(system: SystemWorth) -> str:
    return " ".join(system.name.split()) or "all outputs"


def _outputs(worth: RunWorth) -> int:
    return sum(system.outputs for system in worth.systems)


def _rate(worth: RunWorth) -> str:
    if worth.raw.undefined:
        return f"Pass rate: not known ({worth.raw.undefined})."
    of_outputs = " graded outputs" if worth.raw.is_count else " of the graded outputs"
    raw = f"{share_with_interval(worth.raw)}{of_outputs} pass"
    if worth.corrected is None:
        return f"Pass rate: {raw}. Not corrected: {worth.uncorrected}."
    corrected = worth.corrected
    by_people = (
        f"not known ({corrected.undefined})"
        if corrected.undefined
        else f"{share_with_interval(corrected)} as people would decide"
    )
    return f"Pass rate: {raw}; corrected by {counted(worth.labels, 'label')}, {by_people}."


def _flips(worth: RunWorth) -> str:
    if worth.gate is None:
        return f"How often this gate fails though nothing changed: {_REPEAT}."
    return f"At a pass rate of {percent(worth.gate.threshold)}: {gate_in_words(worth.gate)}"


def _not_graded(worth: RunWorth) -> Iterator[str]:
    n = len(worth.reasons_not_graded)
    if not n:
        yield f"Not graded: none of {counted(_outputs(worth), 'output')}."
    else:
        yield f"{counted(n, 'output')} not graded, in no rate: {commonest(worth.reasons_not_graded)}."
    if worth.passed_ungraded:
        passing = "a threshold, a weight of 0 or an `assertScoringFunction` does that"
        yield f"Promptfoo counts {worth.passed_ungraded} of them as passed: {passing}."


def _gap(gap: Gap) -> str:
    shown = gap.shown
    pair = f"{gap.second} compared with {gap.first}"
    if shown.value is None or shown.low is None:
        return f"{pair}: unknown ({shown.undefined or 'too few tests'})."
    by = "" if gap.corrected is None else ", by the judge alone" if shown is gap.raw else ", corrected by the labels"
    real = "more than noise" if gap.is_real else "may be noise"
    return f"{pair}: {points(shown)} percentage points on {gap.tests} tests{by}: {real}."


def _trust(worth: RunWorth) -> Iterator[str]:
    for rubric, (text, _) in worth.calibrations.items():
        yield f"The judge of {rubric}: {text}."
    if all(text == NO_ACCEPTED_RUN for text, _ in worth.calibrations.values()):
        yield f"How far these grades can be trusted is not known yet. {_to_know(next(iter(worth.calibrations), None))}"


def _to_know(rubric: str | None) -> str:
    """Return the next step to find out how far a rubric's grades can be trusted: label outputs, or calibrate."""
    here = Path.cwd()
    if rubric not in known_rubrics(here):
        return "After `npx promptfoo eval -o results.json`, label some outputs: `markscheme label results.json`"
    commands = Commands.on(rubric)
    folder = find_calibration(rubric, here)
    if folder is None or not (folder / "examples.jsonl").is_file():
        return f"Label some outputs: `{commands.label(f'--pool {POOL}')}`"
    return f"What the judge may decide, by the labels: `{commands.calibrate()}`"


def json_of(worth: RunWorth) -> dict[str, Any]:
    """Return the summary of a run as a dict with the keys of the JSON output."""
    return {
        "schema": 1,
        "labels": worth.labels,
        "raw": worth.raw,
        "corrected": worth.corrected,
        "not_corrected_because": worth.uncorrected,
        "not_graded_because": dict(Counter(worth.reasons_not_graded).most_common()),
        "passed_ungraded": worth.passed_ungraded,
        "systems": [
            {
                **attributes(system, "name outputs not_graded raw corrected cost=usage"),
                "criteria": {name: {"mean": mean, "n": n} for name, (mean, n) in system.criteria.items()},
            }
            for system in worth.systems
        ],
        "differences": [attributes(gap, "first second raw corrected more_than_noise=is_real") for gap in worth.gaps],
        "calibrations": {name: {"text": text, "use": use} for name, (text, use) in worth.calibrations.items()},
        "gate_risk": None if worth.gate is None else gate_json(worth.gate),
        "cost": worth.usage,
    }
