"""The documentation's page shows the files of its folder."""

from tests.docs.pages import DOCS, blocks
from tests.features.experiment.small import EXAMPLES


def test_the_files_shown_on_the_page_about_experiments_equal_the_files_in_the_example_folder() -> None:
    shown = {block.title: block.text for block in blocks(DOCS / "howto" / "experiments.md") if block.title != "Output"}
    files = {path.name: path.read_text(encoding="utf-8") for path in EXAMPLES.iterdir() if path.name in shown}
    assert {name: text for name, text in shown.items() if name} == files
    assert len(files) == 4
