"""Responses to grade, taken from exports of other tools and from Promptfoo's results."""

from collections.abc import Iterator
from pathlib import Path

from markscheme.errors import UsageError
from markscheme.prompts.submission import Submission
from markscheme.readers.imported import RESPONSES_ALONE
from markscheme.readers.rated import open_rated


def responses_in_export(path: Path) -> Iterator[Submission]:
    """Yield the responses in another tool's export, or in Promptfoo's results.

    Raises:
        UsageError: The file has no responses.
    """
    for file in open_rated([path], expected="examples", columns=RESPONSES_ALONE).files:
        if not file.has_responses:
            raise UsageError(f"{path} is {file.format}: it contains no responses to grade")
        yield from (example.submission for example in file.examples)
