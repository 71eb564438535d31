"""Pages for a judge card, and for the check of a card against today's files."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from markscheme.calibration.comparison.limits import OF
from markscheme.calibration.comparison.measure import OF_SCORE
from markscheme.errors import RatingError
from markscheme.features.cards.card import KEY_OF_LABELLED_TWICE, JudgeCard
from markscheme.features.cards.verification import Verification
from markscheme.grading.receipt import CARD, allowed_in_words
from markscheme.phrases import counted, in_words, number
from markscheme.report.document import Callout, Command, Document, Facts, Line, Name, Notes, Paragraph, Table, Tone
from markscheme.report.figures import coefficient, share, share_with_interval, with_signed_interval
from markscheme.report.json import attributes
from markscheme.report.sections.labels import LABELS_IN_WORDS, labels_in_words
from markscheme.stats import Estimate

TONES: Mapping[str, Tone] = {"gate": "good", "trend": "trend", "explore": "open", "none": "bad"}
_ALLOWED_OTHERWISE: Final = {
    "trend": "can show trends, not gate",
    "explore": "decides nothing: explore only",
    "none": "has no use",
}
"""Phrases for what a judge that can't gate may be used for, to follow its name."""


def view(card: JudgeCard) -> Document:
    """Return the page of a judge card: what the judge may be used for, its figures, and how to check them.

    Raises:
        RatingError: An entry of the card is missing, or has another form.
    """
    try:
        return _page(card.content, card)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RatingError(f"isn't a judge card: {error!r}", path=card.path) from error


def _page(content: Mapping[str, Any], card: JudgeCard) -> Document:
    use = str(content["use"])
    parts = [f"{subset['by']} {subset['name']}" for subset in content["except"]]
    may = allowed_in_words(use, may_trend=content["decision"]["may_trend"])
    allowed = f"{may}{f', except {in_words(parts)}' if parts else ''}"
    in_project = "/".join(card.path.resolve().parts[-3:]) if card.path.name == CARD else card.path.name
    check = f"markscheme verify {shlex.quote(in_project)}"
    return Document(
        f"Judge card {card.id}: {content['rubric']['name']}",
        "",
        (
            Callout(TONES[use], f"{allowed[0].upper()}{allowed[1:]}.", _evidence(content)),
            Facts(tuple(_facts(content))),
            Table(("Criterion", "kappa", "bias"), tuple(_criteria(content["figures"]["criteria"]))),
            Notes((f"Brackets: 95% CI. Made on {content['date']} by markscheme {content['version']}. To check it:",)),
            Paragraph((Command(check),)),
        ),
    )


def _evidence(content: Mapping[str, Any]) -> str:
    """Say how often the judge decides as people do; on a card without decisions, how often scores agree."""
    measure = content["measure"]
    decisions = content["figures"]["decisions"]
    if decisions is not None:
        same = _estimate(decisions["same_decision"])
        of = f"{counted(same.n, 'example')}, target {share(measure['target'])}"
        return f"Same decision {share_with_interval(same)} on {of}."
    agreement = _estimate(content["figures"]["agreement"])
    of = f"{counted(agreement.n, 'example')}, target {share(measure['target'])}"
    return f"Agreement {share_with_interval(agreement)} on {of}."


def _facts(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    judge = content["judge"]
    labels = content["labels"]
    figures = content["figures"]
    unnamed = [model for model in judge["answered_by"] if not judge["name"].endswith(model)]
    models = f" ({', '.join(unnamed)})" if unnamed else ""
    provenance = f", {judge['provenance']}" if judge["provenance"] else ""
    yield "Judge", f"{judge['name']}{models}, {judge['source']}{provenance}"
    reference = str(labels["reference"])
    by_whom = (
        labels_in_words(reference, int(labels.get(KEY_OF_LABELLED_TWICE, 0)))
        if reference in LABELS_IN_WORDS
        else reference
    )
    yield "Labels", f"{counted(int(labels['n']), 'example')}, {by_whom}"
    yield from _sides(figures["decisions"])
    if figures["decisions"] is not None:
        agreement = (
            f"{share_with_interval(_estimate(figures['agreement']))}, target {share(content['measure']['target'])}"
        )
        yield "Agreement of scores" if content["measure"]["of"] == OF_SCORE else "Agreement", agreement
    yield "Baseline", share_with_interval(_estimate(figures["baseline"]))
    if figures["annotators"] is not None:
        yield "Annotators with each other", share_with_interval(_estimate(figures["annotators"]))
    if figures["decisions"] is None:
        yield "False passes", share_with_interval(_estimate(figures["false_passes"]))
        yield "False fails", share_with_interval(_estimate(figures["false_fails"]))
    if figures["margin"] is not None:
        yield "Margin of a score", f"± {number(float(figures['margin']))}"
    settings = int(content["terms"]["settings"])
    if settings > 1:
        yield "Settings tried on these labels", str(settings)
    digests = {
        "rubric": content["rubric"]["fingerprint"],
        "prompt": content["prompt"]["fingerprint"],
        "judge": judge["fingerprint"] or "unknown",
        "labels": labels["digest"],
    }
    yield "Fingerprints", ", ".join(f"{name} {digest}" for name, digest in digests.items())


def _sides(decisions: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Yield the lines "Stops" and "Keeps", each with the judge's share of right decisions and the least required."""
    if decisions is None:
        return
    for name, of in (("stops", OF["stops"]), ("keeps", OF["keeps"])):
        side = decisions[name]
        yield (
            f"{name.capitalize()}, of what {of}",
            f"{share_with_interval(_estimate(side))}, least {share(side['least'])}",
        )


def _criteria(criteria: Mapping[str, Any]) -> Iterator[tuple[Line, ...]]:
    for name, figures in criteria.items():
        yield Name(name), coefficient(_estimate(figures["kappa"])), with_signed_interval(_estimate(figures["bias"]))


def _estimate(figure: Mapping[str, Any] | None) -> Estimate:
    if figure is None:
        return Estimate.without_value("not on the card", n=0, method="")
    return Estimate.from_json({key: value for key, value in figure.items() if key != "least"})


# --- verified -------------------------------------------------------------------------------------------------------


def verified(verification: Verification) -> Document:
    """Return the page of a card's check: whether today's files give the same figures, and what differs."""
    card = verification.card
    title = f"{card.content['rubric']['name']}: card {card.id}"
    if verification.holds:
        files = counted(len(card.files), "file")
        were = "was" if len(card.files) == 1 else "were"
        checked = f"{files} {were} checked, and every figure was computed again. {_not_checked(verification)}"
        text = f"{_allowed(card.content)} {checked}"
        return Document(title, "", (Callout("good", "The card is right.", text),))
    head = "The card is not right: its files say something else."
    rows = tuple(
        (Name(difference.what), difference.stated or "", difference.now) for difference in verification.differences
    )
    return Document(title, "", (Callout("bad", head), Table(("What", "on the card", "its files"), rows)))


def _not_checked(verification: Verification) -> str:
    return f"Not checked, since no file here says it: {', '.join(verification.unchecked)}."


def _allowed(content: Mapping[str, Any]) -> str:
    use = content["use"]
    may_trend = content["decision"]["may_trend"]
    allowed = allowed_in_words(use, may_trend=may_trend) if use == "gate" else _ALLOWED_OTHERWISE[use]
    return f"By it, {content['judge']['name']} {allowed}."


def verified_json(verification: Verification) -> dict[str, Any]:
    """Return a card's check as a dict for JSON: whether the files give the same figures, and what differs."""
    card = verification.card
    return {
        "schema": 1,
        "card": str(card.path),
        **attributes(card, "id"),
        "rubric": card.content["rubric"]["name"],
        "use": card.content["use"],
        "may_trend": card.content.get("decision", {}).get("may_trend"),
        **attributes(verification, "holds recomputed"),
        "differences": [difference.to_json("card") for difference in verification.differences],
        "not_checked": list(verification.unchecked),
    }
