"""Ctrl-C in the real Promptfoo while a function judge hangs: Promptfoo pauses at once and isn't held up."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands.console import ROOT
from tests.real.promptfoo import QUIET, install_promptfoo, with_node, without_keys

HANGS = """
import pathlib, threading

def hangs(system_prompt, user_prompt):
    pathlib.Path("begun").touch()
    threading.Event().wait()
"""
ENDS_WITHIN = 300.0
"""Seconds for a machine with much else to do; alone, it takes .3, and Promptfoo itself gives up after 10."""


@pytest.mark.proof
@pytest.mark.parametrize("grader", ["rubric_grader.py", "rubric_grader.mjs"])
@pytest.mark.parametrize("session", ["auto", "off"])
def test_ctrl_c_ends_promptfoo_even_if_a_judge_hangs(grader: str, session: str, tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(HANGS)
    (tmp_path / "rubric.yaml").write_text("criteria: [{requirement: Is kind}]\n")
    judged = {"rubric": "rubric.yaml", "judge": "function:hanging:hangs", "session": session}
    graded = {"type": "python", "value": f"file://{ROOT / 'graders' / grader}", "config": judged}
    config = {"prompts": ["Hi"], "providers": ["echo"], "tests": [{"assert": [graded]}]}
    (tmp_path / "promptfooconfig.json").write_text(json.dumps(config))
    ours = {"PROMPTFOO_CONFIG_DIR": str(tmp_path / "private"), "MARKSCHEME_CACHE": str(tmp_path / "cache")}
    running = subprocess.Popen(
        (*install_promptfoo().command, "eval", "-c", "promptfooconfig.json", "--no-cache", "--no-table"),
        cwd=tmp_path,
        env=with_node(without_keys(os.environ)) | QUIET | ours | {"PROMPTFOO_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        while not (tmp_path / "begun").exists():
            assert running.poll() is None, running.stdout.read() if running.stdout else ""
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does, to all that it runs
        output, _ = running.communicate(timeout=ENDS_WITHIN)
    finally:
        running.kill()
    assert "Evaluation shutdown timed out" not in output
    assert "Evaluation paused" in output
