"""Responses to grade, taken from exports of other tools and from Promptfoo's results."""

from collections.abc import Iterator
from pathlib import Path

from markscheme.errors import UsageError
from markscheme.promptfoo.results import read_results
from markscheme.prompts.submission import NO_RESPONSE, Submission
from markscheme.readers.imported import RESPONSES_ALONE
from markscheme.readers.rated import has_results, open_rated


def responses_in_export(path: Path) -> Iterator[Submission]:
    """Yield the responses in another tool's export, or in Promptfoo's results.

    Raises:
        UsageError: The file has no responses.
    """
    if has_results(path):
        rows = read_results(path, unjudged=True).rows
        if not any(row.verdicts for row in rows):  # Promptfoo only made the outputs
            yield from (
                Submission(row.response, row.inputs, row.id, "" if row.response else NO_RESPONSE) for row in rows
            )
            return
    for file in open_rated([path], expected="examples", columns=RESPONSES_ALONE).files:
        if not file.has_responses:
            raise UsageError(f"{path} is {file.format}: it contains no responses to grade")
        yield from (example.submission for example in file.examples)
