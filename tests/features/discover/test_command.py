"""`markscheme discover` as a user runs it: from outputs and notes to a rubric and its first labels."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from markscheme.features.discover.open_discovery import open_discovery
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run

FAULTS = {
    "wrong-price": "The reply states a price that is not in the price list.",
    "too-long": "The reply is too long.",
}


def fault_of(place: int) -> str:
    return "wrong-price" if place % 5 == 1 else "too-long" if place % 7 == 2 else ""


def write_project(folder: Path) -> Path:
    """Write 200 outputs, and notes on the first 60, a random draw; each fault was named when it was first seen."""
    with (folder / "outputs.jsonl").open("w") as file:
        for place in range(200):
            words = f"Only {place} euros, the old list says." if fault_of(place) == "wrong-price" else "Hello there."
            file.write(json.dumps({"id": f"o{place}", "query": "How much?", "response": f"{place}: {words}"}) + "\n")
    rows = []
    for place in range(60):
        row: dict[str, Any] = {"id": f"o{place}", "rater": "ann", "kind": "human"}
        name = fault_of(place)
        if name:
            quote = "the old list says" if name == "wrong-price" else ""
            row |= {"note": f"shows {name}", "mode": name, "definition": FAULTS[name], "severity": 3, "quote": quote}
        rows.append({"note": "", **row})
    (folder / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "judges.py").write_text(
        "import json\n\n\ndef judge(system_prompt, user_prompt, schema=None):\n"
        "    names = schema['properties']['verdicts']['properties']\n"
        "    verdict = {'quote': 'nothing to quote', 'reason': 'r', 'level': 'UNMET'}\n"
        "    return json.dumps({'verdicts': {name: verdict for name in names}})\n\n\n"
        "def groups(system_prompt, user_prompt, schema=None):\n"
        "    lines = [line for line in user_prompt.splitlines() if line[:1].isdigit()]\n"
        "    by_name = {}\n"
        "    for line in lines:\n"
        "        number, _, text = line.partition('. ')\n"
        "        by_name.setdefault(text.split()[-1], []).append(int(number))\n"
        "    modes = [{'name': n, 'definition': f'It is {n}.', 'notes': notes} for n, notes in by_name.items()]\n"
        "    return json.dumps({'modes': modes})\n"
    )
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """200 outputs, and notes on the first 60, which are a random draw; each fault was named when it was first seen."""
    return write_project(tmp_path)


def discover(project: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = run("markscheme", "discover", "reply", "--json", *options, cwd=project)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_from_notes_on_a_random_draw_discover_reports_shares_of_failure_modes_and_a_bound_on_unseen_modes(
    project: Path,
) -> None:
    status, data = discover(project, "--pool", "outputs.jsonl", "--notes", "notes.jsonl", "--random")
    assert status == 0
    assert (data["pool"], data["read"]) == (200, {"random": 60, "chosen": 0, "unclear": 0})
    price = data["modes"][0]
    assert (price["name"], price["count"], price["read_for"]) == ("wrong-price", 12, 58)
    assert price["share"]["value"] == pytest.approx(11 / 58)
    assert price["again"] == ["o0"]
    assert 0.05 < data["new_mode"]["bound"] < 0.15
    assert data["next"][0] == {
        "command": "markscheme discover reply --again",
        "who": "person",
        "why": "read 1 output again for wrong-price",
    }
    assert data["next"][-1]["command"] == "markscheme discover reply --write"


def test_discover_without_its_random_option_reports_counts_of_failure_modes_and_no_shares(project: Path) -> None:
    status, data = discover(project, "--notes", "notes.jsonl")
    assert status == 4
    assert data["read"] == {"random": 0, "chosen": 60, "unclear": 0}
    assert [mode["share"] for mode in data["modes"]] == [None, None]
    assert data["new_mode"]["bound"] is None
    printed = run("markscheme", "discover", "reply", "--report", cwd=project).stdout
    assert "Counts only" in printed
    assert "%" not in printed


def test_discover_warns_of_an_output_that_has_notes_but_is_missing_from_the_pool(project: Path) -> None:
    with (project / "notes.jsonl").open("a") as file:
        file.write(json.dumps({"id": "o999", "note": "is rude", "rater": "ann", "kind": "human"}) + "\n")
    options = ("--pool", "outputs.jsonl", "--notes", "notes.jsonl", "--random")
    done = run("markscheme", "discover", "reply", *options, cwd=project)
    assert "note: outputs.jsonl lacks 1 output with notes, counted as read all the same: check o999\n" in done.stdout


def test_importing_the_same_notes_twice_changes_nothing(project: Path) -> None:
    first = discover(project, "--pool", "outputs.jsonl", "--notes", "notes.jsonl", "--random")
    files = {path: path.read_bytes() for path in (project / "calibration").rglob("*") if path.is_file()}
    assert discover(project, "--notes", "notes.jsonl", "--random") == first
    assert {path: path.read_bytes() for path in (project / "calibration").rglob("*") if path.is_file()} == files


def test_a_file_of_ids_that_is_not_text_is_refused_with_its_name_and_line(project: Path) -> None:
    discover(project, "--pool", "outputs.jsonl", "--notes", "notes.jsonl", "--random")
    (project / "ids.txt").write_bytes(b"o1\n\xff\n")
    done = run("markscheme", "discover", "reply", "--also", "ids.txt", "--sheet", "sheet.html", cwd=project)
    assert done.returncode == 2
    assert done.stderr == "error: ids.txt:2: is not UTF-8 text\n"


def test_if_notes_are_in_no_failure_mode_the_next_step_is_to_group_them(project: Path) -> None:
    rows = [{"id": "o1", "note": "bad", "rater": "ann", "kind": "human"}]
    (project / "free.jsonl").write_text(json.dumps(rows[0]) + "\n")
    status, data = discover(project, "--pool", "outputs.jsonl", "--notes", "free.jsonl")
    assert (status, data["unsorted"], data["modes"]) == (4, 1, [])
    assert data["unsorted_notes"] == [{"note": "ann/o1/1", "text": "bad", "quote": ""}]
    assert "Group the notes first." in run("markscheme", "discover", "reply", "--report", cwd=project).stdout
    refused = run("markscheme", "discover", "reply", "--write", cwd=project)
    assert refused.returncode == 4
    assert "no person has confirmed a mode" in refused.stderr


def test_notes_that_an_agent_sorts_into_failure_modes_wait_for_a_person_s_confirmation(project: Path) -> None:
    row = {"id": "o1", "note": "bad", "rater": "ann", "kind": "human"}
    second = {"id": "o2", "note": "bad too", "rater": "ann", "kind": "human"}
    (project / "free.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(second) + "\n")
    discover(project, "--pool", "outputs.jsonl", "--notes", "free.jsonl")
    lines = [{"mode": "bad", "definition": "It is bad."}] + [{"note": f"ann/o{n}/1", "modes": ["bad"]} for n in (1, 2)]
    (project / "groups.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    _, data = discover(project, "--assign", "groups.jsonl")
    assert (data["suggestions"], data["unsorted"], data["modes"]) == (2, 2, [])
    assert data["next"][0]["who"] == "person"
    assert run("markscheme", "discover", "reply", "--write", cwd=project).returncode == 4
    _, data = discover(project, "--assign", "groups.jsonl", "--kind", "human", "--rater", "ann")
    assert (data["suggestions"], data["unsorted"]) == (0, 0)
    assert [(mode["name"], mode["count"]) for mode in data["modes"]] == [("bad", 2)]
    assert run("markscheme", "discover", "reply", "--write", cwd=project).returncode == 0


def test_a_model_s_groups_of_notes_are_reported_as_suggestions_and_not_as_failure_modes(
    project: Path,
) -> None:
    (project / "free.jsonl").write_text(
        "".join(
            json.dumps({"id": f"o{n}", "note": f"is {n % 2}", "rater": "a", "kind": "human"}) + "\n" for n in range(8)
        )
    )
    discover(project, "--pool", "outputs.jsonl", "--notes", "free.jsonl")
    status, plan = discover(project, "--suggest", "function:judges:groups", "--plan")
    assert (status, plan["calls"], plan["notes"]) == (0, 2, 8)
    assert discover(project, "--report")[1]["suggestions"] == 0
    status, data = discover(project, "--suggest", "function:judges:groups")
    assert status == 0
    assert data["agreement"] == 1.0
    assert sorted(len(mode["notes"]) for mode in data["modes"]) == [4, 4]
    _, report = discover(project, "--report")
    assert (report["suggestions"], report["modes"]) == (8, [])


def written(project: Path) -> dict[str, Any]:
    discover(project, "--pool", "outputs.jsonl", "--notes", "notes.jsonl", "--random")
    status, data = discover(project, "--write")
    assert status == 0
    return data


def test_labels_written_by_discover_contain_only_what_readers_stated(
    project: Path,
) -> None:
    written(project)
    folder = project / "calibration" / "reply"
    labels = [json.loads(line) for line in (folder / "ratings" / "ann.jsonl").read_text().splitlines()]
    assert {level["level"] for label in labels for level in label["criteria"].values()} == {1.0}
    assert all(label["blind"] and label["kind"] == "human" for label in labels)
    examples = [json.loads(line) for line in (folder / "examples.jsonl").read_text().splitlines()]
    assert {example["split"] for example in examples} == {"dev"}
    by_label = {True: {"chosen"}, False: {"random"}}
    labelled = {label["id"] for label in labels}
    for example in examples:
        assert example["drawn"] in by_label[example["id"] in labelled]
    assert len(labels) == sum(bool(fault_of(place)) for place in range(60))
    assert len(examples) == 60


def test_outputs_whose_readers_checked_every_failure_mode_are_labelled_on_all_modes_and_count_as_random(
    project: Path,
) -> None:
    rows = [json.loads(line) for line in (project / "notes.jsonl").read_text().splitlines()]
    (project / "notes.jsonl").write_text("".join(json.dumps({**row, "read": "in full"}) + "\n" for row in rows))
    written(project)
    folder = project / "calibration" / "reply"
    labels = [json.loads(line) for line in (folder / "ratings" / "ann.jsonl").read_text().splitlines()]
    assert len(labels) == 60
    assert all(set(label["criteria"]) == {"wrong-price", "too-long"} for label in labels)
    examples = [json.loads(line) for line in (folder / "examples.jsonl").read_text().splitlines()]
    assert {example["drawn"] for example in examples} == {"random"}


def test_labels_written_by_discover_alone_never_let_a_judge_gate_or_show_trends(project: Path) -> None:
    written(project)
    done = run(
        "markscheme", "calibrate", "reply", "--judge", "function:judges:judge", "--json", "-", "--quiet", cwd=project
    )
    data = json.loads(done.stdout)
    assert data["use"] in ("explore", "none")


def test_the_rubric_that_discover_writes_has_a_criterion_for_each_failure_mode_with_its_weight_and_examples(
    project: Path,
) -> None:
    data = written(project)
    assert data["criteria"] == ["wrong-price", "too-long"]
    file = project / "rubrics" / "reply.yaml"
    assert [criterion.name for criterion in load_rubric(file).criteria] == data["criteria"]
    price = yaml.safe_load(file.read_text())["criteria"][0]
    assert (price["requirement"], price["weight"], price["required"]) == (FAULTS["wrong-price"], -3, True)
    assert "    weight: -3\n" in file.read_text()
    assert price["examples"] == {"bad": "the old list says"}
    assert data["lenders"] == ["o1"]
    assert "check" not in price
    assert "docs/howto/when-code.md" in file.read_text()


def test_discover_adds_new_failure_modes_to_an_existing_rubric_and_keeps_its_comments(project: Path) -> None:
    (project / "rubrics").mkdir()
    criterion = "  - name: wrong-price  # the worst\n    requirement: A wrong price.\n    weight: -3\n"
    before = f"# ours\ncriteria:\n{criterion}# end\n"
    (project / "rubrics" / "reply.yaml").write_text(before)
    data = written(project)
    after = (project / "rubrics" / "reply.yaml").read_text()
    assert data["criteria"] == ["wrong-price", "too-long"]
    assert after.startswith(before.removesuffix("# end\n"))
    assert after.endswith("# end\n")
    _, again = discover(project, "--write")
    assert again["criteria"] == data["criteria"]
    assert (project / "rubrics" / "reply.yaml").read_text() == after


def test_discover_never_writes_to_a_rubric_that_comes_with_markscheme(project: Path) -> None:
    shipped = Path(__file__).parents[3] / "rubrics" / "code-quality.yaml"
    before = shipped.read_bytes()
    take = ("--pool", "outputs.jsonl", "--notes", "notes.jsonl", "--random", "--json")
    run("markscheme", "discover", "code-quality", *take, cwd=project)
    done = run("markscheme", "discover", "code-quality", "--write", "--json", cwd=project)
    assert json.loads(done.stdout)["criteria"] == ["wrong-price", "too-long"]
    assert (project / "rubrics" / "code-quality.yaml").is_file()
    assert shipped.read_bytes() == before


def test_discover_asks_for_the_pool_option_if_the_pool_file_was_moved(project: Path) -> None:
    discover(project, "--pool", "outputs.jsonl", "--notes", "notes.jsonl")
    (project / "outputs.jsonl").rename(project / "elsewhere.jsonl")
    done = run("markscheme", "discover", "reply", "--report", cwd=project)
    assert done.returncode == 2
    assert "--pool FILE" in done.stderr
    assert discover(project, "--pool", "elsewhere.jsonl", "--report")[1]["pool"] == 200


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--plan"], "--suggest"),
        (["--assign", "notes.jsonl", "--kind", "human"], "--rater"),
        (["--notes", "outputs.jsonl"], "no column holds notes: --map COLUMN=note"),
        (["--notes", "nowhere.csv"], "there is no such file"),
        (["--report", "--unseen", "0"], "must be above 0 and below 1"),
        (["--report", "--unseen", "5%"], "must be above 0 and below 1, got 5%; did you mean 0.05?"),
        (["--report", "--sure", "1"], "must be above 0 and below 1"),
        (["--report", "--again"], "--report and --again are two steps: run one after the other"),
        (["--html", "r.html", "--sheet", "s.html"], "--html and --sheet are two steps: run one after the other"),
        (["--write", "--markdown", "r.md"], "--write and --markdown are two steps: run one after the other"),
    ],
)
def test_options_of_discover_that_cannot_work_together_are_refused_with_advice(
    project: Path, options: list[str], says: str
) -> None:
    done = run("markscheme", "discover", "reply", *options, cwd=project)
    assert done.returncode == 2
    assert says in done.stderr


def test_the_number_of_outputs_to_read_is_computed_for_failure_modes_of_any_rarity(project: Path) -> None:
    discover(project, "--notes", "notes.jsonl", "--random")
    _, report = discover(project, "--report", "--unseen", "0.0005")
    assert report["read_more"]["all"] > report["read_more"]["more"] > 4000


def test_discover_s_page_and_markdown_show_how_many_failure_modes_were_seen_after_each_number_of_outputs(
    project: Path,
) -> None:
    discover(project, "--pool", "outputs.jsonl", "--notes", "notes.jsonl", "--random")
    done = run("markscheme", "discover", "reply", "--details", "--html", "r.html", "--markdown", "r.md", cwd=project)
    assert "█" in done.stdout
    heading = "reply · 60 of 200 outputs read (60 at random, 0 chosen), 19 notes, 19 in 2 modes · ann"
    assert " ".join(done.stdout.split()).startswith(heading)
    page = (project / "r.html").read_text()
    assert "averaged over orders" in page
    assert "<svg" in page
    assert "<code>markscheme discover reply --write</code>" in page
    assert "| modes seen after … outputs read | 10 | 20 | 30 | 40 | 50 | 60 |" in (project / "r.md").read_text()


def test_the_seed_given_when_a_discovery_begins_fixes_the_reading_order_of_later_runs(project: Path) -> None:
    orders = []
    (project / ".git").mkdir(exist_ok=True)  # a discovery reads outputs of its own repository
    for seed, folder in (("1", "one"), ("7", "seven"), ("7", "again")):
        here = project / folder
        here.mkdir()
        discover(here, "--pool", str(project / "outputs.jsonl"), "-o", f"seed={seed}", "--report")
        record = json.loads((here / "calibration" / "reply" / "discover.json").read_text())
        assert record["seed"] == int(seed)
        orders.append(open_discovery("reply", here).order.ids)
    assert orders[0] != orders[1] == orders[2]
    discover(project / "seven", "--pool", str(project / "outputs.jsonl"), "-o", "seed=2", "--report")
    assert open_discovery("reply", project / "seven").seed == 7
