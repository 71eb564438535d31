"""Images and PDF documents in submissions: read from files, checked, sent to judges that accept them, and displayed."""

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from markscheme.judges.part_checks import PART_CHECKS
from markscheme.options.table import OPTIONS, Family
from markscheme.prompts.parts import PART_CHANGES, PART_READERS, PartChange, PartReader, ShownPart
from markscheme.report.sections.table import RUN_FACTS
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.judges.judge import Judge


def _reading() -> ModuleType:
    from markscheme.features.media import reading

    return reading


def _changes() -> ModuleType:
    from markscheme.features.media import changes

    return changes


def _swapped(media: ShownPart, of_another: ShownPart | None) -> ShownPart | None:
    return None if of_another is None or of_another.digest == media.digest else of_another


async def _probe(judge: "Judge", parts: Sequence[ShownPart]) -> str | None:
    from markscheme.features.media.probe import why_blind

    return await why_blind(judge, parts)


def _facts(calibration: "Calibration") -> Iterable[tuple[str, str]]:
    from markscheme.features.media.run_facts import sight_facts

    return sight_facts(calibration)


def _options() -> type:
    from markscheme.features.media.options import MediaOptions

    return MediaOptions


MEDIA = Feature(
    "media",
    PART_CHANGES(
        PartChange(
            "blank-image",
            "a white image of the same size in place of each image",
            True,
            lambda media, _: _changes().blank(media),
        ),
        PartChange("swapped-image", "the image of another example in its place", True, _swapped),
        PartChange(
            "downscaled",
            "each image at half its width and height",
            False,
            lambda media, _: _changes().downscaled(media),
        ),
    ),
    PART_READERS(
        PartReader(
            read=lambda value, folder, name: _reading().read_media(value, folder, name),
            written=lambda text, folder: _reading().written_media(text, folder),
            loaded=lambda text, name: _reading().loaded_media(text, name),
        )
    ),
    PART_CHECKS(_probe),
    RUN_FACTS(_facts),
    OPTIONS(Family(_options, rank=90, is_of_reading=True)),
)
