"""What a text behind `llm-rubric` asks for: pass or fail, a score, or a verdict on each of several points.

Rules read it, no model. A text that asks for a score by no scale that they know gets one from 0 to 1, Promptfoo's own,
where nothing else is meant, and otherwise says that its scale wasn't read.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from markscheme.features.grader_texts.pass_level import is_worse_where_high, pass_level
from markscheme.features.grader_texts.set_aside import put_back, set_aside
from markscheme.features.grader_texts.text_lines import plain_lines
from markscheme.features.grader_texts.text_points import points_of
from markscheme.features.grader_texts.text_scale import scale_of
from markscheme.features.grader_texts.unread_scale import asks_by_another_scale
from markscheme.rubrics.criterion import YES_NO, Scale


class TextReading(NamedTuple):
    """What a text asks for.

    Attributes:
        text: The text.
        scale: The scale of its answer: yes or no where it asks for no score.
        passes_from: The level from which it passes, where the text says; None where it doesn't.
        points: The points that it lists, each as a requirement of its own; empty where it has none.
        more_is_worse: Whether it asks for a score that fails where it is high, which is asked as pass or fail.
        has_unread_scale: Whether it asks for a score on a scale that wasn't read, which is asked as pass or fail.
    """

    text: str
    scale: Scale = YES_NO
    passes_from: float | None = None
    points: tuple[str, ...] = ()
    more_is_worse: bool = False
    has_unread_scale: bool = False

    @property
    def asks_for_score(self) -> bool:
        """Whether pass or fail is not all that it asks for."""
        return not self.scale.is_yes_no

    @property
    def described(self) -> tuple[float, ...]:
        """The levels that the text describes one by one."""
        return tuple(level.value for level in self.scale.levels if level.description) if self.asks_for_score else ()

    @property
    def in_words(self) -> str:
        """What it asks for, as results and commands say it.

        Example:
            >>> read_text("Rate the tone from 1 to 5. Pass if it is at least 4.").in_words
            'a score from 1 to 5; passes from 4'
        """
        if self.more_is_worse:
            return "pass or fail, since more is worse on its scale"
        if self.has_unread_scale:
            return "pass or fail, though it seems to ask for a score: no scale was read in it"
        if not self.asks_for_score:
            return f"{len(self.points)} points, each pass or fail" if self.points else "pass or fail"
        low, high = self.scale.ends
        words = f"a score from {low:g} to {high:g}"
        words += f", {len(self.described)} levels described" if self.described else ""
        return words if self.passes_from is None else f"{words}; passes from {self.passes_from:g}"


def read_text(text: str) -> TextReading:
    """Return what a text asks for."""
    own_words, originals = set_aside(text)
    words = plain_lines(own_words)
    scale = scale_of(words, text)
    if scale is None:
        has_unread_scale = asks_by_another_scale(words)
        points = () if has_unread_scale else tuple(put_back(point, originals) for point in points_of(words))
        return TextReading(text, points=points, has_unread_scale=has_unread_scale)
    if is_worse_where_high(words):
        return TextReading(text, more_is_worse=True)
    return TextReading(text, _whole(scale, originals), pass_level(words, scale))


def _whole(scale: Scale, originals: Sequence[str]) -> Scale:
    """Return a scale whose levels say all that the text says of them."""
    levels = (
        replace(level, description=level.description and put_back(level.description, originals))
        for level in scale.levels
    )
    return replace(scale, levels=tuple(levels))
