"""What a run is worth: on a screen, as Markdown and as JSON."""

from collections.abc import Iterator
from typing import Any

from markscheme.calibration.run_summary import Gap, RunWorth, SystemWorth
from markscheme.judges.judge import Usage
from markscheme.receipt import ALLOWS, NOT_CALIBRATED
from markscheme.report.figures import number, share_with_interval, signed
from markscheme.stats import Estimate

NOT_KNOWN = "calibrate says what the judge may decide: `calibrate RUBRIC`, then `--accept`"


def run_worth_text(worth: RunWorth) -> str:
    """The run in a few lines."""
    return "\n".join(_lines(worth))


def run_worth_markdown(worth: RunWorth) -> str:
    """The run as a table and what follows from it."""
    return "\n".join(_markdown(worth)) + "\n"


def _lines(worth: RunWorth) -> Iterator[str]:
    for system in worth.systems:
        yield f"{_name(system)}: {_rates(system, worth.labels)}{_ungraded(system)}"
        if system.criteria:
            yield "  " + ", ".join(f"{name} {number(mean)}" for name, (mean, _) in system.criteria.items())
    yield from (_gap(gap) for gap in worth.gaps)
    yield from _trust(worth)
    yield f"Grading cost {_cost(worth.usage)}."


def _markdown(worth: RunWorth) -> Iterator[str]:
    names = list(dict.fromkeys(name for system in worth.systems for name in system.criteria))
    yield "# What this run is worth"
    yield ""
    yield _row("prompt / provider", "passed", "as people would decide", "not graded", *map(_plain, names), "cost")
    yield _row(*["---"] * (5 + len(names)))
    for system in worth.systems:
        means = [number(system.criteria[name][0]) if name in system.criteria else "–" for name in names]
        corrected = "–" if system.corrected is None else _share(system.corrected)
        ungraded = f"{system.not_graded} of {system.outputs}"
        yield _row(_plain(_name(system)), _share(system.raw), corrected, ungraded, *means, _cost(system.usage))
    yield ""
    yield from (f"- {_plain(_gap(gap))}" for gap in worth.gaps)
    yield from (f"- {_plain(line)}" for line in _trust(worth))
    yield f"- Grading cost {_cost(worth.usage)}."


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Text from outside as one cell of a table."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _name(system: SystemWorth) -> str:
    return " ".join(system.name.split()) or "all outputs"


def _rates(system: SystemWorth, labels: int) -> str:
    raw = f"{_share(system.raw)} passed"
    if system.corrected is None:
        return raw
    return f"{raw}; as people would decide {_share(system.corrected)} by {labels} labels"


def _share(estimate: Estimate) -> str:
    return f"unknown ({estimate.undefined})" if estimate.undefined else share_with_interval(estimate)


def _ungraded(system: SystemWorth) -> str:
    return f"; {system.not_graded} of {system.outputs} not graded" if system.not_graded else ""


def _gap(gap: Gap) -> str:
    shown = gap.shown
    if shown.value is None or shown.low is None or shown.high is None:
        return f"{gap.second} compared with {gap.first}: unknown ({shown.undefined or 'too few tests'})"
    points = f"{_points(shown.value)} [{_points(shown.low)}, {_points(shown.high)}] points on {gap.tests} tests"
    verdict = "more than noise" if gap.is_real else "may be noise"
    by = "" if gap.corrected is None else ", by the judge alone" if shown is gap.raw else ", corrected by the labels"
    return f"{gap.second} compared with {gap.first}: {points}{by}: {verdict}"


def _points(value: float) -> str:
    return signed(100 * value, 0)


def _trust(worth: RunWorth) -> Iterator[str]:
    for rubric, (text, use) in worth.calibrations.items():
        allows = ALLOWS.get(use, "") if use is not None else ""
        more = f"; {allows}" if allows and allows not in text else ""
        yield f"The judge by {rubric}: {text}{more}."
    if all(text == NOT_CALIBRATED for text, _ in worth.calibrations.values()):
        yield f"Nobody has shown yet how far these grades can be trusted; {NOT_KNOWN}."


def _cost(usage: Usage) -> str:
    calls = f"{usage.calls} call{'' if usage.calls == 1 else 's'}"
    read, written = usage.input_tokens, usage.output_tokens
    tokens = "" if read is None or written is None else f", {read + written} tokens"
    return calls + tokens + ("" if usage.usd is None else f", ${usage.usd:.4f}")


def run_worth_json(worth: RunWorth) -> dict[str, Any]:
    """The run by the keys of the file format."""
    return {
        "schema": 1,
        "labels": worth.labels,
        "systems": [
            {
                "name": system.name,
                "outputs": system.outputs,
                "not_graded": system.not_graded,
                "raw": system.raw.to_json(),
                "corrected": None if system.corrected is None else system.corrected.to_json(),
                "criteria": {name: {"mean": mean, "n": n} for name, (mean, n) in system.criteria.items()},
                "cost": system.usage.to_json(),
            }
            for system in worth.systems
        ],
        "differences": [
            {
                "first": gap.first,
                "second": gap.second,
                "raw": gap.raw.to_json(),
                "corrected": None if gap.corrected is None else gap.corrected.to_json(),
                "more_than_noise": gap.is_real,
            }
            for gap in worth.gaps
        ],
        "calibrations": {name: {"text": text, "use": use} for name, (text, use) in worth.calibrations.items()},
        "cost": worth.usage.to_json(),
    }
