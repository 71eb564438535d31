"""A model file as judge, which llama.cpp runs in this process."""

import math
from typing import TYPE_CHECKING

from markscheme.judges.kinds import JUDGE_KINDS, JudgeKind, missing_extra
from markscheme.seam import Feature

if TYPE_CHECKING:
    from typing import Protocol

    from markscheme.judges.judge import Judge
    from markscheme.judges.judge_context import JudgeContext
    from markscheme.judges.price import Price

    class _LocalJudges(Protocol):
        @property
        def FREE_TOKENS(self) -> Price: ...  # noqa: N802 - a constant of the module
        def open_local_judge(self, path: str, context: JudgeContext) -> Judge: ...


def _judge() -> "_LocalJudges":
    from markscheme.features.local_judge import judge

    return judge


def _model_file(name: str) -> str | None:
    return f"local:{name}" if name.endswith(".gguf") else None


LOCAL_JUDGE = Feature(
    "local_judge",
    JUDGE_KINDS(
        JudgeKind(
            "local",
            lambda path, context: _judge().open_local_judge(path, context),
            extra="markscheme[local]",
            ready=lambda: missing_extra("xllamacpp", "local"),
            form="local:PATH.gguf",
            needs="the file",
            about="a model file, run in this process",
            deadline=math.inf,  # requests queue in this process: waiting for a turn is not a timeout
            price=lambda _: _judge().FREE_TOKENS,
            probabilities=True,
            meant_by=_model_file,
            rank=30,
        ),
    ),
)
