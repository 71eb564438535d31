"""A loopback server that answers after a fixed delay in the shapes of two providers: the model costs nothing here.

    python -m benchmarks.slow_server SECONDS

prints its port on the first line and serves until standard input ends. It runs as a process of its own, so that what
it costs is not charged to the caller.
"""

import asyncio
import json
import sys
from typing import Any


def verdicts(schema: dict[str, Any]) -> str:
    """A well-formed answer to any of our schemas, of the package `rubric`, or to a question without one."""
    properties = schema.get("properties", {})
    if "verdicts" in properties:
        names = properties["verdicts"]["properties"]
        said = {"quote": "nothing to quote", "reason": "It is so."}
        levels = {name: entry["properties"]["level"]["enum"][-2] for name, entry in names.items()}
        return json.dumps({"verdicts": {name: {**said, "level": level} for name, level in levels.items()}})
    if "criteria_evaluations" in properties:
        one = {"criterion_status": "MET", "explanation": "It is so."}
        return json.dumps({"criteria_evaluations": [{"criterion_number": n, **one} for n in range(1, 5)]})
    if not properties:  # asked in words alone: by Promptfoo's llm-rubric, or a grader written by hand
        by_hand = {"scores": {"clear": {"score": 0.8, "feedback": "It is so."}}, "overall": 0.8, "summary": "It is so."}
        return json.dumps({"pass": True, "score": 0.8, "reason": "It is so.", **by_hand})
    return json.dumps({"criterion_status": "MET", "explanation": "It is so."})


def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The provider's answer to one request."""
    if path.endswith("/messages"):
        text = verdicts(body.get("output_config", {}).get("format", {}).get("schema", {}))
        return {
            "id": "msg",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 900, "output_tokens": 120},
        }
    text = verdicts(body.get("response_format", {}).get("json_schema", {}).get("schema", {}))
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 900, "completion_tokens": 120, "total_tokens": 1020}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [choice],
        "usage": usage,
    }


async def serve(delay: float) -> None:
    """Serve until standard input ends."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                length = next(int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length"))
                body = json.loads(await reader.readexactly(length))
                await asyncio.sleep(delay)
                payload = json.dumps(answer(lines[0].split()[1], body)).encode()
                headers = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(payload)}\r\n\r\n"
                writer.write(headers.encode() + payload)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, limit=1 << 22)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
