"""The difference between two wordings, shown word by word."""

from difflib import SequenceMatcher

from markscheme.report.document import ChangedWords, Piece


def word_difference(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Compare two texts by words; return the pieces of each, with the words that the other text lacks as ChangedWords.

    >>> word_difference("is very polite", "is polite")[0]
    ('is', ' ', ChangedWords(text='very', how='del'), ' ', 'polite')
    """
    words = old.split()
    others = new.split()
    sides: tuple[list[Piece], list[Piece]] = ([], [])
    for same, first, last, begin, end in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        parts = ChangedWords(" ".join(words[first:last]), "del"), ChangedWords(" ".join(others[begin:end]), "ins")
        for side, of_side in zip(sides, parts, strict=True):
            if of_side.text:
                side += [*([" "] if side else []), of_side.text if same == "equal" else of_side]
    return tuple(sides[0]), tuple(sides[1])
