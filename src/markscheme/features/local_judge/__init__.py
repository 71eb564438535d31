"""A model file as judge, which llama.cpp runs in this process."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.judges.kinds import JUDGE_KINDS, JudgeKind, missing_extra
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.judges.judge import Identity, Judge
    from markscheme.judges.judge_context import JudgeContext
    from markscheme.judges.price import Price


def _local(path: str, context: "JudgeContext") -> "Judge":
    from markscheme.features.local_judge.judge import LocalJudge

    return LocalJudge(Path(path), expected=context.expected, **context.settings("temperature", "max_tokens"))


def _model_file(name: str) -> str | None:
    return f"local:{name}" if name.endswith(".gguf") else None


def _free(_: "Identity") -> "Price":
    from markscheme.judges.price import Price

    return Price(0.0, 0.0)


LOCAL_JUDGE = Feature(
    "local_judge",
    JUDGE_KINDS(
        JudgeKind(
            "local",
            _local,
            extra="markscheme[local]",
            ready=lambda: missing_extra("xllamacpp", "local"),
            form="local:PATH.gguf",
            needs="the file",
            about="a model file, run in this process",
            deadline=math.inf,  # requests queue in this process: waiting for a turn is not a timeout
            price=_free,
            probabilities=True,
            meant_by=_model_file,
            rank=30,
        ),
    ),
)
