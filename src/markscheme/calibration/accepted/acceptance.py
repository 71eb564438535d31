"""Accepting a run: what `--accept` writes, for comparison with later runs.

There are two files: accepted.json, and the judge's ratings under a name that contains their digest. The ratings are not
labels, so they are kept outside `ratings/`. Each run is a sample in the file of ratings.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, fields, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

from markscheme.calibration.accepted.accepted_history import keep_point, kept_points, point_of
from markscheme.calibration.accepted.further_files import KEPT_WITH_RUN, RunBasis, WriteKept
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.verdict import Decision
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.earlier_runs.run_identity import (
    MOST_RUNS,
    Accepted,
    RunIdentity,
    labels_digest,
    submission_digest,
    template_fingerprint,
)
from markscheme.errors import RatingError, writing
from markscheme.files import exclusive, replacing, write_whole
from markscheme.fingerprint import fingerprint
from markscheme.grading import MOST_UNGRADED, asking_fingerprint
from markscheme.grading.receipt import ACCEPTED, ACCEPTED_SCHEMA, accepted_run_data
from markscheme.phrases import counted
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Rubric
from markscheme.shipped import installed_version
from markscheme.stats import Estimate

DIGEST_LENGTH = 8
"""Digits of a digest in a file's name: enough to distinguish the few files that a folder ever has."""
LONGEST_ERROR = 200
"""Largest number of characters of an error that are stored: enough for its sentence, without a provider's whole
reply."""
KIND_OF_REFERENCE: Mapping[str, str] = {"people": "human", "one-person": "human"}
"""Name of the labels in a receipt, for references that a receipt calls by another name."""
NOT_ASKED = ("source", "judge")
"""Keys of a rubric that don't affect what the judge is asked."""
NEWER = ("criteria_per_call", "trend_on", "max_false_credit", "max_missed_credit", "rows", "core_share")
"""Keys of a rubric that older versions didn't have; accepted.json has them only if they aren't the default."""


@contextmanager
def accepting(path: Path, busy: Callable[[], object]) -> Iterator[None]:
    """Lock an accepted.json, so that no other process accepts a run there until the `with` block ends.

    The lock is on its folder, since the file itself is replaced. A folder made for the lock is removed if still empty.

    Args:
        path: The accepted.json.
        busy: Called if another process is accepting a run there, before this one waits for it.

    Raises:
        UsageError: The folder cannot be made or opened.
    """
    folder = path.absolute().parent
    is_new = not folder.exists()
    with ExitStack() as stack:
        with writing(path):
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(exclusive(folder, is_folder=True, busy=busy))
        try:
            yield
        finally:
            if is_new:
                with suppress(OSError):
                    folder.rmdir()


def accept(
    calibration: Calibration,
    path: Path,
    *,
    split: str | None = None,
    start_over: bool = False,
    basis: "RunBasis | None" = None,
) -> str:
    """Add this run and its repeats to a file's accepted runs, or replace these if they aren't comparable with it.

    Either accepted.json and the file of ratings next to it are both written, or neither: until accepted.json is
    replaced, the previous runs stay valid. The files that features keep with a run are written too, and a line is added
    to the history. The history is read before anything is written.

    Args:
        calibration: The run, with its repeats; each sample is kept as a run.
        path: The accepted.json to write; its folder is made.
        split: The split that was measured; None if the examples have no splits.
        start_over: True to drop the previously accepted runs.
        basis: The examples of the run with their files, and its options; None if the run isn't from files.

    Returns:
        Sentences for the user: how many runs are accepted, and how many more would help.

    Raises:
        RatingError: Too few examples are graded to accept the run, there are five runs already, or the history has a
            line that isn't an accepted run.
        UsageError: The files cannot be written.
    """
    examples = {example.id: example for example in calibration.comparison.gold.examples}
    sitting = [rating for rating in (*calibration.judge_ratings, *calibration.repeats) if rating.id in examples]
    _refuse_unfinished(sitting, len(examples), path)
    current = calibration.rater.setting(calibration.rubric)
    earlier, why_alone = joinable(path, current, calibration.comparison.gold.examples, start_over=start_over)
    runs = _numbered(sitting, earlier.ratings if earlier else (), live=calibration.rater.source == "live")
    n_runs = len({rating.sample for rating in runs})
    if n_runs > MOST_RUNS:
        raise RatingError(f"not accepted: that makes {n_runs} runs of {MOST_RUNS}; --replace starts over", path=path)
    lines = "".join(_line(rating, examples[rating.id]) for rating in runs)
    ratings_file = write_run(
        calibration,
        lines.encode(),
        path,
        runs=n_runs,
        examples=len({rating.id for rating in runs}),
        split=split,
        measured_runs=len({rating.sample for rating in sitting}),
        basis=basis,
    )
    return " ".join(_sentences(ratings_file, n_runs, why_alone))


def _sentences(ratings_file: Path, runs: int, why_alone: str | None) -> Iterator[str]:
    """Yield sentences on an accepted run: its file, why earlier runs are dropped, and how many more runs would help.

    Args:
        ratings_file: The file with the judge's ratings in all accepted runs.
        runs: Number of runs that are accepted now, the new one included.
        why_alone: The reason why the runs accepted before are dropped; None if they aren't.
    """
    yield f"{counted(runs, 'run')} accepted, with the judge's ratings in {ratings_file.name}."
    if why_alone is not None:
        yield f"The runs accepted before are dropped ({why_alone})."
    if runs < MOST_RUNS:
        more = counted(MOST_RUNS - runs, "more run")
        yield f"Drift is found more surely with {MOST_RUNS}: accept {more} without changing anything."


def write_run(
    calibration: Calibration,
    content: bytes,
    path: Path,
    *,
    ending: str = ".jsonl",
    runs: int,
    examples: int,
    split: str | None,
    measured_runs: int = 1,
    basis: "RunBasis | None" = None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Path:
    """Write a run's ratings or counts, its accepted.json and the files that features keep; return the ratings' path.

    Args:
        calibration: The run.
        content: The content of the file of ratings or counts that is kept.
        path: The accepted.json to write; its folder is made.
        ending: The ending of the kept file's name.
        runs: Number of runs whose ratings of single examples are in the kept file, this one and earlier ones; 0 if
            the file has only counts.
        examples: Number of examples that were rated.
        split: The split that was measured; None if the examples have no splits.
        measured_runs: Number of those runs that are accepted now, which is several if each example was graded several
            times.
        basis: The examples of the run with their files, and its options; None if the run isn't from files.
        more: Further entries of accepted.json.

    Raises:
        RatingError: The history has a line that isn't an accepted run.
        UsageError: The files cannot be written.
    """
    digest = hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()
    kept_file = path.with_name(f"{path.stem}-{digest[:DIGEST_LENGTH]}{ending}")
    ratings = {
        "file": kept_file.name,
        "sha256": digest,
        "judge": calibration.rater.name,
        "samples": runs,
        "examples": examples,
    }
    before = _kept_file_of(path)
    history = kept_points(path.parent) if path.name == ACCEPTED else []
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(kept_file, follow=False) as file:
            file.write(content)
        document = accepted_document(calibration, ratings, split, measured_runs) | dict(more)
        if not runs:
            del document["measurements"]["false_passes"], document["measurements"]["false_fails"]
        writers: list[WriteKept] = []
        for keep in KEPT_WITH_RUN:
            entries, write = keep(calibration, document, basis, path)
            document |= entries
            writers.append(write)
        accepted_text = json.dumps(document, ensure_ascii=False, indent=2, default=Estimate.to_json)
        write_whole(path, f"{accepted_text}\n", follow=False)
        for write in writers:
            write()
        if path.name == ACCEPTED:
            fails = calibration.comparison.wrong_passes.of if calibration.rubric.decides else None
            keep_point(point_of(document, calibration.rubric, fails), history, path.parent)
        if before is not None and before != kept_file:
            before.unlink(missing_ok=True)
    return kept_file


def _refuse_unfinished(ratings: Sequence[Rating], n: int, path: Path) -> None:
    graded_by_run: dict[int, set[str]] = {rating.sample: set() for rating in ratings}
    for rating in ratings:
        if rating.error is None:
            graded_by_run[rating.sample].add(rating.id)
    for run, ids in sorted(graded_by_run.items()):
        graded = len(ids)
        if n - graded > MOST_UNGRADED * n:
            raise RatingError(
                f"not accepted: run {run + 1} grades {graded} of {n} examples, and nine in ten are needed", path=path
            )


def joinable(
    path: Path, current: RunIdentity, examples: Sequence[Example], *, start_over: bool = False, is_asked: bool = True
) -> tuple[Accepted | None, str | None]:
    """Return the accepted runs that today's run can be added to, and the reason if it can't be added to any.

    Args:
        path: The accepted.json of the accepted runs; it may be missing.
        current: The setting of today's run.
        examples: The examples of today's run that have gold.
        start_over: True to drop the accepted runs in any case.
        is_asked: True if the judge has been asked already; until then, its server is assumed to accept the parameters
            that it accepted in the accepted runs.

    Returns:
        The accepted runs, None if today's run can't be added; and the reason why not, None if it can be added, if no
        run is accepted yet, or if `start_over` is true.
    """
    if start_over or not path.is_file():
        return None, None
    try:
        accepted = load_accepted(path)
    except RatingError as error:
        return None, f"they cannot be read: {error}"
    why = accepted.why_not_joined(current, examples, is_asked=is_asked)
    return (accepted, None) if why is None else (None, str(why))


def _numbered(sitting: Sequence[Rating], earlier: Sequence[Rating], *, live: bool) -> list[Rating]:
    """Renumber samples for the file of accepted runs: this run's from 0, then the earlier runs'; return all ratings.

    Ratings that come from a file or a recording may be accepted already. Then they are the same run, and count once.

    Args:
        sitting: The ratings of this run; if it asked for several samples, each sample becomes a run.
        earlier: The ratings of the runs that are accepted already.
        live: True if the judge was asked in this run: then the run counts as a new one even if its ratings equal
            accepted ratings.
    """
    own_runs = _runs_among(sitting)
    earlier_runs = _runs_among(earlier)
    if not live and all(run in earlier_runs.values() for run in own_runs.values()):
        others = {of_run for of_run, run in earlier_runs.items() if run not in own_runs.values()}
        return _numbered(sitting, [rating for rating in earlier if rating.sample in others], live=True)
    index_of_run = {of_run: index for index, of_run in enumerate(sorted(own_runs))}
    return [
        *(replace(rating, sample=index_of_run[rating.sample]) for rating in sitting),
        *(replace(rating, sample=len(own_runs) + rating.sample) for rating in earlier),
    ]


def _runs_among(ratings: Iterable[Rating]) -> dict[int, dict[tuple[str, str | None], Any]]:
    """Return each rating's levels, score and decision, by sample number and then by example id and order shown."""
    runs: dict[int, dict[tuple[str, str | None], Any]] = {}
    for rating in ratings:
        levels = {name: rated.level for name, rated in rating.criteria.items()}
        runs.setdefault(rating.sample, {})[rating.id, rating.shown] = (levels, rating.overall, rating.passed)
    return runs


def _kept_file_of(path: Path) -> Path | None:
    """Return the path of the ratings file that an accepted.json names; None if `accept` didn't write that file."""
    try:
        ratings = accepted_run_data(path)["ratings"]
        name = ratings["file"]
        digest = ratings["sha256"]
        ours = name == f"{path.stem}-{digest[:DIGEST_LENGTH]}{Path(name).suffix}"
        return path.with_name(name) if ours and path.with_name(name).name == name else None
    except (RatingError, KeyError, TypeError):
        return None


def _line(rating: Rating, example: Example) -> str:
    """Return a rating as a line of the ratings file: levels without reasons, and digests of submission and labels."""
    stored = replace(rating, note=None, error=None if rating.error is None else rating.error[:LONGEST_ERROR]).to_json()
    stored["criteria"] = {
        name: {"level": rated.level} if rated.level is not None else Rated(None, declined=rated.declined).to_json()
        for name, rated in rating.criteria.items()
    }
    stored |= {"submission": submission_digest(example), "labels": labels_digest(example)}
    return json.dumps(stored, ensure_ascii=False, allow_nan=False) + "\n"


def accepted_document(
    calibration: Calibration, ratings: Mapping[str, Any], split: str | None, measured_runs: int
) -> dict[str, Any]:
    """Return the data of an accepted.json, in which figures are still Estimate objects.

    Args:
        calibration: The run.
        ratings: The entry of the document about the file of ratings.
        split: The split that was measured; None if the examples have no splits.
        measured_runs: Number of runs that are accepted together, without earlier ones.
    """
    comparison = calibration.comparison
    rater = calibration.rater
    rubric = calibration.rubric
    gold = comparison.gold
    labels = sorted([example.id, labels_digest(example)] for example in gold.examples)
    return {
        "schema": ACCEPTED_SCHEMA,
        "version": installed_version(),
        "date": date.today().isoformat(),
        "use": calibration.decision.use,
        "verdict": calibration.decision.verdict,
        "decision": _rulings(calibration.decision),
        "measure": comparison.measure.name,
        "settings": None if calibration.settings_kept is False else calibration.decision.settings,
        "except": [
            {
                "by": excepted_part.by,
                "name": excepted_part.name,
                "agreement": agreement,
                "elsewhere": sorted(excepted_part.elsewhere),
            }
            for excepted_part, agreement in calibration.decision.excepted.items()
        ],
        "rubric": {"name": rubric.name, "fingerprint": rubric.fingerprint},
        "judge": {
            "name": rater.name,
            "source": rater.source,
            "provenance": rater.provenance or "",
            "identity": None if rater.identity is None else rater.identity.to_json(),
            "answered_by": list(rater.answered_by),
        },
        "fingerprints": {
            "rubric": rubric.fingerprint,
            "criteria": {criterion.name: criterion.fingerprint for criterion in rubric.criteria},
            "prompt": asking_fingerprint(rubric),
            "template": template_fingerprint(),
            "judge": rater.fingerprint,
            "labels": fingerprint(labels),
        },
        "ratings": dict(ratings),
        "labels": {
            "n": comparison.agreement.n,
            "kind": KIND_OF_REFERENCE.get(gold.reference, gold.reference),
            "reference": gold.reference,
            "raters": dict(gold.kinds),
            **({} if calibration.carried is None else {"again": calibration.carried.to_json()}),
        },
        "split": split,
        "measurements": _measurements(calibration),
        "cost": {
            **calibration.cost.to_json(),
            "from_cache": calibration.counts.from_cache,
            "examples": ratings["examples"],
            "runs": measured_runs,
        },
        "asked": _asked_rubric(rubric),
    }


def _asked_rubric(rubric: Rubric) -> dict[str, Any]:
    """Return the rubric for accepted.json: the keys that affect what a judge is asked.

    Keys that older versions of markscheme didn't have, in `NEWER`, are left out if they have their default.
    """
    data = {key: value for key, value in asdict(replace(rubric, source=None)).items() if key not in NOT_ASKED}
    defaults = {field.name: field.default for field in fields(Rubric)}
    data = {key: value for key, value in data.items() if key not in NEWER or value != defaults[key]}
    criteria = data["criteria"]
    return data | {"criteria": [{k: v for k, v in criterion.items() if k != "tags" or v} for criterion in criteria]}


def _rulings(decision: Decision) -> dict[str, Any]:
    """Return for accepted.json the answers on gate and trend: may the judge gate, and may its scores show trends?"""
    gate = None if decision.gate is None else decision.gate.to_json()
    return {"gate": gate, "trend": decision.trend.to_json(), "may_trend": decision.may_trend}


def _measurements(calibration: Calibration) -> dict[str, Any]:
    """Return the run's agreement, errors and ids of wrongly decided examples, by the keys of accepted.json."""
    comparison = calibration.comparison
    return {
        "agreement": comparison.agreement,
        "agreement_constant": comparison.agreement_constant,
        "agreement_person": comparison.agreement_person,
        "tolerance": comparison.tolerance,
        "target": calibration.decision.target,
        "margin": comparison.overall["rmse"].value,
        "overall": comparison.overall,
        "criteria": {name: dict(criterion.statistics) for name, criterion in comparison.criteria.items()},
        "false_passes": comparison.false_passes,
        "false_fails": comparison.false_fails,
    }
