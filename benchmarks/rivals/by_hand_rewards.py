"""Rewards as people write them over the OpenAI SDK: one question about all criteria, or one a criterion."""

import asyncio
import json
from typing import Any

from openai import AsyncOpenAI

ONE = {"type": "object", "properties": {"level": {"type": "string", "enum": ["UNMET", "MET"]}}}


async def reward(client: AsyncOpenAI, responses: list[str], rubrics: list[list[dict[str, Any]]], per_call: int) -> Any:
    """Return the sum of the weights of what each response meets."""
    places = asyncio.Semaphore(64)

    async def met(response: str, named: dict[str, str]) -> set[str]:
        listed = "\n".join(f"{name}: {text}" for name, text in named.items())
        schema = {"type": "object", "properties": {"verdicts": {"properties": dict.fromkeys(named, ONE)}}}
        form = {"type": "json_schema", "json_schema": {"name": "verdicts", "schema": schema}}
        ask = f"Is each criterion met? Answer in JSON.\n\n{listed}\n\nResponse:\n{response}"
        messages = [{"role": "user", "content": ask}]
        async with places:
            done = await client.chat.completions.create(model="m", messages=messages, response_format=form)  # type: ignore[call-overload]
        verdicts = json.loads(done.choices[0].message.content)["verdicts"]
        return {name for name in named if verdicts[name]["level"] == "MET"}

    async def score(response: str, rubric: list[dict[str, Any]]) -> float:
        named = [(f"c{place}", criterion["requirement"]) for place, criterion in enumerate(rubric)]
        calls = [dict(named[at : at + per_call]) for at in range(0, len(named), per_call)]
        found = set().union(*await asyncio.gather(*(met(response, call) for call in calls)))
        return sum(float(criterion["weight"]) for place, criterion in enumerate(rubric) if f"c{place}" in found)

    return await asyncio.gather(*map(score, responses, rubrics))
