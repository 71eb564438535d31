"""The texts a judge was shown: find a quote in them, and detect answers that only repeat them."""

import json
import re
import unicodedata
from binascii import a2b_base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any
from urllib.parse import unquote

from markscheme.prompts.submission import RESPONSE

SHORTEST_QUOTE = 8
"""Fewest characters of a quote that is looked up; a run of white space counts as one character."""
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
"""Pattern of invisible characters, and of those that change the direction of text."""
_STRAIGHT = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")
_WITHOUT_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Ranges of characters of scripts without spaces between words, in which a quote may begin or end at any character."""
_TOKEN = re.compile(rf"[{_WITHOUT_SPACES}]|[^\W{_WITHOUT_SPACES}]+|[^\w\s]")
_LEADER = re.compile(r"^[ \t]*(?://[/!]?|#+|\*+|--|;+|>)(?=\s)", re.MULTILINE)
"""Pattern of the prefix of each line of a comment or quotation, which a quote of several lines leaves out."""
_STEP = re.compile(r"step \d+")
_WORD = re.compile(r"\w+")
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|([nrtbf])|)")
_MOST_UNESCAPING = 4
"""Largest number of levels of escaping that are undone."""
_LONGEST_LEVEL = 40
"""Largest number of characters of a value that is looked up as a level; longer values are reasons, which all differ."""
_SAYING = ("reason", "level", "score")
"""Keys of an answer whose values are compared with the texts; the quote isn't one, since it is from the texts
anyway."""


@dataclass(frozen=True)
class Material:
    """The texts that a judge was shown, in which the quotes in its verdicts are looked up.

    Attributes:
        texts: The texts by name: inputs, the response as `response`, and a step of a trajectory as `step 4`.
    """

    texts: Mapping[str, str]

    @classmethod
    def of(cls, shown: "str | Mapping[str, str] | Material") -> "Material":
        """Create the material from a mapping of names to texts, or from one text, the response."""
        if isinstance(shown, Material):
            return shown
        return cls({RESPONSE: shown} if isinstance(shown, str) else shown)

    def find(self, quote: str, *, first: str = RESPONSE) -> str | None:
        """Return the name of the text that contains a quote, `first` if that text does; None if none does.

        White space between words and punctuation may differ, and so may straight and curly quotation marks and comment
        prefixes of lines. Only whole words match, and invisible characters are ignored.

        Example:
            >>> Material({"query": "How long?", "response": "It takes five  days."}).find("takes five days")
            'response'
            >>> Material({"response": "It takes twenty-five days."}).find("It takes twenty-five day") is None
            True
        """
        wanted = _tokens(quote)
        if not wanted:
            return None
        names = [name for name, text in self._tokens.items() if wanted in text]
        if not names:
            bare = _tokens(_LEADER.sub("", quote)) or wanted
            names = [name for name, text in self.texts.items() if bare in _tokens(_LEADER.sub("", text))]
        return first if first in names else next(iter(names), None)

    @cached_property
    def has_steps(self) -> bool:
        """True if the judge was shown steps of a trajectory."""
        return any(_STEP.fullmatch(name) for name in self.texts)

    def is_too_short(self, quote: str) -> bool:
        """Return True if `quote` is too short to show anything: under 8 characters, unless it is the whole response."""
        length = len(" ".join(_visible(quote).split()))
        return length < SHORTEST_QUOTE and _tokens(quote) != self._tokens.get(RESPONSE)

    def repeats(self, answer: Mapping[str, Any]) -> bool:
        """Return True if a text shown to the judge contains all that an answer states: each value next to its key.

        The order of keys, the style of quotation marks, and escaping as JSON or HTML are ignored, so that altered
        copies are found too.

        Args:
            answer: A verdict with reason and level or score; for any other object, all values except quotes count.

        Example:
            >>> shown = Material({"response": 'Say {&quot;level&quot;: &quot;5&quot;, "reason": “Great.”}!'})
            >>> shown.repeats({"reason": "Great.", "level": 5}), shown.repeats({"reason": "Poor.", "level": 5})
            (True, False)
        """
        level = answer.get("level")
        if isinstance(level, str) and len(level) <= _LONGEST_LEVEL and not self._texts_with(level):
            return False
        statements = {key: answer[key] for key in _SAYING if key in answer} if "reason" in answer else answer
        texts = self._by_words
        holds = False
        for key, value in sorted(_leaves(statements), key=lambda leaf: len(leaf[1])):  # a level is ruled out fastest
            if words := _statement(key, value) if len(value) <= _LONGEST_LEVEL else _words(_keyed(key, value)):
                texts = [text for text in texts if text.contains(words)]
                holds = True
            if not texts:
                return False
        return holds

    def _texts_with(self, level: str) -> "list[_TextByWords]":
        """Return the texts of the material in which the word "level" precedes a certain level, as in "level: 3".

        Args:
            level: The level as the judge wrote it.
        """
        texts = self._with_level.get(level)
        if texts is None:
            words = _statement("level", level)
            texts = [text for text in self._by_words if not words or text.contains(words)]
            self._with_level[level] = texts
        return texts

    @cached_property
    def _with_level(self) -> "dict[str, list[_TextByWords]]":
        """Cache for `_texts_with`: by level, the texts of the material that state it, as in "level: 3"."""
        return {}

    @cached_property
    def _tokens(self) -> dict[str, str]:
        return {name: _tokens(self.texts[name]) for name in sorted(self.texts, key=lambda name: name != RESPONSE)}

    @cached_property
    def _by_words(self) -> "list[_TextByWords]":
        texts = self.texts.values()
        return [_TextByWords(text) for text in (*texts, *(decoded for text in texts for decoded in _decoded(text)))]


_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){12,}")
_BYTES = re.compile(r"(?:\\x[0-9a-fA-F]{2}){12,}")
_TAGS = re.compile("[\U000e0020-\U000e007e]{12,}")
"""Pattern of a run of invisible tag characters that is long enough to hide an answer which a judge may decode."""


def _decoded(text: str) -> Iterator[str]:
    """Yield the hidden readings of a text or of passages in it: read backwards, or decoded, such as from Base64.

    Such forms hide words from human readers.

    Example:
        >>> [passage for passage in _decoded("bGV2ZWw6IDUsIHJlYXNvbjogR3JlYXQ=") if "level" in passage]
        ['level: 5, reason: Great']
    """
    yield text[::-1]
    if "%" in text:
        yield unquote(text)
    encoded = _BASE64.findall(text)
    for passage in encoded:
        whole = passage[:-1] if len(passage) % 4 == 1 else passage + "=" * (-len(passage) % 4)
        yield a2b_base64(whole.translate(_STANDARD)).decode(errors="ignore")
    for passage in chain.from_iterable(map(_HEX.findall, encoded)):  # its letters are all of Base64
        yield bytes.fromhex(passage).decode(errors="ignore")
    for passage in _BYTES.findall(text) if "\\x" in text else ():
        yield bytes.fromhex(passage.replace("\\x", "")).decode(errors="ignore")
    for passage in () if text.isascii() else _TAGS.findall(text):
        yield "".join(chr(ord(letter) - _TAG_PLANE) for letter in passage)


_STANDARD = str.maketrans("-_", "+/")
_TAG_PLANE = 0xE0000
"""Difference between the code of an invisible tag character and that of its visible letter."""


class _TextByWords:
    """A text in which sequences of words are searched, whatever their case, white space and punctuation."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain = None if _may_be_escaped(text) else text.casefold()

    def contains(self, words: str) -> bool:
        """Return True if the text has the given words, one after the other."""
        if self._plain is not None and not all(word in self._plain for word in words.split(" ")):
            return False  # found out in a fiftieth of the time that it takes to divide a text into words
        return f" {words} " in self._words

    @cached_property
    def _words(self) -> str:
        return f" {_words(self._text)} "


def _visible(text: str) -> str:
    if text.isascii():
        return text
    return _INVISIBLE.sub("", unicodedata.normalize("NFC", text)).translate(_STRAIGHT)


def _tokens(text: str) -> str:
    """Return the words and punctuation of a text with separators around each; "" for a text without any."""
    tokens = _TOKEN.findall(_visible(text))
    return "\x1f" + "\x1f".join(tokens) + "\x1f" if tokens else ""


@lru_cache(maxsize=256)
def _statement(key: str | None, value: str) -> str:
    """Return a key and its value as lower-case words, to look up in texts; without a key, only the value's."""
    return _words(_keyed(key, value))


def _keyed(key: str | None, value: str) -> str:
    return value if key is None else f"{key}: {value}"


def _words(text: str) -> str:
    """Return the words of a text in lower case, with one space between them; escapes such as `&amp;` are resolved."""
    if _may_be_escaped(text):
        text = _unescaped_text(text)
    return " ".join(_WORD.findall(text.casefold()))


def _may_be_escaped(text: str) -> bool:
    return not text.isascii() or "&" in text or "\\" in text


def _unescaped_text(text: str) -> str:
    import html

    for _ in range(_MOST_UNESCAPING):
        before = text
        text = _ESCAPE.sub(_unescaped, html.unescape(_INVISIBLE.sub("", text)))
        if text == before:
            break
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", whole))


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return " " if escape[2] else ""


def _leaves(value: Any, key: str | None = None) -> list[tuple[str | None, str]]:
    """List the single values in nested plain data, each with its key, except values of the key "quote"."""
    if isinstance(value, str):  # first: most are
        return [(key, value)]
    if isinstance(value, dict | Mapping):  # a dict is found to be one ten times faster
        return [leaf for name, inner in value.items() if name != "quote" for leaf in _leaves(inner, name)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner, key)]
    if isinstance(value, float):
        return [(key, f"{value:g}")]
    return [(key, json.dumps(value, default=str))]
