"""`calibrate`: hold a judge to people's labels."""

import argparse
from pathlib import Path

from markscheme.commands.options import Parser, add_judge, add_scorers, amount, kind, share, whole_number

SUMMARY = """Grade examples that people have labelled, compare judge, people and a constant, and say what the
judge may therefore decide.

Exit status: 0 ok on people's labels, 1 adjust, 2 a fault in what was asked, 3 no judge to ask,
4 too few labels to tell or labels that no person gave, 5 over a tenth could not be graded. With several judges it is
that of the recommended one.

Promptfoo's results (promptfoo eval -o results.json) need no rubric, no key and no call: thumbs and scores given in its
viewer, and metadata.expected_label, are the labels; each llm-rubric, g-eval or python metric is a judge."""


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser("calibrate", SUMMARY, "calibrate rubrics/code-quality.yaml --judge anthropic --json report.json")
    found.add_argument(
        "rubric", nargs="+", metavar="RUBRIC|RESULTS", help="a rubric's file or name, or files of Promptfoo's results"
    )
    add_judge(found, several=True)
    add_scorers(found)
    labels = found.add_argument_group("examples and labels")
    labels.add_argument(
        "--examples", type=Path, metavar="FILE", help="labelled examples, instead of the rubric's own set"
    )
    labels.add_argument("--ratings", type=Path, metavar="FILE", help="take the judge's ratings from a file; ask nobody")
    labels.add_argument("--gold", type=kind, metavar="KIND", help="only labels of this kind count")
    labels.add_argument("--gold-by", choices=("median", "mean", "majority"), default="median", help="how several count")
    labels.add_argument("--split", choices=("dev", "test", "all"), help="which examples (dev, once a set has splits)")
    labels.add_argument("--tolerance", type=amount, metavar="D", help="how far a score may miss and still agree (0.1)")
    labels.add_argument("--target", type=share, metavar="P", help="share of examples the judge has to agree on (0.8)")
    _add_plan(found)
    _add_accepted(found)
    output = found.add_argument_group("output")
    output.add_argument("--json", metavar="FILE", help="write the JSON; - for standard output")
    output.add_argument("--markdown", metavar="FILE", help="write Markdown; - for standard output")
    output.add_argument("--html", metavar="FILE", help="write a page to open, send or print; - for standard output")
    output.add_argument("--junit", metavar="FILE", help="write JUnit XML, a case a criterion; - for standard output")
    output.add_argument(
        "--export-promptfoo",
        type=Path,
        metavar="FILE",
        help="write the examples as a Promptfoo configuration, to be rated in its viewer; ask nobody",
    )
    output.add_argument("--quiet", action="store_true", help="no report and no progress; files and exit status only")
    return found


def run(arguments: argparse.Namespace) -> int:
    """Calibrate, write what was asked for, and give the verdict as exit status; or only plan, or only export."""
    if arguments.export_promptfoo is not None:
        from markscheme.commands.exporting import run as export

        return export(arguments)
    if arguments.plan or arguments.next is not None or arguments.pool is not None:
        from markscheme.commands.planning import run as plan

        return plan(arguments)
    from markscheme.commands.calibrating import run as calibrate

    return calibrate(arguments)


def _add_plan(found: argparse.ArgumentParser) -> None:
    group = found.add_argument_group("planning: nobody is asked")
    group.add_argument(
        "--plan", action="store_true", help="labels needed for a width, a verdict, a promise; calls, tokens and cost"
    )
    group.add_argument("--width", type=share, default=0.1, metavar="D", help="half the width of an interval (0.1)")
    group.add_argument(
        "--next", type=whole_number, metavar="N", help="print the N outputs of --pool to label next, as examples"
    )
    group.add_argument(
        "--pool", type=Path, metavar="FILE", help="outputs that may be labelled, as examples; --ratings may rate them"
    )
    group.add_argument("--seed", type=whole_number, default=1, metavar="K", help="of the draw (1)")


def _add_accepted(found: argparse.ArgumentParser) -> None:
    group = found.add_argument_group("the accepted run, which later runs are held against")
    group.add_argument(
        "--accept", action="store_true", help="accept this run; with --samples N, N runs are kept and the first counts"
    )
    group.add_argument("--accepted", type=Path, metavar="FILE", help="read and write FILE, not the rubric's own")
    group.add_argument(
        "--run-number", type=whole_number, metavar="T", help="this is the T-th comparison (counted in the cache)"
    )
    group.add_argument(
        "--planned-runs", type=whole_number, metavar="N", help="N comparisons are planned; each may alarm alike"
    )
    group.add_argument(
        "--drift-margin", type=share, metavar="P", help="share of a scale that counts as unmoved (0.0625)"
    )
    group.add_argument(
        "--replay", action="store_true", help="ask the judge by the accepted rubric too, to tell causes apart"
    )
