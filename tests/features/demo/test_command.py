"""`markscheme demo`, run as a sceptic runs it: in an empty folder, without a key."""

import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.demo.faults import FAULTS, NO_FAULT
from markscheme.features.demo.naming import COMMAND
from tests.commands.console import INSTALLED, ROOT, environment, run

Demo = Callable[..., subprocess.CompletedProcess[str]]
Kept = tuple[subprocess.CompletedProcess[str], Path]


FIRST = ("-o", "seed=3")
"""All of the demonstration; this seed draws a sound judge."""
SEALED = ("--sealed", "-o", "seed=1")
"""A round alone; this seed draws a noisy judge."""
OF_ITS_OWN = ("--sealed", "-n", "30", "--json")
"""A round whose seed nobody chose."""
KEPT = ("-o", "seed=23", "--keep", "kept", "--json")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The finished command with these options, run once in an empty folder; it takes seconds and leaves no file."""

    @functools.cache
    def once(*options: str) -> subprocess.CompletedProcess[str]:
        folder = tmp_path_factory.mktemp("demo")
        done = run("markscheme", "demo", *options, cwd=folder)
        assert list(folder.iterdir()) == []
        return done

    return once


@pytest.fixture(scope="module")
def round_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Kept]:
    """The finished command with a fault of one's choice, and the files of its round."""

    @functools.cache
    def once(fault: str) -> Kept:
        folder = tmp_path_factory.mktemp("demo")
        return run("markscheme", "demo", "--plant", fault, *KEPT, cwd=folder), folder / "kept"

    return once


@pytest.mark.proof
def test_demo_shows_raw_agreement_and_kappa_then_a_planted_fault_then_a_sealed_fault_and_its_diagnosis(
    demo: Demo,
) -> None:
    done = demo(*FIRST)
    assert (done.returncode, done.stderr) == (0, "")
    places = [
        done.stdout.index(words)
        for words in ("Raw agreement", "kappa", "A planted fault", "Sealed:", "It names:", "The seal is")
    ]
    assert places == sorted(places)


@pytest.mark.proof
def test_demo_never_calls_its_labels_or_simulated_responses_human(
    demo: Demo,
) -> None:
    output = " ".join(demo(*FIRST).stdout.split())
    assert "A Claude model wrote them with planted faults" in output
    assert "no person labelled anything." in output
    assert "Simulated: 100 responses" in output
    assert "human" not in output


@pytest.mark.proof
def test_demo_prints_the_hash_that_seals_the_fault_before_the_diagnosis_and_the_sealed_text_after_it(
    demo: Demo,
) -> None:
    for options, fault in ((FIRST, NO_FAULT), (SEALED, "noisy")):
        output = demo(*options).stdout
        (digest,) = re.findall(r"^([0-9a-f]{64})$", output, re.MULTILINE)
        (secret,) = re.findall(r"printf %s '(.+)' \| sha256sum", output)
        assert output.index(digest) < output.index("It names:") < output.index(secret)
        assert hashlib.sha256(secret.encode()).hexdigest() == digest
        assert secret.split("|")[0] == fault


def test_demo_prints_a_shell_command_that_recomputes_the_hash_of_the_planted_fault(demo: Demo) -> None:
    output = demo(*SEALED).stdout
    (line,) = re.findall(r"^(printf .+)$", output, re.MULTILINE)
    checked = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True).stdout
    assert checked.split()[0] in output


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=() if fault == "lenient" else pytest.mark.proof) for fault in FAULTS]
)
def test_demo_plants_the_fault_that_the_user_names_and_its_diagnosis_names_this_fault(
    fault: str, round_of: Callable[[str], Kept]
) -> None:
    done, _ = round_of(fault)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert "raters" not in shown
    assert_named(shown["round"], fault)


def assert_named(shown: dict[str, Any], fault: str) -> None:
    """A round has this fault, and what is named is what was planted."""
    assert shown["planted"]["fault"] == fault
    assert shown["named"] == shown["planted"]
    assert shown["right"] is True
    assert bool(shown["findings"]) == (fault != NO_FAULT)


@pytest.mark.proof
def test_a_demo_round_without_a_fault_reports_no_issue(demo: Demo) -> None:
    output = demo(*FIRST).stdout
    assert "It names: nothing" in output
    assert "No issues found." in output
    assert "Nothing was wrong and nothing was reported." in output
    assert_named(json.loads(demo(*FIRST, "--json").stdout)["round"], NO_FAULT)


@pytest.mark.proof
def test_demo_with_the_json_option_prints_only_json_to_standard_output_and_the_hash_to_standard_error(
    demo: Demo,
) -> None:
    done = demo(*OF_ITS_OWN)
    shown = json.loads(done.stdout)["round"]
    assert done.stderr == f"seal: {shown['seal']}\n"
    assert hashlib.sha256(shown["secret"].encode()).hexdigest() == shown["seal"]
    again = demo(*OF_ITS_OWN, "-o", f"seed={shown['seed']}")
    assert again.stdout == done.stdout


@pytest.mark.proof
def test_without_a_random_seed_each_demo_round_is_different(demo: Demo, tmp_path: Path) -> None:
    another = run("markscheme", "demo", *OF_ITS_OWN, cwd=tmp_path)
    assert another.stderr.startswith("seal: ")
    assert another.stderr != demo(*OF_ITS_OWN).stderr


@pytest.mark.proof
def test_demo_s_json_says_what_each_simulated_rater_may_decide_and_how_many_examples_it_rated(demo: Demo) -> None:
    shown = json.loads(demo(*FIRST, "--json").stdout)
    assert shown["schema"] == 1
    assert [rater["use"] for rater in shown["raters"]] == ["explore", "explore", "none", "none", "none"]
    assert {rater["reference"] for rater in shown["raters"]} == {"constructed"}
    assert shown["round"]["n"] == 100


def test_the_calibrate_command_that_demo_shows_gives_the_same_findings_on_the_files_that_demo_keeps(
    round_of: Callable[[str], Kept],
) -> None:
    done, folder = round_of("lenient")
    shown = json.loads(done.stdout)["round"]
    (folder / "report.json").unlink()
    assert run("markscheme", *COMMAND, cwd=folder).returncode in (0, 1, 4)
    assert json.loads((folder / "report.json").read_text())["findings"] == shown["findings"]


def test_the_demo_of_rare_fails_shows_that_the_judge_with_the_lowest_agreement_is_the_only_one_that_can_gate(
    demo: Demo,
) -> None:
    done = demo("--plant", "rare-fails")
    assert (done.returncode, done.stderr) == (0, "")
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if "%" in line and "–" in line}
    answers = {name: (row[4], row[-1]) for name, row in rows.items() if row[-1] in ("yes", "no")}
    assert answers == {"too-kind": ("yes", "no"), "too-strict": ("yes", "no"), "careful": ("no", "yes")}


@pytest.mark.parametrize("number", range(3))
def test_every_calibrate_command_in_the_demo_of_rare_fails_ends_with_the_exit_status_that_demo_states(
    number: int, tmp_path: Path
) -> None:
    done = run("markscheme", "demo", "--plant", "rare-fails", "--keep", "kept", "--json", cwd=tmp_path)
    shown = json.loads(done.stdout)["judges"][number]
    assert shown["exit_status"] == (1, 1, 0)[number]
    name, *arguments = shown["command"]
    repeated = run(name, *arguments, "--quiet", "--json", "report.json", cwd=tmp_path / "kept")
    assert repeated.returncode == shown["exit_status"], repeated.stderr
    report = json.loads((tmp_path / "kept" / "report.json").read_text())
    assert report["decision"]["gate"]["state"] == shown["gate"]


def test_invalid_or_contradictory_options_of_demo_exit_with_status_2(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    assert run("markscheme", "demo", "-n", "29", cwd=tmp_path).returncode == 2
    assert run("markscheme", "demo", "-n", "many", cwd=tmp_path).returncode == 2
    assert run("markscheme", "demo", "--plant", "rot", cwd=tmp_path).returncode == 2
    assert run("markscheme", "demo", "--plant", "text", "--sealed", cwd=tmp_path).returncode == 2
    for option in (("-n", "40"), ("-o", "seed=3")):
        assert run("markscheme", "demo", "--plant", "rare-fails", *option, cwd=tmp_path).returncode == 2
    done = run("markscheme", "demo", "--sealed", "--keep", "there", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: there cannot be made")


def test_the_help_of_demo_loads_no_numerical_library() -> None:
    code = "import sys; from markscheme.cli import main; main(['demo', '--help']); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.endswith("\nFalse\n")


NO_NETWORK = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise SystemExit(f"{event} {arguments}")

sys.addaudithook(refuse)
sys.path.insert(0, sys.argv[1])
from markscheme.cli import main
import markscheme
assert markscheme.__file__.startswith(sys.argv[1]), markscheme.__file__
sys.exit(main(["demo", "-o", "seed=21"]))
"""


@pytest.mark.proof  # the package is imported from files that nobody has compiled
def test_an_installed_wheel_contains_all_files_that_demo_needs(unpacked_wheel: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", NO_NETWORK, str(unpacked_wheel)],
        cwd=tmp_path,
        env=environment({"PATH": f"{INSTALLED}{os.pathsep}{os.environ['PATH']}"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "The seal is opened" in done.stdout
    assert list(tmp_path.iterdir()) == []
