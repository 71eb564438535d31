"""`pass-rate` of a judge's verdicts alone names the command by which `init` makes a rubric to label by."""

import json
import re
import shlex
from pathlib import Path

from tests.commands.console import run


def test_the_command_printed_for_a_pass_rate_of_verdicts_alone_makes_a_rubric_and_keeps_the_verdicts(
    tmp_path: Path,
) -> None:
    lines = [{"id": f"r{i}", "response": f"Reply {i}.", "pass": i % 4 != 0} for i in range(12)]
    (tmp_path / "my results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    refused = run("markscheme", "pass-rate", "my results.jsonl", cwd=tmp_path)
    printed = re.search("`(markscheme init [^`]+)`", refused.stderr)
    assert printed, refused.stderr
    made = run(*shlex.split(printed[1]), cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert len(list(tmp_path.glob("calibration/*/ratings/pass.jsonl"))) == 1
