"""What is watched in a folder, streams and judges; where there is nothing, no statistics are loaded."""

from collections.abc import Iterator
from pathlib import Path

from markscheme.features.pass_rate.tracked.store import ANCHORS_FILE, StreamFiles
from markscheme.ratings.examples import RATES_FOLDER
from markscheme.report.streams import WatchedStream
from markscheme.rubrics.search import calibrations


def streams_here(start: Path) -> Iterator[WatchedStream]:
    """Yield the streams of a folder's rubrics as they stood at their last look."""
    for rubric, calibration in calibrations(start).items():
        rates = calibration / RATES_FOLDER
        for folder in sorted(rates.iterdir()) if rates.is_dir() else ():
            stream = StreamFiles(folder)
            if stream.is_there:
                from markscheme.features.pass_rate.tracked.standing import standing

                yield standing(rubric, stream)


def judges_here(start: Path) -> Iterator[WatchedStream]:
    """Yield what all looks at the accepted examples of a folder's rubrics say, whoever made them."""
    for rubric, calibration in calibrations(start).items():
        if (calibration / ANCHORS_FILE).is_file():
            from markscheme.features.pass_rate.tracked.standing_judge import standing_judge

            yield standing_judge(rubric, calibration)
