"""What moved since the accepted run, on the page of a calibration."""

from pathlib import Path

from tests.commands.console import run
from tests.commands.judged_project import make_project
from tests.report.test_html import well_made


def test_the_page_of_a_calibration_shows_on_which_criterion_levels_moved_since_the_accepted_run(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    accepted = run("calibrate", "manners", "--ratings", "claude.jsonl", "--accept", cwd=project)
    assert (project / "calibration" / "manners" / "accepted.json").exists(), accepted.stderr
    done = run("calibrate", "manners", "--ratings", "lenient.jsonl", "--html", "now.html", cwd=project)
    assert done.returncode in (0, 1, 4), done.stderr
    text = (project / "now.html").read_text(encoding="utf-8")
    well_made(text)
    drift = text[text.index('id="p0-drift"') :].split("</section>")[0]
    assert "Accepted run of" in drift
    assert "polite" in drift
    assert "data-example=" in drift
