"""Open a judge by its name, or choose one if none was named. The kinds themselves are in `kinds.py`."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.errors import NoJudge, UsageError, naming
from markscheme.judges.asking import Asking
from markscheme.judges.cascade import CascadeJudge
from markscheme.judges.judge import Identity, Judge, Reply, Wrapping
from markscheme.judges.kinds import (
    DEFAULT,
    kind_of,
    known_kind,
    names_code,
    names_that,
    panel_names,
    ways_out,
)
from markscheme.judges.limited import Limited
from markscheme.judges.panel import Panel
from markscheme.judges.price import ListPrice, Price
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.remembering import Remembering
from markscheme.judges.scripted import ScriptedJudge
from markscheme.prompt import Prompt
from markscheme.rubrics.rubric import Rubric


def open_judge(name: str, *, model: str | None = None, asking: Asking | None = None) -> Judge:
    """The judge of that name, limited and cached; nothing heavy is imported before its first reply.

    Args:
        name: Its kind and, after a colon, which one: `openai:MODEL`; several joined by `+` make a panel.
        model: The model, if the name doesn't include it.
        asking: Settings it shares with the other judges of the run.

    Raises:
        UsageError: Unknown kind of judge, missing file, a function that cannot be imported, or no batch API.
    """
    asking = asking or Asking()
    members = panel_names(name)
    if len(members) > 1:
        return Panel([open_judge(member, asking=asking) for member in members], name=name)
    kind = known_kind(name)
    rest = name.partition(":")[2] or model or ""
    if kind.needs and not rest:
        raise UsageError(f"{kind.name!r} doesn't name {kind.needs}; expected {kind.form}")
    opened = kind.open(rest, asking)
    if not callable(getattr(opened, "reply", None)):
        raise UsageError(f"judge {kind.name!r} opened {type(opened).__name__}, expected an object with `reply`")
    if isinstance(opened, CascadeJudge):
        return _with_stages(opened, asking)
    if not kind.asks and asking.batch is None:
        return opened
    judge = Limited(opened, asking.limiter, _price_of_calls(opened.identity, asking), deadline=kind.deadline)
    if asking.batch is not None:
        if not kind.batches:
            expected = names_that(lambda kind: kind.batches)
            raise UsageError(f"judge {opened.identity.name} cannot be asked in batches; expected {expected}")
        from markscheme.judges.batched import batched

        return batched(opened, judge, asking, price_of(opened.identity, asking))
    memory = asking.memory_for(opened.identity)
    return judge if memory is None else Remembering(judge, memory)


def _with_stages(cascade: CascadeJudge, asking: Asking) -> CascadeJudge:
    """A cascade with the judges that its file names.

    Raises:
        UsageError: One can't be opened, or is code or names judges itself, which no file may name.
    """
    stages = []
    with naming(cascade.file.path):
        for record in cascade.file.stages:
            names = panel_names(record.judge)
            for name in names:
                kind = known_kind(name)
                if kind.names_code or kind.names_judges:
                    raise UsageError(f"{cascade.file.path} names {name!r}, and no file may name such a judge")
            stages.append(tuple(open_judge(name, asking=asking) for name in names))
    return replace(cascade, stages=tuple(stages))


def price_of(identity: Identity, asking: Asking) -> Price | None:
    """The price of a judge's tokens: the price given, else the list price if wanted and known; a panel has none."""
    if not asking.wants_list_price:
        return asking.price
    is_panel = len(panel_names(identity.name)) > 1
    kind = None if is_panel else kind_of(identity.name)
    return None if kind is None else kind.price(identity)


def _price_of_calls(identity: Identity, asking: Asking) -> Price | ListPrice | None:
    """The same for calls that may never be made; a list price that no budget needs is loaded with the first one."""
    if asking.wants_list_price and asking.limiter.budget is None:
        return ListPrice(identity, lambda identity: price_of(identity, asking))
    return price_of(identity, asking)


def model_for(rubric: Rubric, name: str) -> str | None:
    """The rubric's model, if the rubric names a judge of the same kind; else None.

    Example:
        >>> from markscheme import Rubric
        >>> rubric = Rubric.from_dict({"judge": {"name": "openai", "model": "m"}, "criteria": [{"requirement": "A"}]})
        >>> model_for(rubric, "openai"), model_for(rubric, "anthropic")
        ('m', None)
    """
    is_its_kind = _kind(rubric.judge.get("name", name)) == _kind(name)
    return rubric.judge.get("model") if is_its_kind else None


def _kind(name: str) -> str:
    return name.partition(":")[0]


def choose_judge(
    rubric: Rubric,
    prompts: Sequence[Prompt],
    replies: Path | None,
    opening: Callable[[str, str | None], Judge],
) -> Judge:
    """The judge to use if none was named.

    None is needed if code decides every criterion. Otherwise the rubric's own default comes first; then the default
    kind, if there is a key; then recorded replies, if they cover all of `prompts`. A local model is never chosen
    automatically.

    Args:
        rubric: Its `judge:` may name one.
        prompts: The first prompts of the run.
        replies: The folder with recordings for this rubric, if there is one.
        opening: Opens a judge by name and model.

    Raises:
        NoJudge: No judge is available; the message says what to do.
        UsageError: The rubric names code to import.
    """
    if all(criterion.check is not None for criterion in rubric.criteria):
        return ScriptedJudge((), name="code")
    named = rubric.judge.get("name")
    if named:
        if names_code(named):
            raise UsageError(
                f"rubric {rubric.name!r} names a judge of code, {named!r}: name it where the rubric is used"
            )
        return opening(named, rubric.judge.get("model"))
    key = DEFAULT.environment[0]
    if os.environ.get(key):
        return _beside(opening(DEFAULT.name, rubric.judge.get("model")), prompts, replies)
    recordings = _recordings(replies)
    recording = _covering(recordings, prompts)
    if recording is not None:
        return recording
    if recordings:
        nearest = min(recordings, key=lambda recording: len(recording.lacks(prompts)))
        lacks = len(nearest.lacks(prompts))
        detail = f"recorded replies in {nearest.path.name} lack {lacks} of {len(prompts)} prompts"
    else:
        detail = f"no recorded replies cover rubric {rubric.name!r}"
    raise NoJudge(f"no judge to ask: {key} is not set, and {detail}. Ways out: {ways_out()}")


def _recordings(replies: Path | None) -> list[RecordedJudge]:
    return [RecordedJudge.load(file) for file in sorted(replies.glob("*.jsonl"))] if replies else []


def _covering(recordings: Sequence[RecordedJudge], prompts: Sequence[Prompt]) -> RecordedJudge | None:
    """The first recording that answers all of the prompts."""
    return next((recording for recording in recordings if prompts and not recording.lacks(prompts)), None)


def _beside(opened: Judge, prompts: Sequence[Prompt], replies: Path | None) -> Judge:
    """The default judge, which points to the recorded replies where it can't be asked."""
    if replies is None or not prompts:
        return opened
    if isinstance(opened, Remembering):
        return replace(opened, judge=BesideRecordings(opened.judge, prompts, replies))
    return BesideRecordings(opened, prompts, replies)


@dataclass(frozen=True, slots=True)
class BesideRecordings(Wrapping):
    """A judge that says how to do without it, where it refuses its key and replies to all of a run are recorded.

    Attributes:
        prompts: The first prompts of the run.
        replies: The folder with recordings.
    """

    prompts: Sequence[Prompt]
    replies: Path

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """The wrapped judge's reply.

        Raises:
            JudgeError: As from the wrapped judge; a refused key is raised with the recording that needs none.
        """
        try:
            return await self.judge.reply(prompt, sample)
        except NoJudge as error:
            recording = _covering(_recordings(self.replies), self.prompts)
            if recording is None:
                raise
            way_out = f"`--judge recorded:{recording.path}` needs no key and answers all of this"
            raise NoJudge(f"{error}; {way_out}") from error
