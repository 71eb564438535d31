"""What a terminal shows: lines are broken between words, and commands never."""

import io

import pytest

from markscheme.report.document import (
    Callout,
    Card,
    Cards,
    Command,
    Document,
    Facts,
    Ids,
    Items,
    Paragraph,
    Table,
    Tiles,
)
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


def test_in_a_printed_table_wrapped_cells_are_aligned_at_the_top_and_wrapped_headings_at_the_bottom() -> None:
    table = Table(("rubric", "labels by people"), (("clear", "twenty of the examples"), ("tone", "none")))
    assert shown(Document("", "", (table,)), 20)[-5:] == [
        "        labels by",
        "rubric  people",
        "clear   twenty of",
        "        the examples",
        "tone    none",
    ]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (40, ["  agreement  18 of 24 examples  e1  e2"]),
        (30, ["  agreement  18 of 24   e1  e2", "             examples"]),
    ],
)
def test_columns_of_counts_at_the_top_of_a_report_shrink_to_fit_a_narrow_terminal(width: int, lines: list[str]) -> None:
    tiles = Tiles((("agreement", "18 of 24 examples", Ids(("e1", "e2")), ""),))
    assert shown(Document("", "", (tiles,)), width)[-len(lines) :] == lines


@pytest.mark.parametrize("width", range(1, 13))
def test_a_page_narrower_than_its_columns_is_drawn_with_at_least_a_letter_in_each_column(width: int) -> None:
    tiles = Tiles((("agreement", "18 of 24", Ids(("e1", "e2")), ""),))
    lines = shown(Document("", "", (Facts((("judge", "gpt"),)), tiles)), width)
    assert {"j", "g"} <= {letter for line in lines for letter in line}


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_screen_titles_and_headings_are_bold_and_a_callout_s_head_has_its_colour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = Screen()
    blocks = (Callout("bad", "The judge is lenient.", "Describe its levels."), Table(("a", "b"), (("1", "2"),)))
    render_terminal(Document("Title", "", blocks), screen, width=60)
    assert screen.getvalue().splitlines() == [
        "\x1b[1mTitle\x1b[0m",
        "",
        "\x1b[1;31m✗ The judge is lenient.\x1b[0m",
        "  Describe its levels.",
        "",
        "\x1b[1ma  b\x1b[0m",
        "1  2",
    ]


def test_the_terminal_shortens_a_prompt_in_an_id_to_its_file_s_name_unless_two_ids_would_look_the_same() -> None:
    ids = (
        "test-1 @ prompts/v1.txt: You are a support agent… / openai:gpt-4o-mini",
        "test-1 @ prompts/v2.txt: Be brief. / openai:gpt-4o-mini",
        "test-1 @ older/v2.txt: Be brief. / openai:gpt-4o-mini",
        "test-2 @ openai:gpt-4o-mini",
    )
    items = Items(tuple(((Ids((unit,)),),) for unit in ids))
    assert shown(Document("Title", "", (items,)), 100)[2:] == [
        "- test-1 @ v1.txt / openai:gpt-4o-mini",
        "- test-1 @ v2.txt / openai:gpt-4o-mini",
        f"- {ids[2]}",
        f"- {ids[3]}",
    ]
