"""Conversion of external text to text that is safe to print, to open in a spreadsheet, and to use as a file name."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Any, TextIO

from markscheme.errors import UsageError

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_FORMULA = frozenset("=+-@")
_FORBIDDEN = frozenset('/\\:*?"<>|')
LONGEST_NAME = 64
"""Largest number of characters of a file's name: with up to three bytes each and a suffix, still below the usual
limit of 255 bytes."""


def escaped(text: str) -> str:
    r"""Write control, bidi and surrogate characters of a text as `\uXXXX`, as in JSON.

    The result can be printed safely: no terminal acts on it, every Unicode encoding can represent it, and a JSON text
    keeps its meaning, also where YAML reads it.

    >>> escaped("a\x1b[31mred\u202e\n") == "a\\u001b[31mred\\u202e\n"
    True
    """
    return _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def folded_word(word: str) -> str:
    """Convert a word to a form for comparison: lower case, no outer white space, composed letters.

    >>> folded_word(" Tre\u0300s ") == folded_word("tr\u00e8s")
    True
    """
    return unicodedata.normalize("NFC", word.strip().casefold())


def printable(text: str) -> str:
    """Put a text on one line, with U+FFFD for each character that a terminal would act on or cannot show.

    >>> printable("a\\x1b[31mred") == "a\\ufffd[31mred"
    True
    """
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def on_one_line(words: str) -> str:
    """Join words by single spaces, without line breaks or control characters."""
    return printable(" ".join(words.split()))


def cut_short(text: str, length: int = 160) -> str:
    """Put an external text on one line, and cut it at the given length, between words where possible.

    >>> cut_short("the reply is no JSON object", 20), cut_short("a" * 9, 5)
    ('the reply is no…', 'aaaa…')
    """
    line = " ".join(text.split())
    head = line[:length].rpartition(" ")[0] if " " in line[length // 2 : length] else line[: length - 1]
    return line if len(line) <= length else f"{head}…"


def short_id(example: str) -> str:
    """Return an example's id with a prompt that was read from a file shortened to the file's name.

    >>> short_id("test-4 @ prompts/v1.txt: You are a support agent… / openai:gpt-4o-mini")
    'test-4 @ v1.txt / openai:gpt-4o-mini'
    """
    head, _, rest = example.partition(" @ ")
    path, _, prompt = rest.partition(": ")
    name = "" if " " in path else path.rpartition("/")[2]
    return f"{head} @ {name}{''.join(prompt.partition(' / ')[1:])}" if prompt and "." in name else example


def encodable(text: str) -> str:
    """Replace lone surrogates in a text by U+FFFD, so that it can be sent and stored.

    >>> encodable("cut \\ud83d") == "cut \ufffd"
    True
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def encodable_data(data: Any) -> Any:
    """Replace lone surrogates by U+FFFD in all texts and keys of plain data."""
    if isinstance(data, str):
        return encodable(data)
    if isinstance(data, list):
        return [encodable_data(element) for element in data]
    if isinstance(data, dict):
        return {encodable_data(key): encodable_data(value) for key, value in data.items()}
    return data


def spreadsheet_cell(text: str) -> str:
    """Make a text safe from evaluation as a formula: a text that begins like a formula gets a quote in front.

    White space before the sign and signs of another width (such as the full-width `＝`) count too.

    >>> [spreadsheet_cell(text) for text in ("=1+1", " ＠SUM", "a=1")]
    ["'=1+1", "' ＠SUM", 'a=1']
    """
    first = next((letter for letter in text if not (letter.isspace() or _is_invisible(letter))), "")
    return f"'{text}" if unicodedata.normalize("NFKC", first)[:1] in _FORMULA or first == "−" else text


def cell_text(cell: str) -> str:
    """Return the original text of a cell that `spreadsheet_cell` made.

    >>> [cell_text(spreadsheet_cell(text)) for text in ("=1+1", "'quoted'", "a=1")]
    ['=1+1', "'quoted'", 'a=1']
    """
    return cell[1:] if cell.startswith("'") and spreadsheet_cell(cell[1:]) == cell else cell


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs")


def path_component(name: str, what: str) -> str:
    """Return a name unchanged if it can be that of a file or folder; refuse any other name.

    Args:
        name: The name, from a rubric, a command line or a file.
        what: Noun for the name, for the message, such as "--rater" or "the rubric's name".

    Raises:
        UsageError: The name can't be part of a path.
    """
    if not is_path_component(name):
        raise UsageError(
            f"{what} can't name a file: got {printable(name)[: LONGEST_NAME + 1]!r}; a name has 1 to {LONGEST_NAME} "
            'characters, begins with a letter, a digit or "_", and has none of / \\ : * ? " < > | in it'
        )
    return name


def is_path_component(name: str) -> bool:
    """Return True if a name is a valid file or folder name on every system.

    >>> [is_path_component(name) for name in ("code-quality", "Ann Lee", "../x", "a/b", ".hidden", "a\\nb", "")]
    [True, True, False, False, False, False, False]
    """
    return (
        0 < len(name) <= LONGEST_NAME
        and name.isprintable()
        and (name[0].isalnum() or name[0] == "_")
        and name[-1] not in " ."
        and not _FORBIDDEN & set(name)
        and len(name.encode()) <= 200
    )


class SafeStream:
    """A text stream that escapes control characters and whatever the terminal can't encode.

    It reports that it isn't a terminal, so that no library sends it colours. Code that draws on the terminal itself
    writes to `raw` and makes its own text safe.
    """

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write a text, its unsafe characters escaped."""
        safe = escaped(text)
        encoding = self.raw.encoding or "utf-8"
        try:
            self.raw.write(safe)
        except UnicodeEncodeError:
            self.raw.write(safe.encode(encoding, "backslashreplace").decode(encoding))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts, their unsafe characters escaped."""
        for line in lines:
            self.write(line)

    def isatty(self) -> bool:
        """Return False, even if the stream's output is a terminal."""
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)

    def __enter__(self) -> "SafeStream":
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the stream open when the `with` block ends."""


def raw_stream(stream: Any) -> TextIO:
    """Return the stream that a SafeStream wraps; any other stream unchanged."""
    raw: TextIO = stream.raw if isinstance(stream, SafeStream) else stream
    return raw
