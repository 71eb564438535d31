"""A rubric with one criterion for an `llm-rubric` text, on the scale that the text asks for."""

from markscheme.features.grader_texts.text_reading import TextReading, read_text
from markscheme.promptfoo.provider import RUBRIC_LABEL
from markscheme.promptfoo.questions import TextRubric
from markscheme.rubrics.rubric import DEFAULT_PASS_MARK, Criterion, Rubric


def text_rubric(text: str) -> TextRubric:
    """Return a rubric whose one criterion is the whole text, and a phrase for the scale that the text asks for."""
    reading = read_text(text)
    criterion = Criterion(1.0, text, "requirement", reading.scale)
    words = "pass or fail" if reading.points else reading.in_words
    return Rubric((criterion,), name=RUBRIC_LABEL, pass_mark=pass_mark(reading)), words


def pass_mark(reading: TextReading) -> float:
    """Return the pass mark, 0 to 1, that an `llm-rubric` text states, else the default."""
    return DEFAULT_PASS_MARK if reading.pass_position is None else reading.pass_position
