"""The report on a certificate: what each judge decides, what is left to people, and under which promise."""

import math
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from markscheme.calibration.findings.commands import Commands
from markscheme.features.certify.certificate import Certificate
from markscheme.features.certify.decision_origins import left_out_in_words, origins_in_words
from markscheme.features.certify.gray_zone import zone_of
from markscheme.features.certify.kind import CASCADE_FILE
from markscheme.features.certify.promise import MarkSide
from markscheme.features.certify.run import CertifyRun
from markscheme.features.certify.statistics import ErrorLimit
from markscheme.phrases import counted, number, percent
from markscheme.report.document import Block, Callout, Document, Notes, Table, Verbatim
from markscheme.report.json import attributes
from markscheme.rubrics.gray_zone import GrayZone, gray_zone
from markscheme.rubrics.search import POOL

FEWEST_FOR_TWO = 100
"""Fewest labels with which a second judge is suggested: it halves the significance level for each judge, so that with
fewer labels more decisions are left to people."""
RECOMMENDED = 5
"""Smallest number of judges whose votes rank decisions finely enough; a judgement. On published answers to trivia and
400 labels, votes of three judges decided .38 of the responses and votes of seven .76; the votes of one judge can't rank
decisions.
"""
_WHOSE: dict[MarkSide, str] = {"both": "decisions", "passes": "passes", "fails": "fails"}


def view(run: CertifyRun, again: str, commands: Commands) -> Document:
    """Build the report on a certificate: which decisions each judge makes, or why everything goes to people.

    Args:
        run: The run.
        again: The command of this run, as it was typed.
        commands: Builder of the next commands to show, which name the judge that is asked last.
    """
    certificate = run.certificate
    examples = counted(certificate.n, "labelled example")
    title = f"{run.rubric.name} · pass, fail, or ask a person · {examples}"
    return Document(title=title, source="", blocks=tuple(_blocks(run)), onward=_onward(run, again, commands))


def _blocks(run: CertifyRun) -> Iterator[Block]:
    certificate = run.certificate
    origins = origins_in_words(certificate.seen.labels, run.rubric)
    if not certificate.is_supported:
        yield Callout("open", reason(certificate), _what_would_do(run))
        notes = (*filter(None, (origins, left_out_in_words(certificate.seen.labels))), *_few_votes(certificate))
        if notes:
            yield Notes(notes)
        return
    yield Table(("", "decides", "from a certainty of", "costs"), tuple(_rows(certificate)))
    yield Callout("good", promise_in_words(certificate))
    yield Notes(tuple(_notes(run, origins)))
    if run.edit is not None and run.edit.diff:
        yield Verbatim(run.edit.diff)


def _rows(certificate: Certificate) -> Iterator[tuple[str, ...]]:
    shares = zip(certificate.candidates, _shares_asked(certificate), strict=True)
    for index, (candidate, share) in enumerate(shares):
        cost = "" if candidate.usd is None else f"${number(candidate.usd * share)} per 1,000"
        decided = percent(certificate.decided[index] / certificate.n)
        yield candidate.name, decided, _certain(certificate, index), cost
    yield "people", percent(certificate.decided[-1] / certificate.n), "the rest", ""


def _shares_asked(certificate: Certificate) -> list[float]:
    """Return, for each judge, the share of responses that reach it because no earlier judge decides them."""
    decided = certificate.decided
    return [(certificate.n - sum(decided[:index])) / certificate.n for index in range(len(certificate.candidates))]


def _certain(certificate: Certificate, index: int) -> str:
    """Format the smallest certainty with which a judge's decisions need no person: a number, or a number of votes.

    Args:
        certificate: The certificate.
        index: Index of the judge among the certificate's judges, from 0.
    """
    certain = certificate.certain(index)
    if isinstance(certain, dict):
        sides = [f"{side} {_threshold(certificate, value)}" for side, value in certain.items() if value is not None]
        return ", ".join(sides) or "decides nothing"
    return "decides nothing" if certain is None else _threshold(certificate, certain)


def _threshold(certificate: Certificate, certain: float) -> str:
    votes = certificate.votes
    return f"{number(certain)} or more" if votes is None else f"{least_votes(certain, votes)} of {votes} votes"


def least_votes(certain: float, votes: int) -> int:
    """Convert the smallest share of a panel's votes that decides to a number of votes.

    >>> least_votes(6 / 7, 7), least_votes(0.667, 3)
    (6, 3)
    """
    return math.ceil(round(certain * votes, 6))


def reason(certificate: Certificate) -> str:
    """Return why people must decide everything or, if passes and fails are tested separately, all passes or fails."""
    whose = {
        "both": "Everything goes to people",
        "passes": "All passes go to people",
        "fails": "All fails go to people",
    }
    if not certificate.n:
        return "Everything goes to people: no annotator decided whether these responses pass."
    reasons = [f"{whose[side]}: {of_side.automatic.undefined}." for side, of_side in certificate.parts.items()]
    return " ".join([*reasons, *_halved(certificate)])


def promise_in_words(certificate: Certificate) -> str:
    """Return sentences on the promised limit of wrong decisions, and on how many were wrong on labelled examples."""
    promise = certificate.promise
    automatic = " and of the automatic ".join(_WHOSE[side] for side in certificate.certified)
    errors = certificate.errors
    wrong = f"{errors} of {sum(certificate.decided[:-1])} {'was' if errors == 1 else 'were'} wrong"
    return " ".join(
        [
            f"At most {percent(promise.error)} of the automatic {automatic} are wrong, with "
            f"{percent(promise.confidence)} confidence, if what you grade is like these examples. {wrong}.",
            *_halved(certificate),
        ]
    )


def _halved(certificate: Certificate) -> Iterator[str]:
    """Yield a sentence on how many promises were tested on some of these labels; each halves the significance level."""
    further = certificate.promise.further
    if further:
        yield (
            f"Tested at 1/{2**further} of the level, after {counted(further, 'other promise')} on some of these labels."
        )


def passes_in_words(certificate: Certificate) -> str | None:
    """Say how many automatic passes are wrong, and if a limit on these may hold; None if no pass is automatic."""
    of_side = certificate.parts.get("both") or certificate.parts.get("passes")
    if of_side is None or not of_side.passes:
        return None
    wrong = "is wrong" if of_side.wrong_passes == 1 else "are wrong"
    seen = f"Of {counted(of_side.passes, 'automatic pass', 'automatic passes')} {of_side.wrong_passes} {wrong}"
    upper = "" if of_side.upper_passes is None else f", at most {percent(of_side.upper_passes)}"
    promise = certificate.promise
    if promise.wrong_passes is not None:
        return f"{seen}{upper}; at most {percent(promise.wrong_passes)} is promised."
    if promise.side != "both":
        return f"{seen}{upper}."
    limit = ErrorLimit(promise.error, of_side.limit.level)
    missing = limit.fewest - of_side.passes
    more = f" takes {missing} more passes" if missing > 0 else " may hold"
    return f"{seen}{upper}. A promise about passes alone (--wrong-passes {promise.error:g}){more}."


def _notes(run: CertifyRun, origins: str) -> Iterator[str]:
    certificate = run.certificate
    yield from filter(None, (origins, left_out_in_words(certificate.seen.labels)))
    lost = [side for side, of_side in certificate.parts.items() if not of_side.is_certified]
    yield from (f"All {side} go to people: {certificate.parts[side].automatic.undefined}." for side in lost)
    passes = passes_in_words(certificate)
    if passes is not None:
        yield passes
    if all(candidate.usd is not None for candidate in certificate.candidates):
        shares = zip(certificate.candidates, _shares_asked(certificate), strict=True)
        total = sum((candidate.usd or 0.0) * share for candidate, share in shares)
        yield f"The whole costs ${number(total)} per 1,000 responses, people's time aside."
    if len(certificate.candidates) > 1 and certificate.n < FEWEST_FOR_TWO:
        last = certificate.candidates[-1].name
        yield f"With fewer than {FEWEST_FOR_TWO} labels one judge alone often decides more: --judge {quote(last)}"
    yield from _few_votes(certificate)
    zone = zone_of(certificate)
    if zone is not None:
        yield f"As a gray zone: {zone_in_words(gray_zone(zone))}."
    if isinstance(run.written, Path):
        yield f"Written to {run.written}."
    elif run.written is not None:
        yield f"{CASCADE_FILE} isn't written: {run.written}."


def _few_votes(certificate: Certificate) -> Iterator[str]:
    if certificate.votes is not None and certificate.votes < RECOMMENDED:
        yield f"With {RECOMMENDED} judges or more, votes tell more decisions apart."


def zone_in_words(zone: GrayZone) -> str:
    """Return a sentence on which decisions a person makes, by their distance from the pass mark.

    >>> zone_in_words(GrayZone(0.12, 0.12)), zone_in_words(GrayZone(math.inf, 0.1))
    ('within 0.12 of the pass mark a person decides', 'a person decides all passes and fails within 0.1 of the mark')
    """
    if zone.passes == zone.fails:
        return f"within {zone.passes:g} of the pass mark a person decides"
    sides = {"passes": zone.passes, "fails": zone.fails}
    parts = [
        f"all {side}" if math.isinf(reach) else f"{side} within {reach:g} of the mark" for side, reach in sides.items()
    ]
    return f"a person decides {' and '.join(parts)}"


def _what_would_do(run: CertifyRun) -> str:
    certificate = run.certificate
    if not certificate.n and run.rubric.source is None:
        return "Name the column of their decisions with --human, and the value that passes with --pass."
    if not certificate.n:
        return "The labelling page asks them whether the whole response passes."
    if certificate.needed is not None:
        return f"About {certificate.needed} labelled examples would do."
    if certificate.right is None:
        return "The last judge decided on none of the labelled examples."
    who = "most of the judges decide" if certificate.votes is not None else "the last judge decides"
    return f"More labels alone won't help: {who} rightly on {percent(certificate.right)}. Improve that first."


def _onward(run: CertifyRun, again: str, commands: Commands) -> tuple[str, str] | None:
    """Return the next step and its command; None for a table, and for judges whose certificate can't be written.

    While no promise holds, people decide, label more or improve the rubric. Once one holds, its certificate is written
    by the command of this run (`again`) with --write, and then used.
    """
    certificate = run.certificate
    if run.rubric.source is None:
        return None
    if not certificate.is_supported:
        return _before_a_promise(certificate, commands)
    if isinstance(run.written, Path):
        return "Next, grade by it", f"markscheme grade {commands.rubric} {POOL} --judge cascade"
    if run.edit is not None:
        return "Next, see what it leaves to people", commands.calibrate()
    return None if certificate.why_not_written is not None else ("Next, write who decides what", f"{again} --write")


def _before_a_promise(certificate: Certificate, commands: Commands) -> tuple[str, str] | None:
    """Return the next step, in words and as a command, if the labels don't yet support any automatic decision."""
    if not certificate.n:
        return "Next, have people decide", commands.label("-o ask_whole=always")
    if certificate.needed is not None:
        return "Next, label them", commands.label_next(max(1, certificate.needed - certificate.n))
    numbers = None if commands.asks else "--numbers"  # only weights and pass mark can be tried on ratings in a file
    options = (numbers, commands.judge, commands.examples_option, *commands.asking.values())
    return "Next, see what could be better", " ".join(("markscheme improve", commands.rubric, *filter(None, options)))


def json_of(run: CertifyRun) -> dict[str, Any]:
    """Return the JSON of a run of `certify`: the certificate's entries, and whether it leaves decisions to judges."""
    certificate = run.certificate
    content = certificate.to_json(run.rubric, at="")
    content.pop("at")
    zone = zone_of(certificate)
    return {
        "schema": 1,
        "rubric": attributes(run.rubric, "name fingerprint"),
        "cascade": {
            **content,
            "passes": {
                side: attributes(of_side, "n=passes wrong=wrong_passes upper=upper_passes")
                for side, of_side in certificate.parts.items()
            },
            "supported": certificate.is_supported,
            "reason": promise_in_words(certificate) if certificate.is_supported else reason(certificate),
            "needed": certificate.needed,
            "ask_within": None if zone is None else gray_zone(zone).in_file,
            "file": str(run.written) if isinstance(run.written, Path) else None,
        },
    }
