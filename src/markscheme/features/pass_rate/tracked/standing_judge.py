"""The state of a judge by all looks at its accepted examples, for `status`: a line, and a table of the looks."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from markscheme.calibration.earlier_runs.accepted_basis import LOOKS_ALARM, MOST_EVIDENCE
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.errors import MarkschemeError
from markscheme.features.pass_rate.tracked.anchors import (
    FAIL_SIDE,
    PASS_SIDE,
    AnchorLook,
    AnchorWatch,
    judge_moved,
    read_anchors,
)
from markscheme.features.pass_rate.tracked.view import judge_fact
from markscheme.grading.receipt import ACCEPTED
from markscheme.phrases import counted, number_or_over
from markscheme.report.document import Line, Paragraph, Section, Table
from markscheme.report.figures import NONE
from markscheme.report.streams import WatchedStream

_HEADINGS = ("Look", "accepted passes changed", "accepted fails changed", "evidence that it moved")


def standing_judge(rubric: str, calibration: Path) -> WatchedStream:
    """Return the state of a rubric's judge, from all looks at the examples of its accepted run.

    If a file can't be read, the state consists of the error.

    Args:
        rubric: Name of the rubric.
        calibration: The rubric's calibration folder.
    """
    shown = {"rubric": rubric}
    try:
        accepted = load_accepted(calibration / ACCEPTED)
        looks = [look for look in read_anchors(calibration) if look.accepted == accepted.digest]
    except MarkschemeError as error:
        fault = str(error).splitlines()[0]
        section = partial(_section, rubric, fault, (), AnchorWatch())
        return WatchedStream(f"judge of {rubric}: {fault}", shown | {"fault": fault}, section, "looks")
    watch = judge_moved(accepted, looks)
    evidence = {"evidence": watch.after[-1] if watch.after else None, "alarm_at": LOOKS_ALARM, "moved": watch.has_rung}
    last = looks[-1].day if looks else None
    data = {"accepted": accepted.date, "looks": len(looks), "last": last, **evidence}
    since = f"{counted(len(looks), 'look')} since the accepted run of {accepted.date}"
    state = f"over {since}, {judge_fact(watch, names_looks=False)}" if looks else f"no {since[2:]}"
    line = f"judge of {rubric}: {state}"
    return WatchedStream(line, shown | data, partial(_section, rubric, line, looks, watch), "looks")


def _section(rubric: str, line: str, looks: Sequence[AnchorLook], watch: AnchorWatch) -> Section:
    table = (Table(_HEADINGS, tuple(_rows(looks, watch))),) if looks else ()
    return Section(f"Judge of {rubric}", (Paragraph((line,)), *table))


def _rows(looks: Sequence[AnchorLook], watch: AnchorWatch) -> Iterator[tuple[Line, ...]]:
    """Yield a table row for each look.

    If there are too few accepted runs to compare with, the first looks take their place, and show no
    evidence.
    """
    filling = len(looks) - len(watch.flips)
    for index, look in enumerate(looks):
        counts = index - filling
        flips = watch.flips[counts] if counts >= 0 else None
        sides = (PASS_SIDE, FAIL_SIDE)
        changed = [NONE if flips is None else f"{flips[side]} of {watch.sizes[side]}" for side in sides]
        evidence = number_or_over(watch.after[counts], MOST_EVIDENCE) if counts >= 0 and watch.after else NONE
        yield look.day, *changed, evidence
