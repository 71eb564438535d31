"""Lines of examples that are read together give what each gives on its own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from markscheme import Rubric
from markscheme.errors import RatingError
from markscheme.plain_data import BATCH
from markscheme.ratings.example_reading import read_examples
from markscheme.ratings.example_rows import Example

RUBRIC: Rubric = Rubric.from_dict(
    [{"name": name, "weight": 1, "requirement": name, "scale": {"min": 1, "max": 5}} for name in ("clear", "kind")]
)
"""Two criteria of five levels."""
ODD: dict[str, Any] = {"id": "odd", "output": "Its keys are others, so lines read with it are read one by one."}
LABELS = st.lists(
    st.fixed_dictionaries(
        {
            "rater": st.sampled_from(["ann", "bob"]),
            "criteria": st.sampled_from([{"clear": 3, "kind": 5}, {"kind": 2}, {"clear": 9, "kind": 1}]),
        },
        optional={
            "id": st.just("b"),
            "kind": st.sampled_from(["adjudicated", "model"]),
            "note": st.just("{"),
        },
    ),
    max_size=2,
)
"""Labels of an example, some of them off the scale or of another example."""
ROWS = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["a", "b", "c", "d", "e", "f", "", 7, None]),
        "query": st.sampled_from(["Why?", "When?"]),
        "response": st.sampled_from(["Yes.", "No.", "", ["No", "text"]]),
        "labels": LABELS,
    },
    optional={
        "group": st.sampled_from(["g1", "g2", None]),
        "system": st.just("s"),
        "split": st.sampled_from(["dev", "test", "other"]),
        "weight": st.sampled_from([1, 2.5, -1]),
        "metadata": st.just({"language": "fr"}),
        "context": st.sampled_from(["Told.", 3]),
    },
)
"""Lines of examples, some of them invalid."""
PLAIN: dict[str, Any] = {
    "id": "a",
    "query": "Why?",
    "response": "Yes.",
    "labels": [{"rater": "ann", "criteria": {"clear": 3, "kind": 5}}],
}
N_EARLIER = 2 * BATCH // len(json.dumps(PLAIN))
"""Number of lines that are read in more than one batch."""


def read(rows: Sequence[Mapping[str, Any]]) -> tuple[list[Example], list[Any]] | list[tuple[str, int | None]]:
    """Read rows from lines of a file.

    Returns:
        The examples, with the digest of each one's texts and the length of its response; or each fault and its line.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "examples.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        try:
            examples, digests = read_examples(path, RUBRIC)
        except RatingError as error:
            return [(fault.problem, fault.line) for fault in error.faults]
        return list(examples), list(zip(digests, examples.values("response_length"), strict=True))


@given(st.lists(ROWS, min_size=1, max_size=6))
@example([PLAIN, {**PLAIN, "id": "b", "response": "No."}])
@example([PLAIN, PLAIN])
@example([PLAIN, {**PLAIN, "id": "b", "labels": [{"rater": "ann", "criteria": {"clear": 9, "kind": 5}}]}])
def test_example_lines_parsed_together_give_the_same_examples_or_faults_as_lines_parsed_one_by_one(
    rows: list[dict[str, Any]],
) -> None:
    together = read(rows)
    one_by_one = read([*rows, ODD])
    if isinstance(together, tuple) and isinstance(one_by_one, tuple):
        assert together == (one_by_one[0][:-1], one_by_one[1][:-1])
    else:
        assert together == one_by_one


def test_an_example_is_refused_if_its_id_occurs_in_a_much_earlier_line_of_the_file() -> None:
    rows = [{**PLAIN, "id": f"e{ordinal}"} for ordinal in range(N_EARLIER)]
    assert read([*rows, {**PLAIN, "id": "e3"}]) == [
        ("id 'e3' is on line 4 already; ids are unique", N_EARLIER + 1),
    ]


def test_a_key_that_only_later_lines_have_is_not_added_to_the_examples_of_earlier_lines() -> None:
    rows = [{**PLAIN, "id": f"e{ordinal}"} for ordinal in range(N_EARLIER)]
    later = [{**PLAIN, "id": f"f{ordinal}", "group": "g", "context": "Told."} for ordinal in range(3)]
    result = read([*rows, *later])
    assert isinstance(result, tuple)
    examples, _ = result
    assert [one.group for one in (examples[0], examples[-1])] == ["", "g"]
    assert [dict(one.submission.inputs) for one in (examples[0], examples[-1])] == [
        {"query": "Why?"},
        {"query": "Why?", "context": "Told."},
    ]
    assert [len(one.labels) for one in examples] == [1] * len(examples)
