"""The calibrations that a call of `calibrate` asks for: of judges, of a file of ratings, or of Promptfoo's results."""

import asyncio
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from markscheme.calibration.calibration import Calibration, Options, Rater, calibration_of
from markscheme.calibration.collect import first_prompts, rating_of
from markscheme.calibration.drift import Since
from markscheme.calibration.saved import report_in
from markscheme.commands.accepted_run import accept_run, replaying_judge, runs_before, since_accepted, with_replay
from markscheme.commands.options import AskOptions, DriftOptions, LabelOptions
from markscheme.commands.output import refuse_unmakeable
from markscheme.commands.runs import grade_runs, rater_of
from markscheme.commands.settings import find_settings
from markscheme.errors import UsageError
from markscheme.grading import Grading
from markscheme.judges.family import warn_of_kinship
from markscheme.judges.judge import total
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.rerun import FromSample
from markscheme.promptfoo.results_files import is_results, results_among
from markscheme.ratings.examples import ExampleSet, warn_unknown
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rating, load_ratings
from markscheme.ratings.sources import labelled_examples, openings_by, part_of
from markscheme.receipt import ACCEPTED
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibration_folder, find_rubric, known_rubrics


@dataclass(frozen=True)
class Request:
    """What a call of `calibrate` asks for."""

    named: tuple[str, ...]
    judges: tuple[str, ...]
    ratings: tuple[Path, ...]
    labels: LabelOptions
    target: float | None
    ask: AskOptions
    drift: DriftOptions
    quiet: bool

    @property
    def options(self) -> Options:
        """What may be chosen for one calibration."""
        return Options(self.labels.gold, self.labels.gold_by, self.labels.tolerance, self.target)

    def calibrations(self) -> list[Calibration]:
        """A calibration for each judge that is named, for each rater in a file of ratings, or for results.

        Raises:
            UsageError: What is named is neither a rubric nor results, or options that don't go together.
        """
        if self.drift.replace and not self.drift.accept:
            raise UsageError("--replace goes with --accept: it drops the runs accepted before")
        results = results_among(self.named)
        if results:
            return [self._of_results(results)]
        if self.drift.accept and len(self.judges) > 1:
            raise UsageError(f"--accept keeps the run of one judge; {len(self.judges)} are named")
        return self._of_rubric(self.named[0])

    def refuse_options_of_rubrics(self, why: str, **more: object) -> None:
        """Refuse options that ask a judge, or name examples, for files that bring both.

        Args:
            why: What makes them pointless.
            more: Further options by name, and whether they are given.

        Raises:
            UsageError: One of them is given.
        """
        judges = () if self.judges == tuple(find_settings(Path.cwd()).texts("judge")) else self.judges
        given = {
            "judge": judges,
            "ratings": self.ratings,
            "examples": self.labels.examples,
            "samples": self.ask.samples,
            "strategy": self.ask.strategy,
            "replay": self.drift.replay,
            "scorers": self.ask.scorers,
            "only": self.labels.only,
            "skip-damaged": self.ask.skip_damaged,
            **more,
        }
        for option, value in given.items():
            if value:
                raise UsageError(f"--{option} needs a rubric; {why}")

    def _of_results(self, results: Sequence[Path]) -> Calibration:
        from markscheme.calibration.exports import calibrate_results  # slow to load, and few ask for it

        self.refuse_options_of_rubrics("Promptfoo's results contain their own ratings")
        path = self.drift.accepted
        if self.drift.accept and path is None:
            raise UsageError("Promptfoo's results name no rubric to keep a run with; say where with --accepted FILE")
        since = partial(self._since, path)
        calibration, examples = calibrate_results(results, options=self.options, split=self.labels.split, since=since)
        if self.drift.accept and path is not None:
            accept_run([calibration], path, self._split(examples), start_over=self.drift.replace)
        return calibration

    def _of_rubric(self, named: str) -> list[Calibration]:
        refuse_other_files(named)
        plain = load_rubric(find_rubric(named))
        rubric = self.ask.of(plain)
        if self.drift.accept:  # each of the N samples is a run of its own
            rubric = replace(rubric, samples=plain.samples)
        every, folder = labelled_examples(rubric, self.labels.examples)
        path = self.drift.accepted or calibration_folder(rubric.name, Path.cwd()) / ACCEPTED
        if self.drift.accept:
            refuse_unmakeable(path)
        openings = openings_by("calibrate", every, self.labels.split)
        examples = self.labels.chosen(part_of(every, self.labels.split))
        if not examples.labelled.examples:
            without = "what moved between two runs needs no labels: markscheme compare THEN.jsonl NOW.jsonl"
            raise UsageError(f"no example has a label to compare with{examples.searched}; {without}")
        if self.ratings:
            calibrations = self._from_ratings(rubric, every, examples, path)
        else:
            calibrations = [self._from_judge(name, rubric, examples, folder, path) for name in self.judges or [None]]
        if self.drift.accept:
            accept_run(calibrations, path, self._split(examples), start_over=self.drift.replace)
        for calibration in calibrations:
            warn_of_kinship(calibration.rater.models, (example.system for example in examples.examples))
        return [replace(calibration, openings=openings) for calibration in calibrations]

    def _named(self, rater: Rater, judge: str | None = None) -> Rater:
        """A rater with what calibrates it again: the rubric, by its name where that finds it, and the options."""
        file = find_rubric(self.named[0])
        by_name = (name for name, path in known_rubrics().items() if path == file)
        judges = () if (judge,) == tuple(find_settings(Path.cwd()).texts("judge")) else (judge,)
        given = {
            "judge": filter(None, judges),
            "ratings": self.ratings,
            "examples": filter(None, [self.labels.examples]),
        }
        options = [part for option, values in given.items() for value in values for part in (f"--{option}", str(value))]
        return replace(
            rater,
            named=next(by_name, shlex.quote(self.named[0])),
            options="".join(f" {shlex.quote(part)}" for part in options),
        )

    def _split(self, examples: ExampleSet) -> str | None:
        return (self.labels.split or "dev") if examples.has_splits else None

    def _since(
        self, path: Path | None, rubric: Rubric, examples: ExampleSet, ratings: Sequence[Rating]
    ) -> Since | None:
        count = not self.ask.no_cache
        return since_accepted(rubric, examples, ratings, path, drift=self.drift, labels=self.labels, count=count)

    def _from_ratings(self, rubric: Rubric, every: ExampleSet, examples: ExampleSet, path: Path) -> list[Calibration]:
        by_rater: dict[str, list[Rating]] = {}
        for file in self.ratings:
            ratings = _ratings_in(file, rubric, examples)
            warn_unknown((rating.id for rating in ratings), every.examples, file)
            for rating in ratings:
                by_rater.setdefault(rating.rater, []).append(rating)
        files = ", ".join(map(str, self.ratings))
        return [
            calibration_of(
                rubric,
                examples,
                ratings,
                self._named(Rater(name, "", "ratings", files)),
                options=self.options,
                since=self._since(path, rubric, examples, ratings) if len(by_rater) == 1 else None,
            )
            for name, ratings in by_rater.items()
        ]

    def _from_judge(
        self, name: str | None, rubric: Rubric, examples: ExampleSet, folder: Path | None, path: Path
    ) -> Calibration:
        labelled = examples.labelled.examples
        prompts = first_prompts(rubric, labelled)
        opened = partial(self.ask.judge, name, rubric, prompts, folder)
        judge, scorers = opened(), self.ask.scorers_for(rubric)
        times, before = (self.ask.samples or 1) if self.drift.accept else 1, 0
        if not isinstance(judge, RecordedJudge):
            gold = gold_of(examples, rubric, kind=self.labels.gold, by=self.labels.gold_by)
            before = runs_before(path, rater_of(judge).setting(rubric), gold.examples, times, drift=self.drift)
        numbers = range(before, before + times)
        asked = [FromSample(judge, number * rubric.samples) if number else judge for number in numbers]
        runs = [Grading(rubric, one, scorers=scorers) for one in asked]
        first, *later = asyncio.run(grade_runs(runs, labelled, concurrency=self.ask.at_once, quiet=self.quiet))
        rater = self._named(rater_of(judge, first), name)
        ratings = [rating_of(grade, rubric, rater.name) for grade in first]
        since = self._since(path, rubric, examples, ratings) if len(self.judges) <= 1 else None
        replaying = replaying_judge(judge, opened, may_ask=self.drift.replay)
        since, of_replay = with_replay(since, rater.setting(rubric), labelled, replaying, self.ask)
        grades = [grade for run in (first, *later) for grade in run]
        return calibration_of(
            rubric,
            examples,
            ratings,
            rater,
            options=self.options,
            cost=total([*(grade.usage for grade in grades), of_replay]),
            from_cache=sum(grade.replies.get("cache", 0) for grade in grades),
            since=since,
            repeats=[
                rating_of(grade, rubric, rater.name, sample=number)
                for number, run in enumerate(later, start=1)
                for grade in run
            ],
        )


def refuse_other_files(name: str) -> None:
    """Refuse a file that `calibrate` reads or writes elsewhere, and say what to run instead.

    Raises:
        UsageError: It is a report, or lines of examples or ratings.
    """
    path = Path(name)
    if path.suffix == ".jsonl" and path.is_file():
        raise UsageError(
            f"{name} contains lines of JSON, not a rubric; examples go with --examples, ratings with --ratings: "
            f"markscheme calibrate RUBRIC --examples {name}"
        )
    rubric = report_in(path)
    if rubric:
        raise UsageError(
            f"{name} is a report that `calibrate --json` wrote, not a rubric; to calibrate again: "
            f"markscheme calibrate {rubric}; to compare it with another: markscheme compare {name} OTHER.json"
        )
    if rubric is not None:
        raise UsageError(
            f"{name} is a report on several judges that `calibrate --json` wrote, not a rubric; to calibrate again, "
            "name the rubric: markscheme calibrate RUBRIC --judge A --judge B"
        )


def refuse_report(path: Path) -> None:
    """Refuse a file that holds no ratings.

    Raises:
        UsageError: It doesn't exist, or is a report.
    """
    if not path.is_file():
        raise UsageError(f"there is no file of ratings {path}; each line is one rating, as `import` writes them")
    if report_in(path) is not None:
        raise UsageError(f"{path} is a report that `calibrate --json` wrote, not ratings; `compare` reads reports")


def _ratings_in(path: Path, rubric: Rubric, examples: ExampleSet) -> list[Rating]:
    refuse_report(path)
    if is_results(path):
        from markscheme.calibration.exports import ratings_of_results  # likewise

        ratings = ratings_of_results(path, rubric, examples)
    else:
        ratings = load_ratings(path, rubric, keep_unread=True)
    if not ratings:
        raise UsageError(f"{path} contains no ratings")
    return ratings
