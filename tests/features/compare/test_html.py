"""A comparison as a page: what it leads with, and where its links lead."""

import re
from pathlib import Path

import numpy as np
import pytest

from markscheme.features.compare import view_choice as of_choice
from markscheme.features.compare.choice import Contender, choose
from markscheme.features.compare.contenders import Compared
from markscheme.ratings.gold import gold_of
from markscheme.report.html import render_html
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.severity import confusion
from tests.calibration import made
from tests.commands.console import run
from tests.commands.judged_project import make_project
from tests.report.test_html import data_of, well_made


def test_every_flipped_decision_on_the_page_of_a_comparison_is_a_link_to_its_example() -> None:
    of: Rubric = made.rubric("clarity")
    levels = np.tile(np.arange(1.0, 6.0), 8)[:, None]
    labelled = made.examples(of, {"p1": levels, "p2": levels})
    judges = {"steady": levels, "<b-evil>": np.clip(levels + (np.arange(40) % 4 == 0)[:, None], 1, 5)}
    contenders = [Contender(name, tuple(made.judged(of, its))) for name, its in judges.items()]
    truth = gold_of(labelled, of)
    choice = choose(of, contenders, truth)
    document = of_choice.view(choice, Compared(choice, tuple(contenders), truth, labelled.examples))
    text = render_html(document, when="2026-01-02")
    page = well_made(text)
    assert "b-evil" not in {tag for tag, _ in page.elements}
    flips = {flip.id for pair in choice.pairs for flip in pair.flips}
    assert flips
    for unit in flips:
        assert re.search(rf'data-example="\d+"><bdi>{unit}</bdi></a>', text)
    assert "Made on 2026-01-02 by markscheme" in text


def test_the_page_of_a_comparison_shows_each_judge_s_confusion_matrix_with_links_to_each_cell_s_examples() -> None:
    of: Rubric = made.rubric("clarity")
    levels = np.tile(np.arange(1.0, 6.0), 8)[:, None]
    labelled = made.examples(of, {"p1": levels, "p2": levels})
    judges = {"steady": levels, "up": np.clip(levels + (np.arange(40) % 4 == 0)[:, None], 1, 5)}
    contenders = [Contender(name, tuple(made.judged(of, its))) for name, its in judges.items()]
    truth = gold_of(labelled, of)
    choice = choose(of, contenders, truth)
    text = render_html(of_choice.view(choice, Compared(choice, tuple(contenders), truth, labelled.examples)))
    well_made(text)
    cases = data_of(text)[0]["cases"]
    for place, its in enumerate(judges.values()):
        section = text[text.index(f'id="p0-k{place}-c0"') :].split("</section>")[0]
        for tag, n in re.findall(r'data-tag="([^"]+)"[^>]*>(\d+)</a>', section):
            assert sum(tag in case["tags"] for case in cases) == int(n), tag
        counts = confusion(levels[:, 0], its[:, 0], [1.0, 2.0, 3.0, 4.0, 5.0])
        cells = re.findall(r'<td class="(?:[ab]\d|zero)">(?:<a [^>]*>)?(\d+)', section)
        assert [int(cell) for cell in cells] == counts.flatten().tolist()
    unlabelled = Compared(choose(of, contenders, None), tuple(contenders), None, labelled.examples)
    without = render_html(of_choice.view(unlabelled.choice, unlabelled))
    assert "against gold" not in " ".join(well_made(without).text)


@pytest.mark.proof
def test_calibrate_and_compare_write_a_well_formed_page_with_the_html_option(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    done = run("calibrate", "manners", "--ratings", "lenient.jsonl", "--html", "one.html", cwd=project)
    assert done.returncode in (0, 1, 4), done.stderr
    several = run("calibrate", "manners", "--ratings", "judges.jsonl", "--html", "several.html", cwd=project)
    assert several.returncode in (0, 1, 4), several.stderr
    compared = run("markscheme", "compare", "gpt.jsonl", "claude.jsonl", "--html", "two.html", cwd=project)
    assert compared.returncode == 0, compared.stderr
    for name in ("one", "several", "two"):
        page = well_made((project / f"{name}.html").read_text(encoding="utf-8"))
        assert ("html", {"lang": "en"}) in page.elements
