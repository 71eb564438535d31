"""Labels given before a criterion was reworded: which to give again, and the statement that the meaning stayed."""

from pathlib import Path

from markscheme.calibration.carried_labels import CarriedLabels
from markscheme.errors import writing
from markscheme.files import append_lines
from markscheme.ratings.wordings import SAME_AS, WORDINGS_FILE, wording_line, wording_lines
from markscheme.rubrics.rubric import Criterion


def to_relabel(carried: CarriedLabels) -> tuple[str, ...]:
    """Return the ids of the examples to label again after a rewording.

    As a rule, these are a random sample of the examples with old labels (`check`). If labels changed when the sample
    was labelled again, these are all examples with old labels; but if the author says that the new words mean the same,
    these stay the sample.
    """
    if carried.state == "relabel the rest" and not carried.is_vouched:
        return carried.affected
    return carried.check


def labels_to_give_again(carried: CarriedLabels | None) -> str | None:
    """Return a sentence on which labels to give again after a rewording; None if there are none."""
    if carried is None or set(carried.old).isdisjoint(to_relabel(carried)):
        return None
    return carried.sentence


def record_same_meaning(folder: Path, criterion: Criterion, at: str) -> tuple[str, ...]:
    """Record the author's statement that a criterion's current wording means the same as earlier ones.

    Args:
        folder: The rubric's calibration folder.
        criterion: The criterion with its current wording.
        at: The day of the statement.

    Returns:
        Digests of the earlier wordings; () if none are recorded, in which case no line is appended.

    Raises:
        UsageError: The file can't be written.
    """
    path = folder / WORDINGS_FILE
    recorded = [str(line.get("under")) for line in wording_lines(path) if line.get("criterion") == criterion.name]
    earlier = tuple(dict.fromkeys(under for under in recorded if under != criterion.wording))
    if earlier:
        with writing(path):
            append_lines(path, [{**wording_line(criterion, at), SAME_AS: list(earlier)}], follow=False)
    return earlier
