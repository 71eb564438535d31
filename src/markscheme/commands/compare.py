"""`markscheme compare`: judges, runs or results on the same examples beside each other."""

import argparse
from pathlib import Path

from markscheme.commands.options import JUDGE_NAMES, Parser, add_asking, add_scorers, amount, kind

SUMMARY = f"""Compare judges on the same examples: which agrees better with people, by how much, which examples flip,
what each costs, which is the cheapest that is no worse, and what an old score means if you switch.

A and B are files of ratings (.jsonl), JSON that calibrate wrote, files of Promptfoo's results, or, with --rubric,
judges: {JUDGE_NAMES}.
Name the one in use first. Without labels it is said only what moved between them."""


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser(
        "compare", SUMMARY, "markscheme compare anthropic:claude-haiku-4-5 local:judge.gguf --rubric code-quality"
    )
    found.add_argument("sides", nargs="+", metavar="A B", help="two or more of the kinds above")
    found.add_argument("--rubric", metavar="NAME", help="a rubric's file or name; its labelled examples are the gold")
    labels = found.add_argument_group("examples and labels")
    labels.add_argument("--examples", type=Path, metavar="FILE", help="labelled examples, instead of the rubric's own")
    labels.add_argument("--gold", type=kind, metavar="KIND", help="only labels of this kind count")
    labels.add_argument("--gold-by", choices=("median", "mean", "majority"), default="median", help="how several count")
    labels.add_argument("--split", choices=("dev", "test", "all"), help="which examples (dev, once a set has splits)")
    labels.add_argument("--tolerance", type=amount, metavar="D", help="how far a score may miss and still agree (0.1)")
    asking = found.add_argument_group("asking judges")
    add_asking(asking)
    add_scorers(asking)
    output = found.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="the comparison as JSON")
    output.add_argument("--markdown", action="store_true", help="the comparison as Markdown")
    output.add_argument("--html", metavar="FILE", help="write a page to open, send or print")
    return found


def run(arguments: argparse.Namespace) -> int:
    """Compare and print."""
    from markscheme.commands.comparing import run as compare

    return compare(arguments)
