"""A project as a user has it: a rubric for support replies, labelled by two people, with ratings of three judges."""

import json
import random
from pathlib import Path
from typing import Any

from tests.commands.judged_project import write_lines

RUBRIC = """\
name: support-reply
inputs: [query]
criteria:
- name: answers
  weight: 2
  description: How far the reply answers the customer's question.
- name: next-step
  weight: 1
  requirement: The reply names one thing to do next, or says when something happens.
- name: tone
  weight: 1
  description: How calm and polite the reply is.
"""
QUERIES = (
    "Where is my order {n}?",
    "How do I change the card on account {n}?",
    "Invoice {n} shows a fee I don't know. What is it?",
    "Can I still cancel order {n}?",
    "My discount code {n} is refused. Why?",
    "I was charged twice for order {n}.",
)
ANSWERS = (
    "Thank you for your message.",
    "Such things can take some days.",
    "Your order {n} was handed to the carrier.",
    "Order {n} left our house on Tuesday and is with the carrier now.",
    "Order {n} left our house on Tuesday; the carrier brings it to you on Friday.",
)
NEXT_STEP = "Please reply with the last four digits of your card."
TONES = (
    "As we said before, read the page.",
    "That is how it is.",
    "Regards.",
    "Kind regards, Mia.",
    "I'm sorry for the trouble. Kind regards, Mia.",
)
JUDGES = {"careful": 0.04, "hasty": 0.45, "lenient": 0.35}
"""By judge, how often it gives another level than the text deserves."""
JUDGING = '''
"""Judges by what a reply says: `function:reply_judges:careful`, and one that likes praise."""

import re

ANSWERS = {answers}
TONES = {tones}
NEXT_STEP = {next_step}


def response(prompt):
    return re.search(r"<response-(\\w+)>\\n(.*)\\n</response-", prompt, re.S)[2]


def careful(system_prompt, user_prompt):
    text = response(user_prompt)
    plain = re.sub(r"\\d+", "{{n}}", text)
    answers = max((place for place, words in enumerate(ANSWERS, start=1) if words in plain), default=1)
    tone = max((place for place, words in enumerate(TONES, start=1) if words in text), default=3)
    step = "MET" if NEXT_STEP in text else "UNMET"
    quote = text.split(".")[0]
    levels = dict(zip(("answers", "next-step", "tone"), (str(answers), step, str(tone))))
    said = {{"quote": quote, "reason": "The reply says so."}}
    return {{"verdicts": {{name: {{**said, "level": level}} for name, level in levels.items()}}}}


def flattered(system_prompt, user_prompt):
    said = careful(system_prompt, user_prompt)
    answers = said["verdicts"]["answers"]
    answers["level"] = str(min(5, int(answers["level"]) + ("Reviewers" in user_prompt)))
    return said


careful.environment = flattered.environment = ()
'''


def make_project(folder: Path, *, n: int = 60) -> Path:
    """Write the rubric, `n` labelled examples, a file of ratings for each judge, and functions that judge."""
    (folder / ".git").mkdir()
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "support-reply.yaml").write_text(RUBRIC, encoding="utf-8")
    code = JUDGING.format(answers=repr(ANSWERS), tones=repr(TONES), next_step=repr(NEXT_STEP))
    (folder / "reply_judges.py").write_text(code, encoding="utf-8")
    (folder / "calibration" / "support-reply").mkdir(parents=True)
    write_examples(folder, n)
    return folder


def write_examples(folder: Path, n: int) -> None:
    """Write `n` labelled examples, and a file of ratings for each judge."""
    home = folder / "calibration" / "support-reply"
    examples = [_example(place) for place in range(n)]
    write_lines(home / "examples.jsonl", examples)
    for judge in JUDGES:
        write_lines(
            folder / f"{judge}.jsonl", [_rating(judge, example, place) for place, example in enumerate(examples)]
        )


def _levels(place: int) -> tuple[int, bool, int]:
    rng = random.Random(place)
    return rng.choice([1, 2, 3, 4, 5, 5]), rng.random() < 0.6, rng.choice([2, 3, 4, 4, 5])


def _example(place: int) -> dict[str, Any]:
    answers, step, tone = _levels(place)
    number = 4000 + 7 * place
    parts = [ANSWERS[answers - 1].format(n=number), *([NEXT_STEP] if step else []), TONES[tone - 1]]
    labels = [_label(rater, place) for rater in ("ana", "ben")]
    query = QUERIES[place % len(QUERIES)].format(n=number)
    return {"id": f"sr-{place + 1:02d}", "query": query, "response": " ".join(parts), "labels": labels}


def _label(rater: str, place: int) -> dict[str, Any]:
    answers, step, tone = _levels(place)
    rng = random.Random(f"{rater} {place}")
    tone = min(5, max(1, tone + (rng.choice([-1, 1]) if rng.random() < 0.15 else 0)))
    return {"rater": rater, "criteria": {"answers": answers, "next-step": step, "tone": tone}}


def _rating(judge: str, example: dict[str, Any], place: int) -> dict[str, Any]:
    answers, step, tone = _levels(place)
    rng = random.Random(f"{judge} {place}")
    if rng.random() < JUDGES[judge]:
        answers = min(5, answers + 1) if judge == "lenient" else rng.randint(1, 5)
        step = step or judge == "lenient" or rng.random() < 0.5
    verdicts = {
        "answers": {"level": answers, "reason": "It says where the order is." if answers > 3 else "It stays vague."},
        "next-step": {"level": step, "reason": "It asks for the card." if step else "Nothing to do is named."},
        "tone": {"level": tone, "reason": "It is polite." if tone > 3 else "It is curt."},
    }
    return {"id": example["id"], "judge": judge, "criteria": verdicts}


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Read the objects in a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
