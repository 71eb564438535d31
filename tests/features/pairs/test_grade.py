"""`grade` on a file of pairs."""

import json
from pathlib import Path

from tests.commands.console import run

RUBRIC = "name: better\ncompare: pairs\ncriteria: [{name: helps, prefer: The reply that helps more.}]\n"
JUDGE = '''
import re


def judge(system_prompt, user_prompt):
    """Prefer the response in which more is said."""
    first, second = re.findall(r"<response-[12]-[0-9a-f]+>\\n(.*?)\\n</response", user_prompt, re.DOTALL)
    level = "first" if len(first) > len(second) else "second"
    return {"verdicts": {"helps": {"quote_1": first, "quote_2": second, "reason": "More.", "level": level}}}
'''


def test_the_summary_of_graded_pairs_counts_preferences_and_mentions_neither_a_pass_nor_a_pass_mark(
    tmp_path: Path,
) -> None:
    (tmp_path / "better.yaml").write_text(RUBRIC)
    (tmp_path / "wordy.py").write_text(JUDGE)
    responses = [("A long reply.", "Yes."), ("A longer reply.", "No."), ("Ok.", "Quite a long reply.")]
    pairs = [{"id": f"p{n}", "first": first, "second": second} for n, (first, second) in enumerate(responses)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    done = run("markscheme", "grade", "better.yaml", "pairs.jsonl", "--judge", "function:wordy:judge", cwd=tmp_path)
    summary = next(line for line in done.stdout.splitlines() if "Judge:" in line)
    assert summary.startswith("3 pairs; ")
    assert {"2 first", "1 second"} <= set(summary.partition(". Judge:")[0].split("; "))
    assert "pass" not in summary
