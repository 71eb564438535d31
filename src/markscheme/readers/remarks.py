"""Comments on responses, which a rating can't hold."""

from dataclasses import dataclass

from markscheme.ratings.kinds import Kind

QUERY = ("query", "question", "input", "prompt")
"""Names that the input with the question may have."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment on a response, which may come with a rating.

    Attributes:
        unit: Id of the response.
        text: The comment; "" for a passage that was only marked.
        rater: Name of the comment's author; "" if the file doesn't say.
        kind: Kind of the author, as the file states it; None if the file doesn't say.
        at: Time at which the comment was written, as text from the file; None if the file doesn't say.
        quote: Text of the passage that the comment is about; None if no passage is marked.
        modes: Names of failure modes that the passage was labelled with.
    """

    unit: str
    text: str
    rater: str
    kind: Kind | None
    at: str | None = None
    quote: str | None = None
    modes: tuple[str, ...] = ()
