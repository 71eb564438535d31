"""Options that several commands share."""

import argparse
from pathlib import Path

from markscheme.errors import UsageError
from markscheme.judges.kinds import judge_forms


class _Help(argparse.HelpFormatter):
    """Paragraphs filled to the width at hand; examples and lists in columns keep their lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap  # only help needs it

        return "\n\n".join(
            paragraph
            if "  " in paragraph
            else textwrap.fill(
                paragraph, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
            )
            for paragraph in text.split("\n\n")
        )


class Parser(argparse.ArgumentParser):
    """A parser whose faults exit with status 2 and whose help keeps the lines of its example."""

    def __init__(self, command: str, summary: str, example: str) -> None:
        super().__init__(
            prog=f"markscheme {command}",
            description=summary,
            epilog=f"example:\n  {example}",
            formatter_class=_Help,
        )


JUDGE_NAMES = judge_forms()


def add_judge(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """`--judge` and what bounds the asking."""
    group = parser.add_argument_group("the judge")
    if several:
        text = f"who is asked: {JUDGE_NAMES}; may be repeated"
        group.add_argument("--judge", action="append", metavar="NAME", help=text)
    else:
        group.add_argument("--judge", metavar="NAME", help=f"who is asked: {JUDGE_NAMES}")
    add_asking(group)


def add_scorers(group: argparse._ActionsContainer) -> None:
    """`--scorers`: where checks by code come from."""
    text = "a module with checks by code, for criteria with a `check`; may be repeated"
    group.add_argument("--scorers", action="append", default=[], metavar="MODULE", help=text)


def add_asking(group: argparse._ActionsContainer) -> None:
    """What bounds the asking, and how it is asked."""
    group.add_argument("--samples", type=whole_number, metavar="N", help="ask N times; the median level counts")
    group.add_argument("--strategy", metavar="S", help="one_shot, per_criterion, double_pass or holistic")
    group.add_argument(
        "--concurrency", type=whole_number, default=8, metavar="N", help="questions under way at once (8)"
    )
    group.add_argument("--budget", type=amount, metavar="USD", help="stop before asking would cost more than this")
    group.add_argument("--price", metavar="IN:OUT", help="US dollars a million tokens read and written, as in 3:15")
    group.add_argument("--no-cache", action="store_true", help="neither read nor keep replies on disk")
    group.add_argument("--expected", action="store_true", help="score the expected level, where a judge tells the odds")


def whole_number(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
    return int(text)


def amount(text: str) -> float:
    """A number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value


def share(text: str) -> float:
    """A number above 0 and up to 1."""
    value = amount(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0 and up to 1")
    return value


def kind(text: str) -> str:
    """A kind of rating."""
    from markscheme.ratings.rating import KINDS

    if text not in KINDS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(KINDS)}")
    return text


def existing_file(text: str) -> Path:
    """The path of a file that is there.

    Raises:
        UsageError: It is not.
    """
    path = Path(text)
    if not path.is_file():
        raise UsageError(f"there is no file {text}")
    return path
