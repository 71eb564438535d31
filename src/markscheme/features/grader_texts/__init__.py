"""The grading instructions of Promptfoo's `llm-rubric` assertions, read for the scale and the points they ask for."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from markscheme.commands.project_sources import PROJECT_SOURCES, FoundProject
from markscheme.promptfoo.questions import TEXT_READERS, TextRubric
from markscheme.report.after_run import AFTER_RUN, RunReport
from markscheme.seam import Feature


def _read(text: str) -> TextRubric:
    from markscheme.features.grader_texts.score_rubric import text_rubric

    return text_rubric(text)


def _project(folder: Path) -> FoundProject | None:
    from markscheme.features.grader_texts.project import project_of_configuration

    return project_of_configuration(folder)


def _report_on_asked() -> Callable[[Mapping[str, Any]], RunReport]:
    from markscheme.features.grader_texts.asked_elsewhere import report_on_asked

    return report_on_asked


GRADER_TEXTS = Feature(
    "grader_texts",
    TEXT_READERS(_read),
    PROJECT_SOURCES(_project),
    AFTER_RUN((30, _report_on_asked)),
)
