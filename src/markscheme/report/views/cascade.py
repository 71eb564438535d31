"""The report on a tuned cascade: what each judge decides, what people do, and under which promise."""

from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from markscheme.calibration.cascades.cascade import FEWEST_FOR_TWO, TunedCascade
from markscheme.calibration.requests.cascade import CascadeRun
from markscheme.judges.cascade_file import CASCADE_FILE
from markscheme.phrases import counted, number, percent
from markscheme.report.decision_origins import origins_in_words
from markscheme.report.document import Block, Callout, Document, Notes, Table
from markscheme.report.json import attributes


def view(run: CascadeRun) -> Document:
    """Who decides what, or why everything goes to people."""
    tuned = run.tuned
    part = f" of the {tuned.split} split" if tuned.split else ""
    title = f"{run.rubric.name} · pass, fail, or ask a person · {counted(tuned.n, 'labelled example')}{part}"
    return Document(title=title, source="", blocks=tuple(_blocks(run)))


def _blocks(run: CascadeRun) -> Iterator[Block]:
    tuned = run.tuned
    if not tuned.is_supported:
        yield Callout("open", tuned.reason, _what_would_do(tuned))
        if tuned.n:
            yield Notes((origins_in_words(tuned.origins, run.rubric),))
        return
    yield Table(("", "decides", "from a certainty of", "costs"), tuple(_rows(tuned)))
    yield Callout("good", tuned.promise)
    yield Notes(tuple(_notes(run)))


def _rows(tuned: TunedCascade) -> Iterator[tuple[str, ...]]:
    for place, (candidate, share) in enumerate(zip(tuned.candidates, _shares_asked(tuned), strict=True)):
        cost = "" if candidate.usd is None else f"${number(candidate.usd * share)} per 1,000"
        yield candidate.name, percent(tuned.decided[place] / tuned.n), _certain(tuned.certain(place)), cost
    yield "people", percent(tuned.decided[-1] / tuned.n), "the rest", ""


def _shares_asked(tuned: TunedCascade) -> list[float]:
    """By judge, the share of responses that it is asked about: those that no earlier one decides."""
    return [(tuned.n - sum(tuned.decided[:place])) / tuned.n for place in range(len(tuned.candidates))]


def _certain(certain: float | dict[str, float | None] | None) -> str:
    if isinstance(certain, dict):
        sides = [f"{side} {number(value)} or more" for side, value in certain.items() if value is not None]
        return ", ".join(sides) or "decides nothing"
    return "decides nothing" if certain is None else f"{number(certain)} or more"


def _notes(run: CascadeRun) -> Iterator[str]:
    tuned = run.tuned
    yield origins_in_words(tuned.origins, run.rubric)
    if tuned.passes_sentence:
        yield tuned.passes_sentence
    if all(candidate.usd is not None for candidate in tuned.candidates):
        shares = zip(tuned.candidates, _shares_asked(tuned), strict=True)
        total = sum((candidate.usd or 0.0) * share for candidate, share in shares)
        yield f"The whole costs ${number(total)} per 1,000 responses, people's time aside."
    if len(tuned.candidates) > 1 and tuned.n < FEWEST_FOR_TWO:
        last = tuned.candidates[-1].name
        yield f"With fewer than {FEWEST_FOR_TWO} labels one judge alone often decides more: --cascade {last}"
    if isinstance(run.written, Path):
        yield f"Written to {run.written}. Use it: markscheme grade {quote(run.rubric.name)} --judge cascade"
    elif run.written is not None:
        yield f"{CASCADE_FILE} isn't written: {run.written}."
    else:
        yield "Not written; add --write."


def _what_would_do(tuned: TunedCascade) -> str:
    if tuned.needed is not None:
        return f"About {tuned.needed} labelled examples would do."
    if tuned.right is not None:
        return f"More labels alone won't help: the last judge decides rightly on {percent(tuned.right)}."
    return "The last judge decided on none of the labelled examples."


def json_of(run: CascadeRun) -> dict[str, Any]:
    """The run by the keys of the file format: those of the file, and whether anything is certified."""
    tuned = run.tuned
    content = tuned.to_json(run.rubric, at="")
    content.pop("at")
    return {
        "schema": 1,
        "rubric": attributes(run.rubric, "name fingerprint"),
        "cascade": {
            **content,
            "passes": {
                side: attributes(part, "n=passes wrong=wrong_passes upper=upper_passes")
                for side, part in tuned.parts.items()
            },
            "supported": tuned.is_supported,
            "reason": tuned.promise if tuned.is_supported else tuned.reason,
            "needed": tuned.needed,
            "file": str(run.written) if isinstance(run.written, Path) else None,
        },
    }
