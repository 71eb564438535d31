"""`markscheme import`: labels and verdicts of other tools as ratings."""

import sys
from collections.abc import Collection, Mapping, Sequence
from json import dumps
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from markscheme.commands.options import Kind, existing_file
from markscheme.commands.output import refuse_unmakeable
from markscheme.counts import counted
from markscheme.errors import RatingError, UsageError, writing
from markscheme.files import append_text


def import_ratings(
    file: Annotated[Path, Parameter(metavar="FILE", help="what to import")],
    /,
    *,
    rubric: Annotated[str, Parameter(metavar="NAME", help="the rubric's name or file")],
    to: Annotated[Path | None, Parameter(metavar="FILE.jsonl")] = None,
    examples: Annotated[Path | None, Parameter(metavar="FILE.jsonl")] = None,
    append: bool = False,
    only: Annotated[Literal["people", "judges"] | None, Parameter(metavar="WHO")] = None,
    kind: Annotated[Kind | None, Parameter(metavar="KIND")] = None,
    rater: Annotated[str | None, Parameter(metavar="NAME")] = None,
    rater_column: Annotated[str | None, Parameter(metavar="COLUMN")] = None,
    judge_names: Annotated[tuple[str, ...], Parameter(metavar="A,B")] = (),
    map: Annotated[tuple[str, ...], Parameter(metavar="COLUMN=FIELD")] = (),
    levels: Annotated[tuple[str, ...], Parameter(metavar="WORD=LEVEL")] = (),
    judge_column: Annotated[str | None, Parameter(metavar="NAME", show=False)] = None,
    label_column: Annotated[str | None, Parameter(metavar="NAME", show=False)] = None,
    json: Annotated[bool, Parameter(help="print the report as JSON")] = False,
) -> int:
    """Convert labels and verdicts of other tools to ratings, and report what was lost.

    FILE is Promptfoo's results (.json, .jsonl), a dataset of autorubric (.json), a table (.csv, .tsv), or lines (.jsonl
    with one object each; .txt with "id verdict"). Columns are found by name: id, the rubric's criteria, rater, kind,
    overall, pass, criterion and level; verdict is a judge's, label an annotator's; input, output (or query, response)
    make examples. Promptfoo's metrics become levels of the criteria of the same name.

    Args:
        to: write the ratings to a new file (default: standard output)
        examples: write the responses to a new file, as examples
        append: add to files that exist
        only: keep only people's or only judges' ratings
        kind: human, adjudicated, constructed, model or code: required where the file doesn't say who rated
        rater: who rated, where the file doesn't say
        rater_column: column with the rater's name
        judge_names: raters that are judges
        map: what a column, or outer.inner of an object, holds: id, response, query, reference, verdict, label, rater,
            kind, reason, overall, pass, run, at or a criterion; may be repeated
        levels: which level a word means; may be repeated

    Example:
        markscheme import results.json --rubric code-quality --to viewer.jsonl
    """
    from markscheme.readers.detect import import_file, of_kind
    from markscheme.readers.imported import Columns
    from markscheme.rubrics.file import load_rubric
    from markscheme.rubrics.search import find_rubric

    _refuse_targets([target for target in (examples, to) if target], append=append)
    path, asked = existing_file(file), load_rubric(find_rubric(rubric))
    fields, words = _pairs(map, "map"), _pairs(levels, "levels")
    criteria = {criterion.name for criterion in asked.criteria}
    words |= {word: fields.pop(word) for word in [*fields] if _is_old_level(fields[word], criteria)}
    fields |= {column: "rater" for column in [rater_column] if column}
    fields |= {column: "verdict" for column in [judge_column] if column}
    fields |= {column: "label" for column in [label_column] if column}
    judges = frozenset(name.strip() for names in judge_names for name in names.split(","))
    meanings = {word.casefold(): level for word, level in words.items()}
    imported = import_file(path, asked, words=meanings, columns=Columns(fields, rater, kind, judges))
    ratings = of_kind(imported.ratings, only)
    if not ratings and (to or not (examples and imported.examples)):
        raise RatingError(f"contains nothing that can be a rating{_instead(imported.lost)}", path=path)
    lines = [dumps(rating.to_json(), ensure_ascii=False) for rating in ratings]
    if examples:
        _write(examples, [dumps(one.to_json(), ensure_ascii=False) for one in imported.examples])
    if to:
        _write(to, lines)
    report = {
        "schema": 1,
        "file": str(path),
        "taken_for": imported.taken_for,
        "examples": len(imported.examples),
        "ratings": len(ratings),
        "raters": {name: said for name, said in imported.raters.items() if name in {r.rater for r in ratings}},
        "lost": dict(imported.lost),
        "notes": list(imported.notes),
        "to": str(to) if to else None,
        "examples_to": str(examples) if examples else None,
    }
    if json:
        printed = {} if to else {"lines": [rating.to_json() for rating in ratings]}
        print(dumps({**report, **printed}, ensure_ascii=False, indent=2, allow_nan=False))
        return 0
    if not to:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    print("\n".join(_report(report)), file=sys.stdout if to else sys.stderr)
    return 0


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    """What is left and right of each `=`."""
    found = {}
    for entry in given:
        left, equals, right = (part.strip() for part in entry.partition("="))
        if not equals or not left or not right:
            shape = "COLUMN=FIELD" if option == "map" else "WORD=LEVEL"
            raise UsageError(f"`--{option}` must be {shape}, got {entry!r}")
        found[left] = right
    return found


def _is_old_level(meaning: str, criteria: Collection[str]) -> bool:
    """Whether a `--map` is a WORD=LEVEL of earlier versions; says so once on standard error."""
    from markscheme.readers.tables import FIELDS

    if meaning in FIELDS or meaning in criteria:
        return False
    print(f"note: use `--levels WORD={meaning}`; `--map` names columns", file=sys.stderr)
    return True


def _refuse_targets(targets: Sequence[Path], *, append: bool) -> None:
    """Refuse files that can't be written, or exist and may not be added to, before anything is written."""
    for path in targets:
        if path.exists() and not append:
            raise UsageError(f"{path} exists; --append adds to it")
        refuse_unmakeable(path)
    if len({path.resolve() for path in targets}) < len(targets):
        raise UsageError("--examples and --to must be two files: examples aren't ratings")


def _write(path: Path, lines: Sequence[str]) -> None:
    """Add to a file, or make it."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        append_text(path, "".join(f"{line}\n" for line in lines))


def _instead(lost: Mapping[str, int]) -> str:
    if not lost:
        return ""
    most = sorted(lost.items(), key=lambda entry: -entry[1])[:5]
    return "; it contains " + "; ".join(f"{count} {what}" for what, count in most)


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
    unwritten = report["examples"] if not report["examples_to"] else 0
    if unwritten:
        lines.append(f"not written: {counted(unwritten, 'response')}; --examples FILE.jsonl writes them")
    if report["lost"]:
        lines.append("lost (ratings cannot hold it):")
        lines += [f"  {count} {what}" for what, count in sorted(report["lost"].items(), key=lambda e: -e[1])]
    else:
        lines.append("nothing else was lost" if unwritten else "nothing was lost")
    return lines
