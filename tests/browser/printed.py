"""The text of a page that Chromium printed, read without a library for PDF."""

import re
import unicodedata
import zlib

from playwright.sync_api import Page


def first_page_text(page: Page) -> str:
    """Print the first page of what a browser shows on A4, and return its text without white space and ligatures."""
    objects = {
        int(number): content
        for number, content in re.findall(
            rb"(\d+) 0 obj\n(.*?)\nendobj", page.pdf(format="A4", page_ranges="1"), re.DOTALL
        )
    }
    (sheet,) = (content for content in objects.values() if re.search(rb"/Type /Page\s", content))
    fonts = {
        name: _letters(_stream(objects[_reference(objects[int(number)], b"ToUnicode")]))
        for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", sheet)
    }
    drawn = _stream(objects[_reference(sheet, b"Contents")])
    text = ""
    letters = dict[str, str]()
    for font, glyphs in re.findall(rb"/(F\d+) \S+ Tf|<([0-9A-F]+)>", drawn):
        if font:
            letters = fonts[font]
        codes = re.findall("....", glyphs.decode())
        text += "".join(letters.get(code, "?") for code in codes)
    return without_spaces(text)


def without_spaces(text: str) -> str:
    """Return a text without white space and ligatures, to be looked for in a printed text."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def _reference(content: bytes, key: bytes) -> int:
    """Return the number of the object that an entry refers to."""
    match = re.search(rb"/%s (\d+) 0 R" % key, content)
    assert match is not None, (key, content[:200])
    return int(match[1])


def _stream(content: bytes) -> bytes:
    """Return the unpacked stream of an object."""
    return zlib.decompress(content.partition(b"stream\n")[2])


def _letters(mapping: bytes) -> dict[str, str]:
    """Return the text of each glyph of a font, by its code of four hexadecimal digits."""
    letters = dict[str, str]()
    for table in re.findall(rb"beginbfchar\n(.*?)endbfchar", mapping, re.DOTALL):
        for code, text in re.findall(r"<(\w+)> <(\w+)>", table.decode()):
            letters[code] = bytes.fromhex(text).decode("utf-16-be")
    for table in re.findall(rb"beginbfrange\n(.*?)endbfrange", mapping, re.DOTALL):
        for first, last, text in re.findall(r"<(\w+)> <(\w+)> <(\w+)>", table.decode()):
            for offset in range(int(last, 16) - int(first, 16) + 1):
                letters[f"{int(first, 16) + offset:04X}"] = chr(int(text, 16) + offset)
    return letters
