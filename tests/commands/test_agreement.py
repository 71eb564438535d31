"""`markscheme agreement` as a user runs it: a table from anywhere in, the whole family of coefficients out."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run

SHROUT_FLEISS = """\
item,1,2,3,4
a,9,2,5,8
b,6,1,3,2
c,8,4,6,8
d,7,1,2,6
e,10,5,6,9
f,6,2,4,7
"""
"""Six targets rated by four judges: Shrout and Fleiss (1979), Psychological Bulletin 86(2), table 2."""
YES_NO = "id,one,two\n" + "".join(
    f"{n},{one},{two}\n"
    for n, (one, two) in enumerate(
        [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    )
)
"""The table of 20, 5, 10 and 15: observed 0.7, by chance 0.5, kappa 0.4."""
ESTIMATE = {"value", "low", "high", "level", "n", "method", "undefined", "note"}
FAMILY = {
    "exact_agreement", "percent_agreement", "cohen_kappa", "weighted_kappa", "fleiss_kappa", "conger_kappa",
    "scott_pi", "brennan_prediger", "gwet_ac1", "gwet_ac2", "krippendorff_alpha",
}  # fmt: skip
DEGREES = {"icc_1_1", "icc_2_1", "icc_3_1", "icc_1_k", "icc_2_k", "icc_3_k"}
PAIRS = {"ccc", "pearson", "spearman", "kendall"}


def measured(folder: Path, table: str | bytes, *options: str) -> "subprocess.CompletedProcess[str]":
    (folder / "table.csv").write_bytes(table if isinstance(table, bytes) else table.encode())
    return run("markscheme", "agreement", "table.csv", *options, cwd=folder)


def as_json(folder: Path, table: str | bytes, *options: str) -> dict[str, Any]:
    done = measured(folder, table, *options, "--json")
    assert done.returncode == 0, done.stderr

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} in the JSON")

    report: dict[str, Any] = json.loads(done.stdout, parse_constant=refuse)
    return report


def test_the_json_has_the_keys_of_the_format(tmp_path: Path) -> None:
    report = as_json(tmp_path, SHROUT_FLEISS, "--scale", "interval")
    assert list(report) == ["schema", "units", "raters", "scale", "levels", "statistics", "chance"]
    assert (report["schema"], report["units"], report["scale"]) == (1, 6, "interval")
    assert report["raters"] == ["1", "2", "3", "4"]
    assert report["levels"] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert report["statistics"].keys() >= (FAMILY - {"cohen_kappa", "weighted_kappa", "scott_pi"}) | DEGREES
    assert all(set(estimate) == ESTIMATE for estimate in report["statistics"].values())


def test_published_intraclass_correlations_come_out(tmp_path: Path) -> None:
    statistics = as_json(tmp_path, SHROUT_FLEISS, "--scale", "interval")["statistics"]
    published = {"icc_1_1": 0.17, "icc_2_1": 0.29, "icc_3_1": 0.71, "icc_1_k": 0.44, "icc_2_k": 0.62, "icc_3_k": 0.91}
    assert {name: round(statistics[name]["value"], 2) for name in published} == published


def test_words_are_kinds_and_two_raters_have_a_kappa(tmp_path: Path) -> None:
    report = as_json(tmp_path, YES_NO)
    assert (report["scale"], report["levels"], report["units"]) == ("nominal", ["no", "yes"], 50)
    assert report["statistics"].keys() >= FAMILY
    assert not report["statistics"].keys() & (DEGREES | PAIRS)
    assert report["statistics"]["cohen_kappa"]["value"] == pytest.approx(0.4)
    assert report["statistics"]["percent_agreement"]["value"] == pytest.approx(0.7)


def test_words_in_an_order_are_degrees(tmp_path: Path) -> None:
    table = "a,b\n" + "poor,poor\npoor,fair\nfair,fair\ngood,good\ngood,fair\nfair,good\n" * 4
    report = as_json(tmp_path, table, "--levels", "poor,fair,good", "--scale", "ordinal")
    assert report["levels"] == ["poor", "fair", "good"]
    assert report["statistics"].keys() >= FAMILY | DEGREES | PAIRS
    turned = as_json(tmp_path, table, "--levels", "good,fair,poor", "--scale", "ordinal")
    assert turned["statistics"]["weighted_kappa"]["value"] == pytest.approx(
        report["statistics"]["weighted_kappa"]["value"]
    )


def test_numbers_are_degrees_unless_said_otherwise(tmp_path: Path) -> None:
    table = "a,b\n1,2\n2,2\n3,3\n1,1\n3,2\n"
    assert as_json(tmp_path, table)["scale"] == "ordinal"
    nominal = as_json(tmp_path, table, "--scale", "nominal")["statistics"]
    assert nominal["weighted_kappa"]["value"] == nominal["cohen_kappa"]["value"]


def test_a_level_that_nobody_used_counts_where_it_is_named(tmp_path: Path) -> None:
    table = "a,b\n1,2\n2,2\n1,1\n2,1\n"
    assert as_json(tmp_path, table)["levels"] == [1, 2]
    assert as_json(tmp_path, table, "--levels", "1,2,3,4,5")["levels"] == [1, 2, 3, 4, 5]


def test_a_missing_rating_is_an_empty_cell_and_a_half_level_lies_between(tmp_path: Path) -> None:
    report = as_json(tmp_path, "unit,a,b,c\nx,1, ,2\ny,,2,2\nz,3,3,2.5\nw,,,\n", "--levels", "1,2,3")
    assert (report["units"], report["raters"]) == (4, ["a", "b", "c"])
    assert report["statistics"]["krippendorff_alpha"]["n"] < 4
    assert "2.5 lies between levels" in report["statistics"]["gwet_ac1"]["undefined"]


@pytest.mark.parametrize("head", ["unit", "ID", " item "])
def test_a_first_column_of_names_holds_no_ratings(tmp_path: Path, head: str) -> None:
    assert as_json(tmp_path, f"{head},a,b\n100,1,1\n200,2,2\n")["raters"] == ["a", "b"]


def test_a_table_as_spreadsheets_write_it_is_read(tmp_path: Path) -> None:
    table = '\ufeff"unit","a","b"\r\n"x, y","1","2"\r\n\r\n"a\nb","2","2"\r\n'.encode()
    assert as_json(tmp_path, table)["units"] == 2


def test_a_person_reads_a_line_a_coefficient(tmp_path: Path) -> None:
    done = measured(tmp_path, YES_NO)
    first, scale, *rest = done.stdout.splitlines()
    assert (done.returncode, first, scale[-16:]) == (0, "50 units, 2 raters", "(nominal scale).")
    (kappa,) = (line for line in rest if line.startswith("cohen kappa"))
    assert "0.40 (" in kappa
    assert any("undefined: " in line or "(" in line for line in rest)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ("", [], "table.csv: is empty"),
        ("a,b\n", [], "a row for each unit"),
        ("unit,a\nx,1\n", [], "two columns of raters or more"),
        ("a;b\n1;2\n", [], "two columns of raters or more"),
        ("unit,a,b\nx,,\n", [], "table.csv: contains no rating"),
        ("a,b\n1,2\n\n1,2,3\n", [], "table.csv:4: has 3 cells, the header 2"),
        (",a,b\n0,1,2\n", [], "table.csv:1: a rater has no name; a column of names is headed unit, id or item"),
        ("a,b,a\n1,2,1\n", [], "table.csv:1: 2 raters are named 'a'"),
        ("a,b\n1,2\nn/a,2\n", [], "table.csv:3: 'n/a' is not a number, and others are; leave missing cells empty"),
        ("a,b\n1,NaN\n2,2\n", [], "table.csv:2: 'NaN' is not a number"),
        ("a,b\n1,inf\n2,2\n", [], "table.csv:2: 'inf' is not a number"),
        ("a,b\n1,2\n1,4\n", ["--levels", "1,2,3"], "table.csv:3: '4' is not one of the levels 1, 2, 3"),
        ("a,b\n1,2.5\n", ["--levels", "1,2,3", "--scale", "nominal"], "'2.5' is not one of the levels"),
        ("a,b\nyes,no\nmaybe,no\n", ["--levels", "no,yes"], "table.csv:3: 'maybe' is not one of the levels no, yes"),
        ("a,b\n1,2\n", ["--levels", "2,1"], "`--levels` must list numbers lowest first"),
        ("a,b\n1,2\n", ["--levels", "1,2,2"], "two or more different levels"),
        ("a,b\n1,2\n", ["--levels", "1,,2"], "two or more different levels"),
        ("a,b\nyes,no\n", ["--scale", "ordinal"], "levels that are words have no order of their own"),
        (
            "a,b\nyes,no\n",
            ["--scale", "interval", "--levels", "no,yes"],
            "an interval scale must be numbers",
        ),
        ("a,b\n1,2\n", ["--scale", "ratio"], "`--scale` must be one of nominal, ordinal, interval, got 'ratio'"),
        (b"a,b\n\xff,2\n", [], "cannot be read"),
    ],
)
def test_what_is_not_a_table_of_ratings_is_reported_by_its_line(
    tmp_path: Path, table: str | bytes, options: list[str], message: str
) -> None:
    done = measured(tmp_path, table, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    done = run("markscheme", "agreement", "none.csv", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "error: there is no file none.csv; give a CSV table with a header row, units in rows, raters in columns\n",
    )


def test_where_nothing_can_be_said_the_reason_is_given_and_no_number(tmp_path: Path) -> None:
    statistics = as_json(tmp_path, "a,b\n1,1\n1,1\n")["statistics"]
    assert statistics["cohen_kappa"]["value"] is None
    assert statistics["cohen_kappa"]["undefined"] == "the scale has one level only"
    assert statistics["percent_agreement"]["value"] == 1.0


def test_notes_call_raters_by_their_names(tmp_path: Path) -> None:
    rows = [f"{1 + n % 3},2,{1 + n % 3}" for n in range(30)]
    (tmp_path / "three.csv").write_text("\n".join(["ann,bob,cy", *rows]), encoding="utf-8")
    three = run("markscheme", "agreement", "three.csv", "--details", cwd=tmp_path).stdout
    assert "no interval: bob never leaves level 2" in three
    (tmp_path / "two.csv").write_text(
        "\n".join(["ann,bob", *(row.rpartition(",")[0] for row in rows)]), encoding="utf-8"
    )
    two = run("markscheme", "agreement", "two.csv", "--details", cwd=tmp_path).stdout
    assert "– pearson: bob never leaves level 2." in two
    assert not any(
        name in three.partition("Next")[0] + two.partition("Next")[0] for name in ("rater 2", "judge", "gold")
    )


def test_notes_call_levels_by_the_words_of_the_table(tmp_path: Path) -> None:
    rows = [f"{('yes', 'partly', 'no')[n % 3]},yes" for n in range(30)]
    assert "no interval: bob never leaves yes" in measured(tmp_path, "\n".join(["ann,bob", *rows])).stdout


THREE = "ann,bob,judge\n" + "yes,yes,yes\nno,partly,no\nyes,yes,n/a\nno,no,yes\npartly,no,no\nyes,no,yes\n" * 6


def test_cells_can_be_recoded_merged_or_left_out(tmp_path: Path) -> None:
    report = as_json(tmp_path, THREE, "--levels", "no,partly=no,yes,n/a=")
    merged = THREE.replace("partly", "no").replace("n/a", "")
    assert report == as_json(tmp_path, merged, "--levels", "no,yes")
    assert report["levels"] == ["no", "yes"]
    numbers = as_json(tmp_path, THREE, "--levels", "no=0,partly=0.5,yes=1,n/a=", "--scale", "interval")
    assert (numbers["levels"], numbers["scale"]) == ([0, 0.5, 1], "interval")
    refused = measured(tmp_path, THREE, "--levels", "no,partly=no,yes")
    assert (refused.returncode, "'n/a' is" in refused.stderr) == (2, True)


def test_linear_weights_are_those_of_the_literature(tmp_path: Path) -> None:
    levels = ("--levels", "no,partly,yes", "--scale", "ordinal")
    pair = "ann,bob\n" + "no,no\nno,partly\npartly,yes\nyes,yes\nyes,no\nyes,yes\n" * 5
    # Observed disagreement (0 + .5 + .5 + 0 + 1 + 0)/6; by the margins 2/6, 1/6, 3/6 and 2/6, 1/6, 3/6 it is 17/36.
    report = as_json(tmp_path, pair, *levels, "--weights", "linear")
    assert report["statistics"]["weighted_kappa"]["value"] == pytest.approx(1 - (2 / 6) / (17 / 36), abs=1e-12)
    assert report["chance"]["weighted_kappa"] == {
        "observed": pytest.approx(4 / 6),
        "expected": pytest.approx(19 / 36),
    }
    refused = measured(tmp_path, pair, "--weights", "linear")
    assert (refused.returncode, "needs levels with an order" in refused.stderr) == (2, True)


@pytest.mark.parametrize("pooling", ["mean", "pooled"])
def test_what_needs_two_raters_comes_from_pairs_where_asked(tmp_path: Path, pooling: str) -> None:
    levels = ("--levels", "no,partly,yes,n/a=", "--scale", "ordinal")
    assert as_json(tmp_path, THREE, *levels)["statistics"]["cohen_kappa"]["value"] is None
    report = as_json(tmp_path, THREE, *levels, "--pairs", pooling)
    assert [pair["raters"] for pair in report["pairs"]] == [["ann", "bob"], ["ann", "judge"], ["bob", "judge"]]
    kappa = report["statistics"]["cohen_kappa"]
    assert kappa["low"] < kappa["value"] < kappa["high"]
    assert report["statistics"]["spearman"]["value"] is not None
    assert "signed_error" not in report["statistics"]


def test_a_judge_is_compared_with_the_others(tmp_path: Path) -> None:
    rows = "".join(f"{n % 3},{n % 3},{(n + n // 20) % 3},{n % 3}\n" for n in range(60))
    report = as_json(tmp_path, f"a,b,c,llm\n{rows}", "--judge", "llm", "--pairs", "mean")
    assert [pair["raters"] for pair in report["pairs"]] == [["a", "llm"], ["b", "llm"], ["c", "llm"]]
    assert report["statistics"]["alt_winning_rate"]["value"] == 1
    assert "signed_error" in report["statistics"]
    nominal = as_json(tmp_path, f"a,b,c,llm\n{rows}", "--judge", "llm", "--pairs", "pooled", "--scale", "nominal")
    assert {"macro_precision", "macro_recall", "macro_f1"} <= nominal["statistics"].keys()
    assert not nominal["statistics"].keys() & (DEGREES | PAIRS | {"signed_error", "mae"})
    refused = measured(tmp_path, "a,b\n1,2\n2,1\n", "--judge", "c")
    assert (refused.returncode, "must be one of the raters a, b" in refused.stderr) == (2, True)


def test_an_icc_says_from_how_many_units_it_comes(tmp_path: Path) -> None:
    table = "a,b,c\n1,2,2\n3,3,2\n" + "1,2,\n" * 50
    icc = as_json(tmp_path, table)["statistics"]["icc_2_1"]
    assert icc["note"].endswith("from 2 of 52 units")
    assert "from 2 of 52 units" in measured(tmp_path, table, "--details").stdout


def onward(folder: Path, *arguments: str) -> str:
    """The next step that `agreement` names, on one line; "" for none."""
    done = run("markscheme", "agreement", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    _, output, rest = " ".join(done.stdout.split()).partition("Next")
    return output + rest.partition(" Full report")[0]


def test_annotators_of_a_table_get_a_rubric_and_a_named_judge_is_compared(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(YES_NO, encoding="utf-8")
    words = "Next, if both are annotators, turn their ratings into a rubric with labelled examples"
    assert onward(tmp_path, "table.csv") == f"{words}: markscheme init --from table.csv --human one --human two"
    assert onward(tmp_path, "table.csv", "--levels", "no,yes").endswith("--human two --levels no,yes")
    judged = onward(tmp_path, "table.csv", "--judge", "two")
    assert judged == "Next: markscheme calibrate table.csv --judge two --human one"


def test_annotators_of_a_rubric_resolve_where_they_differ(tmp_path: Path) -> None:
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
    assert onward(tmp_path, "calibration/reply/labels.jsonl") == "Next: markscheme calibrate reply"
    (tmp_path / "labels.jsonl").write_bytes((folder / "labels.jsonl").read_bytes())
    assert onward(tmp_path, "labels.jsonl") == ""


def test_more_than_two_raters_agree_on_the_pairs_of_them_and_an_uneven_number_is_averaged_over_units(
    tmp_path: Path,
) -> None:
    even = "unit,ana,ben,chris\n1,1,1,2\n2,3,3,3\n3,2,2,2\n4,1,1,1\n"
    ragged = even.replace("3,2,2,2", "3,2,2,")
    for text, says in ((even, "Two raters agree on 83% of units;"), (ragged, "Two raters agree on 83%, averaged over")):
        (tmp_path / "ratings.csv").write_text(text)
        done = run("markscheme", "agreement", "ratings.csv", cwd=tmp_path)
        assert says in " ".join(done.stdout.split())
