"""What a terminal shows: lines are broken between words, and commands never."""

import io

import pytest

from markscheme.report.document import Callout, Card, Cards, Command, Document, Items, Paragraph
from markscheme.report.terminal import render_terminal

NEXT = "markscheme calibrate support-reply --judge function:reply_judges:careful --accept"
WORDS = "Ratings of several people are averaged before they are compared with the judge's. "


def shown(document: Document, width: int) -> list[str]:
    text = io.StringIO()
    render_terminal(document, text, width=width)
    return text.getvalue().splitlines()


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize(
    "block",
    [
        Callout("open", "Not enough labels.", WORDS, NEXT),
        Callout("open", "Not enough labels.", f"{WORDS}Accept it: `{NEXT}`. {WORDS}"),
        Paragraph(((WORDS, Command(NEXT)),)),
        Items((("The judge changed.", (WORDS, Command(NEXT), f" {WORDS}")),)),
        Cards((Card("clear", WORDS, "high", "noisy", command=NEXT),)),
    ],
    ids=["callout", "in backticks", "paragraph", "item", "card"],
)
def test_printed_commands_stay_on_one_line_and_all_other_lines_fit_the_width_of_the_terminal(
    block: Callout | Paragraph | Items | Cards, width: int
) -> None:
    lines = shown(Document("support-reply", "", (block,), onward=("Next", NEXT)), width)
    assert sum(NEXT in line for line in lines) == 2
    assert [line for line in lines if len(line) > width and NEXT not in line] == []
    said = " ".join(" ".join(lines).split())
    assert said.count(" ".join(WORDS.split())) == repr(block).count(WORDS)


def test_a_word_without_spaces_that_is_wider_than_the_screen_is_cut_into_lines() -> None:
    lines = shown(Document("x" * 100, "", ()), 40)
    assert lines == ["x" * 40, "x" * 40, "x" * 20]
