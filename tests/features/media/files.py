"""Small whole files of every format, and their data URLs."""

import base64
import struct

from tests.features.media.pictures import chart, document

PNG_FILE = chart(2)
PDF_FILE = document(3)
GIF_FILE = b"GIF89a" + struct.pack("<HHBBB", 2, 3, 0, 0, 0) + b"\x2c\0\0\0\0\2\0\3\0\0\2\2\x44\1\0;"
JPEG_FILE = (
    b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"
    + b"\xff\xc0\0\x0b\x08"
    + struct.pack(">HH", 5, 7)
    + b"\1\1\x11\0"
    + b"\xff\xda\0\x08\1\1\0\0\x3f\0\0\xff\xd9"
)
WEBP_FILE = b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + (8).to_bytes(3, "little") + (10).to_bytes(3, "little")
SVG_FILE = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def sized(width: int, height: int) -> bytes:
    """Return a PNG whose header states a given width and height."""
    return PNG_FILE[:16] + struct.pack(">II", width, height) + PNG_FILE[24:]


def data_url(content: bytes, mime: str) -> str:
    """Return content as a data URL."""
    return f"data:{mime};base64,{base64.b64encode(content).decode()}"
