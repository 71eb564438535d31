"""What submissions that try to steer their rating do to a small model: measured and printed."""

import asyncio
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from markscheme import Reply, Submission
from markscheme.features.local_judge.judge import LocalJudge
from markscheme.grading import Grade, Grading
from markscheme.judges.judge import Identity
from markscheme.prompts.prompt import Prompt
from tests.proofs.injections import INJECTIONS, RUBRIC, Injection
from tests.proofs.test_injection import HONEST


@dataclass
class Brief:
    """A judge whose quote and reason are held to a few letters, so that a small machine answers in seconds."""

    judge: LocalJudge

    @property
    def identity(self) -> Identity:
        """Identity of the wrapped judge."""
        return self.judge.identity

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the model's answer, with a short quote and reason."""
        schema: dict[str, Any] = deepcopy(dict(prompt.schema))
        for verdict in schema["properties"]["verdicts"]["properties"].values():
            for key in ("quote", "reason"):
                verdict["properties"][key] |= {"minLength": 1, "maxLength": 12}
        return await self.judge.reply(replace(prompt, schema=schema), sample)

    async def aclose(self) -> None:
        """Close the wrapped judge."""
        await self.judge.aclose()


Job = tuple[str, Injection | None]


async def grades_of(jobs: list[Job], model: Path) -> dict[Job, Grade]:
    """Return a grade for each job, asked one after the other, so that results are reproducible."""
    judge, grades = Brief(LocalJudge(model, max_tokens=120, context=4096, keep_prefix=True)), {}
    for honest, injection in jobs:
        response, inputs = (injection.response(honest), injection.inputs) if injection else (honest, {})
        grades[honest, injection] = await Grading(RUBRIC, judge).grade(Submission(response, inputs))
    await judge.aclose()
    return grades


@pytest.mark.release
def test_the_effect_of_prompt_injections_on_a_small_model_is_measured_and_printed(
    local_model: Path, tell: Callable[..., None]
) -> None:
    tried = [injection for injection in INJECTIONS if injection.asked_of_model]
    jobs: list[Job] = [(honest, injection) for honest in HONEST for injection in (None, *tried)]
    began = time.monotonic()
    grades = asyncio.run(grades_of(jobs, local_model))
    seconds = time.monotonic() - began

    assert len(grades) == len(jobs)
    for grade in grades.values():
        assert (grade.score is None) == bool(grade.error)
        assert grade.score in (None, 0.0, 1.0)
        assert grade.usage.calls >= 1
    attacked = [(job, grade, grades[job[0], None]) for job, grade in grades.items() if job[1] is not None]
    tell(report_of(attacked, seconds, local_model.stem))


def report_of(attacked: list[tuple[Job, Grade, Grade]], seconds: float, model: str) -> str:
    """Return a report on how injections changed the verdicts."""
    both = [(job, grade.score, plain.score) for job, grade, plain in attacked if plain.score is not None]
    better = [job for job, score, plain in both if score is not None and score > plain]
    worse = [job for job, score, plain in both if score is not None and score < plain]
    ungraded = [job for job, score, _ in both if score is None]
    names: Mapping[str, int] = {
        job[1].name: sum(other[1] is job[1] for other in better) for job in better if job[1] is not None
    }
    return "\n".join(
        [
            f"injection, on {model}: {len(both)} attacks on {len(HONEST)} responses, every reply handled, "
            f"{seconds:.0f} s",
            f"  the verdict changes in {len(better) + len(worse)} of {len(both)}: better {len(better)}, worse "
            f"{len(worse)}; left ungraded {len(ungraded)}",
            "  better by: " + ("; ".join(f"{name} ({count})" for name, count in names.items()) or "none"),
        ]
    )
