"""The part of a labelled set that a command works on, and the record of who looked at labels that are kept back."""

import argparse
import datetime

from markscheme.errors import UsageError
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import Openings, open_test_labels, openings_of


def part_of(examples: ExampleSet, arguments: argparse.Namespace) -> ExampleSet:
    """The examples of the split that was asked for; without a wish those of `dev`, once a set has splits.

    Raises:
        UsageError: No example belongs to it.
    """
    part = examples.part(arguments.split)
    if examples.examples and not part.examples:
        place = f" in {examples.path}" if examples.path is not None else ""
        split = arguments.split or "dev"
        raise UsageError(
            f'no example{place} has "split": "{split}"; keep some back by writing it into their lines, '
            "or leave --split out"
        )
    return part


def openings_by(arguments: argparse.Namespace, examples: ExampleSet, command: str) -> Openings | None:
    """How often labels that are kept back were looked at; this time counts if they are among those asked for."""
    before = openings_of(examples)
    if before is None or arguments.split not in ("test", "all"):
        return before
    today = datetime.date.today().isoformat()
    return open_test_labels(examples, by=f"{command} --split {arguments.split}", at=today)[1]
