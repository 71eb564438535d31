"""What texts behind Promptfoo's `llm-rubric` ask for: a score gets one, and points are distinguished."""

from markscheme.promptfoo.questions import TEXT_READERS, TextRubric
from markscheme.seam import Feature


def _read(text: str) -> TextRubric:
    from markscheme.features.grader_texts.score_rubric import text_rubric

    return text_rubric(text)


GRADER_TEXTS = Feature("grader_texts", TEXT_READERS(_read))
