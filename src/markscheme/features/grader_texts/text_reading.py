"""Reads what an `llm-rubric` text asks for: pass or fail, a score, or a verdict on each of several points.

Rules read the text, not a model. If a text asks for a score and no scale in it is recognized, the scale is Promptfoo's
own, from 0 to 1, if no other can be meant; otherwise the result says that the scale wasn't read.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from markscheme.features.grader_texts.grader_sentences import without_list_leads
from markscheme.features.grader_texts.pass_level import level_in, lower_passes
from markscheme.features.grader_texts.scale_direction import best_end, turned
from markscheme.features.grader_texts.set_aside import put_back, set_aside
from markscheme.features.grader_texts.text_lines import plain_lines
from markscheme.features.grader_texts.text_points import points_of
from markscheme.features.grader_texts.text_scale import scale_of
from markscheme.features.grader_texts.unread_scale import asks_by_another_scale
from markscheme.rubrics.criterion import YES_NO, Level, Scale


class TextReading(NamedTuple):
    """The result of reading an `llm-rubric` text: its scale, its pass level and its points.

    Attributes:
        text: The text.
        scale: The scale of the answer, which is yes or no if the text asks for no score.
        passes_from: The level from which on an output passes; None if the text doesn't say it.
        points: The points that the text lists, each as a requirement of its own; empty if there are none.
        has_unread_scale: True if the text asks for a score on a scale that can't be read, so that the judge is asked
            for pass or fail instead.
    """

    text: str
    scale: Scale = YES_NO
    passes_from: float | None = None
    points: tuple[str, ...] = ()
    has_unread_scale: bool = False

    @property
    def asks_for_score(self) -> bool:
        """True if the text asks for a score and not only for pass or fail."""
        return not self.scale.is_yes_no

    @property
    def ends(self) -> tuple[float, float]:
        """Scores at the worst and the best end of the scale; the best is the lower one on some scales."""
        return self._score(self.scale.levels[0]), self._score(self.scale.levels[-1])

    @property
    def described(self) -> tuple[float, ...]:
        """Scores of the levels for which the text has a description."""
        levels = self.scale.levels if self.asks_for_score else ()
        return tuple(self._score(level) for level in levels if level.description)

    @property
    def pass_position(self) -> float | None:
        """Position on the scale, 0 to 1, from which the text passes an output; None if it doesn't say."""
        return None if self.passes_from is None else self.position(self.passes_from)

    def position(self, score: float) -> float:
        """Return the position of a score on the scale, from 0 for the worst to 1 for the best."""
        worst, best = self.ends
        return (score - worst) / (best - worst)

    def _score(self, level: Level) -> float:
        return float(level.label or level.value) if self.scale.by_label else level.value

    @property
    def in_words(self) -> str:
        """A phrase for what the text asks for, as shown in results and commands.

        Example:
            >>> read_text("Rate the tone from 1 to 5. Pass if it is at least 4.").in_words
            'a score from 1 to 5; passes from 4'
        """
        if self.has_unread_scale:
            return "pass or fail, though it seems to ask for a score: no scale was read in it"
        if not self.asks_for_score:
            return f"{len(self.points)} points, each pass or fail" if self.points else "pass or fail"
        worst, best = self.ends
        words = f"a score from {worst:g} to {best:g}"
        words += f", {len(self.described)} levels described" if self.described else ""
        return words if self.passes_from is None else f"{words}; passes from {self.passes_from:g}"


def read_text(text: str) -> TextReading:
    """Read an `llm-rubric` text: its points, its scale and the level from which an output passes."""
    own_words, originals = set_aside(text)
    words = plain_lines(own_words)
    on_scores = without_list_leads(words)
    scale = scale_of(on_scores, text)
    if scale is None:
        has_unread_scale = asks_by_another_scale(on_scores)
        points = () if has_unread_scale else tuple(put_back(point, originals) for point in points_of(words))
        return TextReading(text, points=points, has_unread_scale=has_unread_scale)
    whole = _with_quotations(scale, originals)
    best = best_end(words, whole)
    is_turned = best == whole.ends[0] or (best is None and lower_passes(words, scale))
    return TextReading(text, turned(whole) if is_turned else whole, level_in(words, scale, is_turned=is_turned))


def _with_quotations(scale: Scale, originals: Sequence[str]) -> Scale:
    """Return a scale whose level descriptions have their quotations again.

    Args:
        scale: The scale, read from a text in which one character replaces each quotation.
        originals: The quotations.
    """
    levels = (
        replace(level, description=level.description and put_back(level.description, originals))
        for level in scale.levels
    )
    return replace(scale, levels=tuple(levels))
