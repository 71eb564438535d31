"""The report on a tuned cascade: what each judge decides, what people do, and under which promise."""

from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from markscheme.features.certify.cascade import FEWEST_FOR_TWO, TunedCascade
from markscheme.features.certify.decision_origins import origins_in_words
from markscheme.features.certify.kind import CASCADE_FILE
from markscheme.phrases import counted, number, percent
from markscheme.report.document import Block, Callout, Document, Notes, Table
from markscheme.report.json import attributes
from markscheme.rubrics.rubric import Rubric


def view(rubric: Rubric, tuned: TunedCascade, written: Path | str | None) -> Document:
    """Show who decides what, or why everything goes to people.

    Args:
        rubric: By which was judged.
        tuned: What the labels allow.
        written: The file that was written, or why none was; None where none was asked for.
    """
    part = f" of the {tuned.split} split" if tuned.split else ""
    title = f"{rubric.name} · pass, fail, or ask a person · {counted(tuned.n, 'labelled example')}{part}"
    return Document(title=title, source="", blocks=tuple(_blocks(rubric, tuned, written)))


def _blocks(rubric: Rubric, tuned: TunedCascade, written: Path | str | None) -> Iterator[Block]:
    if not tuned.is_supported:
        yield Callout("open", tuned.reason, _what_would_do(tuned))
        if tuned.n:
            yield Notes((origins_in_words(tuned.origins, rubric),))
        return
    yield Table(("", "decides", "from a certainty of", "costs"), tuple(_rows(tuned)))
    yield Callout("good", tuned.promise)
    yield Notes(tuple(_notes(rubric, tuned, written)))


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


def _notes(rubric: Rubric, tuned: TunedCascade, written: Path | str | None) -> Iterator[str]:
    yield origins_in_words(tuned.origins, rubric)
    if tuned.passes_sentence:
        yield tuned.passes_sentence
    if all(candidate.usd is not None for candidate in tuned.candidates):
        shares = zip(tuned.candidates, _shares_asked(tuned), strict=True)
        total = sum((candidate.usd or 0.0) * share for candidate, share in shares)
        yield f"The whole costs ${number(total)} per 1,000 responses, people's time aside."
    if len(tuned.candidates) > 1 and tuned.n < FEWEST_FOR_TWO:
        last = tuned.candidates[-1].name
        yield f"With fewer than {FEWEST_FOR_TWO} labels one judge alone often decides more: --cascade {last}"
    if isinstance(written, Path):
        yield f"Written to {written}. Use it: markscheme grade {quote(rubric.name)} --judge cascade"
    elif written is not None:
        yield f"{CASCADE_FILE} isn't written: {written}."
    else:
        yield "Not written; add --write."


def _what_would_do(tuned: TunedCascade) -> str:
    if tuned.needed is not None:
        return f"About {tuned.needed} labelled examples would do."
    if tuned.right is not None:
        return f"More labels alone won't help: the last judge decides rightly on {percent(tuned.right)}."
    return "The last judge decided on none of the labelled examples."


def json_of(rubric: Rubric, tuned: TunedCascade, written: Path | str | None) -> dict[str, Any]:
    """Return a run by the keys of the file format: those of the file, and whether anything is certified."""
    content = tuned.to_json(rubric, at="")
    content.pop("at")
    return {
        "schema": 1,
        "rubric": attributes(rubric, "name fingerprint"),
        "cascade": {
            **content,
            "passes": {
                side: attributes(part, "n=passes wrong=wrong_passes upper=upper_passes")
                for side, part in tuned.parts.items()
            },
            "supported": tuned.is_supported,
            "reason": tuned.promise if tuned.is_supported else tuned.reason,
            "needed": tuned.needed,
            "file": str(written) if isinstance(written, Path) else None,
        },
    }
