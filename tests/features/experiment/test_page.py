"""The page of a report on an experiment, and the documentation's page, which shows the files of its folder."""

import re
from pathlib import Path

from tests.commands.console import run
from tests.docs.pages import DOCS, blocks
from tests.features.experiment.small import EXAMPLES, FILE, JUDGE, RECORDED, make_experiment


def test_the_page_of_an_experiment_links_to_each_of_its_sections_and_every_row_of_its_tables_has_a_name(
    tmp_path: Path,
) -> None:
    make_experiment(tmp_path)
    command = ("markscheme", "experiment", FILE, "--outputs", RECORDED, "--judge", JUDGE, "--html", "page.html")
    assert run(*command, cwd=tmp_path).returncode == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    linked = re.findall(r'<li><a href="#[\w-]+"><bdi>(.*?)</bdi></a></li>', page)
    assert linked == ["Case by case", "Every figure", "Differences"]
    names = [re.sub("<[^>]+>", "", name) for name in re.findall(r'<th scope="row">(.*?)</th>', page)]
    assert all(names)
    assert names.count("casual") == names.count("formal") == 6


def test_the_files_shown_on_the_page_about_experiments_equal_the_files_in_the_example_folder() -> None:
    shown = {block.title: block.text for block in blocks(DOCS / "howto" / "experiments.md") if block.title != "Output"}
    files = {path.name: path.read_text(encoding="utf-8") for path in EXAMPLES.iterdir() if path.name in shown}
    assert {name: text for name, text in shown.items() if name} == files
    assert len(files) == 4
