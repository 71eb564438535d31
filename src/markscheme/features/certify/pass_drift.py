"""Warning if the share of passes by a certificate differs between the responses graded now and its labels."""

import warnings
from shlex import quote

from markscheme.errors import RatingWarning
from markscheme.features.certify.certificate_file import CascadeFile
from markscheme.features.certify.judges import CertifiedJudges
from markscheme.features.certify.promise import MARK_SIDES
from markscheme.grading import Grading
from markscheme.grading.graded_table import GradedCounts
from markscheme.options.in_force import with_reading_options
from markscheme.phrases import percent
from markscheme.stats.prevalence import random_draw_p
from markscheme.text import on_one_line

FEWEST_GRADED = 30
"""Smallest number of graded responses for which the share of passes is compared."""
MOVED_AT = 0.01
"""Largest p at which a share counts as moved; the check of labels that weren't drawn at random uses this value too."""


def warn_of_moved_passes(grading: Grading, counts: GradedCounts) -> None:
    """Warn if a certificate's judges pass a different share of the graded responses than of its labelled examples.

    Args:
        grading: The grading, whose judge may be a certificate's.
        counts: Counts of the graded responses by decision.
    """
    if not isinstance(grading.judge, CertifiedJudges):
        return
    file = grading.judge.file
    moved = moved_share(file, passes=counts.passes, fails=counts.fails, left_to_people=counts.decided[""])
    if moved is None:
        return
    certified, graded = moved
    share = {"passes": "of all are passed alone", "fails": "of all are failed alone"}.get(file.side, "of these pass")
    judges = quote(on_one_line(",".join(stage.judge for stage in file.stages)))
    command = with_reading_options(f"markscheme certify {quote(grading.rubric.name)} --judge {judges} --write")
    warnings.warn(
        f"of what the cascade decides, another share than certified: {percent(graded)} {share} here, "
        f"{percent(certified)} of the labelled examples in {file.path}. Its promise is for responses like those: "
        f"label some of these, then certify again with `{command}`",
        RatingWarning,
        stacklevel=2,
    )


def moved_share(file: CascadeFile, *, passes: int, fails: int, left_to_people: int) -> tuple[float, float] | None:
    """Return the share of passes among automatic decisions, when certified and now; None without significant change.

    If judges decide only passes, or only fails, return the share of all responses that judges decide instead.

    Args:
        file: The certificate.
        passes: Number of responses that its judges passed.
        fails: Number of responses that its judges failed.
        left_to_people: Number of responses that its judges left to people.
    """
    certified = file.pass_shares
    if certified is None or not certified.decided or not passes + fails:
        return None
    effective = certified.effective
    share = certified.share
    hits = passes
    graded = passes + fails
    if file.side in MARK_SIDES:
        effective *= certified.labels / certified.decided
        share = certified.decided / certified.labels
        hits = passes + fails
        graded = hits + left_to_people
    labels = round(effective)
    if graded < FEWEST_GRADED or not labels:
        return None
    before = round(share * labels)
    p = random_draw_p([labels - before, before], [graded - hits, hits])
    return (share, hits / graded) if p <= MOVED_AT else None
