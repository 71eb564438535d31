"""`markscheme import`: labels and verdicts of other tools as ratings."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from json import dumps
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import SkipDamaged, existing_file, pairs, rubric_named, spans
from markscheme.commands.output import add_lines
from markscheme.errors import RatingError, UsageError, lines_left_out, suggestion, writing
from markscheme.files import end_of_link, exclusive, refuse_unmakeable
from markscheme.phrases import counted
from markscheme.ratings.kinds import Kind
from markscheme.rubrics.rubric import Rubric

if TYPE_CHECKING:
    from markscheme.ratings.rating import Rating
    from markscheme.readers.rated import RatedFile


def import_ratings(
    file: Annotated[tuple[Path, ...], Parameter(metavar="FILE", help="what to import; files of one export are joined")],
    /,
    *,
    rubric: Annotated[str | None, Parameter(metavar="NAME", help="the rubric's name or file")] = None,
    to: Annotated[Path | None, Parameter(metavar="FILE.jsonl")] = None,
    examples: Annotated[Path | None, Parameter(metavar="FILE.jsonl")] = None,
    append: bool = False,
    current_words: bool = False,
    only: Annotated[Literal["people", "judges"] | None, Parameter(metavar="WHO")] = None,
    kind: Annotated[Kind | None, Parameter(metavar="KIND")] = None,
    rater: Annotated[str | None, Parameter(metavar="NAME")] = None,
    as_: Annotated[str | None, Parameter(name="--as", metavar="NAME")] = None,
    rater_column: Annotated[str | None, Parameter(metavar="COLUMN")] = None,
    judge_names: Annotated[tuple[str, ...], Parameter(metavar="A,B")] = (),
    map: Annotated[tuple[str, ...], Parameter(metavar="COLUMN=FIELD")] = (),
    levels: Annotated[tuple[str, ...], Parameter(metavar="WORD=LEVEL")] = (),
    scale: Annotated[tuple[str, ...], Parameter(metavar="SIDE=A..B")] = (),
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
    query, response) make examples. --map COLUMN=probability reads a judge's probability of MET, or of the better of two
    levels; COLUMN=probability:LEVEL that of one level. Promptfoo's metrics become levels of the criteria of the same
    name.

    Args:
        to: write the ratings to a new file (default: standard output)
        examples: write the responses to a new file, as examples
        append: add to files that exist
        current_words: people gave these labels to the rubric's current words; later ones make them stale
        only: keep only people's or only judges' ratings
        kind: human, adjudicated, constructed, model or code: required where the file doesn't say who rated
        rater: who rated, where the file doesn't say
        as_: who answered a labelling sheet, where a file's name says another rater than the sheet
        rater_column: column with the rater's name
        judge_names: raters that are judges
        map: what a column, outer.inner of an object, or list.*.inner of each item, holds: id, response, query,
            reference, verdict, judge, label, rater, kind, reason, overall, pass, run, at, criterion, level or a
            criterion; may be repeated
        levels: which level a word means; may be repeated
        scale: the ends of a side's scale where they differ, judge=0..1 or human=1..5; may be repeated

    Example:
        markscheme import mlflow.db --to ratings.jsonl
    """
    from datetime import date

    from markscheme.ratings.additions import additions_to, new_examples, responses_in
    from markscheme.ratings.rating import given_to_current_words
    from markscheme.ratings.wordings import record_words
    from markscheme.readers.imported import Columns, Meanings
    from markscheme.readers.rated import of_kind, open_rated
    from markscheme.report.json import dumps as report_json
    from markscheme.report.terminal import render_terminal
    from markscheme.report.views.imported import json_of, view

    _refuse_targets([target for target in (examples, to) if target], append=append)
    if current_words and rubric is None:
        raise UsageError("--current-words needs --rubric: whose words?")
    paths, rubric_of_call = [existing_file(path) for path in file], rubric_named(rubric) if rubric else None
    fields = pairs(map, "map")
    words = pairs(levels, "levels")
    if rubric_of_call is not None:
        _check_fields(fields, rubric_of_call)
    fields |= {column: "rater" for column in [rater_column] if column}
    judges = frozenset(name.strip() for names in judge_names for name in names.split(","))
    meant = {word.casefold(): level for word, level in words.items()}
    meanings = Meanings(meant, Columns(fields, rater, kind, judges, spans(scale)))
    rated = open_rated(paths, rubric_of_call, expected="anything", meanings=meanings, joined=True)
    imported = rated.as_one_file
    damaged = {"lines that can't be read": lines_left_out()} if lines_left_out() else {}
    imported = replace(imported, ratings=tuple(of_kind(imported.ratings, only)), lost={**imported.lost, **damaged})
    imported = replace(imported, ratings=tuple(_as_rater(imported, paths, to, as_)))
    if current_words and rubric_of_call is not None:
        ratings = (given_to_current_words(rating, rubric_of_call) for rating in imported.ratings)
        imported = replace(imported, ratings=tuple(ratings))
    if not imported.ratings and (to or not (examples and imported.examples)):
        raise RatingError(f"contains nothing that can be a rating{_instead(imported.lost)}", path=paths[0])
    _refuse_unsigned(imported, paths, kind)
    with _turn_to_add([target for target in (examples, to) if target]):
        additions = additions_to(to, imported.ratings, rated.rubric) if to and to.is_file() else None
        added = imported.ratings if additions is None else additions.ratings
        lines = [dumps(rating.to_json(), ensure_ascii=False) for rating in added]
        new = []
        if examples:
            new = new_examples(examples, imported.examples, responses_in(examples), "what is imported")
            add_lines([dumps(example.to_json(), ensure_ascii=False) for example in new], examples)
        if to:
            add_lines(lines, to)
            if current_words and rubric_of_call is not None and to.parent.name == "ratings":
                record_words(to.parent.parent, rubric_of_call, date.today().isoformat())
    if json:
        printed = {} if to else {"lines": [rating.to_json() for rating in imported.ratings]}
        print(report_json({**json_of(imported, to, examples, additions), **printed}))
        return 0
    if not to:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    onward = None
    if to and rubric_of_call is not None:
        onward = "Next", f"markscheme calibrate {quote(rubric_of_call.name)}{_as_ratings(to, imported.ratings)}"
    document = replace(view(imported, to, examples, additions, n_new_examples=len(new)), onward=onward)
    render_terminal(document, sys.stdout if to else sys.stderr)
    return 0


def _as_ratings(to: Path, ratings: "Sequence[Rating]") -> str:
    """The option that calibrates the ratings of judges in a file; "" for labels, which are found in their folder."""
    from markscheme.ratings.kinds import JUDGES

    return f" --ratings {quote(str(to))}" if any(rating.kind in JUDGES for rating in ratings) else ""


def _as_rater(imported: "RatedFile", paths: Sequence[Path], to: Path | None, name: str | None) -> Iterable["Rating"]:
    """The ratings under the name of the person who answered.

    Raises:
        UsageError: A sheet is of another rater than a file's name says, and nobody says who answered.
    """
    from markscheme.readers.formats import SHEET
    from markscheme.readers.sheet import saved_for

    if imported.format != SHEET.name:
        if name is not None:
            raise UsageError("--as is for a labelling sheet; --rater names who rated in other files")
        return imported.ratings
    if name is not None:
        return [replace(rating, rater=name) for rating in imported.ratings]
    sheet_rater = next((rating.rater for rating in imported.ratings), None)
    saved_as = saved_for(paths[0].stem)
    prefix = f"{imported.rubric.name}-"
    names = {paths[0]: saved_as.removeprefix(prefix) if saved_as.startswith(prefix) else None}
    names |= {to: to.stem} if to and to.parent.name == "ratings" else {}
    for path, named_after in names.items():
        if sheet_rater and named_after and named_after != sheet_rater:
            question = f"who answered? The sheet is for {sheet_rater}, and {path} is named after {named_after}"
            raise UsageError(f"{question}: say `--as {sheet_rater}` or `--as {named_after}`")
    return imported.ratings


def _refuse_unsigned(imported: "RatedFile", paths: Sequence[Path], kind: Kind | None) -> None:
    """Refuse what only the answers of a sheet may say, with a head that shows that the sheet was written here.

    Raises:
        RatingError: A file has the name of a sheet's answers, and no head.
        UsageError: Ratings call themselves adjudicated, and nobody says that they are.
    """
    from markscheme.readers.formats import FORMATS, SHEET
    from markscheme.readers.sheet import refuse_headless

    if imported.format == SHEET.name:
        return
    for path in paths:
        refuse_headless(path, imported.rubric)
    is_of_tool = any(file_format.is_of_tool for file_format in FORMATS if file_format.name == imported.format)
    n = sum(rating.kind == "adjudicated" for rating in imported.ratings)
    if n and kind != "adjudicated" and not is_of_tool:
        raise UsageError(
            f"{paths[0]}: {counted(n, 'rating')} would be gold before all others, since the file calls "
            f"{'it' if n == 1 else 'them'} adjudicated; if you know that, say `--kind adjudicated`"
        )


@contextmanager
def _turn_to_add(targets: Iterable[Path]) -> Iterator[None]:
    """The only import, and labelling page, that adds to these files; others wait for their turn.

    Raises:
        UsageError: A folder can't be made.
    """
    with ExitStack() as turns:
        for folder in sorted({_shared_folder(target) for target in targets}):
            with writing(folder):
                folder.mkdir(parents=True, exist_ok=True)
                turns.enter_context(exclusive(folder, is_folder=True, busy=lambda: None))
        yield


def _shared_folder(target: Path) -> Path:
    """The folder by which imports and labelling pages take turns: that of the ratings, for examples next to it too."""
    from markscheme.labelling.pool import RATINGS

    folder = end_of_link(target).resolve().parent
    return folder / RATINGS if (folder / RATINGS).is_dir() else folder


def _check_fields(fields: Mapping[str, str], rubric: Rubric) -> None:
    """Refuse a `--map` to what is neither a field nor a criterion of the rubric."""
    from markscheme.readers.tables import FIELDS, PROBABILITY

    meanings = [*FIELDS, *(criterion.name for criterion in rubric.criteria)]
    for column, meaning in fields.items():
        if meaning not in meanings and not meaning.startswith(f"{PROBABILITY}:"):
            hint = suggestion(meaning, meanings, mark="`") or f"; expected one of {', '.join(meanings)}"
            raise UsageError(f"`--map {column}={meaning}`: unknown field or criterion {meaning!r}{hint}")


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
