"""Changes of images, by which a stress test finds out whether a judge looks at them."""

from markscheme.features.media.drawing import blank_png
from markscheme.features.media.halving import halved_png
from markscheme.features.media.media import Image
from markscheme.prompts.parts import ShownPart


def blank(media: ShownPart) -> ShownPart | None:
    """Return a white image of the same size as a given image; None for a document."""
    if not isinstance(media, Image) or not media.width or not media.height:
        return None
    return Image(blank_png(media.width, media.height))


def downscaled(media: ShownPart) -> ShownPart | None:
    """Return an image at half its width and height; None for a document, and if `halved_png` can't do it."""
    smaller = halved_png(media.content) if isinstance(media, Image) else None
    return None if smaller is None else Image(smaller)
