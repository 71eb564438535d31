"""Recorded replies as a judge, which answers exactly the prompts that were recorded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.errors import JudgeUnavailable, RatingError, UsageError, refuse_lines
from markscheme.judges.judge import Identity, Reply
from markscheme.plain_data import json_lines, shown
from markscheme.prompts.prompt import Prompt

REPLY_KEYS = ("fingerprint", "judge", "model", "text")
"""Keys that every recorded reply has."""
HOW_TO_RECORD = "`markscheme grade RUBRIC --show-prompt --missing` prints the prompts, whose replies are its lines"
"""End of the errors about a file without recorded replies."""


@dataclass(frozen=True)
class RecordedJudge:
    """Judge that answers from a file of recorded replies.

    Attributes:
        path: The file of replies.
        judge: Name of the judge that gave the replies.
        model: Model that gave the replies; "" if unknown.
        provenance: Origin of the replies, in the words of the file.
        recorded: Dates of the first and of the last reply.
        replies: The replies by fingerprint of the prompt and number of the sample.
    """

    path: Path
    judge: str
    model: str
    provenance: str
    recorded: tuple[str, str]
    replies: Mapping[tuple[str, int], Reply]

    @classmethod
    def load(cls, path: Path | str) -> "RecordedJudge":
        """Load the file of recorded replies at a path, or the only such file in a folder.

        Args:
            path: The file or folder.

        Raises:
            UsageError: The file doesn't exist, or the folder has several.
            RatingError: A line isn't a reply; or the file has no reply, two to one prompt, or those of several judges.
        """
        path = _only_file(Path(path))
        replies: dict[tuple[str, int], Reply] = {}
        judges: set[tuple[str, str]] = set()
        dates: list[str] = []
        for line, record in json_lines(path, RatingError):
            try:
                _check(record)
            except ValueError as error:
                refuse_lines(RatingError(f"isn't a recorded reply: {error}", path=path, line=line))
                continue
            key = record["fingerprint"], record.get("sample", 0)
            judges.add((record["judge"], record["model"]))
            if key in replies:
                raise RatingError(f"answers prompt {key[0]} (sample {key[1]}) a second time", path=path, line=line)
            stop = record.get("stop", "end")
            provenance = str(record.get("provenance", ""))
            is_decided = record.get("decided") is True
            text, model = record["text"], record["model"] or None
            replies[key] = Reply(text, model, stop, source="recorded", provenance=provenance, decided=is_decided)
            dates.append(str(record.get("recorded", "")))
        if not replies:
            raise RatingError(f"holds no recorded reply; {HOW_TO_RECORD}", path=path)
        if len(judges) > 1:
            names = ", ".join(sorted(f"{judge} ({model})" for judge, model in judges))
            raise RatingError(f"holds the replies of several judges: {names}; keep one file for each", path=path)
        judge, model = judges.pop()
        first = next(iter(replies.values()))
        return cls(path, judge, model, first.provenance or "", (min(dates), max(dates)), replies)

    @property
    def identity(self) -> Identity:
        """Identity of the judge whose replies were recorded; the same for each file that has replies of this judge."""
        return Identity(f"recorded:{self.judge}", self.model)

    def lacks(self, prompts: Iterable[Prompt]) -> list[Prompt]:
        """Return those of the prompts that have no recorded reply."""
        return [prompt for prompt in prompts if (prompt.fingerprint, 0) not in self.replies]

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the reply that was recorded for exactly this prompt and sample.

        Raises:
            JudgeUnavailable: No reply was recorded for the prompt and sample.
        """
        reply = self.replies.get((prompt.fingerprint, sample))
        if reply is None:
            criteria = ", ".join(prompt.criteria) or "the whole"
            raise JudgeUnavailable(
                f"{self.path.name} has no reply to prompt {prompt.fingerprint} ({criteria}), sample {sample}"
            )
        return reply

    async def aclose(self) -> None:
        """Return at once: there is nothing to close."""


def _only_file(path: Path) -> Path:
    if path.is_dir():
        files = sorted(path.glob("*.jsonl"))
        if len(files) != 1:
            names = ", ".join(file.name for file in files) or "none"
            raise UsageError(f"{path} holds {len(files)} files of replies ({names}); name one")
        return files[0]
    if not path.is_file():
        raise UsageError(f"there are no recorded replies at {path}; {HOW_TO_RECORD}")
    return path


def _check(record: Any) -> None:
    """Raise ValueError if a record isn't a reply, saying why."""
    if not isinstance(record, Mapping):
        raise ValueError(f"a line is an object, found {shown(record)}")
    lacking = [f"`{key}`" for key in REPLY_KEYS if key not in record]
    if lacking:
        raise ValueError(f"it lacks {', '.join(lacking)}; a reply has {', '.join(f'`{key}`' for key in REPLY_KEYS)}")
    for key in REPLY_KEYS:
        if not isinstance(record[key], str):
            raise ValueError(f"`{key}` is a text, found {shown(record[key])}")
    sample = record.get("sample", 0)
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 0:
        raise ValueError(f"`sample` is a whole number from 0, found {shown(sample)}")
