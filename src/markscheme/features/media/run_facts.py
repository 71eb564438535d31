"""Facts for the report on a judge that was shown images or PDFs: whether it passed the sight test."""

from collections.abc import Iterator

from markscheme.calibration.calibration import Calibration
from markscheme.features.media.probe import KINDS_IN_WORDS, sight_of
from markscheme.prompts.parts import parts_of


def sight_facts(calibration: Calibration) -> Iterator[tuple[str, str]]:
    """Yield, for images and for PDFs in the examples, name and value of a fact for the report: can the judge see them?

    The judge passed a sight test (a probe with a picture or document whose content is known), or wasn't tested.
    """
    identity = calibration.rater.identity
    if identity is None or calibration.rater.source != "live":
        return
    submissions = (example.submission for example in calibration.comparison.gold.examples)
    texts = (text for submission in submissions for text in (*submission.inputs.values(), *submission.responses))
    for kind in sorted({shown_part.kind for shown_part in parts_of(texts)}):
        reads = "yes (probe)" if sight_of(identity, kind) else "not tested"
        yield f"reads {KINDS_IN_WORDS[kind]}", reads
