"""`markscheme tune`: which numbers of a rubric labels support changing."""

import argparse
from pathlib import Path

from markscheme.commands.options import Parser, add_judge, add_scorers, kind, share

SUMMARY = """Say what people's labels support changing in a rubric: its wording first, then weights, pass mark,
thresholds, and the doubtful middle in which a person should decide. What isn't supported is kept, and the reason
said. With a dev and a test split only dev is looked at, until --final.

Exit status: 0 tried, 2 a fault in what was asked, 3 no judge to ask, 4 labels that don't suffice: too few for the
weights, all passes or all fails, or passes that the score doesn't order."""


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser("tune", SUMMARY, "markscheme tune rubrics/code-quality.yaml --ratings judge.jsonl --cost 5:1")
    found.add_argument("rubric", metavar="RUBRIC", help="a rubric's file or name")
    labels = found.add_argument_group("labels")
    labels.add_argument(
        "--examples", type=Path, metavar="FILE", help="labelled examples, instead of the rubric's own set"
    )
    labels.add_argument("--gold", type=kind, metavar="KIND", help="only labels of this kind count")
    labels.add_argument("--ratings", type=Path, metavar="FILE", help="take the judge's ratings from a file; ask nobody")
    labels.add_argument(
        "--source", choices=("human", "judge"), help="go by people's levels or by the judge's (the judge's, if known)"
    )
    labels.add_argument(
        "--final", action="store_true", help="open the test split and try the proposal on it; it is put on record"
    )
    wanted = found.add_argument_group("what is wanted")
    wanted.add_argument(
        "--cost", type=_costs, default=(1.0, 1.0), metavar="FP:FN", help="what a false pass and a false fail cost (1:1)"
    )
    wanted.add_argument(
        "--error", type=share, default=0.05, metavar="P", help="share of errors a doubtful middle promises (0.05)"
    )
    wanted.add_argument(
        "--confidence", type=share, default=0.9, metavar="P", help="how sure that promise is to be (0.9)"
    )
    wanted.add_argument(
        "--promise",
        choices=("automatic", "all"),
        help="bound the errors among automatic decisions, or among all (automatic, where the labels can carry it)",
    )
    output = found.add_argument_group("output")
    output.add_argument("--write", action="store_true", help="write the supported changes into the rubric's file")
    output.add_argument("--band", action="store_true", help="the doubtful middle too")
    output.add_argument("--force", action="store_true", help="write even where the file has uncommitted changes")
    output.add_argument("--json", action="store_true", help="print JSON")
    add_judge(found)
    add_scorers(found)
    return found


def run(arguments: argparse.Namespace) -> int:
    """Propose, print, and write if asked to."""
    from markscheme.commands.tuning import run as tune

    return tune(arguments)


def _costs(text: str) -> tuple[float, float]:
    """What a false pass and a false fail cost."""
    parts = text.split(":")
    try:
        costs = [float(part) for part in parts]
    except ValueError:
        costs = []
    if len(costs) != 2 or not all(0 < cost < float("inf") for cost in costs):
        raise argparse.ArgumentTypeError(f"costs are two numbers above 0, as in 1:5; found {text!r}")
    return costs[0], costs[1]
