"""Counts with their nouns; imports nothing else, so that commands start fast."""


def counted(n: int, thing: str, things: str = "") -> str:
    """A count with its noun.

    >>> counted(1, "call"), counted(1200, "call"), counted(2, "reply", "replies")
    ('1 call', '1200 calls', '2 replies')
    """
    return f"{n} {thing}" if n == 1 else f"{n} {things or thing + 's'}"
