"""Run a comparison of judges that are asked and of raters whose ratings are in files or in memory."""

import datetime
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from markscheme.calibration.comparison.comparison import Comparison, measure_of
from markscheme.calibration.decision import decide
from markscheme.calibration.file_answers import JUDGES_IN_FILES
from markscheme.calibration.judge_runs import rated_by
from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.recorded_trials import (
    RecordedTrial,
    compared_by_people,
    count_settings,
    example_digests,
    record_of,
    record_settings,
)
from markscheme.calibration.tables import calibrations_of
from markscheme.errors import UsageError
from markscheme.features.compare.choice import Contender
from markscheme.features.compare.contenders import Compared, compare_calibrations, compare_sides, files_among
from markscheme.features.compare.known_files import has_format
from markscheme.judges.judge import Judge, total, ways_of
from markscheme.judges.options import AskOptions
from markscheme.options.in_force import with_reading_options
from markscheme.progress import Watch, unwatched
from markscheme.ratings.column_options import ColumnOptions, as_typed
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.examples_choice import Part, chosen_examples, part_name
from markscheme.ratings.from_grades import first_prompts
from markscheme.ratings.gold import GOLD, JUDGE
from markscheme.ratings.splits import openings_of
from markscheme.readers.mapped_columns import refuse_unknown_columns
from markscheme.readers.rated import RatedFile, RatedFiles, columns_from_options, open_rated
from markscheme.readers.tabular.reading import TableReading, read_files
from markscheme.readers.tabular.refusals import refusal
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration

ComparedSide: TypeAlias = str | Judge | RatedFile
"""One side of a comparison: the name of a file or judge, an opened judge, or ratings in memory."""


def compare_by_name(
    sides: Sequence[ComparedSide],
    rubric: Rubric | None = None,
    examples: Path | ExampleSet | None = None,
    *,
    options: LabelOptions = LabelOptions(),
    ask: AskOptions | None = None,
    columns: ColumnOptions = ColumnOptions(),
    watch: Watch = unwatched,
) -> Compared:
    """Compare judges, rated files or ratings in memory on the same examples.

    Args:
        sides: Files of ratings and names of judges, as the user wrote them; opened judges; ratings in memory. The judge
            in use comes first.
        rubric: The rubric of all of these; None for the one that the files name or imply.
        examples: The labelled examples or their file; None for the rubric's own.
        options: Which labels count, what must agree, and the tolerance.
        ask: How judges are asked.
        columns: What the files' columns and values mean.
        watch: Shows progress.

    Raises:
        UsageError: There are fewer than two to compare, or judges are named without a rubric.
        ComparisonError: The judges and files have no example in common.
    """
    ask = ask or AskOptions()
    per_calls = _per_calls(ask)
    if len(sides) * len(per_calls) < 2:
        raise UsageError("a comparison needs two sides: markscheme compare A B")
    rated = _rated(sides, rubric, columns)
    notes: list[str] = []
    labelled, folder = _examples(examples, rated.rubric, options, notes)
    judges = [side for side in sides if not isinstance(side, RatedFile)]
    opened = {str(judge.identity): judge for judge in judges if not isinstance(judge, str)}
    ways = {name: way for judge in map(_name, judges) for name, way in _ways_to_ask(judge, per_calls).items()}

    def by_asking(name: str, to_ask: ExampleSet) -> Contender:
        judge, per_call = ways[name]
        return _by_asking(judge, opened.get(judge), per_call, to_ask, rated.rubric, folder, ask, watch)

    compared = compare_sides(
        [name for side in sides for name in _names(side, per_calls)],
        rated,
        labelled,
        by_asking,
        rule=replace(options, of=_of(options.of, rated.rubric)),
        split=options.split,
        notes=notes,
        own_gold=rubric is None and examples is None,
    )
    return _recorded(compared, options.split)


def _recorded(compared: Compared, part: Part | None) -> Compared:
    """Record that each judge was tried on people's labels; return the comparison with the chosen judge's verdict.

    Without labels by people, return the comparison unchanged.

    Args:
        compared: The comparison of the judges.
        part: The part of the examples that was compared; None for all.
    """
    truth = compared.truth
    if truth is None or not truth.has_people:
        return compared
    rubric = compared.choice.rubric
    measure = compared.choice.measure
    today = datetime.date.today().isoformat()
    split = part_name(truth.examples, part)
    identities = []
    for contender in compared.contenders:
        if contender.identity is not None:
            comparison = Comparison(truth.judged(rubric, contender.ratings), JUDGE, GOLD, measure)
            ids = compared_by_people(comparison)
            rubric_of_setting = _with_per_call(rubric, contender.per_call)
            identities.append(
                RecordedTrial.of(rubric_of_setting, measure, contender.identity, ids, at=today, split=split)
            )
    tried, _ = record_settings(record_of(rubric), identities)
    chosen = compared.choice.recommended or compared.choice.best
    ratings = next((judge.ratings for judge in compared.contenders if judge.name == chosen), None)
    if ratings is None:
        return compared
    alone = Comparison(truth.judged(rubric, ratings), JUDGE, GOLD, measure)
    settings = max(count_settings(example_digests(compared_by_people(alone)), tried), len(compared.contenders))
    decision = decide(replace(alone, settings=settings))
    return replace(compared, choice=compared.choice.ruled_by(decision), decision=decision)


def _per_calls(ask: AskOptions) -> tuple[int | None, ...]:
    """Return which limits on criteria per call are compared; (None,), the rubric's own limit, if none are listed."""
    return ask.criteria_per_call if isinstance(ask.criteria_per_call, tuple) else (None,)


def _names(side: ComparedSide, per_calls: Sequence[int | None]) -> list[str]:
    """Return the names of an argument's contenders: the file or, for each limit on criteria per call, the judge.

    Args:
        side: The argument: a file of ratings, or a judge.
        per_calls: The limits on the number of criteria per call to compare; None is no limit.
    """
    if isinstance(side, RatedFile):
        return [str(side.path)]
    if isinstance(side, str) and has_format(Path(side)):
        return [side]
    return list(_ways_to_ask(_name(side), per_calls))


def _ways_to_ask(judge: str, per_calls: Sequence[int | None]) -> dict[str, tuple[str, int | None]]:
    """Return the ways to ask a judge, one for each limit on criteria per call.

    Each is a pair of the judge's name and the limit, by a name that tells it from the others.
    """
    return {judge if n is None else f"{judge}, {n} a call": (judge, n) for n in per_calls}


def _rated(sides: Sequence[ComparedSide], rubric: Rubric | None, columns: ColumnOptions) -> RatedFiles:
    """Return the content of the files of ratings, and the rubric by which all judges and files are compared."""
    in_memory = tuple(side for side in sides if isinstance(side, RatedFile))
    files = files_among([side for side in sides if isinstance(side, str)])
    if rubric is None and len(files) + len(in_memory) < len(sides):
        raise UsageError("to ask judges, name the rubric with --rubric")
    if not files:
        return RatedFiles(rubric or in_memory[0].rubric, in_memory)
    refuse_unknown_columns(files, columns)
    rated = open_rated(files, rubric, columns=columns_from_options(columns))
    return RatedFiles(rated.rubric, (*rated.files, *in_memory))


def _examples(
    named: Path | ExampleSet | None, rubric: Rubric, options: LabelOptions, notes: list[str]
) -> tuple[ExampleSet | None, Path | None]:
    """Return labelled examples and their folder, each None if missing; add a sentence on held-out labels to `notes`.

    Args:
        named: The examples or their file, as the caller names them; None for the rubric's own.
        rubric: The rubric.
        options: Which of the examples count, such as those of a split.
        notes: A list to which the sentence is added.
    """
    if isinstance(named, ExampleSet):
        return chosen_examples(named, options.split, options.only), find_calibration(rubric.name, Path.cwd())
    if rubric.source is None and named is None:
        return None, None
    try:
        every, folder = labelled_examples(rubric, named)
    except UsageError:
        if named is not None or options.only:
            raise
        return None, None
    openings = openings_of(every)
    if openings is not None:
        notes.append(openings.sentence)
    return chosen_examples(every, options.split, options.only), folder


def _by_asking(
    name: str,
    opened: Judge | None,
    per_call: int | None,
    examples: ExampleSet,
    rubric: Rubric,
    folder: Path | None,
    ask: AskOptions,
    watch: Watch,
) -> Contender:
    """Ask a judge, which is given by name or already open, about examples; return it as a contender.

    Args:
        name: Name of the judge.
        opened: The judge, if it is already open, which then stays open; None to open it by its name.
        per_call: Largest number of criteria that one request asks about; None for what the rubric says.
        examples: The examples to ask about.
        rubric: The rubric.
        folder: The rubric's calibration folder; None if there is none.
        ask: How the judge is asked.
        watch: Shows progress.
    """
    rubric = _with_per_call(rubric, per_call)
    to_ask = examples.examples
    judge = opened or ask.judge_for(rubric, first_prompts(rubric, to_ask), folder, name=name)
    identity = str(judge.identity)
    ratings, grades = rated_by(judge, rubric, to_ask, ask, what=f"asking {identity}", watch=watch, close=opened is None)
    return Contender(
        name=identity if per_call is None else f"{identity}, {per_call} a call",
        ratings=tuple(ratings),
        cost=total(grade.usage for grade in grades),
        from_cache=sum(grade.replies.get("cache", 0) for grade in grades),
        submissions=len(grades),
        identity=judge.identity.as_asked(ways_of(grade.asked_without for grade in grades)),
        per_call=per_call,
    )


def _with_per_call(rubric: Rubric, per_call: int | None) -> Rubric:
    """Return the rubric with another limit of criteria per question; None leaves the rubric unchanged."""
    return rubric if per_call is None else replace(rubric, criteria_per_call=per_call)


def _name(side: str | Judge) -> str:
    return side if isinstance(side, str) else str(side.identity)


def _of(name: str | None, rubric: Rubric) -> str | None:
    if name is not None:
        measure_of(rubric, name)  # before a judge is asked
    return name


def compared_in_rows(path: Path, options: LabelOptions) -> Compared | None:
    """Compare the judges in a file whose rows hold verdicts and labels in a known format; None for any other file.

    Raises:
        UsageError: The file has only one judge.
    """
    answers = (calibrate(path, options) for calibrate in JUDGES_IN_FILES)
    calibrations = next((calibrations for calibrations in answers if calibrations is not None), None)
    if calibrations is None:
        return None
    return compare_calibrations(calibrations, of=options.of, tolerance=options.tolerance)


def compared_in_tables(paths: Sequence[Path], columns: ColumnOptions, options: LabelOptions) -> Compared:
    """Compare the judges that are columns of a table, or of several joined by id, with the labels in the table.

    Args:
        paths: The table, or the tables to join.
        columns: What the columns and values mean.
        options: Which labels count, and what must agree.

    Raises:
        UsageError: There is only one judge, or a table could be read in several ways.
    """
    try:
        reading = read_files(paths, columns)
    except UsageError as error:
        of_judges = options_of_judges(error)
        if of_judges is not None:
            error.choices = (of_judges,)
        elif error.code == "rater-or-criterion":
            error.choices = error.choices[:1]  # the others name one judge each, and two are compared
        raise
    return compared_in_table(reading, options)


def options_of_judges(error: UsageError) -> str | None:
    """Return options that name the columns an error asks about as judges'; None if they aren't two judges or more."""
    stated = error.facts.get("judges")
    if error.code != "which-columns" or not isinstance(stated, tuple) or len(stated) + len(error.columns) < 2:
        return None
    return shlex.join(as_typed(word for judge in (*stated, *error.columns) for word in ("--judge", judge)))


def compared_in_table(reading: TableReading, options: LabelOptions) -> Compared:
    """Compare the judges that are columns of a table with the labels in the table.

    Raises:
        UsageError: The table has one judge, or none.
    """
    raters = {name: reading.raters(name, judges=True) for name in reading.roles.criteria}
    judges = max(raters.values(), key=len)
    if len(judges) < 2:
        people = reading.raters(next(iter(raters)), judges=False)
        files = shlex.join(map(str, reading.paths))
        alone = f"markscheme calibrate {files}{reading.options.as_shell}" if files else "calibrate(TABLE)"
        alone = with_reading_options(alone)
        raise refusal("one-judge" if judges else "no-judge", columns=judges or people, command=alone)
    reading.refuse_apart(judges)
    (calibrations,) = calibrations_of(reading, options).values()
    return compare_calibrations(calibrations, of=options.of, tolerance=options.tolerance)
