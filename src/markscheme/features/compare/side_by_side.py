"""Judges' answers side by side, a block of a document that only HTML pages show."""

from dataclasses import dataclass

from markscheme.report.document import Block


@dataclass(frozen=True)
class JudgeAnswer:
    """One judge's answer about an example, to be shown next to those of other judges.

    Attributes:
        head: The judge's decision and score in a few words.
        reasons: The judge's reasons by criterion, each with its level.
        is_off: True if the judge's decision differs from gold's.
    """

    head: str
    reasons: tuple[tuple[str, str], ...] = ()
    is_off: bool = False


@dataclass(frozen=True)
class AnsweredText:
    """An example's query and response, with the answer of each judge.

    Attributes:
        id: Id of the example.
        query: The beginning of the query; "" if it isn't known.
        response: The beginning of the response; "" if it isn't known.
        gold: Gold's decision as a word; "" without gold.
        answers: The answer of each judge.
    """

    id: str
    query: str
    response: str
    gold: str
    answers: tuple[JudgeAnswer, ...]


@dataclass(frozen=True)
class SideBySide(Block):
    """A block of examples, each with the answers of several judges next to each other."""

    judges: tuple[str, ...]
    rows: tuple[AnsweredText, ...]
    has_gold: bool
