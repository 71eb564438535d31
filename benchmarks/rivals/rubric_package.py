"""The package `rubric` grading through the OpenAI SDK; run by benchmarks/engine.py in an environment of its own.

python rubric_package.py per_criterion|one_shot BASE_URL GRADINGS CONCURRENCY
"""

import asyncio
import json
import resource
import sys
import time

from openai import AsyncOpenAI
from rubric import OneShotOutput, PerCriterionOutput, Rubric
from rubric.autograders import PerCriterionGrader, PerCriterionOneShotGrader

REQUIREMENTS = ["names the capital", "names the country", "is one sentence", "is polite"]


async def main(strategy: str, address: str, gradings: int, concurrency: int) -> None:
    """Grade and print what it took as JSON."""
    client = AsyncOpenAI(api_key="none", base_url=f"{address}/v1", max_retries=0)
    schema = PerCriterionOutput if strategy == "per_criterion" else OneShotOutput
    requests = 0

    async def generate(system_prompt: str, user_prompt: str) -> PerCriterionOutput | OneShotOutput:
        nonlocal requests
        requests += 1
        response = await client.chat.completions.create(
            model="local",
            messages=[{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}],
            response_format={"type": "json_schema", "json_schema": {"name": "o", "schema": schema.model_json_schema()}},
        )
        return schema.model_validate_json(response.choices[0].message.content or "")

    grader = (PerCriterionGrader if strategy == "per_criterion" else PerCriterionOneShotGrader)(generate_fn=generate)
    rubric = Rubric.from_dict([{"weight": 1.0, "requirement": text} for text in REQUIREMENTS])
    places = asyncio.Semaphore(concurrency)

    async def one(number: int) -> None:
        async with places:
            await rubric.grade(to_grade=f"Answer {number}: Paris.", query="Capital?", autograder=grader)

    await one(-1)
    requests = 0
    began = time.perf_counter()
    cpu = _cpu()
    await asyncio.gather(*(one(number) for number in range(gradings)))
    print(json.dumps({"seconds": time.perf_counter() - began, "cpu": _cpu() - cpu, "requests": requests}))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
