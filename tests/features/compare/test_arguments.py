"""Faults in the words that follow `compare`."""

import json
from pathlib import Path

import pytest

from markscheme.commands.call import parse
from markscheme.errors import UsageError
from markscheme.options.settings import SettingsFile
from tests.commands.console import run
from tests.commands.judged_project import make_project


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("compare", ["--json", "nowhere.json", "b"], "`--json` prints to standard output here"),
    ],
)
def test_a_wrong_option_or_value_of_compare_is_refused_and_the_error_says_what_is_allowed(
    command: str, words: list[str], message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        parse(command, words, SettingsFile())
    assert message in str(refused.value)


@pytest.mark.proof
def test_every_rater_in_several_files_of_ratings_is_calibrated_as_a_judge(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    text = (project / "gpt.jsonl").read_text()
    lines = [{**json.loads(line), "judge": "other"} for line in text.splitlines()]
    (project / "other.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rater = json.loads(text.splitlines()[0])["judge"]
    arguments = ("calibrate", "manners", "--quiet", "--json", "-", "--ratings", "gpt.jsonl")
    after_one_name = run(*arguments, "other.jsonl", cwd=project)
    repeated = run(*arguments, "--ratings", "other.jsonl", cwd=project)
    assert [judge["judge"]["name"] for judge in json.loads(after_one_name.stdout)["judges"]] == [rater, "other"]
    assert (after_one_name.stdout, after_one_name.returncode) == (repeated.stdout, repeated.returncode)
    missing = run(*arguments, "none.jsonl", cwd=project)
    assert (missing.returncode, "there is no file of ratings none.jsonl" in missing.stderr) == (2, True)


def test_compare_uses_the_model_in_the_settings_file_for_none_of_its_judges() -> None:
    settings = SettingsFile(Path("markscheme.toml"), {"judge": "openai", "model": "gpt-5-mini"})
    assert "ask" not in parse("compare", ["anthropic"], settings).bound.arguments
