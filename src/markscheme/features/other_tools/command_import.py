"""`markscheme import`: labels and verdicts of other tools as ratings."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.options.forms import WRITTEN
from markscheme.options.reading import DamageOptions
from markscheme.ratings.column_options import ColumnOptions
from markscheme.rubrics.shape_hints import ShapeOptions


def import_ratings(
    file: Annotated[tuple[Path, ...], Parameter(metavar="FILE", help="what to import; files of one export are joined")],
    /,
    *,
    rubric: Annotated[str | None, Parameter(metavar="NAME", help="the rubric's name or file")] = None,
    to: Annotated[Path | None, Parameter(metavar="FILE"), WRITTEN] = None,
    examples: Annotated[Path | None, Parameter(metavar="FILE.jsonl"), WRITTEN] = None,
    append: bool = False,
    current_words: bool = False,
    only: Annotated[Literal["people", "judges"] | None, Parameter(metavar="WHO")] = None,
    as_: Annotated[str | None, Parameter(name="--as", metavar="NAME")] = None,
    rater_column: Annotated[str | None, Parameter(metavar="COLUMN")] = None,
    columns: ColumnOptions = ColumnOptions(),
    shape: ShapeOptions = ShapeOptions(),
    damage: DamageOptions = DamageOptions(),  # noqa: ARG001 - `call` heeds it
    json: Annotated[bool, Parameter(help="print the report as JSON")] = False,
) -> int:
    """Convert labels and verdicts of other tools to ratings, and report what was lost.

    FILE is an export of MLflow (the sqlite store, JSON), Langfuse (scores with traces), Label Studio, Inspect (.eval,
    JSON), LangSmith (feedback with runs), Phoenix (the sqlite store, JSON, CSV), DeepEval, Argilla, Ragas, Braintrust
    or Prodigy; without --rubric their metrics become criteria.

    FILE may also be Promptfoo's results (.json, .jsonl), a dataset of autorubric (.json), a table (.csv, .tsv), or
    lines (.jsonl with one object each; .txt with "id verdict"). Columns are found by name: id, the rubric's criteria,
    rater, kind, overall, pass, criterion and level; verdict is a judge's, label an annotator's; input, output (or
    query, response) make examples. --map says that a column, outer.inner of an object, or list.*.inner of each
    item holds one of these, or a reference, judge, reason, run or day (at). --map COLUMN=probability reads a judge's
    probability of MET, or of the better of two levels; COLUMN=probability:LEVEL that of one level. Promptfoo's metrics
    become levels of the criteria of the same name.

    A rubric in another tool's shape is converted with --to rubrics/NAME.yaml, a file to read and edit; its comments
    name what wasn't read.

    Args:
        to: write the ratings to a new file (default: standard output), or a converted rubric to a new .yaml
        examples: write the responses to a new file, as examples
        append: add to files that exist
        current_words: people gave these labels to the rubric's current words; later ones make them stale
        only: keep only people's or only judges' ratings
        as_: who answered a labelling sheet, where a file's name says another rater than the sheet
        rater_column: column with the rater's name

    Example:
        markscheme import mlflow.db --to ratings.jsonl
    """
    from markscheme.features.other_tools.print_import import convert, print_import

    if to is not None and to.suffix in (".yaml", ".yml"):
        return convert(file, to, replace(shape, other_names=columns.map, ends=columns.scale), json=json)
    return print_import(
        file,
        rubric,
        to,
        examples,
        append=append,
        to_current_words=current_words,
        only=only,
        answered_by=as_,
        rater_column=rater_column,
        columns=columns,
        json=json,
    )
