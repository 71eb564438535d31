"""Images and PDF documents in what is judged: read from files, checked, sent to judges that can see, and shown."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markscheme.judges.sight import PART_CHECKS
from markscheme.options.table import OPTIONS, Family
from markscheme.parts import PART_CHANGES, PART_READERS, PartChange, PartedText, PartReader, ShownPart
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.judges.judge import Judge


def _read(value: Any, folder: Path | None, name: str) -> PartedText | None:
    from markscheme.features.media.reading import read_media

    return read_media(value, folder, name)


def _written(text: PartedText, folder: Path) -> Any:
    from markscheme.features.media.reading import written_media

    return written_media(text, folder)


def _loaded(text: str, name: str) -> PartedText | None:
    from markscheme.features.media.reading import loaded_media

    return loaded_media(text, name)


def _blank(media: ShownPart, _: ShownPart | None) -> ShownPart | None:
    from markscheme.features.media.changes import blank

    return blank(media)


def _swapped(media: ShownPart, of_another: ShownPart | None) -> ShownPart | None:
    return None if of_another is None or of_another.digest == media.digest else of_another


async def _probe(judge: "Judge", parts: Sequence[ShownPart]) -> str | None:
    from markscheme.features.media.probe import why_blind

    return await why_blind(judge, parts)


def _options() -> type:
    from markscheme.features.media.options import MediaOptions

    return MediaOptions


MEDIA = Feature(
    "media",
    PART_CHANGES(
        PartChange("blank-image", "a white image of the same size in place of each image", True, _blank),
        PartChange("swapped-image", "the image of another example in its place", True, _swapped),
    ),
    PART_READERS(PartReader(_read, _written, _loaded)),
    PART_CHECKS(_probe),
    OPTIONS(Family(_options, rank=90)),
)
