"""Files of annotation tools whose records differ from export to export: Argilla, Ragas, Braintrust and Prodigy."""

import copy
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.readers import exports


def calibrated(folder: Path, data: Any, *options: str) -> dict[str, Any]:
    """Write a file, and return what `calibrate` says of it as JSON."""
    (folder / "file.json").write_text(json.dumps(data), encoding="utf-8")
    done = run("calibrate", "file.json", *options, "--json", "-", cwd=folder)
    assert done.stdout, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def labels_of(folder: Path, data: Any, *options: str) -> set[tuple[str, float, bool]]:
    """Return rater, level and blindness of each rating that people gave in a file, by `import`."""
    (folder / "file.json").write_text(json.dumps(data), encoding="utf-8")
    done = run("markscheme", "import", "file.json", "--to", "out.jsonl", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    return {
        (line["rater"], rated["level"], line.get("blind", True))
        for line in lines
        if line["kind"] == "human"
        for rated in line["criteria"].values()
    }


# --- Argilla ----------------------------------------------------------------------------------------------------------


def flattened(records: list[dict[str, Any]], status: str = "submitted") -> list[dict[str, Any]]:
    """Return records as Argilla's `to_list(flatten=True)` makes them; ben's answers have the given status."""
    flat = []
    for record in records:
        answers = record["responses"]["place"]
        suggestion = record["suggestions"]["place"]
        flat.append(
            {"id": record["id"], "status": "pending", "_server_id": None, **record["fields"],
             "place.responses": [answer["value"] for answer in answers],
             "place.responses.users": [answer["user_id"] for answer in answers],
             "place.responses.status": ["submitted", status],
             "place.suggestion": suggestion["value"], "place.suggestion.score": None,
             "place.suggestion.agent": suggestion["agent"]}
        )  # fmt: skip
    return flat


def test_flattened_records_of_argilla_give_the_figures_of_nested_ones(tmp_path: Path) -> None:
    records = exports.argilla()["records.json"]
    nested, flat = (calibrated(tmp_path, data)["metrics"] for data in (records, flattened(records)))
    assert nested[0]["calibration"]["agreement"] == flat[0]["calibration"]["agreement"]
    assert nested[0]["calibration"]["agreement_person"] == flat[0]["calibration"]["agreement_person"]


def test_drafts_among_answers_in_argilla_s_records_are_counted_as_left_out(tmp_path: Path) -> None:
    answer = calibrated(tmp_path, flattened(exports.argilla()["records.json"], status="draft"))
    assert answer["metrics"][0]["calibration"]["raters"]["kinds"] == {"human": 1}
    assert answer["lost"] == {"answers that weren't submitted": 6}


def test_answers_in_words_to_a_question_of_argilla_are_no_ratings(tmp_path: Path) -> None:
    records = exports.argilla()["records.json"]
    for number, record in enumerate(records):
        record["responses"]["why"] = [{"value": f"names town {number}", "user_id": "ann"}]
        record["responses"]["part"] = [{"value": "partly right", "user_id": "ann"}]
    answer = calibrated(tmp_path, records)
    assert answer["lost"] == {
        "answers to 'why' in words": 6,
        "ratings of 'part', which isn't a criterion of place": 6,  # words without levels
    }
    assert [metric["metric"] for metric in answer["metrics"]] == ["place"]


def test_a_question_of_argilla_with_several_choices_is_counted_as_left_out(tmp_path: Path) -> None:
    records = exports.argilla()["records.json"]
    for record in records:
        record["responses"]["tags"] = [{"value": ["short", "kind"], "user_id": "ann"}]
    assert calibrated(tmp_path, records)["lost"] == {"answers to 'tags' with 2 choices": 6}


def test_passages_marked_in_argilla_are_counted_as_choices_and_not_as_words(tmp_path: Path) -> None:
    records = exports.argilla()["records.json"]
    for start, record in enumerate(records):
        marked = [{"start": start, "end": start + 5, "label": "vague"}]
        record["responses"]["passages"] = [{"value": marked, "user_id": "ann"}]
    lost = calibrated(tmp_path, records)["lost"]
    assert lost == {"answers to 'passages' with 1 choices": len(records)}


def test_the_map_option_names_the_field_of_argilla_s_records_that_holds_the_response(tmp_path: Path) -> None:
    records = exports.argilla()["records.json"]
    for record in records:
        record["fields"]["draft of the desk"] = record["fields"].pop("reply")
    assert "records whose response isn't known" in calibrated(tmp_path, records)["lost"]
    named = calibrated(tmp_path, records, "--map", "draft of the desk=response")
    assert (named["lost"], len(named["metrics"])) == ({}, 1)


# --- Ragas ------------------------------------------------------------------------------------------------------------


def test_accepting_or_editing_an_output_of_a_ragas_metric_counts_as_a_label_that_is_not_blind(tmp_path: Path) -> None:
    samples = exports.ragas()["annotated.json"]
    agreement = calibrated(tmp_path, samples)["metrics"][0]["calibration"]["agreement"]
    assert (agreement["value"], agreement["n"]) == (pytest.approx(4 / 6), 6)
    assert labels_of(tmp_path, samples, "--rater", "ann") == {("ann", 1.0, False), ("ann", 0.0, False)}


def test_a_target_in_ragas_annotations_is_read_as_the_label_whether_or_not_the_output_was_accepted(
    tmp_path: Path,
) -> None:
    samples = copy.deepcopy(exports.ragas()["annotated.json"])
    for sample in samples["place"]:
        sample["target"] = sample["metric_output"]
    agreement = calibrated(tmp_path, samples)["metrics"][0]["calibration"]["agreement"]
    assert (agreement["value"], agreement["n"]) == (1.0, 6)


def test_a_rejected_output_of_ragas_without_the_right_value_is_counted_as_left_out(tmp_path: Path) -> None:
    samples = copy.deepcopy(exports.ragas()["annotated.json"])
    for sample in samples["place"]:
        sample["prompts"]["critic"]["edited_output"] = None
    answer = calibrated(tmp_path, samples)
    assert answer["lost"] == {"outputs of 'place' that were rejected without the right value": 2}
    assert answer["metrics"][0]["calibration"]["agreement"]["n"] == 4


def test_samples_of_two_ragas_metrics_with_equal_inputs_are_one_response(tmp_path: Path) -> None:
    samples = exports.ragas()["annotated.json"]
    data = {"place": samples["place"], "tone": samples["place"]}
    (tmp_path / "file.json").write_text(json.dumps(data))
    done = run("markscheme", "import", "file.json", "--examples", "e.jsonl", "--to", "r.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "e.jsonl").read_text().splitlines()) == 6


def test_a_ragas_list_of_samples_without_a_metric_s_name_gets_the_file_s_name_as_its_metric(tmp_path: Path) -> None:
    (metric,) = calibrated(tmp_path, exports.ragas()["annotated.json"]["place"])["metrics"]
    assert (metric["metric"], metric["calibration"]["agreement"]["n"]) == ("file", 6)


# --- Braintrust -------------------------------------------------------------------------------------------------------


def test_braintrust_scores_that_no_step_computed_are_refused_until_the_kind_option_says_who_gave_them(
    tmp_path: Path,
) -> None:
    events = exports.braintrust()["experiment.json"]
    (tmp_path / "file.json").write_text(json.dumps(events))
    done = run("calibrate", "file.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "6 of 'ann' by ann; 6 of 'ben' by ben. Pass `--kind human`" in done.stderr


def test_if_judge_and_people_use_different_metric_names_the_error_suggests_map_options_that_join_them(
    tmp_path: Path,
) -> None:
    error = calibrated(tmp_path, exports.braintrust()["experiment.json"], "--kind", "human")["error"]
    assert error["code"] == "metrics-apart"
    assert [shlex.split(command)[-1] for command in error["commands"]] == ["ann=judge-1", "ben=judge-1"]
    joined = json.loads(run(*shlex.split(error["commands"][0]), "--json", "-", cwd=tmp_path).stdout)
    assert joined["metrics"][0]["calibration"]["agreement"]["value"] == pytest.approx(4 / 6)


# --- Prodigy ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_choice", [True, False])
def test_choices_and_accepted_labels_in_prodigy_s_tasks_give_the_annotators_agreement(
    is_choice: bool, tmp_path: Path
) -> None:
    tasks = exports.prodigy()["tasks.json"]
    for task in tasks:
        if not is_choice:
            (word,) = task.pop("accept")
            task |= {"label": "PLACE", "answer": "accept" if word == "pass" else "reject"}
    answer = calibrated(tmp_path, tasks)
    assert answer["agreement_person"]["value"] == pytest.approx(5 / 6)


def test_tasks_of_prodigy_that_annotators_ignored_are_counted_as_left_out(tmp_path: Path) -> None:
    tasks = exports.prodigy()["tasks.json"]
    tasks[0]["answer"] = "ignore"
    (tmp_path / "file.json").write_text(json.dumps(tasks))
    done = run("markscheme", "import", "file.json", "--to", "out.jsonl", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["lost"] == {"tasks that annotators ignored": 1}


def test_the_map_option_joins_prodigy_s_choices_to_a_criterion_and_names_the_field_with_the_response(
    tmp_path: Path,
) -> None:
    tasks = [{**task, "html": f"<b>{task.pop('text')}</b>"} for task in exports.prodigy()["tasks.json"]]
    options = ("--map", "choice=place", "--map", "html=response", "--examples", "e.jsonl")
    assert labels_of(tmp_path, tasks, *options) == {
        (rater, level, True) for rater in ("ann", "ben") for level in (0.0, 1.0)
    }
    responses = [json.loads(line)["response"] for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    assert all(response.startswith("<b>") for response in responses)
