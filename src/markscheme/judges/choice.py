"""Choice of a judge if the user names none: the rubric's own, the default kind, or recorded replies."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.errors import NoJudge, UsageError
from markscheme.judges.judge import GradingJudge, Judge, Reply, Wrapping, replying
from markscheme.judges.kinds import DEFAULT, names_code, ways_out
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.remembering import Remembering
from markscheme.judges.scripted import ScriptedJudge
from markscheme.prompts.prompt import Prompt
from markscheme.rubrics.rubric import Rubric


def choose_judge(
    rubric: Rubric,
    prompts: Sequence[Prompt],
    replies: Path | None,
    opening: Callable[[str, str | None], GradingJudge],
) -> GradingJudge:
    """Open the judge to use if the user names none: the rubric's, the default one, or recorded replies.

    No judge is needed if code decides every criterion. Recorded replies are used only if they answer all `prompts` and
    there is no key for the default kind. A local model is never chosen automatically.

    Args:
        rubric: The rubric, whose `judge:` may name one.
        prompts: The prompts that the run sends first.
        replies: The folder with recordings for this rubric; None if there is none.
        opening: Function that opens a judge by name and model.

    Raises:
        NoJudge: No judge is available; the message says what to do.
        UsageError: The rubric names code to import as its judge.
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
        return _beside(replying(opening(DEFAULT.name, rubric.judge.get("model"))), prompts, replies)
    recordings = _recordings(replies)
    recording = _covering(recordings, prompts)
    if recording is not None:
        return recording
    if recordings:
        nearest = min(recordings, key=lambda recording: len(recording.lacks(prompts)))
        lacks = len(nearest.lacks(prompts))
        detail = f"recorded replies in {nearest.path.name} lack {lacks} of {len(prompts)} prompts"
    else:
        detail = "there are no recorded replies"
    raise NoJudge(f"no judge to ask: {key} is not set, and {detail}.", ways_out)


def _recordings(replies: Path | None) -> list[RecordedJudge]:
    return [RecordedJudge.load(file) for file in sorted(replies.glob("*.jsonl"))] if replies else []


def _covering(recordings: Sequence[RecordedJudge], prompts: Sequence[Prompt]) -> RecordedJudge | None:
    """Return the first recording that has replies to all of the prompts; None if none has."""
    return next((recording for recording in recordings if prompts and not recording.lacks(prompts)), None)


def _beside(opened: Judge, prompts: Sequence[Prompt], replies: Path | None) -> Judge:
    """Wrap the default judge so that, if its key is refused, the error names recorded replies that could be used.

    Args:
        opened: The default judge.
        prompts: The prompts that the run sends first; if there are none, the judge is returned unwrapped.
        replies: The folder with recordings; None to return the judge unwrapped.
    """
    if replies is None or not prompts:
        return opened
    if isinstance(opened, Remembering):
        return replace(opened, judge=_BesideRecordings(opened.judge, prompts, replies))
    return _BesideRecordings(opened, prompts, replies)


@dataclass(frozen=True, slots=True)
class _BesideRecordings(Wrapping):
    """Default judge; if its key is refused, the error names recorded replies that could answer the run.

    Attributes:
        prompts: The prompts that the run sends first.
        replies: The folder with recordings.
    """

    prompts: Sequence[Prompt]
    replies: Path

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the wrapped judge's reply to a prompt.

        Args:
            prompt: The prompt.
            sample: Number of the request, from 0, among those with this prompt.

        Raises:
            JudgeError: The wrapped judge fails. If its key is refused, the message names recorded replies to all
                prompts of the run, if there are any, since they need no key.
        """
        try:
            return await self.judge.reply(prompt, sample)
        except NoJudge as error:
            recording = _covering(_recordings(self.replies), self.prompts)
            if recording is None:
                raise
            way_out = f"recorded:{recording.path}` needs no key and answers all of this"
            raise NoJudge(f"{error}; `", lambda option: f"{option} {way_out}") from error
