"""`markscheme prompts`: the prompts a judge would be asked, so that replies can be recorded elsewhere."""

import argparse
import json
from pathlib import Path

from markscheme.commands.options import Parser
from markscheme.commands.sources import examples_of
from markscheme.judges.recorded import RecordedJudge
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.search import find_rubric

SUMMARY = """Print the prompts that a judge is asked first about each example, one JSON object a line:
fingerprint, system, user, schema. No label stands in them. A reply is recorded as a line of
calibration/RUBRIC/replies/JUDGE.jsonl under the fingerprint of its prompt."""


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser("prompts", SUMMARY, "markscheme prompts rubrics/code-quality.yaml --missing")
    found.add_argument("rubric", metavar="RUBRIC", help="a rubric's file or name")
    found.add_argument("--examples", type=Path, metavar="FILE", help="the examples, instead of the rubric's own set")
    found.add_argument("--missing", action="store_true", help="only those that no recording answers")
    found.add_argument("--json", action="store_true", help="the same; every line is JSON already")
    return found


def run(arguments: argparse.Namespace) -> int:
    """Print them."""
    from markscheme.calibration.collect import first_prompts  # examples bring numpy, which --help doesn't need
    from markscheme.ratings.examples import load_examples

    rubric = load_rubric(find_rubric(arguments.rubric))
    file, folder = examples_of(rubric, arguments.examples)
    prompts = first_prompts(rubric, load_examples(file, rubric).examples)
    if arguments.missing and folder is not None:
        for recording in sorted((folder / "replies").glob("*.jsonl")):
            prompts = RecordedJudge.load(recording).lacks(prompts)
    for prompt in prompts:
        line = {
            "fingerprint": prompt.fingerprint,
            "system": prompt.system,
            "user": prompt.user,
            "schema": prompt.schema,
        }
        print(json.dumps(line, ensure_ascii=False))
    return 0
