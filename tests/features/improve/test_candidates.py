"""Which candidate wordings are tried, which are refused and why, and what a reader is warned of."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import UsageError
from markscheme.features.improve.candidates import (
    LabelledTexts,
    NotTried,
    Wording,
    copied_runs,
    from_edits,
    from_rubric,
    labelled_texts,
    read_candidates,
)
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.file import rubric_from_text
from markscheme.rubrics.rubric import Rubric
from tests.reference import selection_cases as cases

RUBRIC = """\
description: Replies to customers
passingThreshold: 0.6
inputs: [query]
guidelines: Read the whole reply before you judge.
criteria:
  - name: tone
    description: The reply answers the question.
    weight: 2
    levels:
      - {value: 1, label: bad, description: It is rude.}
      - {value: 2, label: good, description: It is kind., example: Thank you!}
    examples: {good: "Thanks for asking.", bad: "No."}
  - {name: short, requirement: The reply is short, weight: 1}
"""


def rubric(text: str = RUBRIC) -> Rubric:
    return rubric_from_text(text, "yaml")


def labelled(*texts: str, comment: str = "", reason: str = "") -> LabelledTexts:
    label = Rating("e", "ana", "human", {"tone": Rated(1.0, reason)}, note=comment)
    return labelled_texts(
        [Example(Submission(text, {"query": "why?"}, f"e{n}"), (label,)) for n, text in enumerate(texts)]
    )


def edit(new: str, old: str = "The reply answers the question.", field: str = "description") -> dict[str, str]:
    return {"criterion": "tone", "field": field, "old": old, "new": new, "why": "…"}


def made(*edits: Any, of: LabelledTexts | None = None) -> Wording:
    return from_edits("made", list(edits), base=rubric(), yours=rubric(), labelled=of or labelled("x"))


def why(*edits: Any, of: LabelledTexts | None = None) -> str:
    with pytest.raises(NotTried) as refused:
        made(*edits, of=of)
    return str(refused.value)


def test_edits_in_json_change_only_the_words_of_a_rubric_that_they_name() -> None:
    wording = made(
        edit("Does the reply answer?"),
        edit("It is rude or cold.", "It is rude.", "levels[0].description"),
        edit("poor", "bad", "levels[0].label"),
        {"criterion": "", "field": "guidelines", "old": "the whole reply", "new": "every sentence"},
    )
    base = rubric()
    tone = base.criteria[0]
    levels = (replace(tone.scale.levels[0], label="poor", description="It is rude or cold."), tone.scale.levels[1])
    changed = replace(tone, requirement="Does the reply answer?", scale=replace(tone.scale, levels=levels))
    expected = replace(base, guidelines="Read every sentence before you judge.", criteria=(changed, base.criteria[1]))
    assert wording.rubric == expected
    assert wording.criteria == {"", "tone"}


def test_a_wording_that_copies_eight_words_from_an_example_is_refused() -> None:
    texts = labelled(cases.COPIED_FROM)
    assert copied_runs(cases.COPY, "The reply answers the question.", texts, 8) == cases.COPIED_RUNS
    assert copied_runs(cases.OWN_WORDS, "The reply answers the question.", texts, 8) == ()
    assert "copies 8 words or more of a labelled example: “parcel was sent on monday" in why(edit(cases.COPY), of=texts)
    made(edit(cases.OWN_WORDS), of=texts)


@pytest.mark.parametrize("place", ["comment", "reason"])
def test_a_wording_that_copies_annotators_comments_is_refused(place: str) -> None:
    passage = "this one is rude to the customer right from its very first line"
    texts = labelled("x", **{place: passage})
    assert "copies 8 words" in why(edit(f"No: {passage}"), of=texts)


def test_a_wording_is_not_refused_as_copied_from_a_response_if_the_rubric_already_had_the_same_words() -> None:
    texts = labelled("Read the whole reply before you judge. The reply answers the question.")
    made(edit("The reply answers the question. Read the whole reply before you judge it."), of=texts)


def test_a_candidate_wording_gets_warnings_for_six_words_copied_from_an_example_and_for_rare_names() -> None:
    texts = labelled("the parcel of order_1234 left us on the ninth day", "all well", "fine")
    (shared, telling) = made(edit("As if the parcel of order_1234 left us."), of=texts).warnings
    assert shared.startswith("shares 6 words in a row with a labelled example: “the parcel of order_1234 left us”")
    assert telling == "names what only 2 examples or fewer hold: order_1234"
    assert made(edit("The reply is to the point."), of=texts).warnings == ()


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([edit("1", "2", "weight")], "changes `weight` of tone; only words may change"),
        ([edit("1", "2", "levels[0].value")], "changes `levels[0].value` of tone"),
        ([edit("Hi!", "Thank you!", "levels[1].example")], "changes `levels[1].example` of tone"),
        (
            [edit("x", "y", "levels[7].description")],
            "changes tone.levels[7].description, where your rubric has no words",
        ),
        ([{**edit("x"), "criterion": "tune"}], "changes 'tune', which isn't one of the criteria tone, short"),
        ([edit("x", "The reply answers.")], "`old` doesn't quote the words of tone.description"),
        ([edit("  ")], "`old` and `new` of tone.description must be texts"),
        ([edit("The reply  answers the question.")], "has the same words as yours"),
        ([edit("word " * 4000)], "has 4,"),
        ([edit("good", "bad", "levels[0].label")], "isn't a valid rubric: "),
        (["make it better"], "no edits: expected a JSON list"),
        ([], "no edits: expected a JSON list"),
    ],
)
def test_json_that_is_not_an_edit_of_the_rubric_s_words_is_refused(edits: list[Any], reason: str) -> None:
    assert reason in why(*edits)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("weight: 2", "weight: -2", "the sign of the weight of tone"),
        ("name: short", "name: brief", "the names or the number of criteria"),
        ("[query]", "[query, reference]", "inputs"),
        ("value: 2,", "value: 3,", "the scale of tone"),
        ("example: Thank you!", "example: Hi!", "examples of levels of tone"),
        ('good: "Thanks for asking."', "good: Hello.", "examples of tone"),
        ("inputs:", "strategy: per_criterion\ninputs:", "strategy"),
        ("Replies to customers", "Replies", "description of the rubric"),
        ("weight: 1}", "weight: 1, required: true}", "required of short"),
        ("name: tone", "name: tone\n    threshold: 0.9", "threshold of tone"),
        ("name: tone", "name: tone\n    preserves: [praise]", "preserves of tone"),
    ],
)
def test_a_candidate_rubric_that_changes_more_than_words_and_weights_is_refused(old: str, new: str, what: str) -> None:
    candidate = rubric(RUBRIC.replace(old, new).replace("It is rude.", "It is cold."))
    with pytest.raises(NotTried, match=f"changes {what}; only words, weights and pass mark may change"):
        from_rubric("c", candidate, yours=rubric(), labelled=labelled("x"))


def test_a_candidate_is_refused_if_it_repeats_another_candidate_s_words_or_renames_criteria(
    tmp_path: Path,
) -> None:
    (tmp_path / "cold.yaml").write_text(RUBRIC.replace("It is rude.", "It is cold."))
    (tmp_path / "again.json").write_text(
        json.dumps({"edits": [edit("It is cold.", "It is rude.", "levels[0].description")]})
    )
    (tmp_path / "brief.yaml").write_text(RUBRIC.replace("name: short", "name: brief"))
    paths = [tmp_path / name for name in ("cold.yaml", "again.json", "brief.yaml")]
    wordings, refused = read_candidates(paths, yours=rubric(), labelled=labelled("x"))
    assert [entry.name for entry in wordings] == ["cold"]
    assert list(refused.items()) == [
        ("again", "has the same words as cold"),
        ("brief", "changes the names or the number of criteria; only words, weights and pass mark may change: "
         "description (or requirement), levels[N].description, levels[N].label or guidelines"),
    ]  # fmt: skip


def test_a_candidate_rubric_file_may_change_weights_and_pass_mark(tmp_path: Path) -> None:
    numbers = RUBRIC.replace("weight: 2", "weight: 9").replace("0.6", "0.5")
    (tmp_path / "heavy.yaml").write_text(numbers)
    (tmp_path / "again.yaml").write_text(numbers)
    (tmp_path / "both.yaml").write_text(numbers.replace("It is rude.", "It is cold."))
    paths = [tmp_path / name for name in ("heavy.yaml", "again.yaml", "both.yaml")]
    (heavy, both), refused = read_candidates(paths, yours=rubric(), labelled=labelled("x"))
    assert (heavy.changes, heavy.numbers.weights, heavy.numbers.pass_mark) == ({}, {"tone": 9.0}, 0.5)
    assert (heavy.rubric.criteria[0].weight, heavy.rubric.pass_mark) == (9.0, 0.5)
    assert (both.in_file.weights, len(both.in_file.words)) == ({"tone": 9.0}, 1)
    assert refused == {"again": "has the same words and numbers as heavy"}


def test_two_candidate_files_of_the_same_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 candidates are named 'a'"):
        read_candidates([tmp_path / "a.yaml", tmp_path / "a.json"], yours=rubric(), labelled=labelled("x"))


def test_a_json_edit_may_call_a_criterion_s_description_its_requirement(tmp_path: Path) -> None:
    old = rubric().criteria[0].requirement
    wording = from_edits(
        "shorter",
        [{"criterion": "tone", "field": "requirement", "old": old, "new": f"{old} indeed"}],
        base=rubric(),
        yours=rubric(),
        labelled=labelled("x"),
    )
    assert list(map(str, wording.changes)) == ["tone.description"]
