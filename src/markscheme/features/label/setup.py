"""Opens a session: loads the rubric and the responses, draws those to label, and reads the labels given before."""

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from shlex import join, quote

from markscheme.calibration.carried_labels import CarriedLabels, carried_labels, stale_in
from markscheme.calibration.findings.commands import Commands
from markscheme.errors import ComparisonError, RatingError, UsageError, writing
from markscheme.features.label.disputes import disputed, disputed_decisions, first_labels, ratings_in
from markscheme.features.label.graded_metrics import inapplicable_in
from markscheme.features.label.label_order import Step, steps_of
from markscheme.features.label.label_session import LabelSession, Question
from markscheme.features.label.pool import ResponsePool, SetFile, ids_to_ask, read_audits, read_pool
from markscheme.features.label.relabelling import to_relabel
from markscheme.features.label.rows import RowsToLabel, rows_named
from markscheme.features.label.sampling import choose_next, parted_draw
from markscheme.features.label.store import LabelFile
from markscheme.features.label.whole_question import (
    WHOLE_RESPONSE,
    AskWhole,
    asked_whole,
    may_ask_whole,
    refuse_no_whole,
)
from markscheme.files import add_files, set_aside_damaged_end
from markscheme.pages.share import Share
from markscheme.phrases import counted, in_words
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import RATINGS_FOLDER, ExampleSet, load_examples
from markscheme.ratings.gold import gold_of
from markscheme.ratings.kinds import PEOPLE, Kind
from markscheme.ratings.rating import Rating, given_to_current_words
from markscheme.ratings.row_form import takes_lines
from markscheme.ratings.wordings import record_words
from markscheme.readers.results_project import project_of_results
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibration_folder, find_rubric


def open_work(
    named: str,
    here: Path,
    *,
    rater: str,
    pool: Path | None = None,
    next: int | None = None,
    adjudicate: bool = False,
    ask_whole: AskWhole = "until-enough",
    all_criteria: bool = False,
    share: Share | None = None,
    grades: Path | None = None,
    audits: bool = False,
    columns: ColumnOptions = ColumnOptions(),
    seed: int = 1,
    core: str | None = None,
) -> LabelSession:
    """Open a rater's session of labelling, with the labels given before; make `calibration/<rubric>` if it is missing.

    Args:
        named: Name or file of the rubric; or a file of Promptfoo's results, from which a rubric is made; or a file
            whose rows have their own criteria.
        here: The working directory.
        rater: Name of the rater.
        pool: File of responses to label; None for the rubric's own examples.
        next: Number of responses to draw from the pool, preferably those whose labels narrow the judge's figures most;
            None to label the whole pool.
        adjudicate: True if the rater decides the labels on which annotators disagree.
        ask_whole: When the rater is asked about the whole response first.
        all_criteria: True if a response that brings many criteria of its own is labelled on all of them.
        share: How the rater shares the pool with other raters; None if the rater labels all of it.
        grades: File of `grade --json`, of which only responses left to people are labelled; None for all responses.
        audits: True to label the responses that `pass-rate --track` drew, in their order.
        columns: What the columns and values of a pool that is a table mean.
        seed: Random seed of the order, the draw and the share.
        core: Name or file of the rubric that rows share, if `named` is a file of rows; None without one.

    Raises:
        UsageError: The rubric isn't found, there is no pool, a name can't be part of a path, or the same rater is
            labelling already.
        RatingError: A file can't be read as examples or ratings.

    Warns: RatingWarning: A file ended in an incomplete line, which was moved to another file.
    """
    named_rubric = rubric_of_results(named, here)
    source = find_rubric(named_rubric, here)
    rows = rows_named(source, here, core, every=all_criteria)
    rubric = load_rubric(source) if rows is None else rows.rubric
    folder = calibration_folder(rubric.name, here)
    home = SetFile.within(folder, rubric)
    if rows is None and pool is None and not audits and not home.path.is_file():
        raise UsageError(f"there are no examples of {rubric.name} yet: say by --pool FILE what may be labelled")
    if takes_lines(home.path):
        with writing(home.path):
            set_aside_damaged_end(home.path)
    if rows is not None:
        responses = rows.pool
    elif audits:
        responses = read_audits(folder, rubric)
    else:
        responses = read_pool(home.path, rubric) if pool is None else read_pool(pool, rubric, columns)
    if grades is not None:
        responses = responses.those_in(ids_to_ask(grades), grades)
    home.check(responses.examples)
    kind: Kind = "adjudicated" if adjudicate else "human"
    file = LabelFile.open(folder / RATINGS_FOLDER, rater, kind, rubric, may_be_stale=rows is not None)
    try:
        work = _work(rubric, source, responses, home, file, ask_whole if rows is None else "never", rows)
        results = None if named_rubric == named else Path(named)
        labelled = results or pool
        inapplicable = (
            {} if adjudicate or rows is not None or labelled is None else inapplicable_in(here / labelled, rubric)
        )
        work = replace(work, results=results, inapplicable=inapplicable)
        if audits:
            ordered = replace(work, steps=tuple(map(Step, work.questions)))
        elif next is not None:
            ordered = _noting_what_is_left(_drawn(work, responses, next, seed, share), by_next=True)
        else:
            steps = _steps(list(work.questions), work, seed, share)
            ordered = _noting_what_is_left(replace(work, steps=steps), by_next=False)
        if rows is not None:
            notes = () if work.is_adjudication else (rows.note,)
            return replace(ordered, notes=(*ordered.notes, *notes), core=core)
        if pool is not None and takes_lines(pool):
            ordered = replace(ordered, notes=(*ordered.notes, *_notes_on_labels_in(pool, responses, work, named, here)))
        if work.is_adjudication:
            disputed_steps = frozenset(step for step in ordered.steps if step.id in work.whole_voices)
            return replace(ordered, whole_steps=disputed_steps)
        return replace(ordered, whole_steps=asked_whole(ask_whole, rubric, ordered.steps, file.labels))
    except BaseException:
        file.close()
        raise


def rubric_of_results(named: str, here: Path) -> str:
    """Return the rubric's name; if a Promptfoo results file is named, first make a rubric of its metrics.

    Args:
        named: Name or file of a rubric, or a file of Promptfoo's results.
        here: The working directory.
    """
    path = here / named
    project = project_of_results(path) if path.is_file() else None
    if project is None:
        return named
    made, _ = add_files(project.files, here)
    if made:
        print(f"made of {named}: {in_words([file.as_posix() for file in made])}", file=sys.stderr)
    return project.rubric


def _work(
    rubric: Rubric,
    source: Path,
    pool: ResponsePool,
    home: SetFile,
    file: LabelFile,
    ask_whole: AskWhole,
    rows: RowsToLabel | None,
) -> LabelSession:
    """Make a rater's session, with the questions about each response; the order of the responses is set later.

    Args:
        rubric: The rubric.
        source: The file of the responses.
        pool: The responses, with labels given before.
        home: The rubric's file of examples, to which labelled responses are added.
        file: The rater's file of labels.
        ask_whole: When to ask for a decision on the whole response.
        rows: The criteria to ask about, if responses bring their own; None to ask about the rubric's.
    """
    if ask_whole == "always":
        refuse_no_whole(rubric)
    examples = {example.id: example for example in pool.examples}
    questions: Mapping[str, tuple[Question, ...]] = dict.fromkeys(examples, tuple(map(Question, rubric.criteria)))
    if rows is not None:
        questions = {id: tuple(map(Question, criteria)) for id, criteria in rows.criteria_by_id.items()}
    work = LabelSession(rubric, source, examples, questions, (), file, home, pool.labels)
    adjudicates = file.kind == "adjudicated"
    of_folder = ratings_in(file.path.parent, rubric, may_be_stale=file.may_be_stale) if adjudicates else []
    ratings = [*pool.labels, *of_folder] if adjudicates else []
    carried = carried_in(work)
    if adjudicates:
        counting = set() if carried is None else set(carried.old[: carried.old_counted])
        people = [given_to_current_words(rating, rubric) if rating.id in counting else rating for rating in ratings]
        voices = disputed(people, rubric, file.rater, list(examples))
        asks_whole = may_ask_whole(ask_whole, rubric)
        whole_voices = disputed_decisions(people, file.rater, list(examples)) if asks_whole else {}
        questions = {
            id: tuple(Question(c, voices[id][c.name]) for c in rubric.criteria if c.name in voices.get(id, ()))
            for id in dict.fromkeys([*voices, *whole_voices])
        }
        return replace(work, questions=questions, whole_voices=whole_voices)
    return replace(work, reworded=_reworded(work, carried, ask_whole))


def carried_in(work: LabelSession) -> CarriedLabels | None:
    """Return labels given before a criterion was reworded, and whether they still count; None if there are none."""
    if not work.home.path.is_file() or not work.home.path.stat().st_size:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            examples = load_examples(work.home.path, work.rubric, ratings=work.file.path.parent)
    except RatingError:  # another rater's file, which may be half written; its own message comes where it is needed
        return None
    return carried_labels(examples, work.rubric)


def _reworded(work: LabelSession, carried: CarriedLabels | None, ask_whole: AskWhole) -> dict[Step, dict[str, str]]:
    """Map each labelled response whose questions changed to the questions to ask again, each with a digest.

    A question is asked again if its criterion was reworded or is new. The digest is that of the wording under which the
    rater answered, "" for a new criterion. Repeated responses have no questions to ask again.

    Args:
        work: The rater's session.
        carried: The set's labels under earlier wordings; None if there are none.
        ask_whole: When the question about the whole response is asked; if always, it is also asked for a response that
            was labelled without an answer to it.
    """
    ids_again = set() if carried is None else set(to_relabel(carried))
    reworded: dict[Step, dict[str, str]] = {}
    for step, label in work.file.labels.items():
        if step.id not in work.examples:
            continue
        names = [question.criterion.name for question in work.questions[step.id]]
        old = {name: label.criteria[name].under or label.under for name in stale_in(label, work.rubric)}
        again = {
            **{name: under for name, under in old.items() if step.id in ids_again and step.sample == 0},
            **{name: "" for name in names if name not in label.criteria and step.sample == 0},
        }
        if ask_whole == "always" and step.sample == 0 and not label.answers_whole:
            again[WHOLE_RESPONSE.name] = ""
        if old or again:
            reworded[step] = {name: again[name] for name in (*names, WHOLE_RESPONSE.name) if name in again}
    return reworded


def _noting_what_is_left(work: LabelSession, *, by_next: bool) -> LabelSession:
    """Return a session that begins with the responses to label again and lacks those that need no label.

    The session also gets sentences for the rater on the responses to label again and on those left out.

    Args:
        work: The session.
        by_next: True if `--next` drew the responses.
    """
    steps = [
        step
        for step in work.steps
        if work.reworded.get(step) != {} and (step.sample == 0 or Step(step.id) not in work.reworded)
    ]
    again = [step for step in steps if step in work.reworded]
    others = [step for step in steps if step not in work.reworded]
    notes = (*work.notes, *_notes(work, len(again), by_next=by_next))
    return replace(work, steps=(*again, *others), notes=notes)


def _notes(work: LabelSession, n_again: int, *, by_next: bool) -> Iterator[str]:
    if not by_next and not work.is_adjudication:
        yield from _notes_on_unknown_words(work)
    carried = carried_in(work)
    if carried is None:
        return
    names = in_words(carried.reworded)
    whole = counted(len(carried.examples.labelled.examples), "labelled example")
    if by_next:
        elsewhere = [unit for unit in carried.old if unit not in {step.id for step in work.steps}]
        if elsewhere:
            label = Commands.on(work.rubric).label(f"--rater {quote(work.file.rater)}")
            yield (
                f"{len(elsewhere)} of {whole} are left out: they were labelled under the old words of {names}. Label "
                f"them again without --next: {label}"
            )
    elif work.is_adjudication:
        left_out = carried.old[carried.old_counted :]
        if left_out:
            yield (
                f"{len(left_out)} of {whole} are left out: their labels of {names} are under its old words, so "
                "whether annotators still differ isn't known"
            )
    else:
        if n_again:
            yield f"{n_again} of {whole} are asked again, on {names} alone: its words changed."
        yield carried.sentence


def _notes_on_unknown_words(work: LabelSession) -> Iterator[str]:
    """Yield a note if some of the rater's labels don't say to which words of the rubric they were given.

    The rater is asked again about the responses with such labels.
    """
    unknown = {
        step.id
        for step, label in work.file.labels.items()
        if step.id in work.examples and any(not (rated.under or label.under) for rated in label.criteria.values())
    }
    if unknown:
        yield (
            f"{counted(len(unknown), 'labelled example')} of {work.file.rater} will be asked again: the labels don't "
            "say which words they were given to. If these were the rubric's words of today, import the labels again "
            "with `--current-words --append`."
        )


def _notes_on_labels_in(
    pool: Path, responses: ResponsePool, work: LabelSession, named: str, here: Path
) -> Iterator[str]:
    """Yield a sentence that names the command which adds people's labels in the pool's file to the rubric's labels.

    Yield nothing if the rubric's examples and ratings have all of these labels.

    Args:
        pool: The file.
        responses: Its responses, with the labels in the file.
        work: The session, whose set of examples the labelled responses are added to.
        named: The rubric as the user named it.
        here: The working directory.
    """
    labels = [label for label in responses.labels if label.kind in PEOPLE]
    if not labels:
        return
    folder = work.file.path.parent
    own_labels = [
        *ratings_in(folder, work.rubric),
        *(label for example in work.home.read() for label in example.labels),
    ]
    counted_labels = {(label.id, label.rater) for label in own_labels}
    missing = [label for label in labels if (label.id, label.rater) not in counted_labels]
    if missing:
        by = in_words(list(dict.fromkeys(label.rater for label in missing)))
        to = folder / f"{pool.stem}.jsonl"
        add = ["import", str(pool), "--rubric", named, "--append", "--to"]
        command = join(["markscheme", *add, str(to.relative_to(here) if to.is_relative_to(here) else to)])
        yield (
            f"{counted(len(missing), 'label')} by {by} in {pool} stay in that file, where `markscheme calibrate "
            f"{quote(named)}` doesn't count them. To add them to the rubric's own: {command}"
        )


def _steps(ids: Sequence[str], work: LabelSession, seed: int, share: Share | None) -> tuple[Step, ...]:
    rater = work.file.rater
    if share is None:
        return steps_of(ids, rater=rater, seed=seed, again=work.file.kind != "adjudicated")
    labelled: dict[str, set[str]] = {}
    for label in first_labels(work.everyone, work.rubric):
        labelled.setdefault(label.id, set()).add(label.rater)
    who = share.assigned(ids, labelled, seed=seed)
    own_ids = [id for id, raters in zip(ids, who, strict=True) if rater in raters]
    return steps_of(own_ids, rater=rater, seed=seed, together={id: index for index, id in enumerate(ids)})


def _drawn(work: LabelSession, pool: ResponsePool, count: int, seed: int, share: Share | None) -> LabelSession:
    """Limit a rater's session to the outputs drawn from a file so far, and draw more once all of them are labelled.

    Args:
        work: The rater's session.
        pool: The outputs in the file.
        count: Number of outputs to draw.
        seed: Random seed of the draw and of the order.
        share: How outputs are divided among annotators; None if this rater labels them all.
    """
    with work.home.locked():
        examples = work.home.read()
        drawn = _among(pool, examples)
        narrowed = replace(work, steps=_steps(drawn, work, seed, share))
        free = len(pool.examples) - len(drawn)
        if not free:
            state = "labelled" if narrowed.current is None else "among the rubric's examples"
            are = "is" if len(drawn) == 1 else "are all"
            note = f"The pool's {counted(len(drawn), 'response')} {are} {state}: none is left to draw."
            return replace(narrowed, notes=(note,))
        if narrowed.current is not None:
            return narrowed
        draw = choose_next(
            work.rubric,
            pool.examples,
            pool.verdicts,
            min(count, free),
            labelled=examples,
            passed=_passed(examples, work),
            seed=seed,
        )
        work.home.add([pick.to_json() for pick in parted_draw(draw, work.home.parted).picks])
        notes = (f"{counted(free, 'response')} left in the pool, fewer than the {count} asked for.",)
        steps = _steps(_among(pool, work.home.read()), work, seed, share)
        return replace(work, steps=steps, notes=notes if free < count else ())


def _among(pool: ResponsePool, examples: Sequence[Example]) -> list[str]:
    ids = {example.id for example in pool.examples}
    return [example.id for example in examples if example.id in ids]


def _passed(examples: Sequence[Example], work: LabelSession) -> dict[str, bool]:
    """Map the id of each labelled response to gold's decision by the labels so far: True for pass, False for fail.

    Args:
        examples: The responses.
        work: The rater's session of labelling, whose folder has the annotators' labels.
    """
    by_id: dict[str, list[Rating]] = {}
    for rating in ratings_in(work.file.path.parent, work.rubric, may_be_stale=work.file.may_be_stale):
        by_id.setdefault(rating.id, []).append(rating)
    labelled = tuple(replace(e, labels=(*e.labels, *by_id.get(e.id, ()))) for e in examples)
    try:
        return gold_of(ExampleSet(labelled), work.rubric).decided
    except ComparisonError:
        return {}


def keep_examples(work: LabelSession) -> None:
    """Add the responses that a rater labels to the rubric's examples, so that imported labels find their examples.

    Args:
        work: The rater's session of labelling.
    """
    with work.home.locked():
        kept_ids = {example.id for example in work.home.read()}
        record_words(work.home.path.parent, work.rubric, date.today().isoformat())
        examples = [work.examples[step.id] for step in work.steps if step.sample == 0 and step.id not in kept_ids]
        if examples:
            work.home.add([example.to_json(work.home.path.parent) for example in work.home.parted(examples)])
