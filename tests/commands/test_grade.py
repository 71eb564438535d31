"""`markscheme grade` as a user runs it: what it takes, what it prints, how it ends, and that nothing is lost."""

import itertools
import json
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import INSTALLED, SECONDS, environment, run, scripts
from tests.commands.outputs_of_promptfoo import results_file
from tests.real.messages_front import Answer, MessagesFront, Request, late, message

RUBRIC = """\
passingThreshold: 0.6
criteria:
- {name: clear, description: Is it clear?, weight: 2}
- {name: rude, requirement: Is it rude?, weight: -1}
"""
JUDGING = r"""
import json, pathlib, re, time

def judge(system_prompt, user_prompt, schema):
    '''Does as a response tells it: LEVEL=3 rude, or an answer that is none. Every asking is put down.'''
    with pathlib.Path(__file__).with_name("asked.txt").open("a") as asked:
        asked.write(json.dumps([schema["required"], user_prompt]) + "\n")
    if "garbage" in user_prompt:
        return "I like it."
    if "down" in user_prompt:
        raise ConnectionError("the line is dead")
    number = re.search(r"LEVEL=(\d)", user_prompt)
    level = number[1] if number else "3"
    if "score" in schema["required"]:
        return {"quote": "nothing to quote", "reason": "As a whole.", "score": 20 * int(level)}
    said = {"clear": level, "rude": "MET" if "rude" in user_prompt.split("Rate the response")[0] else "UNMET"}
    if "slow" in user_prompt:
        time.sleep(0.3)
    names = schema["properties"]["verdicts"]["properties"]
    quotes = {"clear": f"it reads LEVEL={level}", "rude": "rude"}
    return {"verdicts": {n: {"quote": quotes[n], "reason": "So it reads.", "level": said[n]} for n in names}}

judge.environment = ()
"""
JUDGE = ("--judge", "function:judging:judge")
UNKNOWN_MODEL = ("--judge", "anthropic:some-model")
"""A model that has no list price."""
GRADE_KEYS = [
    "id",
    "score",
    "raw_score",
    "llm_raw_score",
    "pass",
    "decision",
    "criteria",
    "rubric",
    "unclipped",
    "tags",
    "error",
    "receipt",
    "usage",
    "fingerprints",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a rubric and a function that gives the levels its input asks for."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "prose.yaml").write_text(RUBRIC)
    (tmp_path / "judging.py").write_text(JUDGING)
    return tmp_path


def graded(
    project: Path, *options: str, stdin: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    where = {"MARKSCHEME_CACHE": str(project / "cache"), **(env or {})}
    return run("markscheme", "grade", "prose", *options, cwd=project, env=where, stdin=stdin)


def submissions(project: Path, *responses: str, **more: Any) -> str:
    """Write responses to a .jsonl file with ids s0, s1, …"""
    lines = [{"id": f"s{n}", "response": text, **more} for n, text in enumerate(responses)]
    (project / "all.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "all.jsonl"


def prompts_asked(project: Path) -> list[str]:
    """Return the user prompts that the judge was asked, in order."""
    file = project / "asked.txt"
    return [json.loads(line)[1] for line in file.read_text().splitlines()] if file.exists() else []


def lines_of(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} in the JSON")

    return [json.loads(line, parse_constant=refuse) for line in done.stdout.splitlines()]


# --- what is printed ------------------------------------------------------------------------------------------------


def test_each_line_of_grade_s_json_has_the_documented_keys(project: Path) -> None:
    done = graded(project, submissions(project, "it reads LEVEL=4 rude"), *JUDGE, "--json")
    (line,) = lines_of(done)
    assert list(line) == GRADE_KEYS
    assert (line["id"], line["score"], line["raw_score"], line["llm_raw_score"]) == ("s0", 0.25, 0.5, 0.5)
    assert (line["pass"], line["error"]) == (False, None)
    assert line["criteria"] == {
        "clear": {
            "level": 4.0,
            "position": 0.75,
            "reason": "So it reads.",
            "quote": "it reads LEVEL=4",
            "quote_found": True,
            "quote_in": "response",
        },
        "rude": {
            "level": 1.0,
            "position": 1.0,
            "reason": "So it reads.",
            "quote": "rude",
            "quote_found": None,
            "quote_in": None,
        },
    }
    assert line["usage"] == {"calls": 1, "input_tokens": None, "output_tokens": None, "usd": None}
    assert line["fingerprints"].keys() == {"rubric", "prompt", "judge"}
    assert "no accepted run" in line["receipt"]["text"]


def test_the_line_that_grade_prints_for_an_ungraded_response_has_the_reason_and_the_judge_s_reply(
    project: Path,
) -> None:
    done = graded(project, submissions(project, "garbage", "it is down"), *JUDGE, "--json")
    unread, unreached = lines_of(done)
    assert done.returncode == 5
    for line in (unread, unreached):
        assert line["score"] is line["raw_score"] is line["pass"] is None
    assert "the reply isn't one JSON object alone" in unread["error"]
    assert unread["criteria"]["clear"] == {
        "unread": "the reply isn't one JSON object alone",
        "raw": "I like it.",
    }
    assert unread["usage"]["calls"] == 2
    assert "ConnectionError: the line is dead" in unreached["error"]


def test_grades_are_printed_in_the_order_of_the_input_whichever_is_finished_first(project: Path) -> None:
    file = submissions(project, "slow LEVEL=1", *(f"LEVEL={n % 5 + 1} of {n}" for n in range(12)), "slow LEVEL=2")
    done = graded(project, file, *JUDGE, "--json", "-o", "concurrency=4")
    assert [line["id"] for line in lines_of(done)] == [f"s{n}" for n in range(14)]
    assert [line["criteria"]["clear"]["level"] for line in lines_of(done)] == [
        1, *(n % 5 + 1 for n in range(12)), 2,
    ]  # fmt: skip


def test_each_grade_is_printed_with_its_reasons_below_it(project: Path) -> None:
    done = graded(project, submissions(project, "LEVEL=5", "LEVEL=2 rude", "garbage"), *JUDGE, "--details")
    *graded_lines, ungraded, _, summary, _, _ = done.stdout.splitlines()
    assert summary == "1 of 3 passes (pass mark 0.6); 1 not graded. Judge: no accepted run."
    assert graded_lines == [
        "s0: pass, 1.00, no accepted run",
        "  clear 5 of 5: So it reads.",
        "  rude UNMET: So it reads.",
        "s1: fail, 0.00, no accepted run",
        "  clear 2 of 5: So it reads.",
        "  rude MET: So it reads.",
    ]
    assert ungraded.startswith("s2: not graded: clear: the reply isn't one JSON object alone")


def test_each_line_that_the_grade_command_prints_has_the_level_on_each_criterion_out_of_the_highest_level(
    project: Path,
) -> None:
    done = graded(project, submissions(project, "LEVEL=5", "LEVEL=2 rude"), *JUDGE)
    assert done.stdout.splitlines()[:4] == [
        "s0  pass  1.00  clear 5 of 5 · rude UNMET",
        "s1  fail  0.00  clear 2 of 5 · rude MET",
        "",
        "1 of 2 passes (pass mark 0.6). Judge: no accepted run.",
    ]


def next_command(done: subprocess.CompletedProcess[str]) -> str:
    """Return the command that is printed on the line after one that begins with "Next"."""
    lines = (done.stdout + done.stderr).splitlines()
    return next(after.strip() for line, after in itertools.pairwise(lines) if line.startswith("Next"))


def test_the_grade_command_suggests_to_calibrate_if_examples_are_labelled_and_else_to_label_the_outputs(
    project: Path,
) -> None:
    file = submissions(project, "LEVEL=5", "LEVEL=2 rude")
    assert next_command(graded(project, file, *JUDGE)) == "markscheme label prose --pool all.jsonl"
    examples = project / "calibration" / "prose" / "examples.jsonl"
    examples.parent.mkdir(parents=True)
    examples.write_text((project / file).read_text())
    assert "markscheme label" in next_command(graded(project, file, *JUDGE))  # no example is labelled
    label = {"rater": "ana", "criteria": {"clear": 5, "rude": "UNMET"}}
    examples.write_text(json.dumps({"id": "s0", "response": "LEVEL=5", "labels": [label]}) + "\n")
    calibrate = "markscheme calibrate prose --judge function:judging:judge"
    assert next_command(graded(project, file, *JUDGE)) == calibrate


def test_the_grade_command_suggests_no_next_command_if_nothing_was_graded(project: Path) -> None:
    done = graded(project, submissions(project, "garbage", "more garbage"), *JUDGE)
    assert done.stdout.splitlines()[-1] == "0 of 2 pass (pass mark 0.6); 2 not graded. Judge: no accepted run."
    in_part = graded(project, submissions(project, "garbage", "LEVEL=5"), *JUDGE)
    assert next_command(in_part) == "markscheme label prose --pool all.jsonl"


@pytest.mark.parametrize("more", [("all.jsonl",), ("all.jsonl", "-o", "strategy=per_criterion"), ("--details",)])
def test_the_command_printed_by_the_show_prompt_option_grades_from_recorded_replies_to_the_shown_prompts(
    project: Path, more: tuple[str, ...]
) -> None:
    submissions(project, "LEVEL=5", "LEVEL=2 rude")
    examples = project / "calibration" / "prose" / "examples.jsonl"
    examples.parent.mkdir(parents=True)
    if "all.jsonl" not in more:
        (project / "all.jsonl").rename(examples)
    shown = graded(project, *more, "--show-prompt")
    prompts = [json.loads(line) for line in shown.stdout.splitlines()]
    levels = {"clear": "5", "rude": "UNMET"}
    recording = examples.parent / "replies" / "JUDGE.jsonl"
    recording.parent.mkdir()
    verdicts = {
        name: {"quote": "nothing to quote", "reason": "So it reads.", "level": level} for name, level in levels.items()
    }
    texts = [
        json.dumps(
            {"verdicts": {name: verdicts[name] for name in prompt["schema"]["properties"]["verdicts"]["required"]}}
        )
        for prompt in prompts
    ]
    lines = [
        {"fingerprint": prompt["fingerprint"], "judge": "JUDGE", "model": "m", "text": text}
        for prompt, text in zip(prompts, texts, strict=True)
    ]
    recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run(*shlex.split(next_command(shown)), cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 of 2 pass" in done.stdout


@pytest.mark.parametrize("kinds", [("", ""), ("contains", "contains"), ("llm-rubric", ""), ("llm-rubric", "contains")])
def test_every_output_in_promptfoo_s_results_is_graded_whatever_its_assertions(
    project: Path, kinds: tuple[str, str]
) -> None:
    results_file(project / "results.json", zip(("LEVEL=5", "LEVEL=2"), kinds, strict=True))
    done = graded(project, "results.json", *JUDGE)
    assert [line.split()[1] for line in done.stdout.splitlines()[:2]] == ["pass", "fail"], done.stderr
    assert "1 of 2 passes (pass mark 0.6)." in done.stdout


@pytest.mark.parametrize("kind", ["", "llm-rubric"])
def test_a_row_of_promptfoo_s_results_whose_provider_failed_is_not_graded_as_an_empty_response(
    project: Path, kind: str
) -> None:
    results_file(project / "results.json", [("LEVEL=5", kind), (None, "")])
    done = graded(project, "results.json", *JUDGE)
    assert done.stdout.splitlines()[1] == "test-1  not graded: the row has no response"
    assert done.returncode == 5


def test_the_reason_for_a_holistic_score_is_printed(project: Path) -> None:
    done = graded(project, "-", *JUDGE, "-o", "strategy=holistic", stdin="LEVEL=4")
    assert done.stdout.splitlines()[1:] == ["  As a whole."]


def test_the_id_of_a_graded_response_cannot_control_the_terminal(project: Path) -> None:
    lines = [{"id": "s0: pass, 1.00\n\x1b[2Js1", "response": "garbage"}]
    (project / "all.jsonl").write_text(json.dumps(lines[0]) + "\n")
    done = graded(project, "all.jsonl", *JUDGE)
    assert done.stdout.startswith("s0: pass, 1.00 \ufffd[2Js1: not graded: ")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("responses", "status"),
    [
        (["LEVEL=5", "LEVEL=4"], 0),
        (["LEVEL=5", "LEVEL=2"], 1),
        (["LEVEL=2", "garbage"], 5),
        (["LEVEL=5", "garbage"], 5),
    ],
)
def test_the_exit_status_of_grade_is_that_of_the_worst_grade(project: Path, responses: list[str], status: int) -> None:
    assert graded(project, submissions(project, *responses), *JUDGE).returncode == status


# --- what is taken --------------------------------------------------------------------------------------------------


def test_a_text_file_and_standard_input_are_one_response_each(project: Path) -> None:
    (project / "answer.md").write_text("Grüße, LEVEL=5\n", encoding="utf-8")
    by_file = graded(project, "answer.md", *JUDGE, "--json")
    assert (by_file.returncode, lines_of(by_file)[0]["id"]) == (0, "answer.md")
    for arguments in (["-"], []):
        by_pipe = graded(project, *arguments, *JUDGE, "--json", stdin="LEVEL=2")
        assert (by_pipe.returncode, lines_of(by_pipe)[0]["id"]) == (1, "-")
    assert "\nGrüße, LEVEL=5\n\n</response-" in prompts_asked(project)[0]


@pytest.mark.parametrize("name", ["ALL.JSONL", "all.ndjson"])
def test_a_file_of_json_lines_is_recognized_whatever_the_case_or_variant_of_its_ending(
    project: Path, name: str
) -> None:
    (project / submissions(project, "LEVEL=5", "LEVEL=4")).rename(project / name)
    assert len(lines_of(graded(project, name, *JUDGE, "--json"))) == 2


def test_the_grade_command_takes_an_input_as_text_or_as_the_name_of_a_file(project: Path) -> None:
    (project / "rubrics" / "prose.yaml").write_text("inputs: [query, context]\n" + RUBRIC)
    (project / "context.txt").write_text("A long story.")
    inputs = ("--input", "query=a=b?", "--input", "context=@context.txt")
    done = graded(project, "-", *JUDGE, *inputs, stdin="LEVEL=5")
    assert done.returncode == 0, done.stderr
    (prompt,) = prompts_asked(project)
    assert "\na=b?\n" in prompt
    assert "\nA long story.\n" in prompt


def test_a_missing_declared_input_leaves_a_response_ungraded_and_no_judge_is_asked(project: Path) -> None:
    (project / "rubrics" / "prose.yaml").write_text("inputs: [query]\n" + RUBRIC)
    done = graded(project, "-", *JUDGE, stdin="LEVEL=5")
    assert (done.returncode, prompts_asked(project)) == (5, [])
    assert "not graded: the submission lacks 'query'" in done.stdout
    assert "the rubric needs the input 'query'; give it as --input query=TEXT or --input query=@FILE" in done.stderr


def test_a_line_of_json_gives_its_inputs_as_keys_or_under_the_key_inputs(project: Path) -> None:
    (project / "rubrics" / "prose.yaml").write_text("inputs: [query, messages]\n" + RUBRIC)
    lines = [
        {"output": "LEVEL=5", "query": "one?", "messages": [{"role": "user"}], "labels": []},
        {"id": None, "response": "LEVEL=4", "inputs": {"query": "two?", "messages": "m"}, "query": "unused"},
        {"id": 7, "response": "LEVEL=3", "query": "three?", "messages": None},
    ]
    (project / "all.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    done = graded(project, "all.jsonl", *JUDGE, "--json", "-o", "concurrency=1")
    assert [line["id"] for line in lines_of(done)] == ["1", "2", "7"]
    assert [line["error"] for line in lines_of(done)] == [None, None, "the submission lacks 'messages'"]
    first, second = prompts_asked(project)
    assert "\none?\n" in first
    assert '\n[{"role": "user"}]\n' in first
    assert "\ntwo?\n" in second
    assert "unused" not in second
    assert "warning: 1 of 3 lines have no input 'messages'; give it next to the response" in done.stderr


@pytest.mark.parametrize("nothing", ["", "\n"])
def test_empty_standard_input_is_an_error_and_an_empty_file_is_an_empty_response(project: Path, nothing: str) -> None:
    piped = graded(project, "-", *JUDGE, stdin=nothing)
    assert (piped.returncode, piped.stdout, prompts_asked(project)) == (2, "", [])
    assert "error: standard input is empty; to grade an empty response, use an empty file" in piped.stderr
    (project / "empty.txt").write_text(nothing)
    assert graded(project, "empty.txt", *JUDGE).stdout.startswith("empty.txt: ")


@pytest.mark.parametrize(
    ("content", "expected_message"),
    [
        ('{"response": null}\n{"answer": "b"}\n', "all.jsonl: no row has a response, under `response` or `output`"),
        ('["a"]\n', "all.jsonl:1: a submission has a response"),
        ('{"response": "a", "inputs": ["q"]}\n', "all.jsonl:1: inputs are texts by name, found ['q']"),
        ('{"response": "a"\n', "all.jsonl:1: is not readable JSON"),
        ('{"response": "a", "response": "b"}\n', "all.jsonl:1: is not readable JSON: the key 'response' occurs twice"),
        ('{"response": "a", "x": NaN}\n', "all.jsonl:1: is not readable JSON"),
        ("", "to grade"),
        (
            '{"id": "a", "response": "a"}\n{"id": "a", "response": "b"}\n',
            "all.jsonl:2: the id 'a' is that of line 1 already; ids are unique",
        ),
        ('{"response": "a"}\n{"id": 1, "response": "b"}\n', "all.jsonl:2: the id '1' is that of line 1 already"),
    ],
)
def test_a_faulty_line_of_responses_is_reported_by_file_and_line_before_the_judge_is_asked(
    project: Path, content: str, expected_message: str
) -> None:
    (project / "all.jsonl").write_text(content)
    done = graded(project, "all.jsonl", *JUDGE)
    assert (done.returncode, done.stdout, prompts_asked(project)) == (2, "", [])
    assert expected_message in done.stderr


@pytest.mark.parametrize(
    ("options", "expected_message"),
    [
        (["none.txt"], "none.txt: there is no such file"),
        (["none.jsonl"], "none.jsonl: there is no such file"),
        (["-", "--input", "query"], "`--input` must be NAME=TEXT or NAME=@FILE, got 'query'"),
        (["-", "--input", "query=@none.txt"], "none.txt: there is no such file"),
        (["-", "--input", "query=a", "--input", "query=b"], "`--input` gives 'query' twice"),
        (["all.jsonl", "--input", "query=a"], "--input is for a single response"),
        (["-", "-o", "strategy=guess"], "-o: `strategy` must be one of one_shot, per_criterion"),
        (["-", "--samples", "0"], "must be a whole number from 1, got 0"),
        (["-", "-o", "concurrency=none"], "must be a whole number from 1, got none"),
        (["-", "--budget", "0"], "must be a number above 0, got 0"),
        (["-", "-o", "price=cheap"], "must be IN:OUT"),
        (["-", "--judge", "oracle"], "unknown judge 'oracle'"),
        (["-", "-o", "scorers=no_such_module"], "-o scorers=no_such_module: cannot be imported"),
    ],
)
def test_a_wrong_option_of_the_grade_command_exits_2_and_says_what_is_wrong(
    project: Path, options: list[str], expected_message: str
) -> None:
    submissions(project, "LEVEL=5")
    done = graded(project, *JUDGE, *options, stdin="LEVEL=5")
    assert (done.returncode, done.stdout) == (2, "")
    assert expected_message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_or_standard_input_that_is_not_text_is_refused(project: Path) -> None:
    (project / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    done = graded(project, "photo.jpg", *JUDGE)
    assert (done.returncode, "photo.jpg is " in done.stderr) == (2, True)
    with (project / "photo.jpg").open("rb") as photo:
        piped = subprocess.run(
            [str(INSTALLED / "markscheme"), "grade", "prose", "-", *JUDGE],
            cwd=project, env=environment(), stdin=photo, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert (piped.returncode, "standard input is not UTF-8 text" in piped.stderr) == (2, True)


def test_an_input_that_the_rubric_does_not_show_to_the_judge_is_reported(project: Path) -> None:
    done = graded(project, "-", *JUDGE, "--input", "qeury=a", stdin="LEVEL=5")
    assert done.returncode == 0
    assert "warning: the rubric shows no input 'qeury'; it shows query" in done.stderr


@pytest.mark.parametrize("judge", [[], ["--judge", "anthropic"], ["--judge", "anthropic:claude-haiku-5-5"]])
def test_the_grade_command_exits_3_without_a_judge_to_ask_and_names_the_environment_variable_of_the_api_key(
    project: Path, judge: list[str]
) -> None:
    done = graded(project, "-", *judge, stdin="LEVEL=5")
    assert (done.returncode, done.stdout) == (3, "")
    assert "ANTHROPIC_API_KEY" in done.stderr


# --- how it is asked ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "calls", "score", "raw", "llm_raw"),
    [
        ("one_shot", 1, 0.75, 1.5, 1.5),
        ("per_criterion", 2, 0.75, 1.5, 1.5),
        ("double_pass", 2, 0.75, 1.5, 1.5),
        ("holistic", 1, 0.8, 1.6, 80.0),
    ],
)
def test_each_strategy_of_asking_a_judge_can_be_chosen_by_an_option_of_grade(
    project: Path, strategy: str, calls: int, score: float, raw: float, llm_raw: float
) -> None:
    done = graded(project, "-", *JUDGE, "--json", "-o", f"strategy={strategy}", stdin="LEVEL=4")
    (line,) = lines_of(done)
    assert (line["usage"]["calls"], line["score"], line["raw_score"], line["llm_raw_score"]) == (
        calls,
        score,
        raw,
        llm_raw,
    )
    if strategy == "holistic":
        assert line["criteria"] == {}
        assert line["holistic"] == {"reason": "As a whole.", "quote": None, "quote_found": None, "quote_in": None}
    if strategy == "double_pass":
        assert line["criteria"]["clear"]["votes"] == [4.0, 4.0]


def test_the_json_keeps_a_reply_without_a_readable_holistic_score(project: Path) -> None:
    done = graded(project, "-", *JUDGE, "--json", "-o", "strategy=holistic", stdin="garbage")
    assert lines_of(done)[0]["holistic"]["raw"] == "I like it."


def test_a_holistic_strategy_is_refused_for_a_rubric_with_a_required_criterion(project: Path) -> None:
    (project / "rubrics" / "prose.yaml").write_text(RUBRIC.replace("weight: 2", "weight: 2, required: true"))
    done = graded(project, "-", *JUDGE, "-o", "strategy=holistic", stdin="LEVEL=4")
    assert done.returncode == 2
    assert "cannot tell whether 'clear' fails: it is required" in done.stderr


def test_the_json_of_grade_has_the_levels_of_all_samples_of_a_judge(project: Path) -> None:
    done = graded(project, "-", *JUDGE, "--json", "--samples", "3", stdin="LEVEL=4")
    (line,) = lines_of(done)
    assert line["usage"]["calls"] == len(prompts_asked(project)) == 3
    assert line["criteria"]["clear"]["votes"] == [4.0, 4.0, 4.0]


@pytest.mark.proof  # the real model's odds are read in `tests/judges` too
def test_the_grade_command_gives_a_mean_level_weighted_by_the_token_probabilities_of_a_real_local_model(
    project: Path, local_model: Path
) -> None:
    (project / "rubrics" / "prose.yaml").write_text("criteria: [{name: clarity, description: Clear, weight: 1}]\n")
    done = graded(project, "-", "--judge", f"local:{local_model}", "--json", "-o", "expected=true", stdin="Paris.")
    expected = lines_of(done)[0]["criteria"]["clarity"]["level"]
    assert 1 < expected < 5
    assert expected != int(expected)


CHECKING = """
from markscheme.scorers import scorer

@scorer
def polite(prediction, _expected):
    return 1.0 if "please" in prediction else 0.0
"""


def test_criteria_checked_by_user_code_are_graded_only_if_the_scorers_option_names_the_module(
    project: Path,
) -> None:
    (project / "checking.py").write_text(CHECKING)
    (project / "rubrics" / "prose.yaml").write_text(
        RUBRIC + "- {name: polite, requirement: Says please, check: polite}\n"
    )
    done = graded(project, "-", *JUDGE, "--json", "-o", "scorers=checking", stdin="LEVEL=5 please")
    assert lines_of(done)[0]["criteria"]["polite"]["level"] == 1.0
    unnamed = graded(project, "-", *JUDGE, stdin="LEVEL=5 please")
    assert unnamed.returncode == 2
    assert "there is no check 'polite'" in unnamed.stderr
    assert "-o scorers=MODULE" in unnamed.stderr


def test_a_rubric_whose_criteria_are_all_checked_by_code_needs_no_judge(project: Path) -> None:
    (project / "rubrics" / "prose.yaml").write_text("criteria: [{name: form, requirement: JSON, check: json_valid}]\n")
    for text, status in (("[1]", 0), ("[1", 1)):
        done = graded(project, "-", "--json", stdin=text)
        assert (done.returncode, lines_of(done)[0]["usage"]["calls"]) == (status, 0), done.stderr


@pytest.mark.parametrize(
    ("judge", "model"),
    [
        ("{name: anthropic, model: claude-haiku-5-5}", "claude-haiku-5-5"),
        ("{model: claude-haiku-5-5}", "claude-haiku-5-5"),
        ("{name: openai, model: gpt-5}", "claude-sonnet-5-5"),
    ],
)
def test_the_model_in_a_rubric_is_used_only_with_the_judge_that_the_rubric_names(
    project: Path, front: MessagesFront, judge: str, model: str
) -> None:
    (project / "rubrics" / "prose.yaml").write_text(f"judge: {judge}\n{RUBRIC}")
    env = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": front.url}
    graded(project, "-", "--judge", "anthropic", stdin="LEVEL=5", env=env)
    assert [request.body["model"] for request in front.requests] == [model]


def test_the_grade_command_keeps_to_the_limit_on_concurrent_calls_and_prints_no_api_key(
    project: Path, front: MessagesFront
) -> None:
    file = submissions(project, *(f"LEVEL={n % 5 + 1} of {n}" for n in range(12)))
    env = {"ANTHROPIC_API_KEY": "a-key-nobody-may-see", "ANTHROPIC_BASE_URL": front.url}
    done = graded(project, file, "--judge", "anthropic", "-o", "concurrency=3", "--json", env=env)
    assert (len(front.requests), front.most_in_flight) == (12, 3)
    assert all(line["usage"]["input_tokens"] == 100 for line in lines_of(done))
    assert "nobody-may-see" not in done.stdout + done.stderr


# --- going on where it was ------------------------------------------------------------------------------------------


@pytest.fixture
def front() -> Iterator[MessagesFront]:
    """Start a slow Messages server that answers as the graded response tells it to."""

    def decide(request: Request) -> Answer:
        level = request.body["messages"][0]["content"].split("LEVEL=")[1][0]
        reasoned = {"quote": "nothing to quote", "reason": "It is."}
        verdicts = {"clear": reasoned | {"level": level}, "rude": reasoned | {"level": "UNMET"}}
        return late(message(json.dumps({"verdicts": verdicts}), tokens=(100, 50)), 0.05)

    with MessagesFront(decide) as running:
        yield running


def test_a_second_run_of_the_grade_command_asks_again_only_for_unreadable_replies_and_prints_the_same_grades(
    project: Path,
) -> None:
    file = submissions(project, *(f"LEVEL={n % 5 + 1} of {n}" for n in range(20)), "garbage")
    first, second = (graded(project, file, *JUDGE, "--json") for _ in range(2))
    assert [line["usage"]["calls"] for line in lines_of(second)] == [0] * 20 + [2]
    assert len(prompts_asked(project)) == 20 + 2 + 2
    told = [[{**line, "usage": None} for line in lines_of(done)] for done in (first, second)]
    assert told[0] == told[1]
    assert (first.returncode, second.returncode) == (5, 5)


def test_the_grade_command_asks_everything_again_and_keeps_nothing_if_the_cache_is_off(project: Path) -> None:
    for _ in range(2):
        graded(project, "-", *JUDGE, "-o", "cache=off", stdin="LEVEL=5")
    assert len(prompts_asked(project)) == 2
    assert not (project / "cache").exists()


def test_a_killed_run_of_grade_continues_where_it_stopped(project: Path, front: MessagesFront) -> None:
    file = submissions(project, *(f"LEVEL={n % 5 + 1} of {n}" for n in range(60)))
    where = {"MARKSCHEME_CACHE": str(project / "cache")}
    env = environment({**where, "ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": front.url})
    command = [str(scripts() / "markscheme"), "grade", "prose", file, "-o", "concurrency=4", "--json"]
    front.held_from = 20
    with (project / "out.jsonl").open("w") as out:
        process = subprocess.Popen(command, cwd=project, env=env, stdout=out, stderr=subprocess.PIPE)
        deadline = time.monotonic() + SECONDS
        while len(front.requests) < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()  # its output ends when it has ended
    front.held_from = None
    printed = (project / "out.jsonl").read_text().splitlines()
    assert 20 <= len(front.requests) < 60
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False)
    assert [line["id"] for line in lines_of(done)] == [f"s{n}" for n in range(60)]
    assert [json.loads(line)["score"] for line in printed] == [line["score"] for line in lines_of(done)][: len(printed)]
    assert len({request.body["messages"][0]["content"] for request in front.requests}) == 60
    assert len(front.requests) - 60 <= 4  # those under way when it was killed


# --- tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ending", "mark"), [("csv", ","), ("csv", ";"), ("TSV", "\t")])
def test_each_row_of_a_table_is_graded_and_the_columns_used_are_named(project: Path, ending: str, mark: str) -> None:
    rows = [["query", "output", "id"], ["why?", "LEVEL=5", "a"], ["how?", "LEVEL=1", ""]]
    (project / f"rows.{ending}").write_text("".join(mark.join(row) + "\n" for row in rows))
    done = graded(project, f"rows.{ending}", *JUDGE, "--json")
    assert [(line["id"], line["criteria"]["clear"]["level"]) for line in lines_of(done)] == [("a", 5), ("2", 1)]
    (warning,) = [line for line in done.stderr.splitlines() if line.startswith(f"rows.{ending}: ")]
    assert "column output" in warning
    assert warning.endswith("inputs: query")


@pytest.mark.parametrize(
    ("text", "expected_message"),
    [
        (
            "id,text\na,LEVEL=5\n",
            "rows.csv: no column holds the responses: --response names it, one of 'id' and 'text'",
        ),
        ("id,answer\na,LEVEL=5\nb,c,d\n", "rows.csv:3: has another number of cells"),
        ("id,answer\na,LEVEL=5\na,LEVEL=4\n", "rows.csv:3: the id 'a'"),
        ("id,answer\n", "to grade"),
    ],
)
def test_a_table_with_a_faulty_row_is_refused_with_the_row_s_line_number(
    project: Path, text: str, expected_message: str
) -> None:
    (project / "rows.csv").write_text(text)
    done = graded(project, "rows.csv", *JUDGE)
    assert (done.returncode, done.stdout) == (2, "")
    assert expected_message in done.stderr
    assert prompts_asked(project) == []


# --- money ----------------------------------------------------------------------------------------------------------


def test_the_grade_command_with_a_budget_for_a_model_without_a_known_price_exits_2_and_says_what_to_do(
    project: Path, front: MessagesFront
) -> None:
    env = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": front.url}
    done = graded(project, submissions(project, "LEVEL=5"), *UNKNOWN_MODEL, "--budget", "1", env=env)
    assert (done.returncode, done.stdout, front.requests) == (2, "", [])
    assert "-o price=IN:OUT" in done.stderr


def test_a_budget_needs_no_stated_price_if_the_model_is_in_the_price_list(project: Path, front: MessagesFront) -> None:
    env = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": front.url}
    known = ("--judge", "anthropic:claude-haiku-4-5", "--json")
    done = graded(project, submissions(project, "LEVEL=5"), *known, "--budget", "1", env=env)
    assert done.returncode == 0, done.stderr
    haiku = 100 * 1e-6 + 50 * 5e-6  # $1 in, $5 out per million: Anthropic's price list, 2025-10
    assert lines_of(done)[0]["usage"]["usd"] == pytest.approx(haiku)
    spent = graded(project, submissions(project, "LEVEL=4"), *known, "--budget", "0.001", env=env)
    assert (spent.returncode, len(front.requests)) == (5, 1)


@pytest.mark.proof
def test_once_the_budget_is_spent_the_grade_command_prints_the_grades_so_far_and_exits_5(
    project: Path, front: MessagesFront
) -> None:
    file = submissions(project, *(f"LEVEL=5 of {n}" for n in range(30)))
    env = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": front.url}
    price = ("--judge", "anthropic", "-o", "price=10:100", "--json")
    # an answered call costs $0.006; before it is answered, one may cost over 4096 tokens at $100 a million
    done = graded(project, file, *price, "--budget", "0.5", env=env)
    lines, paid = lines_of(done), [request.body["messages"][0]["content"] for request in front.requests]
    assert done.returncode == 5
    assert [line["id"] for line in lines] == [f"s{n}" for n in range(30)]
    kept = [line for line in lines if line["error"] is None]
    assert 0 < len(kept) == len(paid) < 30
    assert all(line["usage"]["usd"] == pytest.approx(0.006) for line in kept)
    assert sum(line["usage"]["usd"] for line in kept) < 0.5
    assert all("not asked: the next call may cost $0.4" in line["error"] for line in lines if line not in kept)
    assert "the budget of $0.5 has $0." in done.stderr
    assert f"{len(kept)} of 30 are graded" in done.stderr

    again = graded(project, file, *price, "--budget", "5", "-o", "concurrency=1", env=env)
    assert (again.returncode, [line["error"] for line in lines_of(again)]) == (0, [None] * 30)
    assert len(front.requests) == 30
    assert [line["usage"]["calls"] for line in lines_of(again)].count(0) == len(kept)


def test_the_cost_of_a_model_without_a_known_price_is_null_in_the_json(project: Path, front: MessagesFront) -> None:
    env = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": front.url}
    done = graded(project, submissions(project, "LEVEL=5"), *UNKNOWN_MODEL, "--json", env=env)
    assert lines_of(done)[0]["usage"] == {"calls": 1, "input_tokens": 100, "output_tokens": 50, "usd": None}
