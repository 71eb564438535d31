"""What texts behind Promptfoo's `llm-rubric` ask for: a score gets one, and points are distinguished."""

from pathlib import Path

from markscheme.commands.project_sources import PROJECT_SOURCES, FoundProject
from markscheme.promptfoo.questions import TEXT_READERS, TextRubric
from markscheme.seam import Feature


def _read(text: str) -> TextRubric:
    from markscheme.features.grader_texts.score_rubric import text_rubric

    return text_rubric(text)


def _project(folder: Path) -> FoundProject | None:
    from markscheme.features.grader_texts.project import project_of_configuration

    return project_of_configuration(folder)


GRADER_TEXTS = Feature("grader_texts", TEXT_READERS(_read), PROJECT_SOURCES(_project))
