"""Replaces quotations and inserted material in an `llm-rubric` text while the author's own instructions are read."""

import re
from collections.abc import Sequence

_FIRST = 0xE000
"""The first private-use character; these characters are the placeholders for the passages that are set aside."""
_MOST = 6400
"""Number of private-use characters, and so the largest number of passages that can be set aside."""
_TAGS = "reference|context|document|source|example|input|question|conversation|transcript|article|facts|policy"
_SET_ASIDE = re.compile(
    rf"(?P<whole><(?:{_TAGS})s?>[^<]*</\w{{1,20}}>|```[^`]{{1,9999}}```|'''[^']{{1,9999}}'''"
    r"|\"\"\"[^\"]{1,9999}\"\"\")|(?<=[\s(\[])\"(?P<straight>[^\"\n]{1,400})\"|(?<=[\s(\[])“(?P<curled>[^”\n]{1,400})”"
    r"|(?<=[\s(\[])„(?P<low>[^“\n]{1,400})“"
    r"|(?:(?<=\n)|(?<=: ))\"(?P<lines>[^\"]{1,1999})\"(?=\s|$)",
    re.IGNORECASE,
)
"""Pattern of the passages to set aside: inserted material between tags or fences, and quotations, also of several
lines."""
_NUMBERED = re.compile(r"^([^\S\n]*\"?[A-Za-z]{0,3}\d{1,2}\"? ?[=:] ?)\"([^\"\n]{1,999})\",?$", re.MULTILINE)
"""Pattern of a numbered point or level in quotation marks, which isn't a quotation."""
_STAND_INS = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + _MOST - 1)}]")


def set_aside(text: str) -> tuple[str, Sequence[str]]:
    """Replace quotations of several words and inserted passages by placeholders; return the text and the passages.

    An inserted passage is material between tags such as <context>, or between code fences. Each placeholder is one
    private-use character: the first character for the first passage returned, the next for the second, and so on.
    """
    originals: list[str] = []

    def stand_in(passage: re.Match[str]) -> str:
        words = passage[passage.lastgroup or 0]
        is_single_word = passage.lastgroup != "whole" and " " not in words
        if is_single_word or len(originals) == _MOST:
            return passage[0]
        whole = words.rstrip(".!?") or words
        originals.append(whole)
        return passage[0].replace(whole, chr(_FIRST + len(originals) - 1))

    return _SET_ASIDE.sub(stand_in, _NUMBERED.sub(r"\1\2", _STAND_INS.sub("", text))), originals


def put_back(words: str, originals: Sequence[str]) -> str:
    """Put the passages that `set_aside` replaced back into a part of the text.

    Args:
        words: The part of the text, with a character in place of each passage.
        originals: The passages, as `set_aside` returned them.
    """
    return _STAND_INS.sub(lambda stand_in: originals[ord(stand_in[0]) - _FIRST], words)
