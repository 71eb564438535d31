"""What texts behind `llm-rubric` ask for, against what their author says that they ask for."""

import pytest

from markscheme.features.grader_texts.text_reading import read_text
from tests.features.grader_texts.texts_and_readings import BY_ANOTHER_SCALE, TEXTS, WITH_A_SCALE, Expected
from tests.features.grader_texts.texts_of_others import TEXTS_OF_OTHERS, Asked


def test_each_llm_rubric_text_of_these_tests_is_read_with_the_expected_scale_and_pass_mark_and_points() -> None:
    misread = {}
    for text, expected in TEXTS:
        reading = read_text(text)
        ends = reading.ends if reading.asks_for_score else None
        read = Expected(ends, reading.described, reading.passes_from, len(reading.points))
        if read != expected or reading.has_unread_scale:
            misread[text] = (read, expected, reading.has_unread_scale)
    assert misread == {}


def test_llm_rubric_texts_by_authors_who_did_not_know_the_parser_are_read_as_the_authors_meant() -> None:
    misread = {}
    for text, asked in TEXTS_OF_OTHERS:
        reading = read_text(text)
        ends = reading.ends if reading.asks_for_score else None
        read = Asked(ends, reading.passes_from, len(reading.points))
        if read != asked or reading.has_unread_scale:
            misread[text] = (read, asked, reading.has_unread_scale)
    assert misread == {}


@pytest.mark.parametrize("text", BY_ANOTHER_SCALE)
def test_an_llm_rubric_text_that_asks_for_a_score_on_an_unknown_scale_is_reported(text: str) -> None:
    reading = read_text(text)
    assert (reading.asks_for_score, reading.points) == (False, ())
    assert reading.in_words == "pass or fail, though it seems to ask for a score: no scale was read in it"


@pytest.mark.parametrize(("text", "_expected"), WITH_A_SCALE)
def test_llm_rubric_texts_that_ask_for_a_score_are_recognized(text: str, _expected: Expected) -> None:
    assert read_text(text).asks_for_score


def test_llm_rubric_texts_assembled_from_halves_of_two_texts_are_read_without_an_error() -> None:
    texts = [text for text, _ in TEXTS]
    for first, second in zip(texts, texts[7:], strict=False):
        for between in ("\n", " ", ""):
            assert read_text(first[len(first) // 2 :] + between + second[: len(second) // 2]).in_words


def test_levels_read_from_an_llm_rubric_text_keep_their_descriptions() -> None:
    scale = read_text("Rate relevance (0-3): 0 - off topic, 1 - touches it; 2 - mostly on topic. 3 - on topic").scale
    assert [level.description for level in scale.levels] == ["off topic", "touches it", "mostly on topic", "on topic"]


def test_each_item_of_the_list_in_an_llm_rubric_text_is_read_with_the_words_before_and_after_the_list() -> None:
    text = "The reply should:\n1. greet the customer\n2. name the\n   delivery day\nQuotes don't count."
    assert read_text(text).points == (
        "The reply should greet the customer Quotes don't count.",
        "The reply should name the delivery day Quotes don't count.",
    )


def test_list_items_and_levels_read_from_an_llm_rubric_text_keep_quotations_and_xml_tags() -> None:
    text = 'The reply:\n- has the line "see you soon"\n- agrees with <source>{{source}}</source>'
    assert read_text(text).points == (
        'The reply has the line "see you soon"',
        "The reply agrees with <source>{{source}}</source>",
    )
    assert read_text('Rate it:\n1 = says "not now"\n2 = says yes').scale.levels[0].description == 'says "not now"'


def test_each_point_read_from_an_llm_rubric_text_begins_with_the_sentence_that_introduces_its_list() -> None:
    text = "The reply should:\n- greet the customer\n\nIt must not:\n- promise a date\n- ask for a PIN"
    assert read_text(text).points == (
        "The reply should greet the customer",
        "It must not promise a date",
        "It must not ask for a PIN",
    )


@pytest.mark.parametrize(
    ("text", "in_words", "positions"),
    [
        (
            "Rate how rude it is from 1 to 5. Fail if the rating is above 3.",
            "a score from 5 to 1; passes from 3",
            (0.25, 0.5),
        ),
        (
            "A school mark, 1 (sehr gut) to 6 (ungenügend). Bestanden mit einer 4 oder besser.",
            "a score from 6 to 1, 2 levels described; passes from 4",
            (0.4, 0.4),
        ),
        (
            "Lower is better: rate the risk from 0 to 10. Up to 4 is fine.",
            "a score from 10 to 0; passes from 4",
            (0.6, 0.6),
        ),
    ],
)
def test_in_an_llm_rubric_text_on_which_less_is_better_the_highest_score_is_read_as_the_worst_level(
    text: str, in_words: str, positions: tuple[float, float]
) -> None:
    reading = read_text(text)
    assert (reading.in_words, reading.position(4), reading.pass_position) == (in_words, *map(pytest.approx, positions))
    worst, best = reading.ends
    assert (reading.scale.choices[0], reading.scale.choices[-1]) == (f"{worst:g}", f"{best:g}")


def test_in_an_llm_rubric_text_on_which_more_is_better_the_lowest_score_is_read_as_the_worst_level() -> None:
    reading = read_text("Rate it from 1 to 5. Pass if at least 4, fail otherwise.")
    assert (reading.ends, reading.passes_from, reading.pass_position) == ((1, 5), 4, 0.75)


@pytest.mark.parametrize("lead", ["Does any of these:", "At least two of:", "Either of them:\n\nnames one, or"])
def test_a_list_in_an_llm_rubric_text_is_read_as_one_criterion_if_only_some_of_its_items_must_be_met(
    lead: str,
) -> None:
    reading = read_text(f"{lead}\n- names the river\n- names the sea\n- names the hill")
    assert (reading.points, reading.asks_for_score) == ((), False)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Rate it from 1 to 5. Pass only if the rating is above 3.", 4),
        ("Score 0 to 10 for tone. Below 6 fails.", 6),
        ("Score 0 to 10 for tone. Pass if it has at least 4 words.", None),
    ],
)
def test_the_score_from_which_a_response_passes_is_read_from_an_llm_rubric_text(text: str, level: float | None) -> None:
    assert read_text(text).passes_from == level
