"""What a user does with an installed markscheme, in an empty folder and without a clone.

    python -I as_user.py FOLDER

The interpreter is that of the environment markscheme is installed in. Only the standard library is imported, so that
nothing but the installation is tried. Prints a line for each thing that worked; the first that doesn't ends it.
"""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

SCRIPTS = Path(sys.executable).parent
SECONDS = 300
"""What hangs is ended; a slow machine gets there long before."""
FORM = "criteria:\n- {name: form, requirement: The answer is valid JSON., check: json_valid}\n"
"""A rubric that code checks, so that the graders answer without a judge."""
SKILL = Path(".claude/skills/markscheme/SKILL.md")


def environment(folder: Path) -> dict[str, str]:
    """This process's variables without keys, with an own cache and an own place for sockets."""
    bare = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_AUTH_TOKEN"))}
    return bare | {"MARKSCHEME_CACHE": str(folder / "cache"), "XDG_RUNTIME_DIR": str(folder / "run")}


def run(*command: str, status: int = 0) -> str:
    """What an installed command prints; another exit status ends it all."""
    full = [str(SCRIPTS / command[0]), *command[1:]]
    done = subprocess.run(full, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == status, f"{' '.join(command)} ended with {done.returncode}: {done.stderr}{done.stdout}"
    return done.stdout


def grader() -> Any:
    """The grader that `init` wrote, imported as Promptfoo imports it."""
    spec = importlib.util.spec_from_file_location("rubric_grader", Path("graders/rubric_grader.py").absolute())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def page(url: str) -> str:
    """A page's text, fetched past any proxy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=SECONDS) as answer:
        return str(answer.read().decode())


def labelling_page() -> None:
    """Open the labelling page, behind its token and not without."""
    command = [str(SCRIPTS / "markscheme"), "label", "support-reply", "--rater", "ann", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        place = json.loads(process.stdout.readline())
        assert "support-reply" in page(place["url"])
        with contextlib.suppress(urllib.error.HTTPError):
            page(f"http://127.0.0.1:{place['port']}/guessed/")
            raise AssertionError("the page opens without its token")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(SECONDS)


def main(folder: Path) -> None:
    """Everything in turn."""
    (folder / "run").mkdir(mode=0o700)
    os.chdir(folder)
    os.environ.update(environment(folder))
    print(run("markscheme", "--version").strip())
    run("markscheme", "init")
    assert Path("promptfooconfig.yaml").is_file()
    print("init: graders, rubric, examples and configuration")
    stand_in = ("--judge", "function:stand_in_judge:judge", "--quiet", "--json", "-")
    report = json.loads(run("calibrate", "support-reply", *stand_in, status=4))
    assert report["counts"]["graded"] == 10, report["counts"]
    print("calibrate: ten replies by the judge that init adds, without a key")
    report = json.loads(run("calibrate", "code-quality", "--quiet", "--json", "-", "--html", "report.html", status=4))
    assert report["counts"]["graded"] == 73, report["counts"]
    assert Path("report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    print(f"calibrate: 73 recorded replies, agreement {report['agreement']['value']:.2f}, use {report['use']}")
    run("markscheme", "init", "--skill")
    assert SKILL.read_text(encoding="utf-8").startswith("---\nname: markscheme\n")
    print(f"init --skill: {SKILL}")
    Path("rubrics/form.yaml").write_text(FORM, encoding="utf-8")
    graded = grader().get_assert('{"a": 1}', {"vars": {}, "config": {"rubric": "form"}})
    assert graded["pass"] is True, graded
    assert grader().get_assert("no JSON", {"vars": {}, "config": {"rubric": "form"}})["pass"] is False
    sessions = json.loads(run("markscheme", "session", "status", "--json"))["sessions"]
    assert [session["answered"] for session in sessions] == [2], sessions
    run("markscheme", "session", "stop")
    print("graders: two outputs, answered by one warm session")
    labelling_page()
    print("label: the page opens behind its token, and not without")
    assert '"usable"' in run("markscheme", "status", "--json")
    run("markscheme", "lint", "support-reply")
    print("status, lint")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
