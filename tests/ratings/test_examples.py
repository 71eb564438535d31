"""Example sets in every file format, and every fault that they may have."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.errors import RatingError, RatingWarning
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import load_examples
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Criterion

RUBRIC = Rubric.from_dict(
    {
        "name": "reply",
        "inputs": ["query"],
        "criteria": [
            {
                "name": "clarity",
                "description": "Clear",
                "scale": {"min": 1, "max": 5},
                "examples": {"good": "Done at 5."},
            },
            {"name": "polite", "requirement": "Polite"},
        ],
    }
)


def written(folder: Path, name: str, *lines: Any) -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    return path


def only_label(path: Path) -> Rating:
    (example,) = load_examples(path, RUBRIC).examples
    (label,) = example.labels
    return label


def test_an_example_with_every_key_keeps_its_inputs_and_labels_and_how_it_was_drawn(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "examples.jsonl",
        {
            "id": "a",
            "query": "When?",
            "reference": "At five.",
            "inputs": {"context": ["x"]},
            "response": "At 5.",
            "group": "time",
            "system": "v2",
            "split": "test",
            "drawn": "random",
            "labels": [
                {
                    "rater": "r1",
                    "kind": "human",
                    "criteria": {"clarity": 4, "polite": {"level": "MET", "reason": "ok"}},
                },
                {"rater": "r2", "criteria": {"clarity": {"abstained": "unsure"}}, "overall": 0.6, "blind": False},
            ],
        },
    )
    (example,) = load_examples(path, RUBRIC).examples
    assert example.submission.inputs == {"query": "When?", "reference": "At five.", "context": '["x"]'}
    assert (example.group, example.system, example.split, example.drawn) == ("time", "v2", "test", "random")
    first, second = example.labels
    assert (first.criteria["clarity"].level, first.criteria["polite"].level) == (4.0, 1.0)
    assert first.criteria["polite"].reason == "ok"
    assert (second.criteria["clarity"].level, second.criteria["clarity"].declined) == (None, "abstained")
    assert (second.overall, second.blind, second.kind) == (0.6, False, "human")


def test_the_number_0_is_valid_as_the_id_of_an_example_or_a_group_or_a_system(tmp_path: Path) -> None:
    more = {"query": "?", "response": "Yes.", "group": 0, "system": 0, "stratum": 0}
    path = written(tmp_path, "examples.jsonl", {"id": 0, **more})
    (example,) = load_examples(path, RUBRIC).examples
    assert (example.id, example.group, example.system, example.stratum) == ("0", "0", "0", "0")


@pytest.mark.parametrize("form", ["list", "mapping", "lines"])
def test_an_example_s_expected_score_is_read_as_the_overall_label_of_a_rater_named_author(
    tmp_path: Path, form: str
) -> None:
    example = {"input": "def f(): ...", "expectedScore": 0.8, "expectedFeedback": ["no types", "no doc"]}
    if form == "lines":
        path = written(tmp_path, "examples.jsonl", example)
    else:
        document: Any = [example] if form == "list" else {"rubric": "reply", "examples": [example]}
        path = written(tmp_path, "examples.json", document)
    label = only_label(path)
    assert (label.rater, label.kind, label.overall, label.note) == ("author", "human", 0.8, "no types; no doc")


def test_yaml_and_csv_files_of_the_same_examples_give_the_same_labels(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(
        "- id: a\n  query: When?\n  response: At 5.\n  labels:\n  - {rater: r1, kind: human, criteria: {clarity: 4}}\n"
    )
    (tmp_path / "e.csv").write_text("id,query,response,rater,kind,clarity,polite\na,When?,At 5.,r1,human,4,\n")
    assert load_examples(tmp_path / "e.yaml", RUBRIC).examples[0].labels == (only_label(tmp_path / "e.csv"),)


def test_words_for_yes_and_no_in_a_csv_file_are_levels_only_of_yes_or_no_criteria(tmp_path: Path) -> None:
    header = "id,query,response,clarity,polite"
    for word, level in (("TRUE", 1.0), ("yes", 1.0), ("False", 0.0), ("No", 0.0)):
        label = only_label(written(tmp_path, "a.csv", header, f"a,?,Done.,4,{word}"))
        assert label.criteria["polite"].level == level
    with pytest.raises(RatingError, match=r"b\.csv:2: clarity: 'true' isn't a level"):
        only_label(written(tmp_path, "b.csv", header, "a,?,Done.,true,false"))


@pytest.mark.parametrize(
    ("row", "expected_message"),
    [(b'2,?,"\xff",4,MET', "is not UTF-8 text"), (b"2,?," + b"x" * 200_000, "has another number of cells")],
)
def test_a_csv_that_cannot_be_read_is_reported_with_its_line(tmp_path: Path, row: bytes, expected_message: str) -> None:
    path = tmp_path / "examples.csv"
    path.write_bytes(b"id,query,response,clarity,polite\n1,?,Done.,4,MET\n" + row + b"\n")
    with pytest.raises(RatingError, match=rf"examples\.csv:3: {expected_message}"):
        load_examples(path, RUBRIC)


def test_a_csv_file_with_semicolons_and_a_column_of_weights_is_read(tmp_path: Path) -> None:
    header = "id;query;response;weight;drawn;clarity"
    (example,) = load_examples(written(tmp_path, "e.csv", header, "a;When?;At 5, or 6.;2.5;chosen;4"), RUBRIC).examples
    assert (example.submission.response, example.weight, example.drawn) == ("At 5, or 6.", 2.5, "chosen")
    with pytest.raises(RatingError, match=r"f\.csv:2: weight is a number above 0, found 'much'"):
        load_examples(written(tmp_path, "f.csv", header, "a;When?;At 5.;much;chosen;4"), RUBRIC)


def test_csv_rows_with_the_same_id_are_one_example_with_labels_by_several_raters(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text(
        "id,query,response,rater,kind,overall,clarity\n"
        "a,When?,At 5.,r1,human,0.5,4\na,When?,At 5.,r2,human,,3\nb,Where?,There.,r1,human,,5\n"
    )
    examples = load_examples(tmp_path / "e.csv", RUBRIC).examples
    assert [[label.rater for label in example.labels] for example in examples] == [["r1", "r2"], ["r1"]]
    assert [label.overall for label in examples[0].labels] == [0.5, None]


def test_ratings_by_people_in_a_folder_next_to_the_examples_are_read_as_labels(tmp_path: Path) -> None:
    path = written(tmp_path, "examples.jsonl", {"id": "a", "response": "At 5."}, {"id": "b", "response": "At 6."})
    (tmp_path / "ratings").mkdir()
    written(tmp_path / "ratings", "ana.jsonl", {"id": "b", "rater": "ana", "criteria": {"polite": True}})
    examples = load_examples(path, RUBRIC, ratings=tmp_path / "ratings").examples
    assert [len(example.labels) for example in examples] == [0, 1]
    assert (examples[1].labels[0].rater, examples[1].labels[0].kind) == ("ana", "human")


def test_all_faults_of_a_file_of_examples_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "examples.jsonl",
        {"id": "a", "response": "x"},
        {"id": "a", "response": "y"},
        {"id": "b"},
        {"id": "c", "response": "z", "labels": [{"criteria": {"clarity": 9}}]},
        {"id": "d", "response": "z", "labels": [{"kind": "oracle", "criteria": {}}]},
        {"id": "e", "response": "z", "labels": [{"overall": 1.5}]},
        {"id": "f", "response": "z", "drawn": "by hand"},
    )
    with pytest.raises(RatingError) as refused:
        load_examples(path, RUBRIC)
    assert [fault.line for fault in refused.value.faults] == [2, 3, 4, 5, 6, 7]
    message = str(refused.value)
    assert "id 'a' is on line 1 already" in message
    assert "clarity: 9 isn't a level of its scale: 1, 2, 3, 4, 5" in message
    assert "kind is one of adjudicated, human, constructed, model, code; found 'oracle'" in message
    assert "overall is a score from 0 to 1, found 1.5" in message


@pytest.mark.parametrize("line", ['{"id": "a", "response": "x", "labels": [{"overall": NaN}]}', '{"id":', "[[[["])
def test_a_file_of_examples_that_is_not_json_is_refused_with_the_line_of_the_fault(tmp_path: Path, line: str) -> None:
    path = written(tmp_path, "examples.jsonl", {"id": "0", "response": "x"}, line)
    with pytest.raises(RatingError, match=r"examples\.jsonl:2: is not readable JSON"):
        load_examples(path, RUBRIC)


@pytest.mark.parametrize(
    ("first", "second", "expected_line"),
    [
        ('{"id": "b", "labels": [], "metadata": {"a": [1', '2]}, "response": "B"}', 3),
        ('{"id": "b", "labels": [], "response": "B"', '"query": "?"}', 3),
        ('{"id": "b", "labels": [], "response": "B"}', '{"id": "c", "labels": [], "query": "?", "query": "!"}', 4),
        ('{"id": "b", "labels": [], "response": "B"}', '{"id": "c", "labels": [], "response": NaN}', 4),
    ],
)
def test_an_invalid_line_among_json_lines_is_refused_with_its_line_number(
    tmp_path: Path, first: str, second: str, expected_line: int
) -> None:
    label = {"rater": "p1", "criteria": {"clarity": 4}}
    good = [{"id": name, "response": name, "labels": [label, {**label, "rater": "p2"}]} for name in ("x", "y")]
    path = written(tmp_path, "examples.jsonl", *good, first, second)

    with pytest.raises(RatingError, match=rf":{expected_line}: is not readable JSON"):
        load_examples(path, RUBRIC)


def test_a_level_between_two_levels_is_valid_and_a_level_beyond_the_ends_of_the_scale_is_refused(
    tmp_path: Path,
) -> None:
    half = written(tmp_path, "half.jsonl", {"id": "a", "response": "x", "labels": [{"criteria": {"clarity": 3.5}}]})
    assert only_label(half).criteria["clarity"].level == 3.5
    beyond = written(tmp_path, "beyond.jsonl", {"id": "a", "response": "x", "labels": [{"criteria": {"clarity": 5.5}}]})
    with pytest.raises(RatingError):
        load_examples(beyond, RUBRIC)


def test_a_response_that_occurs_under_two_ids_causes_a_warning(tmp_path: Path) -> None:
    path = written(tmp_path, "e.jsonl", {"id": "a", "response": "x"}, {"id": "b", "response": "x"})
    with pytest.warns(RatingWarning, match="'b' and 'a' hold the same response"):
        load_examples(path, RUBRIC)


def test_many_responses_that_occur_under_two_ids_cause_one_warning_with_the_first_line_and_their_number(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, "e.jsonl", *({"id": f"e{n}", "response": f"x{n % 4}"} for n in range(12)))
    with pytest.warns(RatingWarning) as caught:
        load_examples(path, RUBRIC)
    (warning,) = [str(entry.message) for entry in caught]
    assert warning.endswith(
        "e.jsonl:5: 'e4' and 'e0' hold the same response; it counts twice; so do 7 more, each with one above: e5, e6, "
        "e7, e8, e9, …"
    )


def test_a_labelled_response_whose_text_occurs_in_the_rubric_causes_a_warning(tmp_path: Path) -> None:
    path = written(tmp_path, "e.jsonl", {"id": "a", "response": "Done\nat 5."})
    with pytest.warns(RatingWarning, match="leak"):
        load_examples(path, RUBRIC)


def test_labels_given_under_another_wording_of_a_criterion_are_counted_as_stale(tmp_path: Path) -> None:
    now = RUBRIC.criterion("clarity").fingerprint
    labels = [
        {"rater": "r1", "criteria": {"clarity": {"level": 4, "under": "another"}, "polite": 1}},
        {"rater": "r2", "criteria": {"clarity": {"level": 4, "under": now}}},
        {"rater": "r3", "criteria": {"clarity": 4, "polite": 0}, "under": "another"},
    ]
    path = written(tmp_path, "e.jsonl", {"id": "a", "response": "x", "labels": labels})
    assert load_examples(path, RUBRIC).stale == 3
    made = [{**label, "kind": "constructed"} for label in labels]
    path = written(tmp_path, "made.jsonl", {"id": "a", "response": "x", "labels": made})
    with pytest.warns(RatingWarning, match=r"3 labels were given under another wording of the rubric \(stale\)"):
        assert load_examples(path, RUBRIC).stale == 3


def test_examples_are_divided_by_split_and_examples_without_a_split_belong_to_dev(tmp_path: Path) -> None:
    path = written(
        tmp_path, "e.jsonl", {"id": "a", "response": "x"}, {"id": "b", "response": "y", "split": "test"},
        {"id": "c", "response": "z", "split": "dev"},
    )  # fmt: skip
    examples = load_examples(path, RUBRIC)
    assert examples.has_splits
    assert (examples.part("dev").ids, examples.part("test").ids) == (("a", "c"), ("b",))


def test_a_file_of_examples_without_problems_causes_no_warning(tmp_path: Path) -> None:
    path = written(tmp_path, "e.jsonl", {"id": "a", "response": "x", "labels": [{"criteria": {"clarity": 4}}]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_examples(path, RUBRIC)


def test_a_labelled_response_with_a_passage_that_the_rubric_quotes_is_left_out_of_all_figures(tmp_path: Path) -> None:
    passage = "Only 49 euros, as it has been since last year."
    rubric = Rubric((Criterion(-1.0, "It states a wrong price.", "price", bad=passage),))
    rows = [
        {"id": "lends", "response": f"Well. {passage} Bye.", "labels": [{"rater": "a", "criteria": {"price": 1}}]},
        {"id": "other", "response": "It costs 50 euros.", "labels": [{"rater": "a", "criteria": {"price": 0}}]},
    ]
    path = tmp_path / "examples.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.warns(RatingWarning, match="a passage of 'lends' is in the rubric's own anchors"):
        examples = load_examples(path, rubric)
    assert [example.id for example in examples.labelled.examples] == ["other"]


def test_a_labelled_response_that_shares_only_a_short_passage_with_the_rubric_is_used(tmp_path: Path) -> None:
    rubric = Rubric((Criterion(-1.0, "It states a wrong price.", "price", bad="Only 49 euros."),))
    label = {"rater": "a", "criteria": {"price": 1}}
    path = tmp_path / "examples.jsonl"
    path.write_text(json.dumps({"id": "e", "response": "Only 49 euros. Bye.", "labels": [label]}) + "\n")
    assert len(load_examples(path, rubric).labelled.examples) == 1


# --- pairs ----------------------------------------------------------------------------------------------------------


PAIR = {"id": "a", "query": "When?", "first": "At five.", "second": "Soon."}
OF_PAIRS = Rubric.from_dict({"compare": "pairs", "criteria": [{"name": "clarity", "prefer": "the clearer one"}]})


def test_a_rubric_for_single_responses_refuses_a_pair_and_explains_why(tmp_path: Path) -> None:
    with pytest.raises(RatingError, match="it needs `compare: pairs`"):
        load_examples(written(tmp_path, "pairs.jsonl", PAIR), RUBRIC)


@pytest.mark.parametrize(
    ("written_keys", "inputs"),
    [
        ({}, {"query": "When?"}),
        ({"input": "A ticket."}, {"query": "When?", "input": "A ticket."}),
        ({"input": "A ticket.", "output": "At six."}, {"query": "When?"}),
    ],
)
def test_the_inputs_of_a_pair_are_its_keys_other_than_the_two_responses(
    written_keys: dict[str, str], inputs: dict[str, str], tmp_path: Path
) -> None:
    path = written(tmp_path, "pairs.jsonl", {**PAIR, **written_keys})
    (example,) = load_examples(path, OF_PAIRS).examples
    assert (example.submission.responses, example.submission.inputs) == (("At five.", "Soon."), inputs)


def test_inputs_of_an_example_may_be_named_first_and_second(tmp_path: Path) -> None:
    path = written(tmp_path, "examples.jsonl", {**PAIR, "response": "At 5."})
    (example,) = load_examples(path, RUBRIC).examples
    assert example.submission.inputs == {"query": "When?", "first": "At five.", "second": "Soon."}
    assert example.submission.second is None


@pytest.mark.parametrize(
    ("responses", "has_content"), [(("", "Soon."), True), (("At five.", ""), True), ((" ", ""), False)]
)
def test_a_pair_can_be_labelled_if_at_least_one_of_its_responses_has_a_text(
    responses: tuple[str, str], has_content: bool
) -> None:
    first, second = responses
    assert Example(Submission(first, {}, "a", second=second)).has_content is has_content
