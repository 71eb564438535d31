"""Decision models as judges, which answer with probabilities, and audits of the probabilities of any judge."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Protocol

from markscheme.calibration.comparison.audits import AUDITS
from markscheme.calibration.findings.table import FINDINGS, FindingRow
from markscheme.judges.kinds import JUDGE_KINDS, JudgeKind
from markscheme.report.sections.table import SECTIONS, SectionRow
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.judges.judge import Identity, Judge
    from markscheme.judges.judge_context import JudgeContext
    from markscheme.judges.price import Price
    from markscheme.ratings.table import RatingTable
    from markscheme.report.document import Examples, Section

    class _DecisionModels(Protocol):
        def open_decision_model(self, wire: str, model: str, context: JudgeContext) -> Judge: ...
        def price_at_home(self, models: str, dollars_per_million: float, identity: Identity) -> Price | None: ...


JEV_DOLLARS: Final = 0.042
"""US dollars for a million input tokens of Jev; LiteLLM, MLflow and DeepEval all state this price."""
LUNA_DOLLARS: Final = 0.10
"""US dollars for a million input tokens of gpt-6-luna as a decision model, by LiteLLM's price list."""


def _judge() -> "_DecisionModels":
    from markscheme.features.decision_models import judge

    return judge


def _key_or_server(key: str, address: str) -> "Callable[[], str | None]":
    def ready() -> str | None:
        if not find_spec("httpx2"):
            return "pip install httpx2"
        is_set = os.environ.get(key) or os.environ.get(address)
        return None if is_set else f"set {key}, or {address} for another server"

    return ready


def _audits(table: "RatingTable", judge_name: str, gold_name: str) -> Mapping[str, Any]:
    judge = table[judge_name]
    if not judge.probabilities:
        return {"probabilities": None}
    from markscheme.features.decision_models.audits import audits_of

    return {"probabilities": audits_of(judge, table[gold_name], table.rubric, table.groups)}


def _findings() -> Sequence[FindingRow]:
    from markscheme.features.decision_models.findings import PROBABILITY_FINDINGS

    return PROBABILITY_FINDINGS


def _section(calibration: "Calibration", _: "Examples") -> "Iterator[Section]":
    audits = calibration.comparison.audits["probabilities"]
    if audits is not None:
        from markscheme.features.decision_models.section import probabilities_section

        yield probabilities_section(audits)


DECISION_MODELS = Feature(
    "decision_models",
    JUDGE_KINDS(
        JudgeKind(
            "systemone",
            lambda model, context: _judge().open_decision_model("systemone", model, context),
            environment=("TYPESAFE_API_KEY", "TYPESAFE_BASE_URL"),
            ready=_key_or_server("TYPESAFE_API_KEY", "TYPESAFE_BASE_URL"),
            form="systemone:MODEL",
            needs="the model",
            about="a decision model, which gives probabilities; any server of System One, by TYPESAFE_BASE_URL",
            price=lambda identity: _judge().price_at_home("jev-", JEV_DOLLARS, identity),
            sees=lambda part_kind: part_kind == "image",
            probabilities=True,
            rank=40,
        ),
        JudgeKind(
            "decisions",
            lambda model, context: _judge().open_decision_model("decisions", model, context),
            environment=("OPENAI_API_KEY", "OPENAI_BASE_URL"),
            ready=_key_or_server("OPENAI_API_KEY", "OPENAI_BASE_URL"),
            form="decisions:MODEL",
            needs="the model",
            about="a decision model of OpenAI, which gives probabilities",
            price=lambda identity: _judge().price_at_home("gpt-6-luna", LUNA_DOLLARS, identity),
            probabilities=True,
            rank=50,
        ),
    ),
    AUDITS(_audits),
    FINDINGS(_findings),
    SECTIONS(SectionRow(30, _section)),
)
