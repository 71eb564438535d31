"""The function that reads a certificate, by the ending of what it reads."""

from collections.abc import Callable, Mapping
from pathlib import Path

from markscheme.features.certify.certificate_file import CascadeFile

READERS: Mapping[str, Mapping[str, Callable[[Path], object]]] = {".json": {"certificate": CascadeFile.load}}
