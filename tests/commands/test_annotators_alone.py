"""`calibrate` without a judge: how far annotators agree, in a table or in a file of ratings, and what to do then."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.calibration.test_agreement_of_a_table import SHROUT_FLEISS, YES_NO
from tests.commands.console import run


def figures(folder: Path, *arguments: str) -> dict[str, Any]:
    done = run("calibrate", *arguments, "--json", "-", cwd=folder)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def onward(folder: Path, *arguments: str) -> str:
    """Return the next step that `calibrate` prints, on one line; "" if it prints none."""
    done = run("calibrate", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    _, output, rest = " ".join(done.stdout.split()).partition("Next")
    return output + rest.partition(" Full report")[0]


@pytest.mark.proof
def test_calibrate_prints_the_agreement_of_two_annotators_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(YES_NO, encoding="utf-8")
    report = figures(tmp_path, "table.csv", "--human", "one", "two")
    assert (report["scale"], report["levels"], report["units"]) == ("nominal", ["no", "yes"], 50)
    assert report["agreement_person"]["value"] == report["all_agree"]["value"] == pytest.approx(0.7)
    assert report["statistics"]["cohen_kappa"]["value"] == pytest.approx(0.4)
    assert report["alpha"] == report["statistics"]["krippendorff_alpha"]
    shown = run("calibrate", "table.csv", "--human", "one", "two", "--details", cwd=tmp_path).stdout
    assert "The two annotators agree on 70% (55–82) of examples." in " ".join(shown.split())
    assert "cohen kappa" in shown


@pytest.mark.proof
def test_published_intraclass_correlations_are_reproduced(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(SHROUT_FLEISS, encoding="utf-8")
    report = figures(tmp_path, "table.csv", "--human", *"1234", "--levels", "1-10", "-o", "metric=interval")
    published = {"icc_1_1": 0.17, "icc_2_1": 0.29, "icc_3_1": 0.71, "icc_1_k": 0.44, "icc_2_k": 0.62, "icc_3_k": 0.91}
    assert {name: round(report["statistics"][name]["value"], 2) for name in published} == published


@pytest.mark.proof
def test_each_pair_of_three_annotators_is_compared_on_the_rows_that_both_rated(tmp_path: Path) -> None:
    rows = ["yes,yes,no", "no,no,no", "yes,no,no", "yes,yes,"] * 5
    (tmp_path / "table.csv").write_text("\n".join(["human1,human2,human3", *rows]) + "\n", encoding="utf-8")
    report = figures(tmp_path, "table.csv")
    pairs = {tuple(pair["raters"]): pair["agreement"] for pair in report["pairs"]}
    assert {names: (share["n"], share["value"]) for names, share in pairs.items()} == {
        ("human1", "human2"): (20, 0.75),
        ("human1", "human3"): (15, pytest.approx(1 / 3)),
        ("human2", "human3"): (15, pytest.approx(2 / 3)),
    }
    assert "human1 and human2 20" in " ".join(run("calibrate", "table.csv", cwd=tmp_path).stdout.split())


def test_the_next_step_for_a_table_without_a_judge_is_to_make_a_rubric_from_it(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(YES_NO, encoding="utf-8")
    (tmp_path / "people.csv").write_text(YES_NO.replace("one,two", "human1,human2"), encoding="utf-8")
    words = "Next, turn their ratings into a rubric with labelled examples"
    people = ("--human", "one", "--human", "two")
    assert onward(tmp_path, "table.csv", *people) == f"{words}: markscheme init --from table.csv {' '.join(people)}"
    assert onward(tmp_path, "table.csv", *people, "--levels", "no,yes").endswith("--human two --levels no,yes")
    named = onward(tmp_path, "people.csv").removeprefix(f"{words}: markscheme ")
    assert named == "init --from people.csv --human human1 --human human2"
    made = run("markscheme", *named.split(), cwd=tmp_path)
    assert (made.returncode, (tmp_path / "rubrics" / "people.yaml").is_file()) == (0, True), made.stderr


def test_the_command_printed_after_calibrating_two_annotators_files_makes_a_rubric_from_both_files(
    tmp_path: Path,
) -> None:
    for name, answer in (("ana", "yes"), ("ben", "no")):
        rows = "".join(f"e{n},{'yes' if n % 2 else 'no'},{answer if n < 3 else 'no'}\n" for n in range(20))
        (tmp_path / f"labels-{name}.csv").write_text(f"id,polite,right\n{rows}", encoding="utf-8")
    named = onward(tmp_path, "labels-ana.csv", "labels-ben.csv").partition("markscheme ")[2]
    assert named == "init --from labels-ana.csv --from labels-ben.csv"
    made = run("markscheme", *named.split(), cwd=tmp_path)
    assert (made.returncode, (tmp_path / "rubrics" / "labels-ana-labels-ben.yaml").is_file()) == (0, True), made.stderr


def test_the_next_step_for_ratings_without_a_judge_is_to_decide_disputed_labels(tmp_path: Path) -> None:
    folder = tmp_path / "calibration" / "reply"
    folder.mkdir(parents=True)
    labels = {"e1": (True, True), "e2": (False, True), "e3": (False, False)}

    def write(pairs: dict[str, tuple[bool, bool]]) -> None:
        lines = [
            {"id": id, "rater": rater, "kind": "human", "criteria": {"polite": level}}
            for id, levels in pairs.items()
            for rater, level in zip(("ana", "ben"), levels, strict=True)
        ]
        (folder / "labels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    write(labels)
    resolve = "Next, decide which label counts where they differ: markscheme label reply --disputed"
    assert onward(tmp_path, "calibration/reply/labels.jsonl") == resolve
    write({id: (first, first) for id, (first, _) in labels.items()})
    assert onward(tmp_path, "calibration/reply/labels.jsonl") == "Next: markscheme calibrate reply --judge JUDGE"
    (tmp_path / "labels.jsonl").write_bytes((folder / "labels.jsonl").read_bytes())
    assert onward(tmp_path, "labels.jsonl") == ""


def test_annotators_in_a_file_of_ratings_are_compared_on_each_criterion(tmp_path: Path) -> None:
    lines = [
        {"id": f"e{n}", "rater": rater, "kind": "human", "criteria": {"tone": 1 + (n + shift) % 5, "right": n % 2 == 0}}
        for n in range(10)
        for rater, shift in (("ana", 0), ("ben", n % 2), ("cy", 0))
    ]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    criteria = figures(tmp_path, "labels.jsonl")["criteria"]
    assert {name: shares["all_agree"]["value"] for name, shares in criteria.items()} == {"tone": 0.5, "right": 1.0}
    assert criteria["tone"]["annotators"] == ["ana", "ben", "cy"]


def _stars_of_label_studio(folder: Path) -> str:
    """Write an export with the stars and the choices of two annotators, and return its name."""
    rows = [
        {
            "id": n,
            "reply": f"reply {n}",
            "tone": [{"rating": 3 + (n + shift) % 3}],
            "place": "pass" if (n + shift) % 2 else "fail",
        }
        | {"annotator": name, "annotation_id": 10 * n + shift, "created_at": "2026-11-01T09:01:00Z", "lead_time": 12.5}
        for n in range(6)
        for name, shift in (("ann@example.org", 0), ("ben@example.org", n == 4))
    ]
    (folder / "export.json").write_text(json.dumps(rows), encoding="utf-8")
    return "export.json"


def test_the_report_says_that_a_scale_s_ends_are_taken_from_the_data_until_the_scale_option_states_them(
    tmp_path: Path,
) -> None:
    name = _stars_of_label_studio(tmp_path)
    shown = run("calibrate", name, cwd=tmp_path).stdout
    assert "ann@example.org: levels 3 to 5 (seen)" in shown
    seen = figures(tmp_path, name)["criteria"]["tone"]
    assert seen["statistics"]["gwet_ac1"]["value"] is None
    for scale in ("1-5", "tone=1-5", "human=1-5"):
        stated = run("calibrate", name, "--scale", scale, cwd=tmp_path).stdout
        assert "ann@example.org: levels 1 to 5 (stated)" in " ".join(stated.split())


def test_the_error_on_a_removed_command_names_its_successor_with_the_options_that_were_typed(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(YES_NO, encoding="utf-8")
    typed = ("table.csv", "--scale", "nominal", "--weights=identity", "--pairs", "mean", "--criterion", "x")
    gone = run("markscheme", "agreement", *typed, "--judge", "one", "--json", cwd=tmp_path)
    assert (gone.returncode, gone.stdout) == (2, "")
    assert gone.stderr == (
        "error: `agreement` is part of `calibrate`:\n"
        "  markscheme calibrate table.csv -o metric=nominal -o agreement_weights=identity --judge one --json -\n"
    )


def test_full_agreement_is_the_share_of_examples_on_which_all_annotators_who_rated_the_example_agree(
    tmp_path: Path,
) -> None:
    levels = {"ana": "1 2 3 1 2 3", "ben": "1 2 3 1 2 -", "cy": "- - - 3 2 3"}
    rows = [f"e{index},{name},{level}" for name, rated in levels.items() for index, level in enumerate(rated.split())]
    text = "\n".join(["id,rater,label", *(row for row in rows if "-" not in row)])
    (tmp_path / "long.csv").write_text(text, encoding="utf-8")
    done = run("calibrate", "long.csv", "--human", "ana", "ben", "cy", cwd=tmp_path)
    assert "all raters of an example on 83%" in " ".join(done.stdout.split()), done.stdout + done.stderr
    report = figures(tmp_path, "long.csv", "--human", "ana", "ben", "cy")
    assert "gwet_ac1" not in report["chance"], "the ends of the scale aren't stated"
    assert "krippendorff_alpha" in report["chance"]
