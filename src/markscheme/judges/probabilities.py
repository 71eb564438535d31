"""Token probabilities as chat servers report them, and their alignment with the text of the reply."""

import codecs
import math
from collections.abc import Iterable, Mapping
from typing import Any

from markscheme.judges.judge import Token
from markscheme.plain_data import objects

SMALLEST = -700.0
"""Log-probability below which the probability counts as 0."""


def read_tokens(entries: Iterable[Mapping[str, Any]]) -> tuple[Token, ...]:
    """Read the tokens of a chat server's reply, each with its alternatives and their probabilities.

    Args:
        entries: One entry per token, as in `logprobs.content` of a chat completion: `token`, `logprob` (natural
            logarithm), `bytes` and `top_logprobs`. The tokens end before the first unreadable entry.

    Returns:
        Tokens whose texts joined together are the model's answer; a character whose bytes are spread over several
        tokens belongs to the last of them.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    tokens: list[Token] = []
    for token in entries:
        if not isinstance(token, Mapping):
            break
        text = _text(token, decoder)
        alternatives = _alternatives(token)
        if text is None or alternatives is None:
            break
        tokens.append(Token(text, alternatives))
    return tuple(tokens)


def aligned(tokens: tuple[Token, ...], text: str) -> tuple[Token, ...]:
    """Return those of the tokens that together spell `text`; () if none do.

    A server may strip white space or a code fence from what the model wrote.

    Example:
        >>> [token.text for token in aligned((Token("```", {}), Token("\\n{", {}), Token("}", {})), "{}")]
        ['{', '}']
    """
    before = "".join(token.text for token in tokens).find(text)
    if not text or before == -1:
        return ()
    aligned_tokens: list[Token] = []
    for token in tokens:
        if before < len(token.text):
            aligned_tokens.append(Token(token.text[before:], token.alternatives))
        before = max(0, before - len(token.text))
    return tuple(aligned_tokens)


def _text(token: Mapping[str, Any], decoder: codecs.IncrementalDecoder) -> str | None:
    raw = token.get("bytes")
    if isinstance(raw, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in raw):
        return decoder.decode(bytes(raw))
    text = token.get("token")
    return text if isinstance(text, str) else None


def _alternatives(token: Mapping[str, Any]) -> dict[str, float] | None:
    """Map a token, and each alternative to it, to its probability; None if the probabilities can't be read."""
    alternatives = objects(token.get("top_logprobs"))
    if all(alternative.get("token") != token.get("token") for alternative in alternatives):
        alternatives.append(token)
    probabilities: dict[str, float] = {}
    for alternative in alternatives:
        text = alternative.get("token")
        probability = _probability(alternative.get("logprob"))
        if not isinstance(text, str) or probability is None:
            return None
        probabilities[text] = min(1.0, probabilities.get(text, 0.0) + probability)
    return probabilities


def _probability(logarithm: object) -> float | None:
    """Convert a log-probability to a probability from 0 to 1; None for anything else."""
    if isinstance(logarithm, bool) or not isinstance(logarithm, int | float) or not logarithm < 0.01:
        return None
    return math.exp(max(SMALLEST, min(0.0, logarithm)))
