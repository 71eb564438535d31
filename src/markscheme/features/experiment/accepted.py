"""The accepted experiment: the scores that later runs are compared with."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from markscheme.errors import ComparisonError, RatingError, writing
from markscheme.features.experiment.definition import ExperimentCase
from markscheme.features.experiment.run import ExperimentRun
from markscheme.features.experiment.table import Difference, marks_of, marks_table, since
from markscheme.files import write_whole
from markscheme.grading import Fingerprints
from markscheme.grading.receipt import accepted_data
from markscheme.ratings.rating import Rated, Rating
from markscheme.shipped import installed_version


@dataclass(frozen=True)
class AcceptedExperiment:
    """An accepted run as loaded from its file: how it was graded, its ratings, and the digests of its cases."""

    path: Path
    date: str
    fingerprints: Fingerprints
    marks: tuple[Rating, ...]
    digests: dict[str, str]

    def since(self, run: ExperimentRun) -> list[Difference]:
        """Compare each variant in this run with the same variant in the accepted run, on cases unchanged since then.

        Raises:
            ComparisonError: The accepted run was graded with another rubric, prompt or judge, or the runs have no case
                in common.
        """
        current = run.fingerprints
        then = self.fingerprints
        changed = [
            subject for subject in ("rubric", "prompt", "judge") if getattr(current, subject) != getattr(then, subject)
        ]
        if changed:
            subject = " and ".join(changed)
            raise ComparisonError(
                f"{self.path}: the accepted run was graded by another {subject}; accept this one (--accept)"
            )
        cases: Sequence[ExperimentCase] = [c for c in run.experiment.cases if self.digests.get(c.id) == c.digest]
        unchanged = {case.id for case in cases}
        marked = {mark.rater for mark in self.marks if mark.id in unchanged}
        variants = [name for name in run.experiment.by_name if name in marked]
        if not variants:
            raise ComparisonError(f"{self.path}: the accepted run has no variant and case in common with this one")
        rubric = run.experiment.rubric
        now_table = marks_table(marks_of(run), cases, rubric)
        return since(marks_table(self.marks, cases, rubric), now_table, variants, cases)


def accepted_json(run: ExperimentRun) -> dict[str, Any]:
    """Return the JSON form of an accepted run: its ratings, without outputs and reasons.

    Raises:
        RatingError: Over a tenth of the run's outputs are not graded.
    """
    if run.too_few_graded:
        raise RatingError(f"not accepted: {run.not_graded} of {len(run.grades)} outputs are not graded")
    return {
        "schema": 1,
        "version": installed_version(),
        "date": date.today().isoformat(),
        "experiment": run.experiment.name,
        "judge": str(run.grading.judge.identity),
        "model": run.outputs.model,
        "fingerprints": run.fingerprints.to_json(),
        "cases": {case.id: case.digest for case in run.experiment.cases},
        "marks": [
            {
                "variant": mark.rater,
                "case": mark.id,
                "score": mark.overall,
                "pass": mark.passed,
                "levels": {name: rated.level for name, rated in mark.criteria.items() if rated.level is not None},
            }
            for mark in marks_of(run)
        ],
    }


def load_accepted_experiment(path: Path) -> AcceptedExperiment:
    """Load an experiment's accepted run from its file.

    Raises:
        RatingError: The file isn't a valid accepted experiment.
    """
    data = accepted_data(path)
    try:
        marks = tuple(_mark(mark) for mark in data["marks"])
        prints = Fingerprints(**data["fingerprints"])
        return AcceptedExperiment(path, str(data["date"]), prints, marks, dict(data["cases"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RatingError(f"isn't an accepted experiment: {error!r}; accept another (--accept)", path=path) from error


def _mark(data: Mapping[str, Any]) -> Rating:
    return Rating(
        id=str(data["case"]),
        rater=str(data["variant"]),
        kind="model",
        criteria={str(name): Rated(float(level)) for name, level in data["levels"].items()},
        overall=None if data["score"] is None else float(data["score"]),
        passed=data["pass"],
        error=None if data["score"] is not None else "not graded",
    )


def accept_experiment(run: ExperimentRun, path: Path) -> None:
    """Store a run of the experiment as the accepted one, with which later runs are compared.

    Raises:
        RatingError: Over a tenth of the run's outputs are not graded.
        UsageError: The file cannot be written.
    """
    text = json.dumps(accepted_json(run), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text, follow=False)
