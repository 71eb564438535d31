"""The streams and judges of a folder that are watched over time; if there are none, no statistics are imported."""

from collections.abc import Iterator
from pathlib import Path

from markscheme.features.pass_rate.tracked.file_names import ANCHORS_FILE, STREAM_FILE
from markscheme.ratings.examples import RATES_FOLDER
from markscheme.report.streams import WatchedStream
from markscheme.rubrics.search import calibrations


def watched_here(start: Path) -> Iterator[WatchedStream]:
    """Yield the state of each stream of responses in a folder as of its last look, then of each judge.

    A judge's state is computed from all its looks at the accepted examples of its rubric, in every stream.

    Args:
        start: A folder of the project; calibration folders are looked for from here.
    """
    by_rubric = calibrations(start)
    streams = [(rubric, stream) for rubric, folder in by_rubric.items() for stream in _streams_in(folder)]
    judges = {rubric: folder for rubric, folder in by_rubric.items() if (folder / ANCHORS_FILE).is_file()}
    if not streams and not judges:
        return
    from markscheme.features.pass_rate.tracked import standing, standing_judge

    yield from (standing.standing(rubric, stream) for rubric, stream in streams)
    yield from (standing_judge.standing_judge(rubric, folder) for rubric, folder in judges.items())


def _streams_in(calibration: Path) -> Iterator[Path]:
    """Yield the folder of each stream of responses that has begun, in a rubric's calibration folder."""
    rates = calibration / RATES_FOLDER
    streams = sorted(rates.iterdir()) if rates.is_dir() else ()
    return (stream for stream in streams if (stream / STREAM_FILE).is_file())
