"""`markscheme import`: other tools' labels and verdicts as ratings, with a report of what was lost."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markscheme.commands.options import Parser, existing_file, kind
from markscheme.counts import counted
from markscheme.errors import RatingError, UsageError, writing
from markscheme.files import append_text

SUMMARY = """Convert labels and verdicts of other tools to ratings, and say what was lost on the way.

FILE is Promptfoo's results (.json, .jsonl), a dataset of autorubric (.json), a table (.csv, .tsv), or lines (.jsonl
with an object each; .txt with "id verdict"). Columns are found by their names: id, the rubric's criteria, rater, kind,
overall, pass, criterion and level; verdict is a judge's, label a person's; input, output (or query, response) make
examples. Promptfoo's metrics become levels of the criteria they are named like.

Ratings go to standard output, or where --to says; the report of what was lost to standard error, or as --json."""


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser(
        "import",
        SUMMARY,
        "markscheme import results.json --rubric code-quality --to calibration/code-quality/ratings/viewer.jsonl",
    )
    found.add_argument("file", metavar="FILE", help="what is imported")
    found.add_argument("--rubric", required=True, metavar="NAME", help="the rubric's file or name")
    found.add_argument(
        "--to", type=Path, metavar="FILE.jsonl", help="write the ratings there; it must not be there yet"
    )
    found.add_argument("--examples", type=Path, metavar="FILE.jsonl", help="write the responses there, as examples")
    found.add_argument("--append", action="store_true", help="add to files that are there")
    found.add_argument("--only", choices=("people", "judges"), help="leave out the ratings of the others")
    found.add_argument("--judge-column", metavar="NAME", help="the column with a judge's verdict (verdict)")
    found.add_argument("--label-column", metavar="NAME", help="the column with a person's label (label)")
    found.add_argument("--rater", metavar="NAME", help="who labelled, where the file doesn't say")
    found.add_argument("--kind", type=kind, metavar="KIND", help="what labels count as that don't say (human)")
    found.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="WORD=LEVEL",
        help="what a word of the file means; may be repeated",
    )
    found.add_argument("--json", action="store_true", help="the report as JSON")
    return found


def run(arguments: argparse.Namespace) -> int:
    """Convert, write, and say what was lost."""
    from markscheme.readers.detect import import_file, of_kind
    from markscheme.readers.tables import Columns
    from markscheme.rubrics.file import load_rubric
    from markscheme.rubrics.search import find_rubric

    rubric = load_rubric(find_rubric(arguments.rubric))
    columns = Columns(arguments.judge_column, arguments.label_column, arguments.rater, arguments.kind)
    path = existing_file(arguments.file)
    imported = import_file(path, rubric, words=_words(arguments.map), columns=columns)
    ratings = of_kind(imported.ratings, arguments.only)
    if not ratings and not arguments.examples:
        raise RatingError(f"holds nothing that can be a rating{_instead(imported.lost)}", path=path)
    lines = [json.dumps(rating.to_json(), ensure_ascii=False) for rating in ratings]
    if arguments.examples:
        made = [json.dumps(example.to_json(), ensure_ascii=False) for example in imported.examples]
        _write(arguments.examples, made, append=arguments.append)
    if arguments.to:
        _write(arguments.to, lines, append=arguments.append)
    report = {
        "schema": 1,
        "file": str(path),
        "taken_for": imported.taken_for,
        "examples": len(imported.examples),
        "ratings": len(ratings),
        "raters": {name: said for name, said in imported.raters.items() if name in {r.rater for r in ratings}},
        "lost": dict(imported.lost),
        "notes": list(imported.notes),
        "to": str(arguments.to) if arguments.to else None,
        "examples_to": str(arguments.examples) if arguments.examples else None,
    }
    if arguments.json:
        beside = {} if arguments.to else {"lines": [rating.to_json() for rating in ratings]}
        print(json.dumps({**report, **beside}, ensure_ascii=False, indent=2, allow_nan=False))
    elif not arguments.to:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    if not arguments.json:
        print("\n".join(_report(report)), file=sys.stdout if arguments.to else sys.stderr)
    return 0


def _words(said: Sequence[str]) -> dict[str, str]:
    found = {}
    for entry in said:
        word, equals, level = entry.partition("=")
        if not equals or not word.strip() or not level.strip():
            raise UsageError(f"--map is WORD=LEVEL, found {entry!r}")
        found[word.strip().casefold()] = level.strip()
    return found


def _write(path: Path, lines: Sequence[str], *, append: bool) -> None:
    """Add to a file, or make it; never overwrite."""
    if path.exists() and not append:
        raise UsageError(f"{path} is there already; --append adds to it")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        append_text(path, "".join(f"{line}\n" for line in lines))


def _instead(lost: Mapping[str, int]) -> str:
    if not lost:
        return ""
    most = sorted(lost.items(), key=lambda entry: -entry[1])[:5]
    return "; it holds " + "; ".join(f"{count} {what}" for what, count in most)


def _report(report: Mapping[str, Any]) -> list[str]:
    held = f"{counted(report['examples'], 'response')} and {counted(report['ratings'], 'rating')}"
    lines = [f"{report['file']}, taken for {report['taken_for']}: {held}"]
    for name, said in report["raters"].items():
        ungraded = f", {said['ungraded']} of them ungraded" if said["ungraded"] else ""
        lines.append(f"  {name}: {said['ratings']} ({said['kind']}{ungraded})")
    if report["to"]:
        lines.append(f"ratings written to {report['to']}")
    if report["examples_to"]:
        lines.append(f"responses written to {report['examples_to']}")
    lines += [f"note: {note}" for note in report["notes"]]
    if report["lost"]:
        lines.append("lost, since ratings have no room for it:")
        lines += [f"  {count} {what}" for what, count in sorted(report["lost"].items(), key=lambda e: -e[1])]
    else:
        lines.append("nothing was lost")
    return lines
