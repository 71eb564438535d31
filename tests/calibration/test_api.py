"""The main job as one call from Python: calibrate, agreement."""

import asyncio
import json
import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from markscheme import Calibration, Example, Rating, Rubric, ScriptedJudge, Submission, agreement, calibrate, grade
from markscheme.errors import NoJudge, RatingError, UsageError
from markscheme.judges.judge import Judge, Wrapping
from markscheme.ratings.rating import Rated
from tests.commands.console import ROOT, run

RUBRIC = Rubric.from_dict([{"name": "polite", "requirement": "The reply is polite", "weight": 1}])
SCRIPT = """
from pathlib import Path
from markscheme import calibrate

calibration = calibrate("code-quality")
print(calibration.use)
Path("report.html").write_text(calibration.to_html(), encoding="utf-8")
"""


def rows(n: int = 40) -> list[dict[str, Any]]:
    """Make examples that two annotators label equally, every other one polite."""
    return [
        {
            "id": f"e{place}",
            "response": f"reply {place}",
            "labels": [{"rater": rater, "criteria": {"polite": bool(place % 2)}} for rater in "ab"],
        }
        for place in range(n)
    ]


def verdicts(n: int = 40, *, wrong: int = 0) -> list[dict[str, Any]]:
    """Make a judge's ratings of the examples of `rows`, with errors on the first ones."""
    return [{"id": f"e{place}", "criteria": {"polite": bool(place % 2) != (place < wrong)}} for place in range(n)]


def judge(n: int = 40) -> Judge:
    """A judge that agrees with the labels."""
    return ScriptedJudge([{"polite": "MET" if place % 2 else "UNMET"} for place in range(n)], name="kind")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Any:
    """Change to an empty folder as the working directory."""
    with chdir(tmp_path):
        yield tmp_path


# --- calibrate ------------------------------------------------------------------------------------------------------


def test_people_s_ratings_in_the_judge_s_file_serve_as_labels_if_no_example_has_a_label(elsewhere: Path) -> None:
    examples = [{"id": row["id"], "response": row["response"]} for row in rows()]
    people = [{**row, "rater": "ann", "kind": "human"} for row in verdicts()]
    found = calibrate(RUBRIC, examples=examples, ratings=[*verdicts(wrong=4), *people]).to_json()
    assert (found["agreement"]["value"], found["agreement"]["n"], found["raters"]["kinds"]) == (0.9, 40, {"human": 1})
    with pytest.raises(UsageError, match="no example has a label"):
        calibrate(RUBRIC, examples=examples, ratings=people)


def test_an_annotator_s_own_labels_are_never_compared_with_gold_labels_that_include_them() -> None:
    again = [{**row, "rater": "a", "kind": "human"} for row in verdicts()]
    with pytest.raises(UsageError, match="the labels to compare with are by a too"):
        calibrate(RUBRIC, rows(), ratings=again)
    assert calibrate(RUBRIC, rows(), ratings=[{**row, "rater": "c"} for row in again]).rater.name == "c"
    halves = [{**row, "labels": [row["labels"][place > 19]]} for place, row in enumerate(rows())]
    assert calibrate(RUBRIC, halves, ratings=again[20:]).counts.graded == 20


@pytest.mark.proof
def test_a_script_of_a_few_lines_calibrates_the_shipped_rubric_in_an_empty_folder(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "explore\n"
    assert "<!doctype html>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert len(SCRIPT.strip().splitlines()) <= 10


@pytest.mark.proof
def test_calibrate_called_from_python_gives_the_same_report_as_the_command() -> None:
    done = run("markscheme", "calibrate", "code-quality", "--json", "-", "--quiet", cwd=ROOT)
    with chdir(ROOT):
        calibration = calibrate("code-quality")
    assert calibration.to_json() == json.loads(done.stdout)
    assert (calibration.verdict, calibration.use) == ("not-enough-labels", "explore")
    assert calibration.labels_needed == json.loads(done.stdout)["labels_needed"]


@pytest.mark.usefixtures("elsewhere")
def test_labels_and_ratings_may_be_given_to_calibrate_in_memory() -> None:
    calibration = calibrate(RUBRIC, rows(), ratings=verdicts())
    assert (calibration.verdict, calibration.use) == ("ok", "gate")
    assert calibration.rater.source == "ratings"


@pytest.mark.usefixtures("elsewhere")
def test_calibrate_takes_examples_and_ratings_as_objects_of_the_package_s_classes() -> None:
    examples = [
        Example(Submission(f"reply {n}", {}, f"e{n}"), (Rating(f"e{n}", "a", "human", {"polite": Rated(n % 2)}),))
        for n in range(40)
    ]
    ratings = [Rating(f"e{n}", "j", "model", {"polite": Rated(n % 2)}) for n in range(40)]
    calibration = calibrate(RUBRIC, examples, ratings=ratings)
    assert (calibration.verdict, calibration.use) == ("ok", "trend")
    assert calibration.rater.name == "j"


@pytest.mark.usefixtures("elsewhere")
def test_the_reason_why_a_judge_s_rating_has_no_score_is_reported() -> None:
    off_scale: list[dict[str, Any]] = [
        {"id": "e0", "criteria": {"polite": "Yes!"}},
        {"id": "e1", "note": "nothing to say"},
    ]
    calibration = calibrate(RUBRIC, rows(), ratings=[*off_scale, *verdicts()[2:]])
    assert calibration.reasons_not_graded == {
        "e0": "polite: 'Yes!' isn't a level of its scale: UNMET, MET",
        "e1": "no level on polite",
    }


@pytest.mark.usefixtures("elsewhere")
def test_a_reason_for_ungraded_examples_is_hidden_if_only_held_out_examples_have_it() -> None:
    examples = [{**row, "split": "test" if n % 2 else "dev"} for n, row in enumerate(rows())]
    failed = [{"id": f"e{n}", "error": "timed out"} for n in range(4)]
    failed += [{"id": "e5", "error": "says: the secret text"}, {"id": "e7", "error": "says: another text"}]
    graded = [verdict for verdict in verdicts() if verdict["id"] not in {row["id"] for row in failed}]
    calibration = calibrate(RUBRIC, examples, ratings=[*failed, *graded], split="all")
    hidden = "2 × a reason that isn't shown, since the example is held out"
    assert (
        f"6 of {len(examples)} examples not graded, in no score: 4 × timed out; {hidden}." in calibration.to_markdown()
    )
    assert set(calibration.reasons_not_graded) == {"e0", "e2"}
    assert "secret" not in calibration.to_markdown()


@pytest.mark.usefixtures("elsewhere")
def test_calibrate_leaves_a_judge_open_that_the_caller_opened() -> None:
    class Watched(Wrapping):
        closed = False

        async def reply(self, prompt: Any, sample: int = 0) -> Any:
            return await self.judge.reply(prompt, sample)

        async def aclose(self) -> None:
            Watched.closed = True

    calibration = calibrate(RUBRIC, rows(), Watched(judge()))
    assert calibration.verdict == "ok"
    assert not Watched.closed


@pytest.mark.usefixtures("elsewhere")
def test_calibrate_works_where_an_event_loop_is_running() -> None:
    async def in_a_notebook() -> Calibration:
        return calibrate(RUBRIC, rows(), judge())

    assert asyncio.run(in_a_notebook()).use == "gate"


@pytest.mark.usefixtures("elsewhere")
def test_the_agreement_of_a_calibration_can_be_counted_from_the_rows_of_its_table_of_ratings() -> None:
    calibration = calibrate(RUBRIC, rows(), ratings=verdicts(wrong=4))
    table = calibration.ratings
    assert len(table) == 40
    assert table[0] == {
        "id": "e0",
        "group": None,
        "rater": "judge",
        "score": 1.0,
        "gold_score": 0.0,
        "pass": True,
        "gold_pass": False,
        "level.polite": 1.0,
        "gold_level.polite": 0.0,
        "reason.polite": "",
        "error": None,
    }
    agreed = sum(row["score"] == row["gold_score"] for row in table) / len(table)
    assert agreed == calibration.comparison.agreement.value == 0.9


@pytest.mark.usefixtures("elsewhere")
def test_a_notebook_shows_the_report_in_a_frame_of_its_own() -> None:
    calibration = calibrate(RUBRIC, rows(), ratings=verdicts())
    shown = calibration._repr_html_()
    assert shown.startswith('<iframe srcdoc="')
    assert "&lt;!doctype html&gt;" in shown
    assert repr(calibration) == "<Calibration of judge on rubric: gate, ok>"
    assert calibration.to_markdown().startswith("#")


@pytest.mark.usefixtures("elsewhere")
def test_calibrate_called_from_python_takes_the_command_s_options() -> None:
    calibration = calibrate(RUBRIC, rows(), ratings=verdicts(wrong=4), target=0.99)
    assert calibration.decision.target == 0.99
    assert calibrate(RUBRIC, rows(), judge(), samples=1).rubric.samples == 1


def test_the_settings_file_fills_in_options_that_a_python_call_does_not_set(elsewhere: Path) -> None:
    (elsewhere / "markscheme.toml").write_text("target = 0.7\n")
    assert calibrate(RUBRIC, rows(), ratings=verdicts()).decision.target == 0.7
    assert calibrate(RUBRIC, rows(), ratings=verdicts(), target=0.9).decision.target == 0.9


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": 80}, "`target` must be above 0 and at most 1, got 80"),
        ({"tolerance": 0}, "`tolerance` must be a number above 0, got 0"),
        ({"split": "train"}, "`split` must be one of dev, test, all, got 'train'"),
        ({"gold": "people"}, "`gold` must be one of"),
        ({"planned_runs": 0}, "`planned_runs` must be a whole number from 1, got 0"),
        ({"sampels": 3}, "did you mean `samples`"),
        ({"replace": True}, "--replace goes with --accept"),
        ({"only": ["colour=red"]}, "FIELD one of system, group"),
        ({"only": "colour=red"}, "FIELD one of system, group, split, stratum, drawn, got 'colour=red'"),
        ({"only": "split=dev"}, "no example has split=dev"),
        ({"only": 5}, "FIELD one of system, group, split, stratum, drawn, got 5"),
        ({"scale": "wide"}, "^`scale` must be LOW-HIGH or SIDE=LOW-HIGH, such as judge=0-1, got 'wide'"),
    ],
)
def test_an_option_with_an_impossible_value_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        calibrate(RUBRIC, rows(), ratings=verdicts(), **options)


def test_an_option_that_takes_a_list_of_texts_also_takes_a_single_text() -> None:
    examples = [{**row, "system": "new" if place < 30 else "old"} for place, row in enumerate(rows())]
    assert calibrate(RUBRIC, examples, ratings=verdicts(), only="system=new").counts.examples == 30


def test_the_error_on_a_missing_judge_names_the_argument_in_python_and_the_option_on_the_command_line(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(NoJudge, match="Name a judge with judge=…: ") as refused:
        calibrate(RUBRIC, rows())
    assert "--judge" not in str(refused.value)
    Path("polite.yaml").write_text("name: polite\ncriteria: [{name: polite, requirement: Polite., weight: 1}]\n")
    Path("examples.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows()))
    answer = run("calibrate", "polite.yaml", "--examples", "examples.jsonl", cwd=elsewhere)
    assert "Name a judge with --judge: " in answer.stderr


@pytest.mark.usefixtures("elsewhere")
def test_a_faulty_example_or_rating_passed_to_calibrate_in_python_is_reported_by_its_index() -> None:
    with pytest.raises(RatingError, match="examples:2: an example has a response"):
        calibrate(RUBRIC, [*rows(1), {"id": "e1"}], ratings=verdicts())
    with pytest.raises(RatingError, match="ratings:1: rubric 'rubric' has no criterion 'short'"):
        calibrate(RUBRIC, rows(), ratings=[{"id": "e0", "criteria": {"short": 1}}])
    with pytest.raises(UsageError, match="must be files, or ratings"):
        calibrate(RUBRIC, rows(), ratings=[])


@pytest.mark.usefixtures("elsewhere")
def test_calibrate_in_python_refuses_ratings_by_several_judges() -> None:
    ratings = [{**row, "rater": rater} for row in verdicts() for rater in ("one", "two")]
    with pytest.raises(UsageError, match="there are 2 judges to calibrate"):
        calibrate(RUBRIC, rows(), ratings=ratings)


@pytest.mark.parametrize("table", [{}, [], {"human": [], "judge": []}, [{}]], ids=str)
def test_the_error_on_a_table_in_memory_without_rows_says_that_the_table_holds_no_rows(table: Any) -> None:
    with pytest.raises(RatingError) as refused:
        calibrate(table)
    assert str(refused.value) == "table: holds no rows"


@pytest.mark.parametrize(
    ("wrong", "right"), [("levls", "levels"), ("humans", "human"), ("passes", "pass_"), ("tagret", "target")]
)
def test_the_error_on_an_unknown_option_of_calibrate_in_python_suggests_the_most_similar_option(
    wrong: str, right: str
) -> None:
    options: dict[str, Any] = {wrong: "x"}
    with pytest.raises(UsageError, match=f"unknown option `{wrong}`; did you mean `{right}`"):
        calibrate([{"human": "yes", "judge": "no"}] * 9, **options)


def test_the_error_on_a_table_in_python_with_ambiguous_columns_lists_calls_of_calibrate_that_run() -> None:
    levels = ("good", "fair", "poor")
    table = [{"ann": levels[i % 3], "gpt": levels[i * 7 % 3], "bob": levels[i % 2]} for i in range(40)]
    with pytest.raises(UsageError) as refused:
        calibrate(table, judge="gpt")
    calls = refused.value.commands
    assert "calibrate(TABLE, judge='gpt', human=['ann', 'bob'])" in calls
    assert all(eval(call, {"TABLE": table, "calibrate": calibrate}) for call in calls)


def test_the_error_on_an_ambiguous_table_in_python_suggests_calls_with_the_missing_argument(
    elsewhere: Path,
) -> None:
    (elsewhere / "table.csv").write_text("id,gpt_judge,foo\n1,yes,1\n2,no,2\n", encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        calibrate("table.csv")
    first, *calls = str(refused.value).splitlines()
    assert first.endswith("; `human` names them")
    assert "  calibrate('table.csv', human='foo')" in calls


def test_the_error_on_a_table_whose_verdicts_contradict_its_labels_suggests_a_call_that_states_what_passes() -> None:
    verdicts = ["fail" if letter == "f" else "pass" for letter in "fpppfppppfpppffpppff"]
    table = [
        {"id": f"t{index}", "verdict": verdict, "human": passed}
        for index, (verdict, passed) in enumerate(zip(verdicts, "00011000110001100011", strict=True))
    ]
    with pytest.raises(UsageError, match="`pass_` says for each column which value passes") as refused:
        calibrate(table)
    assert "calibrate(TABLE, pass_=['verdict=pass', 'human=0'])" in refused.value.commands


@pytest.mark.parametrize("value", [None, 3, ["The reply is polite"]])
def test_calibrate_and_grade_refuse_a_value_that_is_no_rubric_and_say_what_they_take(
    value: Any,
) -> None:
    got = re.escape(f", got {value!r}")
    with pytest.raises(UsageError, match=f"`calibrate` takes a rubric's name or file, .*{got}"):
        calibrate(value)
    with pytest.raises(UsageError, match=f"its name, its file's path or a Rubric{got}; Rubric.from_dict reads a dict"):
        asyncio.run(grade(value, "Fine.", judge()))


def test_the_error_on_an_unknown_option_in_python_that_resembles_no_other_lists_all_options() -> None:
    with pytest.raises(UsageError, match=r"known are rubric, examples, .*target, .*human, .*levels, .*samples"):
        calibrate("code-quality", zzz=1)


def test_a_table_in_memory_is_calibrated_by_the_named_columns_and_their_scales(elsewhere: Path) -> None:
    lines = ["model,score,person", *(f"m,{(level - 1) / 4},{level}" for level in [1, 2, 3, 4, 5] * 12)]
    (elsewhere / "table.csv").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UsageError, match=r"scale=\['judge=0-1', 'human=1-5'\]"):
        calibrate("table.csv", judge="score", human="person")
    scale = {"judge": (0, 1), "human": (1, 5)}
    calibration = calibrate("table.csv", judge="score", human=["person"], scale=scale)
    assert (calibration.comparison.agreement.value, calibration.comparison.agreement.n) == (1.0, 60)
    with pytest.raises(UsageError, match="of a table, `judge` is the name"):
        calibrate("table.csv", judge=judge(), human="person")
    with pytest.raises(UsageError, match="names columns of a table that needs no rubric"):
        calibrate(RUBRIC, rows(), ratings=verdicts(), human="person")
    with pytest.raises(UsageError, match="on no scale known here"):
        calibrate("table.csv", judge="score", human="person", scale={"judge": (1, 0)})


# --- agreement ------------------------------------------------------------------------------------------------------


def test_notes_on_how_a_table_was_read_name_options_as_arguments_in_python_and_as_typed_on_the_command_line(
    tmp_path: Path,
) -> None:
    cells = [("good", "good"), ("it's bad", "good"), ("it's bad", "it's bad")] * 8
    table = tmp_path / "table.csv"
    table.write_text("ann,judge\n" + "".join(f"{ann},{judge}\n" for ann, judge in cells))
    told: list[str] = []
    calibrate(str(table), human="ann", judge="judge", notify=told.append)
    (note,) = (note for note in told if "passes" in note)
    assert "`pass_='good'` or `pass_=\"it's bad\"` says it" in note
    typed = run("calibrate", "table.csv", "--human", "ann", "--judge", "judge", cwd=tmp_path)
    assert "`--pass good` or `--pass 'it'\"'\"'s bad'` says it" in typed.stderr


def test_agreement_in_python_gives_the_same_figures_from_a_file_and_from_rows_as_the_calibrate_command(
    elsewhere: Path,
) -> None:
    (elsewhere / "table.csv").write_text("id,ann,ben\nx,1,1\ny,2,3\nz,3,\nw,1,2\n")
    in_rows = [
        {"id": "x", "ann": 1, "ben": 1},
        {"id": "y", "ann": 2, "ben": 3},
        {"id": "z", "ann": 3, "ben": None},
        {"id": "w", "ann": 1, "ben": 2},
    ]
    by_file = agreement(elsewhere / "table.csv", "interval")
    assert by_file.to_json() == agreement(in_rows, "interval").to_json()
    assert by_file.statistics["krippendorff_alpha"].value is not None
    command = ("calibrate", "table.csv", "--human", "ann", "ben", "-o", "metric=interval", "--levels", "1-3")
    printed = json.loads(run("markscheme", *command, "--json", "-", "--quiet", cwd=elsewhere).stdout)
    assert by_file.to_json() == {key: printed[key] for key in by_file.to_json()}


def test_agreement_of_annotators_from_rows_with_one_rater_or_an_unknown_kind_of_scale_is_refused() -> None:
    with pytest.raises(RatingError, match="two columns of raters or more"):
        agreement([{"ann": 1}])
    with pytest.raises(UsageError, match="`scale` must be one of nominal, ordinal, interval"):
        agreement([{"ann": 1, "ben": 2}], "ratio")  # type: ignore[arg-type]


def test_a_report_on_examples_of_one_task_speaks_of_one_group() -> None:
    labels = [Rating(f"e{n}", "ann", "human", {"polite": Rated(1.0)}) for n in range(8)]
    examples = [Example(Submission(f"reply {n}", {}, f"e{n}"), (labels[n],), group="task") for n in range(8)]
    ratings = [Rating(f"e{n}", "gpt", "model", {"polite": Rated(float(n > 0))}) for n in range(8)]
    report = " ".join(calibrate(RUBRIC, examples=examples, ratings=ratings).to_markdown().split())
    assert "in 1 group carry as much information as about" in report
    assert "1 groups" not in report


def test_a_report_says_in_english_that_the_judge_fails_the_one_response_that_people_pass() -> None:
    label = Rating("e1", "ann", "human", {"polite": Rated(1.0)})
    examples = [Example(Submission("reply", {}, "e1"), (label,))]
    judged = calibrate(RUBRIC, examples=examples, ratings=[Rating("e1", "gpt", "model", {"polite": Rated(0.0)})])
    assert "It keeps no response that people pass" in " ".join(judged.to_markdown().split())
