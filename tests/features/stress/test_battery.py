"""A run as a whole, on judges that answer by the number of the asking."""

import asyncio
import inspect
import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from markscheme.features.stress.battery import (
    CONTROL,
    ORIGINAL,
    RUN_SAMPLES,
    Battery,
    ask,
    battery,
    begin_run,
    finish_run,
    state_file,
)
from markscheme.features.stress.options import StressOptions
from markscheme.features.stress.result import Stress, stress_of
from markscheme.features.stress.view import json_of, view
from markscheme.judges.judge import Identity, Reply
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Criterion, Rubric, Scale

RUBRIC = Rubric(
    (
        Criterion(1.0, "Is the answer right?", "correctness", Scale.numbered(1, 5)),
        Criterion(1.0, "Does it greet?", "greeting"),
    )
)
EXAMPLES = [Example(Submission(f"Answer {n}. It is {'long ' * n}.", id=f"e{n}")) for n in range(30)]


@dataclass(frozen=True)
class ByAsking:
    """Gives level 3, one more where the asking is the control's."""

    moved: bool
    identity = Identity("by-asking")

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        up = self.moved and sample % RUN_SAMPLES == 3
        quoted = {"quote": "nothing to quote", "reason": "so"}
        levels = {"correctness": "4" if up else "3", "greeting": "MET"}
        return Reply(json.dumps({"verdicts": {name: {**quoted, "level": levels[name]} for name in prompt.criteria}}))

    async def aclose(self) -> None:
        """Nothing is held."""


def ran(made: Battery, judge: ByAsking, folder: Path) -> Stress:
    run = begin_run(folder, made.key(judge))
    grades = asyncio.run(ask(made, judge, run, concurrency=4, step=lambda: None))
    return stress_of(made, grades)


def test_the_table_of_perturbations_is_hidden_if_asking_again_without_a_change_already_moves_the_ratings(
    tmp_path: Path,
) -> None:
    made = battery(RUBRIC, EXAMPLES, "gpt-5", StressOptions(only_changes=("whitespace", "praise")))
    result = ran(made, ByAsking(moved=True), tmp_path)
    assert result.control["correctness"].shift.value == 1
    assert result.control_moved is not None
    document = view(result, "by-asking")
    assert "+1.00" in document.blocks[0].text  # type: ignore[attr-defined]
    assert not any(type(block).__name__ == "Bars" for block in document.blocks)
    assert json_of(result)["control"]["correctness"].state == "finding"


@pytest.mark.parametrize(("samples", "more"), [(1, 3), (2, 3), (3, 5), (5, 7)])
def test_for_a_judge_whose_repeated_ratings_differ_the_next_step_is_to_ask_for_more_samples_than_before(
    samples: int, more: int, tmp_path: Path
) -> None:
    labels = (Rating("", "ann", "human", {"correctness": Rated(3.0), "greeting": Rated(1.0)}),)
    labelled = [replace(e, labels=tuple(replace(label, id=e.id) for label in labels)) for e in EXAMPLES]
    made = battery(RUBRIC, labelled, "gpt-5", StressOptions(only_changes=("whitespace",)))
    result = ran(made, ByAsking(moved=True), tmp_path)
    asked_often = replace(result, battery=replace(made, rubric=replace(RUBRIC, samples=samples)))
    words, command = view(asked_often, "by-asking").onward or ("", "")
    assert words == f"Next, ask each question {more} times"
    assert command.endswith(f"--samples {more}")


def test_the_chart_of_perturbations_is_shown_for_a_judge_that_gives_the_same_levels_when_asked_again(
    tmp_path: Path,
) -> None:
    result = ran(
        battery(RUBRIC, EXAMPLES, "gpt-5", StressOptions(only_changes=("whitespace",))), ByAsking(moved=False), tmp_path
    )
    assert result.control_moved is None
    assert any(type(block).__name__ == "Bars" for block in view(result, "by-asking").blocks)


def test_a_stress_run_asks_about_original_and_control_and_perturbed_responses_in_random_order() -> None:
    made = battery(RUBRIC, EXAMPLES, "gpt-5", StressOptions(only_changes=("praise",), originals=2))
    askings = made.askings("1")
    assert [sum(asking.version == version for asking in askings) for version in (ORIGINAL, CONTROL, "praise")] == [
        60,
        30,
        30,
    ]
    assert [asking.version for asking in askings] != sorted(asking.version for asking in askings)
    assert askings != made.askings("2")
    assert askings == made.askings("1")


def test_in_a_stress_test_answers_to_a_criterion_worded_in_reverse_are_reversed(tmp_path: Path) -> None:
    result = ran(
        battery(RUBRIC, EXAMPLES, "gpt-5", StressOptions(only_changes=("polarity",))), ByAsking(moved=False), tmp_path
    )
    assert result.rows["polarity"]["greeting"].shift.value == -1
    assert result.rows["polarity"]["correctness"].state == "not-preserving"
    assert result.findings == []


def rated(level: float) -> dict[str, Rated]:
    return {"correctness": Rated(level), "greeting": Rated(1.0)}


def test_a_stress_run_chooses_examples_spread_over_their_gold_scores() -> None:
    labelled = [
        Example(
            each.submission,
            (Rating(each.id, "ana", "human", {"correctness": Rated(1.0 + n % 5), "greeting": Rated(1.0)}),),
        )
        for n, each in enumerate(EXAMPLES)
    ]
    chosen = battery(RUBRIC, labelled, "gpt-5", StressOptions(n=10)).examples
    levels = [example.labels[0].criteria["correctness"].level or 0 for example in chosen]
    assert sorted(levels) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_a_stress_run_begun_again_continues_if_it_is_unfinished_and_otherwise_gets_the_next_number(
    tmp_path: Path,
) -> None:
    first = begin_run(tmp_path, "key")
    assert begin_run(tmp_path, "key") == first == 1
    finish_run(tmp_path, "key", first)
    assert begin_run(tmp_path, "key") == 2


@pytest.mark.parametrize("text", ["", "[" * 3_000, "[]", '{"run": "one", "finished": true}', f'{{"run": {"9" * 400}}}'])
def test_a_damaged_state_file_of_a_stress_run_is_ignored(tmp_path: Path, text: str) -> None:
    begin_run(tmp_path, "key")
    state_file(tmp_path, "key").write_text(text)
    assert begin_run(tmp_path, "key") == 1


def test_a_stress_run_calls_the_shared_function_ask_many() -> None:
    assert "ask_many(" in Path(inspect.getfile(ask)).read_text()
