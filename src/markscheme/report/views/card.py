"""A judge card, and what its files say of it today."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from markscheme.calibration.accepted.card import CARD, JudgeCard
from markscheme.calibration.accepted.verification import Verification
from markscheme.errors import RatingError
from markscheme.phrases import counted, in_words, number
from markscheme.receipt import ALLOWS
from markscheme.report.document import Callout, Command, Document, Facts, Line, Name, Notes, Paragraph, Table, Tone
from markscheme.report.figures import coefficient, share, share_with_interval, with_signed_interval
from markscheme.report.json import attributes
from markscheme.report.sections.labels import LABELS_IN_WORDS
from markscheme.stats import Estimate

TONES: Mapping[str, Tone] = {"gate": "good", "trend": "trend", "explore": "open", "none": "bad"}


def view(card: JudgeCard) -> Document:
    """The card as a page: the use, what it follows from, and how to check it.

    Raises:
        RatingError: The card lacks an entry, or one has another form.
    """
    try:
        return _page(card.content, card)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RatingError(f"isn't a judge card: {error!r}", path=card.path) from error


def _page(content: Mapping[str, Any], card: JudgeCard) -> Document:
    use = str(content["use"])
    parts = [f"{part['by']} {part['name']}" for part in content["except"]]
    allowed = f"{ALLOWS[use]}{f', except {in_words(parts)}' if parts else ''}"
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
    measure = content["measure"]
    agreement = _estimate(content["figures"]["agreement"])
    of = f"{counted(agreement.n, 'example')}, target {share(measure['target'])}"
    return f"Agreement {share_with_interval(agreement)} on {of}."


def _facts(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    judge = content["judge"]
    labels = content["labels"]
    figures = content["figures"]
    models = f" ({', '.join(judge['answered_by'])})" if judge["answered_by"] else ""
    provenance = f", {judge['provenance']}" if judge["provenance"] else ""
    yield "Judge", f"{judge['name']}{models}, {judge['source']}{provenance}"
    reference = str(labels["reference"])
    yield "Labels", f"{counted(int(labels['n']), 'example')}, {LABELS_IN_WORDS.get(reference, reference)}"
    yield "Baseline", share_with_interval(_estimate(figures["baseline"]))
    if figures["annotators"] is not None:
        yield "Annotators with each other", share_with_interval(_estimate(figures["annotators"]))
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


def _criteria(criteria: Mapping[str, Any]) -> Iterator[tuple[Line, ...]]:
    for name, figures in criteria.items():
        yield Name(name), coefficient(_estimate(figures["kappa"])), with_signed_interval(_estimate(figures["bias"]))


def _estimate(entry: Mapping[str, Any] | None) -> Estimate:
    return Estimate.without_value("not on the card", n=0, method="") if entry is None else Estimate.from_json(entry)


# --- verified -------------------------------------------------------------------------------------------------------


_ALLOWED: Mapping[str, str] = {
    "gate": "By it, {judge} can gate.",
    "trend": "By it, {judge} can show trends, not gate.",
    "explore": "By it, {judge} decides nothing: explore only.",
    "none": "By it, {judge} has no use.",
}


def verified(verification: Verification) -> Document:
    """Whether a card holds, and what differs."""
    card = verification.card
    title = f"{card.content['rubric']['name']}: card {card.id}"
    if verification.holds:
        files = counted(len(card.files), "file")
        were = "was" if len(card.files) == 1 else "were"
        checked = f"{files} {were} checked, and every figure was computed again. {_not_checked(verification)}"
        text = f"{_ALLOWED[card.content['use']].format(judge=card.content['judge']['name'])} {checked}"
        return Document(title, "", (Callout("good", "The card is right.", text),))
    head = "The card is not right: its files say something else."
    rows = tuple((Name(difference.what), difference.stated, difference.now) for difference in verification.differences)
    return Document(title, "", (Callout("bad", head), Table(("What", "on the card", "its files"), rows)))


def _not_checked(verification: Verification) -> str:
    return f"Not checked, since no file here says it: {', '.join(verification.unchecked)}."


def verified_json(verification: Verification) -> dict[str, Any]:
    """The same by the keys of its JSON."""
    card = verification.card
    return {
        "schema": 1,
        "card": str(card.path),
        **attributes(card, "id"),
        "rubric": card.content["rubric"]["name"],
        "use": card.content["use"],
        **attributes(verification, "holds recomputed"),
        "differences": [difference.to_json() for difference in verification.differences],
        "not_checked": list(verification.unchecked),
    }
