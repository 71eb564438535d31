"""A request to calibrate: judges that are asked, ratings from files, tables, or Promptfoo's results."""

import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markscheme.calibration.calibration import Calibration, Rater, by_current_words, calibration_of
from markscheme.calibration.carried_labels import carried_labels
from markscheme.calibration.file_answers import FileAnswer, answer_of, calibrations_otherwise
from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.labelled_examples import examples_with_every_label
from markscheme.calibration.options import AcceptingOptions, LabelOptions
from markscheme.calibration.recorded_trials import (
    RecordedTrial,
    compared_by_people,
    count_settings,
    record_of,
    record_settings,
)
from markscheme.errors import UsageError, no_file
from markscheme.files import refuse_unmakeable
from markscheme.grading.receipt import ACCEPTED
from markscheme.judges.family import warn_of_kinship
from markscheme.judges.judge import GradingJudge, Judge, Usage, replying, total
from markscheme.judges.options import AskOptions
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.rerun import FromSample
from markscheme.options.settings import typed_options
from markscheme.options.table import AddedOptions
from markscheme.phrases import in_words
from markscheme.progress import Watch, unwatched
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import values_of
from markscheme.ratings.examples import ExampleSet, refuse_own_labels, warn_unknown, without_own_labels
from markscheme.ratings.examples_choice import chosen_examples, part_name
from markscheme.ratings.first_splits import as_read, write_as_read
from markscheme.ratings.from_grades import first_prompts, ratings_of
from markscheme.ratings.gold import gold_of
from markscheme.ratings.kinds import JUDGES, KINDS
from markscheme.ratings.rating import Rating
from markscheme.ratings.splits import openings_of
from markscheme.readers.plain_tables import hold
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.reading import may_be_results, shows_rubric, shows_yaml
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibration_folder, find_calibration, find_rubric, known_rubrics

if TYPE_CHECKING:
    from markscheme.calibration.accepted.history import AcceptedRuns
    from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
    from markscheme.calibration.labelled_files import ToolFilesAnswer
    from markscheme.grading import Grade
    from markscheme.readers.rated import RatedFiles


@dataclass(frozen=True, kw_only=True)
class CalibrationRequest:
    """A request to calibrate: the rubric, the labelled examples, the judges or ratings, and all options.

    Attributes:
        of: The rubric; or, as the user typed it, a rubric's name or the names of Promptfoo's results.
        examples: The labelled examples or their file; None for the rubric's own.
        judges: The judges to ask, by name or opened; empty for the default judge.
        judge_is_configured: True if a file of settings names the judge, so that a later call need not.
        ratings: Files of ratings, or ratings, instead of asking a judge.
        options: Which labels count, and how much agreement is enough.
        ask: How judges are asked.
        added: Options that features add to `calibrate`.
        accepting: Options on how the run is compared with accepted runs, and on whether it joins them.
        columns: What the columns and values of a table, or of another tool's export, mean.
        watch: Shows progress.
        notify: Called with a sentence for the user.
        spell: Function that writes an option, for such a sentence, the way the user writes it; unchanged by default.
    """

    of: Rubric | tuple[str, ...]
    examples: Path | ExampleSet | None
    judges: tuple[str | Judge, ...]
    judge_is_configured: bool
    ratings: tuple[Path, ...] | list[Rating]
    options: LabelOptions
    ask: AskOptions
    added: AddedOptions
    accepting: AcceptingOptions
    columns: ColumnOptions
    watch: Watch = unwatched
    notify: Callable[[str], None] | None = None
    spell: Callable[[str], str] = str

    def of_tool_files(self) -> "ToolFilesAnswer | FileAnswer | None":
        """Return the result for files that hold their own ratings, such as an export; None for other requests.

        For files with several annotators and no judge, the result is the agreement of annotators.

        Raises:
            UsageError: An option on columns is given although no file needs it, or an option that only a rubric has.
        """
        if self._otherwise is not None:
            return None
        paths = [] if isinstance(self.of, Rubric) else [Path(name) for name in self.of]
        of_feature = answer_of(self) if any(path.is_file() and not shows_rubric(path) for path in paths) else None
        if of_feature is not None:
            return of_feature
        is_export = bool(paths) and _are_of_tool(paths)
        is_other = len(paths) == 1 and paths[0].is_file() and not self.ratings and not shows_rubric(paths[0])
        if is_export or is_other:
            answer: ToolFilesAnswer | FileAnswer | None
            answer = _labelled_files().answer_in(paths, self.columns, self.options, is_export=is_export)
            if answer is not None:
                why = "an export contains its own ratings" if is_export else f"{paths[0]} fits --examples or --ratings"
                self.refuse_options_of_rubrics(why, accept=self.accepting.accept)
                return answer
        name = self.of.name if isinstance(self.of, Rubric) else self.of[0]
        self.columns.refuse(name)
        if self.ratings:
            return None
        for option in ("kind", "rater", "levels", "scale"):
            if getattr(self.columns, option):
                _refuse_other_files(name)
                raise UsageError(f"--{option} is for exports of other tools; {name} is none")
        return self._of_metrics(paths)

    def _of_metrics(self, paths: Sequence[Path]) -> "ToolFilesAnswer | None":
        """Return a calibration for each metric of Promptfoo's results.

        None if a label is of a whole output instead of a metric, or if metrics or an accepted run were named.

        Args:
            paths: The files of results.
        """
        if not self._results or self.metrics or self.accepting.accepted is not None:
            return None
        if not _labelled_files().labels_by_metric(self._rated_results):
            return None
        answer: ToolFilesAnswer = _labelled_files().calibrate_tool_files(paths, self._rated_results, self.options)
        return answer

    @property
    def has_own_source(self) -> bool:
        """True if a feature, and not the core, computes the calibrations of this request."""
        return self._otherwise is not None

    @cached_property
    def _otherwise(self) -> list[Calibration] | None:
        """The calibrations of this request if a feature provides its labels or ratings, as for counts; else None."""
        return calibrations_otherwise(self)

    def calibrations(self) -> list[Calibration]:
        """Compare each named judge, each rater in ratings files, or each metric of Promptfoo's results, with people.

        Raises:
            UsageError: What is named is neither a rubric nor results, or options don't go together.
        """
        if self.accepting.replace and not self.accepting.accept:
            raise UsageError("--replace goes with --accept: it drops the runs accepted before")
        if self.accepting.force and not self.accepting.accept:
            raise UsageError("--force goes with --accept: it accepts a judge that shouldn't be used")
        if self._otherwise is not None:
            return self._otherwise
        if self._results:
            metrics: Sequence[str | None] = self.metrics or (None,)
            return [self._of_results(self._results, metric) for metric in metrics]
        if self.ratings and self.judges and not self.judge_is_configured:
            raise UsageError("--ratings and --judge both name who rated; leave one out")
        if self.accepting.accept and len(self.judges) > 1:
            raise UsageError(f"--accept keeps the run of one judge; {len(self.judges)} are named: name one")
        return self._of_rubric()

    def refuse_options_of_rubrics(self, why: str, **more: object) -> None:
        """Raise an error if the request sets an option that has an effect only with a rubric, such as `--judge`.

        It is called for files that hold ratings and are compared without a rubric.

        Args:
            why: The reason why such an option has no effect, which ends the message.
            more: Values of further options that need a rubric, by the option's name.

        Raises:
            UsageError: Such an option is set.
        """
        values = {
            "judge": self.judges and not self.judge_is_configured,
            "ratings": self.ratings,
            "examples": self.examples,
            "replay": self.accepting.replay,
            "only": self.options.only,
            "split": self.options.split,
            **more,
        }
        typed = typed_options(("samples", "strategy", "criteria_per_call", "scorers"), self.ask)
        of_asking = (f"--{key}" if text.startswith("--") else f"-o {key}" for key, text in typed.items())
        refused = [*(f"--{key}" for key, value in values.items() if value), *of_asking]
        if refused:
            raise UsageError(f"{refused[0]} needs a rubric; {why}")

    # Promptfoo's results

    @cached_property
    def _results(self) -> list[Path]:
        """The files of Promptfoo's results that the request names."""
        return [] if isinstance(self.of, Rubric) else _results_among(self.of)

    @cached_property
    def _rated_results(self) -> "RatedFiles":
        """The ratings and labels in Promptfoo's results."""
        from markscheme.readers.rated import open_rated

        return open_rated(self._results)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics of Promptfoo's results that `--judge` names."""
        names = [] if self.judge_is_configured else [judge for judge in self.judges if isinstance(judge, str)]
        return tuple(names) if self._results else ()

    def _of_results(self, results: Sequence[Path], metric: str | None) -> Calibration:
        self.refuse_options_of_rubrics("Promptfoo's results contain their own ratings", judge=None, split=None)
        path = self.accepting.accepted
        if self.accepting.accept and path is None:
            raise UsageError("Promptfoo's results name no rubric to keep a run with; say where with -o accepted=FILE")
        since = partial(self.since, path)
        calibration: Calibration
        with self.turn(path):
            calibration, examples = _labelled_files().calibrate_results(
                results,
                options=self.options,
                split=self.options.split,
                since=since,
                rated=self._rated_results,
                metric=metric,
            )
            if path is not None:
                self.accept([calibration], path, examples)
        return replace(calibration, rater=replace(calibration.rater, options=self.columns.as_import.strip()))

    # a rubric

    def _of_rubric(self) -> list[Calibration]:
        plain = self.of if isinstance(self.of, Rubric) else _rubric_named(self.of[0])
        rubric = self.ask.of(plain)
        if self.accepting.accept:  # each of the N samples is a run of its own
            rubric = replace(rubric, samples=plain.samples)
        every, folder = self._examples(rubric)
        path = self.accepting.accepted or calibration_folder(rubric.name, Path.cwd()) / ACCEPTED
        if self.accepting.accept:
            refuse_unmakeable(path)
        with self.turn(path):
            return self._calibrated(rubric, every, folder, path)

    def _calibrated(self, rubric: Rubric, every: ExampleSet, folder: Path | None, path: Path) -> list[Calibration]:
        openings = openings_of(every)
        carried = carried_labels(every, rubric)
        every = labelled = every if carried is None else carried.counting
        examples = chosen_examples(every, self.options.split, self.options.only)
        among_ratings = [] if examples.labelled.examples else self._labels_beside_verdicts(rubric, examples)
        if among_ratings:
            every = every.with_labels(among_ratings)
            examples = chosen_examples(every, self.options.split, self.options.only)
        if not examples.labelled.examples:
            raise self._without_labels(rubric, examples, "no example has a label to compare with")
        if self.ratings:
            kinds = JUDGES if among_ratings else KINDS
            calibrations = self._from_ratings(rubric, every, examples, path, kinds)
        else:
            calibrations = [self._from_judge(judge, rubric, examples, folder, path) for judge in self.judges or [None]]
        if self.options.all_texts and every.path is not None:  # a run that fails shows no texts
            write_as_read(every.path)
        opened = openings.wordings if openings is not None and self.options.split != "dev" else frozenset()
        calibrations = self._after_settings(calibrations, rubric, examples, opened)
        if carried is not None:
            calibrations = [by_current_words(calibration, carried) for calibration in calibrations]
        self.accept(calibrations, path, examples, every)
        for calibration in calibrations:
            warn_of_kinship(calibration.rater.models, values_of(examples.examples, "system"))
        whole = len(every.labelled.examples)
        is_part = every.has_splits and len(examples.labelled.examples) < whole
        part = (self.options.split or "all", whole) if is_part else None
        return [replace(calibration, labelled=labelled, openings=openings, part=part) for calibration in calibrations]

    def _after_settings(
        self, calibrations: Sequence[Calibration], rubric: Rubric, examples: ExampleSet, opened: frozenset[str]
    ) -> list[Calibration]:
        """Record this run's settings, and widen intervals for all settings tried on the same labels so far.

        Args:
            calibrations: The calibrations of this run.
            rubric: The rubric.
            examples: The labelled examples.
            opened: Fingerprints of the wordings that were tested on held-out labels of these examples; they count as
                settings.
        """
        today = date.today().isoformat()
        split = part_name(examples.examples, self.options.split)
        runs: list[RecordedTrial | None] = []
        for calibration in calibrations:
            judge = calibration.rater.identity or calibration.rater.name
            comparison = calibration.comparison
            ids = compared_by_people(comparison)
            run = RecordedTrial.of(calibration.rubric, comparison.measure, judge, ids, at=today, split=split)
            runs.append(run if ids else None)
        tried, is_kept = record_settings(record_of(rubric), [run for run in runs if run])
        return [
            calibration.after(count_settings(run.examples, tried, opened), on_record=is_kept) if run else calibration
            for calibration, run in zip(calibrations, runs, strict=True)
        ]

    def _examples(self, rubric: Rubric) -> tuple[ExampleSet, Path | None]:
        """Return the request's examples with all labels, and the rubric's calibration folder or None."""
        if isinstance(self.examples, ExampleSet):
            every = self.examples
            folder = find_calibration(rubric.name, Path.cwd())
        else:
            every, folder = examples_with_every_label(rubric, self.examples)
        return (as_read(every) if self.options.all_texts else every), folder

    @contextmanager
    def turn(self, path: Path | None) -> Iterator[None]:
        """Lock the accepted runs while a run is made and added, so that no other process adds one in between.

        Args:
            path: The accepted.json; None to lock nothing.
        """
        if path is None or not self.accepting.accept:
            yield
            return
        with self._runs_at(path).turn():
            yield

    def accept(
        self, calibrations: Sequence[Calibration], path: Path, examples: ExampleSet, basis_of: ExampleSet | None = None
    ) -> None:
        if self.accepting.accept:
            basis = None if basis_of is None else (basis_of, self.options)
            self._runs_at(path).accept(calibrations, part_name(examples.examples, self.options.split), basis)

    def _runs_at(self, path: Path) -> "AcceptedRuns":
        """Return the accepted runs of an accepted.json, to compare this request's run with them or add it to them."""
        from markscheme.calibration.accepted.history import AcceptedRuns

        return AcceptedRuns(path, self.accepting, self.notify)

    def since(
        self, path: Path | None, rubric: Rubric, examples: ExampleSet, ratings: Sequence[Rating]
    ) -> "AcceptedBasis | None":
        """Return the accepted run with which ratings are compared; None if there is none, or it isn't comparable.

        Args:
            path: The accepted.json of the accepted runs; None if the rubric has no folder for it.
            rubric: The rubric that the ratings were given by.
            examples: The examples that were rated.
            ratings: The ratings to compare with the accepted run's.

        Raises:
            UsageError: The file of the accepted run was named and doesn't exist.
        """
        if path is None or not path.is_file():
            if self.accepting.accepted is not None and not self.accepting.accept:
                raise UsageError(f"there is no accepted run {path}; --accept writes it", path=path)
            return None
        return self._runs_at(path).since(
            rubric,
            examples,
            ratings,
            of_other_examples=self.examples is not None or self.options.split is not None,
            count=self.ask.cache,
        )

    def _named(self, rater: Rater, judge: str | Judge | None = None, files: Sequence[Path] = ()) -> Rater:
        """Add to a rater what a printed command needs to calibrate it again: the rubric's name and options.

        Args:
            rater: The rater.
            judge: The judge as it was named; None if it wasn't asked.
            files: The files with its ratings, if it wasn't asked.
        """
        if isinstance(self.of, Rubric):
            file = self.of.source
            written = self.of.name if file is None else str(file)
        else:
            file = find_rubric(self.of[0])
            written = self.of[0]
        by_name = (name for name, path in known_rubrics().items() if path == file)
        judges = ["--judge", judge] if isinstance(judge, str) and not self.judge_is_configured else []
        columns = self.columns.as_import if files else ""
        return replace(
            rater,
            named=shlex.quote(next(by_name, written)),
            options=shlex.join([*judges, *(word for file in files for word in ("--ratings", str(file)))]) + columns,
            examples=self.examples if isinstance(self.examples, Path) else None,
            ask=None if files else self.ask_again,
            families=(self.accepting,),
        )

    @property
    def ask_again(self) -> AskOptions:
        """Options for asking the judge in the same way again.

        If this run is accepted, the number of samples is left out, since each sample then counts as a run of its own.
        """
        return replace(self.ask, samples=None) if self.accepting.accept else self.ask

    def _from_ratings(
        self, rubric: Rubric, every: ExampleSet, examples: ExampleSet, path: Path, kinds: Collection[str]
    ) -> list[Calibration]:
        every_rating = RatingCodes()
        files: dict[str, dict[Path, None]] = {}
        for source, ratings in self._sources(rubric, examples):
            warn_unknown(ratings.ids, every.ids, source)
            of_judges = ratings.of_kinds(kinds)
            every_rating = every_rating.joined(of_judges) if every_rating else of_judges
            if source is not None:
                for rater in of_judges.raters:
                    files.setdefault(rater, {})[source] = None
        refuse_own_labels(every_rating, examples.labels, self.options.gold)
        by_rater = every_rating.by_rater()
        examples, left_out = without_own_labels(examples, by_rater, self.options.gold)
        if len(left_out) == len(by_rater):
            raise self._without_labels(rubric, examples, f"the only labels are {in_words(left_out)}'s own")
        if left_out and self.notify is not None:
            self.notify(f"{in_words(left_out)} left out: a judge isn't compared with its own labels")
        by_rater = {name: ratings for name, ratings in by_rater.items() if name not in left_out}
        provenance = {name: ", ".join(map(str, paths)) for name, paths in files.items()}
        return [
            calibration_of(
                rubric,
                examples,
                ratings,
                self._named(Rater(name, "", "ratings", provenance.get(name)), files=tuple(files.get(name, ()))),
                options=self.options,
                since=self.since(path, rubric, examples, ratings) if len(by_rater) == 1 else None,
            )
            for name, ratings in by_rater.items()
        ]

    def _without_labels(self, rubric: Rubric, examples: ExampleSet, why: str) -> UsageError:
        """Make the error that there are no labels to compare with, with the command that labels the examples.

        Args:
            rubric: The rubric.
            examples: The examples, none of which has a label that counts.
            why: The beginning of the message, which says what is missing.
        """
        to_label = f"; to label them: {Commands.on(rubric).label()}" if self.examples is None else ""
        without = "what moved between two runs needs no labels: markscheme compare THEN.jsonl NOW.jsonl"
        return UsageError(f"{why}{examples.searched}{to_label}; {without}")

    def _labels_beside_verdicts(self, rubric: Rubric, examples: ExampleSet) -> RatingCodes:
        """Return people's labels from the ratings files; no labels if the files have no judge's ratings."""
        ratings = RatingCodes().joined(*(of_source for _, of_source in self._sources(rubric, examples)))
        labels = ratings.where(lambda header: header.kind not in JUDGES)
        return labels if len(labels) < len(ratings) else RatingCodes()

    def _sources(self, rubric: Rubric, examples: ExampleSet) -> list[tuple[Path | None, RatingCodes]]:
        """Return the request's ratings by source: the path of each ratings file, or None for ratings in memory."""
        if isinstance(self.ratings, list):
            return [(None, RatingCodes.of(self.ratings))]
        return list(_other_files().ratings_in_files(self.ratings, rubric, examples, self.columns))

    def _from_judge(
        self, wanted: str | Judge | None, rubric: Rubric, examples: ExampleSet, folder: Path | None, path: Path
    ) -> Calibration:
        from markscheme.calibration.judge_runs import grade_runs, grading_of_each, rater_of, run_to_end

        opened = self._opening(wanted, rubric, examples, folder)
        judge = opened()
        examples, left_out = without_own_labels(examples, (rater_of(judge).name,), self.options.gold)
        if left_out:
            raise self._without_labels(rubric, examples, f"the only labels are {in_words(left_out)}'s own")
        labelled = examples.labelled.examples
        close = wanted is None or isinstance(wanted, str)
        times = (self.ask.samples or 1) if self.accepting.accept else 1
        before = 0
        if not isinstance(judge, RecordedJudge):
            gold = gold_of(examples, rubric, kind=self.options.gold, by=self.options.gold_by)
            if self.accepting.accept:
                before = self._runs_at(path).before(rater_of(judge).setting(rubric), gold.examples, times)
        numbers = range(before, before + times)
        numbered = [_from_sample(judge, of_run * rubric.samples) for of_run in numbers]
        runs = grading_of_each(numbered, rubric, self.ask)
        first, *later = run_to_end(
            grade_runs(runs, labelled, concurrency=self.ask.at_once, watch=self.watch, close=close)
        )
        rater = self._named(rater_of(judge, first), wanted)
        ratings = [rating for grade in first for rating in ratings_of(grade, rubric, rater.name)]
        grades = [grade for run in (first, *later) for grade in run]
        from_cache = sum(grade.replies.get("cache", 0) for grade in grades)
        since = self.since(path, rubric, examples, ratings) if len(self.judges) <= 1 else None
        of_replay = Usage()
        if since is not None:
            accepted = self._runs_at(path)
            current = rater.setting(rubric)
            since, of_replay = accepted.replayed(
                since, current, labelled, self.ask, judge=judge, opened=opened, close=close
            )
            is_new = rater.source == "live" and not from_cache
            since = accepted.with_looks(since, current, labelled, first if is_new else (), members=rater.members)
        return calibration_of(
            rubric,
            examples,
            ratings,
            rater,
            options=self.options,
            cost=total([*(grade.usage for grade in grades), of_replay]),
            from_cache=from_cache,
            since=since,
            repeats=_repeats(later, rubric, rater.name),
        )

    def _opening(
        self, wanted: str | Judge | None, rubric: Rubric, examples: ExampleSet, folder: Path | None
    ) -> Callable[[], GradingJudge]:
        """Return a function that opens the judge, or that returns the judge that the caller opened.

        Args:
            wanted: The judge, or its name; None for the judge that is chosen without a name.
            rubric: The rubric.
            examples: The examples that the judge will be asked about.
            folder: The folder with recorded replies; None without one.
        """
        if wanted is not None and not isinstance(wanted, str):
            return lambda: wanted
        prompts = first_prompts(rubric, examples.labelled.examples)
        return partial(self.ask.judge_for, rubric, prompts, folder, name=wanted)


def _from_sample(judge: GradingJudge, first: int) -> GradingJudge:
    """Make the judge number its samples from `first` on, so that it doesn't get the cached replies of earlier runs."""
    if first == 0:
        return judge
    return FromSample(replying(judge), first)


def _repeats(runs: "Sequence[Sequence[Grade]]", rubric: Rubric, rater: str) -> list[Rating]:
    """Return the ratings of all runs but the first, with these runs numbered from 1.

    Args:
        runs: The grades of each run.
        rubric: The rubric.
        rater: Name of the judge.
    """
    return [
        rating
        for ordinal, run in enumerate(runs, start=1)
        for grade in run
        for rating in ratings_of(grade, rubric, rater, sample=ordinal)
    ]


def _results_among(named: Sequence[str]) -> list[Path]:
    """Return the names as paths if they are files of Promptfoo's results; an empty list if a rubric is named.

    Raises:
        UsageError: There are several names, and not all are files of results.
    """
    paths = [Path(name) for name in named]
    may_be = [path.is_file() and (not shows_yaml(path) or may_be_results(path)) for path in paths]
    if any(may_be):
        may_be = [is_candidate and hold("results", [path]) for is_candidate, path in zip(may_be, paths, strict=True)]
    if all(may_be):
        return paths
    if len(paths) > 1:
        other = next(name for name, is_one in zip(named, may_be, strict=True) if not is_one)
        if missing := [path for path in paths if path.suffix[1:].isalpha() and not path.exists()]:
            raise UsageError(f"{missing[0]}: {no_file(missing[0])}")
        raise UsageError(
            f"{other} contains no results of Promptfoo; name results alone, or a rubric and --ratings FILE"
        )
    return []


def _are_of_tool(paths: Sequence[Path]) -> bool:
    """Return True if the files are another tool's export; YAML files never are, and no reader is loaded for them."""
    return all(path.is_file() and not shows_yaml(path) for path in paths) and hold("export", paths)


def _rubric_named(name: str) -> Rubric:
    _refuse_other_files(name)
    return load_rubric(find_rubric(name))


def _refuse_other_files(name: str) -> None:
    """Raise an error if a file is of a kind that doesn't belong in place of a rubric, such as a report.

    Raises:
        UsageError: The file is a report, or has lines of examples or ratings.
    """
    path = Path(name)
    if not path.is_file() or shows_yaml(path):
        return
    _other_files().refuse_other_file(name)


def _labelled_files() -> Any:
    from markscheme.calibration import labelled_files  # slow to load, and few runs need it

    return labelled_files


def _other_files() -> Any:
    from markscheme.calibration.requests import other_files  # a judge that is asked needs no reader

    return other_files
