"""A cascade of judges: who decides what, as `tune --cascade` certified it, and the file that says so."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from markscheme.errors import RatingError, UsageError, no_file
from markscheme.fingerprint import fingerprint
from markscheme.judges.judge import Identity, Judge, Reply, forget, make_room
from markscheme.plain_data import no_constant, parse_json, read_text, shown
from markscheme.prompt import Prompt

CASCADE_FILE: Final = "cascade.json"
"""Its name, in `calibration/<rubric>/`."""
SCHEMA = 1
"""Of the file; another one is refused."""
CERTAINTY_ROUNDING = 9
"""Decimals to which a certainty is rounded before it is compared, as when thresholds were chosen."""
CertaintySignal = Literal["probability", "distance", "votes"]
"""What ranks a judge's decisions: its chance of what it decides, the distance from the pass mark, or votes."""


@dataclass(frozen=True, slots=True)
class StageRecord:
    """One judge of a cascade.

    Attributes:
        judge: Its name, as it is asked; of a panel, names joined by `+`.
        model: The models that answered when it was certified; empty where none named itself.
        fingerprint: Of the judge as it was asked.
        certainty: What ranks its decisions.
        passes: The certainty from which a pass stands; None where no pass does.
        fails: The same for a fail.
    """

    judge: str
    model: tuple[str, ...]
    fingerprint: str
    certainty: CertaintySignal
    passes: float | None
    fails: float | None

    def stands(self, certainty: float, *, passed: bool) -> bool:
        """Whether a decision of such a certainty stands."""
        least = self.passes if passed else self.fails
        return least is not None and round(certainty, CERTAINTY_ROUNDING) >= least


@dataclass(frozen=True, slots=True)
class CascadeFile:
    """A certificate: the promise, the judges in the order in which they are asked, and what it depends on.

    Attributes:
        path: The file.
        rubric: Fingerprint of the rubric.
        prompt: Fingerprint of the prompt.
        stages: The judges.
        error: The largest share of wrong automatic decisions that is promised.
        confidence: Confidence of the promise.
    """

    path: Path
    rubric: str
    prompt: str
    stages: tuple[StageRecord, ...]
    error: float
    confidence: float

    @classmethod
    def load(cls, path: Path) -> "CascadeFile":
        """The certificate in a file.

        Raises:
            UsageError: There is no such file.
            RatingError: It can't be read, or isn't one.
        """
        if not path.exists():
            how = "`markscheme tune RUBRIC --cascade JUDGE,JUDGE --write` makes it"
            raise UsageError(f"{path} cannot be read: {no_file(path)}; {how}")
        text = read_text(path, RatingError)
        try:
            return _read(path, parse_json(text, parse_constant=no_constant))
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise RatingError(f"isn't a cascade: {shown(str(error))}", path=path) from error


def _read(path: Path, data: Any) -> CascadeFile:
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        raise ValueError(f"expected an object with schema {SCHEMA}")
    prints = data["fingerprints"]
    stages = tuple(_stage(stage, str(data["for"])) for stage in data["stages"])
    if not stages:
        raise ValueError("it names no judge")
    return CascadeFile(
        path, str(prints["rubric"]), str(prints["prompt"]), stages, _number(data["error"]), _number(data["confidence"])
    )


def _stage(stage: Mapping[str, Any], side: str) -> StageRecord:
    signal = stage["certainty"]
    if signal not in get_args(CertaintySignal):
        raise ValueError(f"certainty is one of {', '.join(get_args(CertaintySignal))}, found {shown(signal)}")
    certain = stage["certain"]
    by_side = certain if isinstance(certain, Mapping) else {"passes": certain, "fails": certain}
    if side in ("passes", "fails"):
        by_side = {side: by_side.get(side)}
    passes, fails = (by_side.get(name) for name in ("passes", "fails"))
    models = stage["model"]
    return StageRecord(
        judge=str(stage["judge"]),
        model=(models,) if isinstance(models, str) and models else tuple(map(str, models)),
        fingerprint=str(stage["fingerprint"]),
        certainty=signal,
        passes=None if passes is None else _number(passes),
        fails=None if fails is None else _number(fails),
    )


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a number, found {shown(value)}")
    return float(value)


def stage_fingerprint(identities: Sequence[Identity]) -> str:
    """What identifies the judge of a stage, or the members of its panel in any order."""
    return fingerprint(sorted(identity.fingerprint for identity in identities))


def _fingerprint_of(judges: Sequence[Judge]) -> str:
    return stage_fingerprint([judge.identity for judge in judges])


@dataclass(frozen=True)
class CascadeJudge:
    """Judges that are asked one after the other, until one is certain enough by a certificate.

    Grading asks its stages; it has no reply of its own.

    Attributes:
        file: The certificate.
        stages: The judges of each stage: one, or the members of a panel; empty until they are opened.
    """

    file: CascadeFile
    stages: tuple[tuple[Judge, ...], ...] = ()

    @property
    def identity(self) -> Identity:
        """The certificate's stages and thresholds, and the judges as they are here."""
        stages = [
            [record.judge, record.certainty, record.passes, record.fails, _fingerprint_of(judges)]
            for record, judges in zip(self.file.stages, self.stages, strict=True)
        ]
        return Identity("cascade", parameters={"stages": stages})

    def why_void(self, rubric: str, prompt: str) -> str:
        """Why nothing may be decided by it at all: what differs from what was certified; "" where nothing does."""
        differs = [
            what
            for what, now, then in (("the rubric", rubric, self.file.rubric), ("the prompt", prompt, self.file.prompt))
            if now != then
        ]
        return f"{' and '.join(differs)} changed since {self.file.path.name} was certified" if differs else ""

    def why_not(self, place: int, models: Sequence[str]) -> str:
        """Why a stage decides nothing: another judge or answering model than certified; "" where it may."""
        record = self.file.stages[place]
        if _fingerprint_of(self.stages[place]) != record.fingerprint:
            return f"{record.judge} is asked in another way than certified"
        if not set(models) <= set(record.model) or bool(models) != bool(record.model):
            certified = ", ".join(record.model) or "no named model"
            return f"{', '.join(models) or 'no named model'} answered, and {certified} was certified"
        return ""

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:  # noqa: ARG002 - as every judge
        """Nothing: the stages reply.

        Raises:
            UsageError: Always.
        """
        raise UsageError("a cascade decides on responses; name one of its judges to ask a prompt")

    def make_room(self, calls: int) -> None:
        """Let every judge be asked `calls` times at once."""
        for judge in self._judges:
            make_room(judge, calls)

    def forget(self, reply: Reply, *, settled: bool) -> None:
        """Let the judge whose reply it is drop it from its cache."""
        for judge in self._judges:
            forget(judge, reply, settled=settled)

    async def aclose(self) -> None:
        """Close every judge."""
        for judge in self._judges:
            await judge.aclose()

    @property
    def _judges(self) -> list[Judge]:
        return [judge for judges in self.stages for judge in judges]
