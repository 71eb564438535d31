"""`markscheme import`: labels and verdicts of other tools as ratings."""

import sys
from collections.abc import Collection, Mapping, Sequence
from json import dumps
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import Kind, SkipDamaged, existing_file, pairs, rubric_named
from markscheme.commands.output import add_lines, refuse_unmakeable
from markscheme.errors import RatingError, UsageError, lines_left_out


def import_ratings(
    file: Annotated[tuple[Path, ...], Parameter(metavar="FILE", help="what to import; files of one export are joined")],
    /,
    *,
    rubric: Annotated[str | None, Parameter(metavar="NAME", help="the rubric's name or file")] = None,
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
    skip_damaged: SkipDamaged = False,  # noqa: ARG001 - `call` heeds it
    json: Annotated[bool, Parameter(help="print the report as JSON")] = False,
) -> int:
    """Convert labels and verdicts of other tools to ratings, and report what was lost.

    FILE is an export of MLflow (the sqlite store, JSON), Langfuse (scores with traces), Label Studio, Inspect (.eval,
    JSON), LangSmith (feedback with runs), Phoenix (the sqlite store, JSON, CSV) or DeepEval; without --rubric their
    metrics become criteria.

    FILE may also be Promptfoo's results (.json, .jsonl), a dataset of autorubric (.json), a table (.csv, .tsv), or
    lines (.jsonl with one object each; .txt with "id verdict"). Columns are found by name: id, the rubric's criteria,
    rater, kind, overall, pass, criterion and level; verdict is a judge's, label an annotator's; input, output (or
    query, response) make examples. Promptfoo's metrics become levels of the criteria of the same name.

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
        markscheme import mlflow.db --to ratings.jsonl
    """
    from markscheme.readers.detect import import_files, of_kind
    from markscheme.readers.imported import Columns
    from markscheme.report.json import dumps as report_json
    from markscheme.report.terminal import render_terminal
    from markscheme.report.views.imported import json_of, view

    _refuse_targets([target for target in (examples, to) if target], append=append)
    paths, asked = [existing_file(path) for path in file], rubric_named(rubric) if rubric else None
    fields, words = pairs(map, "map"), pairs(levels, "levels")
    criteria = {criterion.name for criterion in asked.criteria} if asked else {*fields.values()}
    words |= {word: fields.pop(word) for word in [*fields] if _is_old_level(fields[word], criteria)}
    fields |= {column: "rater" for column in [rater_column] if column}
    fields |= {column: "verdict" for column in [judge_column] if column}
    fields |= {column: "label" for column in [label_column] if column}
    judges = frozenset(name.strip() for names in judge_names for name in names.split(","))
    meanings = {word.casefold(): level for word, level in words.items()}
    found = import_files(paths, asked, words=meanings, columns=Columns(fields, rater, kind, judges))
    found.ratings = of_kind(found.ratings, only)
    if lines_left_out():
        found.lost["lines that can't be read"] += lines_left_out()
    if not found.ratings and (to or not (examples and found.examples)):
        raise RatingError(f"contains nothing that can be a rating{_instead(found.lost)}", path=paths[0])
    lines = [dumps(rating.to_json(), ensure_ascii=False) for rating in found.ratings]
    if examples:
        add_lines([dumps(one.to_json(), ensure_ascii=False) for one in found.examples], examples)
    if to:
        add_lines(lines, to)
    if json:
        printed = {} if to else {"lines": [rating.to_json() for rating in found.ratings]}
        print(report_json({**json_of(found, to, examples), **printed}))
        return 0
    if not to:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    render_terminal(view(found, to, examples), sys.stdout if to else sys.stderr)
    return 0


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


def _instead(lost: Mapping[str, int]) -> str:
    if not lost:
        return ""
    most = sorted(lost.items(), key=lambda entry: -entry[1])[:5]
    return "; it contains " + "; ".join(f"{count} {what}" for what, count in most)
