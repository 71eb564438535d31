"""What needs no person once a rubric is tuned: outside a gray zone, or where a panel's judges agree."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from markscheme.calibration.certificates import CertificateEvidence, TunedCertificate
from markscheme.calibration.promised import MarkSide
from markscheme.features.certify.asks import PromiseAsked, asking
from markscheme.features.certify.band import Band
from markscheme.features.certify.decision_origins import origins_in_words
from markscheme.features.certify.gray_zone import TunedBand, gray_zone_of
from markscheme.features.certify.kind import CASCADE_FILE
from markscheme.features.certify.votes import TunedVotes, tune_votes
from markscheme.ratings.splits import used_to_tune
from markscheme.report.figures import share, share_with_interval
from markscheme.report.json import attributes
from markscheme.rubrics.gray_zone import GrayZone, gray_zone
from markscheme.stats.annotators import NO_DECISION

_NAME = "Gray zone"
_ABOUT = "Gray zone: scores near the pass mark, which a person decides."
_SCORES = "the judge's scores: --ratings FILE or --judge NAME"
"""What a gray zone needs first, and how to name it."""


def certify_tuned(evidence: CertificateEvidence) -> TunedCertificate:
    """Find what needs no person by a tuned rubric; the promise that is tested is put on record."""
    promised = evidence.promised
    used = used_to_tune(evidence.labels.every)
    promise = PromiseAsked(
        evidence.rater or "",
        promised.side,
        "votes" if evidence.votes else "distance",
        promised.error,
        promised.confidence,
        promised.of or "",
    )
    with asking(evidence.examples, promise, at=evidence.today) as (further, record):
        if evidence.votes:
            votes = tune_votes(
                evidence.rubric,
                evidence.examples,
                evidence.votes,
                replace(promised, of=None, further=further),
                kind=evidence.gold,
                used=used,
                split=evidence.split,
            )
            record()
            return _of_votes(votes, evidence)
        band = gray_zone_of(evidence, replace(promised, further=further), used)
        if band is not None and band.bands:
            record()
    return _of_zone(band, evidence)


# --- a gray zone ------------------------------------------------------------------------------------------------------


def _of_zone(band: TunedBand | None, evidence: CertificateEvidence) -> TunedCertificate:
    """Say in words what the labels support as a gray zone, or what it needs."""
    is_supported = band is not None and band.supported
    whole = _band(band, evidence)
    in_short = whole
    if band is None and not evidence.has_decisions:
        in_short = f"needs decisions by annotators too, and {_SCORES}"
    elif band is not None and band.lacks_decisions:  # the pass mark's row gives the reason already
        in_short = "needs annotators' decisions too, pass or fail"
    return TunedCertificate(
        name=_NAME,
        about=_ABOUT,
        supports="the gray zone" if is_supported else None,
        is_found=is_supported,
        in_short=in_short,
        sentences=(whole,),
        gray_zone=band.after if band is not None and band.supported else None,
        data={"ask_within": None if band is None else _band_json(band)},
    )


def _band(band: TunedBand | None, evidence: CertificateEvidence) -> str:
    """Say which decisions a person makes and what is promised of the rest, or what is needed for that."""
    if band is None:
        return f"needs {_SCORES}"
    origins = origins_in_words(band.origins, evidence.rubric)
    if not band.supported:
        why = NO_DECISION if band.lacks_decisions else band.reason
        return f"wrong decisions outside it can't be limited yet: {why}{'. ' if origins else ''}{origins}"
    parts = [_automatic(side, part) for side, part in band.bands.items() if part.half_width is not None]
    promise = f"{_who_decides(gray_zone(band.after))}; {band.reason}."
    return f"{promise} {' '.join(parts)} {origins} Written with --band."


def _who_decides(zone: GrayZone) -> str:
    """Say which decisions a person makes, by their distance from the pass mark."""
    if zone.passes == zone.fails:
        return f"Within {zone.passes:g} of the pass mark a person decides"
    sides = {"passes": zone.passes, "fails": zone.fails}
    parts = [
        f"all {side}" if math.isinf(reach) else f"{side} within {reach:g} of the pass mark"
        for side, reach in sides.items()
    ]
    return f"A person decides {' and '.join(parts)}"


def _automatic(side: MarkSide, part: Band) -> str:
    """Say how much is automatic, and how much of it was wrong."""
    head = "Automatic" if side == "both" else f"Automatic {side}"
    wrong = f"{part.errors} of {part.n_automatic} were wrong, at most {share(part.upper)} are."
    return f"{head}: {share_with_interval(part.automatic)}; {wrong}"


def _band_json(band: TunedBand) -> dict[str, Any]:
    """Return a gray zone by the keys of its JSON."""
    promise = "of=promise error=alpha confidence automatic errors n_automatic upper needed"
    promises = {side: attributes(part, promise) for side, part in band.bands.items()}
    return {
        **attributes(band, "supported reason split"),
        "before": gray_zone(band.before).in_file,
        "after": gray_zone(band.after).in_file,
        "labels": attributes(band.origins, "explicit by_levels"),
        "promise": next(iter(promises.values()), None),
        "promises": promises,
    }


# --- the votes of a panel ---------------------------------------------------------------------------------------------


def _of_votes(votes: TunedVotes, evidence: CertificateEvidence) -> TunedCertificate:
    """Say in words what the votes of a panel allow, and write that where it was asked for."""
    written = _written(votes, evidence) if evidence.writes else None
    sentences = tuple(_votes(votes, evidence, written))
    return TunedCertificate(
        name=_NAME,
        about=_ABOUT,
        supports="what the panel decides" if votes.is_supported else None,
        is_found=True,
        in_short=" ".join(sentences),
        sentences=sentences,
        gray_zone=None,
        data={"ask_within": None, "cascade": _votes_json(votes, evidence, written)},
    )


def _written(votes: TunedVotes, evidence: CertificateEvidence) -> Path | str:
    """Write the file with the panel's promise, or say why it isn't written."""
    if evidence.writes_numbers:
        return "the same labels change weights or pass mark: write that first, then test the votes on fresh labels"
    return votes.write(evidence.rubric, evidence.labels.every, at=evidence.today)


def _votes(votes: TunedVotes, evidence: CertificateEvidence, written: Path | str | None) -> Iterator[str]:
    """Say what a panel's votes allow, and where that is written."""
    yield votes.sentence
    if votes.n:
        yield origins_in_words(votes.origins, evidence.rubric)
    if isinstance(written, Path):
        yield f"Written to {written}."
    elif written is not None:
        yield f"{CASCADE_FILE} isn't written: {written}."
    elif votes.is_supported:
        yield "Written with --write --band."


def _votes_json(votes: TunedVotes, evidence: CertificateEvidence, written: Path | str | None) -> dict[str, Any]:
    """Return the content of the file with what the votes allow, and whether it was written."""
    content = votes.to_json(evidence.rubric, at="")
    return {
        **{key: value for key, value in content.items() if key != "at"},
        "supported": votes.is_supported,
        "reason": votes.sentence,
        "file": str(written) if isinstance(written, Path) else None,
    }
