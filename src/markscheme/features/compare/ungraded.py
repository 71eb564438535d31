"""Judges that left too many examples without a grade for a comparison with other judges."""

from collections.abc import Sequence

from markscheme.errors import NothingGraded
from markscheme.grading import MOST_UNGRADED
from markscheme.phrases import commonest, counted
from markscheme.ratings.rating import Rating
from markscheme.stats.intervals import Flags

_NO_LEVEL = "no level in its reply"


def why_too_few(name: str, ratings: Sequence[Rating], ids: Sequence[str], graded: Flags) -> str | None:
    """Say how many of a judge's ratings have no level, and why; None if at most a tenth of them have none.

    Args:
        name: The judge's name.
        ratings: Its ratings.
        ids: Ids of the compared examples.
        graded: Flags of the examples on which the judge gave a level, shape (n_examples,).

    Raises:
        NothingGraded: There are ratings, but none has a level; the error has the reasons.
    """
    of_example = {rating.id: rating for rating in ratings}
    rated = [(of_example[id], bool(is_graded)) for id, is_graded in zip(ids, graded, strict=True) if id in of_example]
    reasons = [rating.error or _NO_LEVEL for rating, is_graded in rated if not is_graded]
    if rated and len(reasons) == len(rated):
        raise NothingGraded([reason if name in reason else f"{name}: {reason}" for reason in reasons])
    if len(reasons) <= MOST_UNGRADED * len(rated):
        return None
    return f"{name} left {len(reasons)} of {counted(len(rated), 'example')} without a grade: {commonest(reasons)}."
