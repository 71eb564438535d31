"""`markscheme export --counts-sql` and `--counts`: write a SELECT that counts ratings, or count those in files."""

import re
import shlex
import sys
from glob import glob
from pathlib import Path
from typing import Final

from markscheme.errors import UsageError, no_file
from markscheme.features.counts.count_files import READERS, by_ending, count_files
from markscheme.features.counts.count_query import CountQuery
from markscheme.features.counts.count_ratings import count_ratings, is_of_ratings, own_ratings
from markscheme.features.counts.count_sql import DIALECTS, counts_sql
from markscheme.features.counts.export_options import CountExportOptions
from markscheme.features.counts.shown_rows import wrong_rows
from markscheme.features.counts.wrong_examples import refuse_undecided, shown_path, write_shown
from markscheme.files import refuse_overwriting
from markscheme.options.in_force import with_reading_options
from markscheme.phrases import counted
from markscheme.ratings.gold import JUDGE
from markscheme.rubrics.rubric import Rubric

NO_PATTERN: Final = r"(?!\w+://)[^*?\[\]{}]+"
"""Pattern of a name of one file on this machine: no address, and none of the signs by which DuckDB matches several
files."""
_EITHER: Final = "--counts-sql TABLE prints a SELECT, or --counts FILE counts ratings"


def export_counts(rubric: Rubric, options: CountExportOptions, examples: Path | None, judges: tuple[str, ...]) -> int:
    """Print the SELECT that counts ratings in a database, or count ratings in files; return the exit status.

    Args:
        rubric: The rubric.
        options: Options on what to count, and from where.
        examples: A file of labelled examples; None for those in the rubric's calibration folder.
        judges: Names of the judges; at most one.

    Raises:
        UsageError: The options don't say what to count, or the rubric's figures can't be computed from counts.
    """
    if options.counts_sql is not None and options.counts is not None:
        raise UsageError(_EITHER)
    if len(judges) > 1:
        raise UsageError(f"counts are of one judge; {len(judges)} are named")
    judge = judges[0] if judges else None
    if options.most_shown is not None:
        refuse_undecided(rubric)
    if options.counts_sql is not None:
        if options.most_shown is not None:
            raise UsageError("--shown goes with --counts FILE: a SELECT of counts has no texts")
        query = CountQuery(rubric, options.raters, judge or JUDGE, options.slices, options.earlier_judge)
        print(f"{counts_sql(query, options.counts_sql, DIALECTS[options.dialect])};")
        return 0
    if options.counts is None:
        raise UsageError(_EITHER)
    n, judge = _count(rubric, options, options.counts, examples, judge)
    examples_shown = "" if options.most_shown is None else f", wrong decisions in {shown_path(options.counts)}"
    print(f"{counted(n, 'row')} of counts in {options.counts}{examples_shown}. Then:", file=sys.stderr)
    judge_named = [] if judge is None else ["--judge", judge]
    earlier = [] if options.earlier_judge is None else ["--earlier", options.earlier_judge]
    command = shlex.join([rubric.name, "--counts", str(options.counts), *judge_named, *earlier])
    print(f"  {with_reading_options(f'markscheme calibrate {command}')}", file=sys.stderr)
    return 0


def _count(
    rubric: Rubric, options: CountExportOptions, target: Path, examples: Path | None, judge: str | None
) -> tuple[int, str | None]:
    """Count the ratings in files, or else the rubric's own, and write a counts file.

    Return the number of the file's rows, and the name of the judge.

    Args:
        rubric: The rubric.
        options: Options on what to count, and from where.
        target: The file of counts to write.
        examples: A file of labelled examples; None for those in the rubric's calibration folder.
        judge: Name of the judge; None if there is one only, or for the default column of a table.

    Raises:
        UsageError: There is nothing to count, or the file of counts is one of those that are counted.
    """
    files = own_ratings(rubric, examples) if options.wide is None else [Path(options.wide)]
    if options.wide is not None:
        by_ending(READERS, options.wide, "--from")
        if re.fullmatch(NO_PATTERN, options.wide) and not Path(options.wide).exists():
            raise UsageError(f"--from {options.wide}: {no_file(Path(options.wide))}")
    matched = files if options.wide is None else glob(options.wide)
    refuse_overwriting(target, (*matched, examples, rubric.source))
    if options.wide is None or is_of_ratings(options.wide):
        if options.raters:
            where = "add --from FILES" if options.wide is None else f"and {options.wide} has lines of ratings"
            raise UsageError(f"--raters names columns of a table, {where}")
        return count_ratings(
            rubric, judge, files, examples, target, options.slices, options.most_shown, options.earlier_judge
        )
    query = CountQuery(rubric, options.raters, judge or JUDGE, options.slices, options.earlier_judge)
    n = count_files(query, options.wide, target)
    if options.most_shown is not None:
        write_shown(wrong_rows(query, options.wide, target, options.most_shown), target)
    return n, judge
