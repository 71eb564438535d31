"""Editing of wording in a rubric's file, which keeps the way of quoting and all other lines."""

from pathlib import Path

import pytest

from markscheme.errors import RubricError
from markscheme.rubrics.edit import Changes, edited
from markscheme.rubrics.file import load_rubric, rubric_from_text
from markscheme.rubrics.wording import Field, in_place_of, with_words, words_of

RUBRICS = sorted(Path("rubrics").glob("*.yaml"))
STYLES = """\
# what a good reply is
guidelines: |  # for the judge
  Read it twice.
  Then judge.
# a comment after a block
criteria:
  - name: tone   # how it sounds
    description: >-
      Is the reply
      polite?
    # the anchors
    levels:
      - {value: 1, label: 'rude', description: "Rude, or worse."}
      - value: 2
        description: Polite enough   # plain
        label: fine

      - value: 3
        description: >
          Very polite.

          Warm, too.
"""
PLACES = {
    Field("", "guidelines"): "Read once.\nJudge it: fairly.",
    Field(
        "tone", "description"
    ): "Does the reply speak to the reader as an equal, and never down to them, at any point?",
    Field("tone", "levels[0].label"): "isn't polite",
    Field("tone", "levels[0].description"): 'Says "no", and nothing else.',
    Field("tone", "levels[1].description"): "Polite: not warm # yet",
    Field("tone", "levels[2].description"): "Warm throughout.\nNo irony.",
}


def after(changes: dict[Field, str], text: str = STYLES) -> str:
    old = words_of(rubric_from_text(text, "yaml"))
    return edited(text, "yaml", Changes(words={place: in_place_of(old[place], new) for place, new in changes.items()}))


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_edited_words_are_read_back_and_all_other_lines_of_the_rubric_stay_the_same(place: Field) -> None:
    now = after({place: PLACES[place]})
    assert words_of(rubric_from_text(now, "yaml"))[place].strip() == PLACES[place]
    others = {where: text for where, text in words_of(rubric_from_text(now, "yaml")).items() if where != place}
    assert others == {
        where: text for where, text in words_of(rubric_from_text(STYLES, "yaml")).items() if where != place
    }
    for comment in (
        "# what a good reply is",
        "# for the judge",
        "# a comment after a block",
        "# how it",
        "# the anchors",
    ):
        assert comment in now


def test_rewriting_all_texts_of_a_rubric_at_once_keeps_their_quoting() -> None:
    assert after(PLACES) == (
        "# what a good reply is\n"
        "guidelines: |  # for the judge\n"
        "  Read once.\n"
        "  Judge it: fairly.\n"
        "# a comment after a block\n"
        "criteria:\n"
        "  - name: tone   # how it sounds\n"
        "    description: >-\n"
        "      Does the reply speak to the reader as an equal, and never down to them, at\n"
        "      any point?\n"
        "    # the anchors\n"
        "    levels:\n"
        "      - {value: 1, label: 'isn''t polite', description: \"Says \\\"no\\\", and nothing else.\"}\n"
        "      - value: 2\n"
        '        description: "Polite: not warm # yet"   # plain\n'
        "        label: fine\n"
        "\n"
        "      - value: 3\n"
        "        description: >\n"
        "          Warm throughout.\n"
        "\n"
        "          No irony.\n"
    )


def test_editing_words_keeps_windows_line_ends() -> None:
    text = STYLES.replace("\n", "\r\n")
    now = edited(text, "yaml", Changes(words={Field("tone", "description"): "Is it kind?"}))
    assert now.count("\n") == now.count("\r\n")


def test_editing_words_keeps_the_layout_of_a_json_rubric() -> None:
    text = '{"criteria": [{"requirement": "Is polite", "weight": 1}]}'
    assert edited(text, "json", Changes(words={Field("c1", "description"): 'Says "thanks"'})) == (
        '{"criteria": [{"requirement": "Says \\"thanks\\"", "weight": 1}]}'
    )


@pytest.mark.parametrize("path", RUBRICS, ids=lambda path: path.stem)
def test_an_edit_that_rewords_every_text_of_a_shipped_rubric_keeps_weights_and_comments_and_examples(
    path: Path,
) -> None:
    text = path.read_text(encoding="utf-8")
    words = {
        place: in_place_of(
            old, f"New words for {place}, of some length: to see them folded, and read back as they were."
        )
        for place, old in words_of(load_rubric(path)).items()
        if place.level is None or place.level[1] == "description"
    }
    now = edited(text, "yaml", Changes(words=words), path=path)
    assert words_of(rubric_from_text(now, "yaml")).items() >= words.items()
    lines = [
        line for line in text.splitlines() if "weight:" in line or line.lstrip().startswith(("#", "example:", "good:"))
    ]
    assert set(lines) <= set(now.splitlines())


def test_words_that_two_fields_share_by_a_yaml_anchor_cannot_be_edited() -> None:
    text = "criteria:\n- {requirement: &a Is polite, weight: 1}\n- {requirement: *a, weight: 2}\n"
    with pytest.raises(RubricError, match="alias"):
        edited(text, "yaml", Changes(words={Field("c1", "description"): "Is kind"}))


def test_only_the_requirement_of_a_yes_no_criterion_can_be_reworded() -> None:
    rubric = rubric_from_text(
        "criteria:\n- {requirement: Is polite, weight: 1}\n- {requirement: B, check: json_valid}", "yaml"
    )
    assert words_of(rubric) == {Field("c1", "description"): "Is polite"}
    with pytest.raises(KeyError, match="guidelines"):
        with_words(rubric, {Field("", "guidelines"): "Be fair."})
