"""Words about a response that no rating holds."""

from dataclasses import dataclass

from markscheme.ratings.kinds import Kind

QUERY = ("query", "question", "input", "prompt")
"""Names of the input that holds the question."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment on a response, next to a rating or without one.

    Attributes:
        unit: The response's id.
        text: The words; "" for a passage that was marked without any.
        rater: Who wrote; "" if the file doesn't say.
        kind: The kind of who wrote, as the file states it; None if it doesn't.
        at: When, as written; None if the file doesn't say.
        quote: The passage that they are about; None if none is marked.
        modes: Names that the passage was labelled with.
    """

    unit: str
    text: str
    rater: str
    kind: Kind | None
    at: str | None = None
    quote: str | None = None
    modes: tuple[str, ...] = ()
