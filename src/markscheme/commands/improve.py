"""`markscheme improve`: new words for a rubric, adopted where labels that were held out confirm them."""

import asyncio
import datetime
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.commands.options import (
    COUNT,
    MORE_OPTIONS,
    AskFlags,
    ExamplesFile,
    GoldKind,
    JsonFlag,
    JudgeName,
    RubricName,
)
from markscheme.commands.output import TOO_FEW, put, rendered, show
from markscheme.commands.progress import progress
from markscheme.errors import UsageError
from markscheme.files import refuse_unwritable
from markscheme.judges.options import ASK_OPTIONS

if TYPE_CHECKING:
    from markscheme.improvement.setting import ImprovableSet
    from markscheme.report.views.improvement import ImprovementPlan, ImprovementRun

NOT_ADOPTED = 1
"""Exit status where the old wording stays."""
FILES = "wordings to try: rubric files, or JSON edits"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ImproveAskFlags(AskFlags):
    """How the judge is asked; `--batch` is the number of proposals here."""

    batch: Annotated[bool, Parameter(name="--in-batches", help=ASK_OPTIONS["batch"].about, group=MORE_OPTIONS)] = False


def improve(
    rubric: RubricName,
    /,
    *,
    judge: JudgeName = None,
    candidates: Annotated[tuple[Path, ...], Parameter(metavar="FILE...", help=FILES, consume_multiple=1)] = (),
    proposer: Annotated[str | None, Parameter(metavar="NAME")] = None,
    rounds: Annotated[int, COUNT] = 3,
    batch: Annotated[int, COUNT] = 5,
    open: bool = False,
    outside: bool = False,
    write: bool = False,
    plan: bool = False,
    examples: ExamplesFile = None,
    gold: GoldKind = None,
    force: bool = False,
    html: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    json: JsonFlag = False,
    ask: ImproveAskFlags = ImproveAskFlags(),
) -> int:
    """Find better words for a rubric, and show on labels that were held out that they are better.

    A third of the labelled tasks is dev, where wordings are compared; the rest is held out. A set without parts gets
    them when the first wording is tried. --open tests the two best on the held-out labels, once, and the look is
    recorded: every further look at the same labels has to clear a higher bar. Weights, scales, names and examples stay.

    A candidate is a rubric file that differs in words alone, or a JSON list of edits: [{"criterion": "polite", "field":
    "description", "old": "The reply is polite", "new": "The whole reply is polite"}]. `old` quotes the present words.
    `field` is description (or requirement), levels[N].description, levels[N].label, or guidelines (without criterion);
    N counts from 0, the worst.

    Args:
        proposer: model that writes new words: any judge name
        rounds: rounds of proposals (3)
        batch: proposals per round (5)
        open: test the finalists on the held-out labels; this is recorded
        outside: the candidates were written without these labels; test all of them on all labels, which is recorded
        write: write the adopted words into the rubric's file
        plan: show labels needed and cost; make no calls
        force: write even where the file has uncommitted changes
        html: write a page with the wordings side by side

    Example:
        markscheme improve error-messages --candidates shorter.yaml edits.json --outside

    Exit status:
        0 adopted, 1 not, 2 invalid arguments, 3 no judge to ask, 4 not enough labels.
    """
    from markscheme.commands.tune import refuse_uncommitted
    from markscheme.improvement.setting import ImprovableSet
    from markscheme.report.views.improvement import json_of, plan_json, plan_view, view
    from markscheme.rubrics.file import load_rubric
    from markscheme.rubrics.search import find_rubric

    path = find_rubric(rubric)
    refuse_unwritable(html)
    if write:
        refuse_unwritable(path)
        if not force:
            refuse_uncommitted(path)
    _refuse_together(candidates, proposer, outside=outside, plan=plan)
    setting = ImprovableSet.of(
        load_rubric(path),
        examples,
        gold=gold,
        outside=outside,
        opens=open or plan,
        day=datetime.date.today().isoformat(),
    )
    if plan:
        made = _plan(setting, ask, judge, len(candidates), (rounds, batch) if proposer else (0, 0))
        show(plan_view(made), plan_json(made), json=json)
        return 0
    if setting.lacks:
        more = f"label more: markscheme label {setting.rubric.name} --next 50 --pool outputs.jsonl"
        print(f"error: not enough labels: {setting.lacks}; {more}", file=sys.stderr)
        return TOO_FEW
    setting.refuse_unkept_parts()
    run = asyncio.run(_run(setting, path, ask, judge, candidates, proposer, (rounds, batch), opens=open))
    run = _with_file(run, setting, path, write=write)
    if html:
        put(rendered(view(run), "html"), html)
    show(view(run), json_of(run), json=json)
    return NOT_ADOPTED if run.adopted is None else 0


def _refuse_together(candidates: Sequence[Path], proposer: str | None, *, outside: bool, plan: bool) -> None:
    """Refuse a call with nothing to try, or with options that contradict each other.

    Raises:
        UsageError: It is one.
    """
    if not (candidates or proposer or plan):
        raise UsageError(
            "nothing to try: name wordings (--candidates FILE) or a model that writes them (--proposer NAME)"
        )
    if outside and proposer:
        raise UsageError("--outside is for wordings written without these labels; a --proposer is shown dev labels")
    if outside and not candidates and not plan:
        raise UsageError("--outside needs wordings that were written without these labels: --candidates FILE")


async def _run(
    setting: "ImprovableSet",
    path: Path,
    ask: AskFlags,
    judge: str | None,
    files: Sequence[Path],
    proposer: str | None,
    limits: tuple[int, int],
    *,
    opens: bool,
) -> "ImprovementRun":
    """Search on dev, and the answer of the held-out labels where they are opened."""
    from markscheme.grading import scorers_for
    from markscheme.improvement.candidates import LabelledTexts, read_candidates, refuse_unwritten
    from markscheme.improvement.confirmation import confirm
    from markscheme.improvement.search import Proposing, Search
    from markscheme.improvement.trial import Asker, Tried, refuse_ungraded
    from markscheme.judges.registry import open_judge
    from markscheme.ratings.from_grades import first_prompts
    from markscheme.report.views.improvement import ImprovementRun

    rubric = setting.rubric
    asking = ask.asking()
    labelled = LabelledTexts.of(setting.every.examples)
    wordings, refused = read_candidates(files, yours=rubric, labelled=labelled, file=path)
    prompts = first_prompts(ask.of(rubric), setting.dev.gold.examples)
    opened = ask.judge_for(rubric, prompts, setting.folder, name=judge, asking=asking)
    writer = None
    if proposer is not None:
        writer = opened if proposer == judge else open_judge(proposer, asking=asking)
    asker = Asker(opened, scorers_for(rubric, ask.scorers), ask.at_once, ask.of, progress)
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
            check=partial(refuse_unwritten, path),
        )
        if setting.outside:
            search.tried = [Tried(wording, "not screened", None, 0) for wording in wordings]
            if wordings:
                answer = await confirm(asker, setting.sealed, rubric, wordings, ledger)
        else:
            await search.run(asker, wordings, None if writer is None else Proposing(writer, *limits))
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


def _with_file(run: "ImprovementRun", setting: "ImprovableSet", path: Path, *, write: bool) -> "ImprovementRun":
    """The run with the change of the rubric's file, which is made where it is asked for."""
    from markscheme.rubrics.edit import Changes, edit

    if run.adopted is None or run.answer is None:
        return run
    proposed = edit(path, Changes(words=run.adopted.words))
    if write:  # the file last: until it is written, the same command does all of this again
        setting.note_adoption(run.answer, run.adopted, judge=run.judge, proposer=run.proposer)
        proposed.write()
    return replace(run, diff=proposed.diff, written=write)


def _plan(
    setting: "ImprovableSet", ask: AskFlags, judge: str | None, files: int, proposals: tuple[int, int]
) -> "ImprovementPlan":
    from markscheme.ratings.from_grades import first_prompts
    from markscheme.report.views.improvement import ImprovementPlan
    from markscheme.stats.selection import opening_alpha

    planned = ask.of(setting.rubric)
    rounds, batch = proposals
    screened = files + rounds * batch
    graded = _most_graded(setting, [files, *[batch] * rounds])
    prompts = first_prompts(planned, [*setting.dev.gold.examples, *setting.sealed.gold.examples])
    opened = ask.judge_if_any(setting.rubric, prompts, setting.folder, name=judge)
    cost = ask.cost(opened, prompts, planned.samples)
    scale = graded / max(1, len(prompts))
    number = setting.next_opening
    return ImprovementPlan(
        setting.rubric.name,
        (setting.dev.n, setting.dev.tasks),
        (setting.sealed.n, setting.sealed.tasks),
        number,
        opening_alpha(number),
        screened,
        graded,
        rounds * batch,
        replace(
            cost,
            calls=round(cost.calls * scale),
            input_tokens=round(cost.input_tokens * scale),
            output_tokens=round(cost.output_tokens * scale),
            usd=None if cost.usd is None else cost.usd * scale,
        ),
    )


def _most_graded(setting: "ImprovableSet", batches: Sequence[int]) -> int:
    """Examples to grade if every batch of wordings is full and two finalists are tested."""
    from markscheme.stats.selection import FINALISTS, first_size, survivors

    dev = setting.dev
    first = int(setting.dev.first(first_size(setting.dev.tasks)).sum())
    if setting.outside:
        return dev.n * (1 + sum(batches))
    screened = sum(k * first + survivors(k) * (dev.n - first) for k in batches)
    return dev.n + screened + (1 + min(FINALISTS, sum(batches))) * setting.sealed.n
