"""Runs `improve`: searches on dev labels, tests finalists on held-out labels if allowed, and writes the winner."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from markscheme.calibration.next_labels import NEXT_LABELS, next_labels
from markscheme.features.improve.candidates import labelled_texts, read_candidates, refuse_unwritten
from markscheme.features.improve.confirmation import confirm
from markscheme.features.improve.options import WordingOptions
from markscheme.features.improve.outcome import ImprovementPlan, ImprovementRun
from markscheme.features.improve.search import Search
from markscheme.features.improve.selection import FINALISTS, first_size, survivors
from markscheme.features.improve.setting import ImprovableSet
from markscheme.features.improve.trial import Asker, WordingTrial, refuse_ungraded
from markscheme.grading import scorers_for
from markscheme.judges.cost import cost_of_asking
from markscheme.judges.judge import replying
from markscheme.judges.options import AskOptions
from markscheme.judges.registry import open_judge
from markscheme.progress import Watch
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.from_grades import first_prompts
from markscheme.rubrics.edit import edit


def compared_as_needed(setting: ImprovableSet, file: Path, wordings: WordingOptions) -> ImprovableSet:
    """Return the labels set up to compare wordings: by decisions if one changes weights or pass mark, else by scores.

    Gold's scores are computed with the user's weights and pass mark, so candidates with other weights or another pass
    mark can't be compared by how far their scores are from gold's.

    Args:
        setting: The rubric with its dev and held-out labels.
        file: The rubric's file.
        wordings: The wordings to try.

    Raises:
        UsageError: A file of candidates can't be read.
    """
    labelled = labelled_texts(setting.every.examples)
    candidates, _ = read_candidates(wordings.candidates, yours=setting.rubric, labelled=labelled, file=file)
    return setting.by_decisions() if any(candidate.numbers for candidate in candidates) else setting


async def improve(
    setting: ImprovableSet,
    file: Path,
    wordings: WordingOptions,
    ask: AskOptions,
    judge: str | None,
    *,
    opens: bool,
    watch: Watch,
) -> ImprovementRun:
    """Search for better wordings on dev labels; if `opens` is true, test the best two on the held-out labels.

    Args:
        setting: The rubric with its dev and held-out labels.
        file: The rubric's file.
        wordings: The wordings to try: files of them, and the model that writes new ones.
        ask: How judges are asked.
        judge: The judge's name; None for the judge that is set, or else the default one.
        opens: True to test the finalists on the held-out labels.
        watch: Shows progress.

    Raises:
        UsageError: A judge can't be opened, or a file of candidates can't be read.
        JudgeError: The judge failed with the user's own wording.
    """
    rubric = setting.rubric
    context = ask.context()
    labelled = labelled_texts(setting.every.examples)
    proposer = wordings.proposer
    candidates, refused = read_candidates(wordings.candidates, yours=rubric, labelled=labelled, file=file)
    prompts = first_prompts(ask.of(rubric), setting.dev.gold.examples)
    opened = ask.judge_for(rubric, prompts, setting.folder, name=judge, context=context)
    writer = None
    if proposer is not None:
        writer = replying(opened) if proposer == judge else open_judge(proposer, context=context)
    asker = Asker(opened, scorers_for(rubric, ask.scorers), ask.at_once, ask.of, watch)
    ledger = setting.ledger(opened.identity.fingerprint)
    answer = None
    try:
        yours = refuse_ungraded(await asker.column(rubric, setting.dev, "dev: your wording"))
        search = Search(
            rubric,
            setting.dev,
            yours,
            labelled,
            refused=refused,
            begin=setting.keep_parts,
            check=partial(refuse_unwritten, file),
        )
        if setting.outside:
            search.tried = [WordingTrial(candidate, "not screened", None, 0) for candidate in candidates]
            if candidates:
                answer = await confirm(asker, setting.sealed, rubric, candidates, ledger)
        else:
            await search.run(asker, candidates, writer, rounds=wordings.rounds, batch=wordings.batch)
            if opens and search.finalists:
                answer = await confirm(asker, setting.sealed, rubric, search.finalists, ledger)
    finally:
        setting.record_settings(asker)
        await opened.aclose()
        if writer is not None and writer is not opened:
            await writer.aclose()
    return ImprovementRun(
        search=search,
        judge=str(opened.identity),
        proposer="" if writer is None else str(writer.identity),
        sealed=setting.sealed,
        answer=answer,
        outside=setting.outside,
        parts_written=setting.is_drawn and bool(search.tried),
        usage=asker.usage + search.usage,
        graded=asker.graded,
    )


def with_file(run: ImprovementRun, file: Path, setting: ImprovableSet, *, write: bool) -> ImprovementRun:
    """Return a run with the diff for the rubric's file; if `write` is true, also write the adopted wording.

    Args:
        run: The run.
        file: The rubric's file.
        setting: The rubric with its dev and held-out labels, next to which the adoption is recorded.
        write: True to write the file.
    """
    if run.adopted is None or run.answer is None:
        return run
    proposed = edit(file, run.adopted.in_file)
    if write:  # the file last: until it is written, the same command does all of this again
        setting.note_adoption(run.answer, run.adopted, judge=run.judge, proposer=run.proposer)
        proposed.write()
    return replace(run, diff=proposed.diff, written=write)


def plan_improvement(
    setting: ImprovableSet, wordings: WordingOptions, ask: AskOptions, judge: str | None
) -> ImprovementPlan:
    """Return the labels and calls that a run would need, and its maximum cost, without asking a judge."""
    planned = ask.of(setting.rubric)
    files = len(wordings.candidates)
    rounds = wordings.rounds if wordings.proposer else 0
    graded = _most_graded(setting, [files, *[wordings.batch] * rounds])
    prompts = first_prompts(planned, [*setting.dev.gold.examples, *setting.sealed.gold.examples])
    opened = ask.judge_if_any(setting.rubric, prompts, setting.folder, name=judge)
    cost = cost_of_asking(opened, prompts, ask.context(), samples=planned.samples)
    scale = graded / max(1, len(prompts))
    number = setting.next_opening
    return ImprovementPlan(
        setting.rubric,
        (setting.dev.n, setting.dev.tasks),
        (setting.sealed.n, setting.sealed.tasks),
        number,
        setting.next_alpha,
        files + wordings.n_proposed,
        graded,
        replace(
            cost,
            calls=round(cost.calls * scale),
            input_tokens=round(cost.input_tokens * scale),
            output_tokens=round(cost.output_tokens * scale),
            usd=None if cost.usd is None else cost.usd * scale,
        ),
        _to_gate(setting),
    )


def _to_gate(setting: ImprovableSet) -> str | None:
    """Return the last calibration's sentence on the labels still needed; None without labels or a calibration."""
    if not (setting.folder / NEXT_LABELS).is_file():
        return None
    examples = (*setting.dev.gold.examples, *setting.sealed.gold.examples)
    return next_labels(setting.folder, setting.rubric, ExampleSet(examples)).in_words


def _most_graded(setting: ImprovableSet, batches: Sequence[int]) -> int:
    """Return the largest number of examples to grade: every batch of wordings is full, and the finalists are tested.

    Args:
        setting: The rubric with its dev and held-out labels.
        batches: Number of wordings in each batch: in the user's files, then in each round of proposals.
    """
    dev = setting.dev
    first = int(dev.first(first_size(dev.tasks)).sum())
    if setting.outside:
        return dev.n * (1 + sum(batches))
    screened = sum(k * first + survivors(k) * (dev.n - first) for k in batches)
    return dev.n + screened + (1 + min(FINALISTS, sum(batches))) * setting.sealed.n
