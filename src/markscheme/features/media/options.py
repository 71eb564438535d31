"""Limits on images and documents that submissions may contain."""

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from markscheme.features.media.formats import IMAGE_KIND
from markscheme.options.forms import ABOVE_ZERO, WHOLE, text_form
from markscheme.options.in_force import in_force
from markscheme.options.settings import find_settings
from markscheme.options.table import read_options, setting

_HOST = text_form("names of hosts, such as cdn.example.com")
_NAME = re.compile(r"[\w.:\[\]-]+")
"""Pattern of a host's name or address, with or without a port."""


def _hosts(written: Any) -> str:
    """Read names of hosts as one text, in which spaces separate them; a settings file may list them."""
    names = " ".join(map(_HOST.read, written)) if isinstance(written, list) and written else _HOST.read(written)
    if not all(map(_NAME.fullmatch, names.replace(",", " ").split())):
        raise ValueError
    return names


_HOSTS = _HOST._replace(read=_hosts)


@dataclass(frozen=True, kw_only=True)
class MediaOptions:
    """Limits on images and documents: their size, their number, and the hosts from which they may be fetched."""

    max_image_mb: float = setting(5.0, "megabytes of an image at most (5)", ABOVE_ZERO, value="MB")
    max_pdf_mb: float = setting(20.0, "megabytes of a PDF at most (20)", ABOVE_ZERO, value="MB")
    max_megapixels: float = setting(40.0, "million pixels of an image at most (40)", ABOVE_ZERO, value="N")
    max_media: int = setting(20, "images and PDFs of one response or input at most (20)", WHOLE, value="N")
    media_hosts: str | None = setting(None, "hosts that images and PDFs may be fetched from", _HOSTS, value="HOSTS")

    @property
    def hosts(self) -> frozenset[str]:
        """Names of the hosts from which images and documents may be fetched."""
        return frozenset((self.media_hosts or "").casefold().replace(",", " ").split())

    def most_bytes(self, kind: str) -> int:
        """Return the maximum size in bytes that is allowed for an image or for a document."""
        return int((self.max_image_mb if kind == IMAGE_KIND else self.max_pdf_mb) * 10**6)


def media_options() -> MediaOptions:
    """Return the limits on images and documents: the caller's, else those of the working directory's settings file.

    Raises:
        UsageError: The settings file is invalid.
    """
    return in_force(MediaOptions) or _options_in(os.getcwd())


@lru_cache(maxsize=8)
def _options_in(folder: str) -> MediaOptions:
    settings = find_settings(Path(folder))
    return read_options(MediaOptions, settings.source_of(MediaOptions))
