"""`agreement` of a table from any source: all coefficients, and the refusal of tables without ratings."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from markscheme import agreement
from markscheme.calibration.agreement import Agreement
from markscheme.errors import MarkschemeError, UsageError
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


def measured(folder: Path, table: str | bytes, **options: str) -> Agreement:
    (folder / "table.csv").write_bytes(table if isinstance(table, bytes) else table.encode())
    return agreement(folder / "table.csv", **options)  # type: ignore[arg-type]


def as_json(folder: Path, table: str | bytes, **options: str) -> dict[str, Any]:
    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} in the JSON")

    report: dict[str, Any] = json.loads(json.dumps(measured(folder, table, **options).to_json()), parse_constant=refuse)
    return report


def why_not(folder: Path, table: str | bytes, **options: str) -> str:
    """Return the error message for a table that is refused."""
    with pytest.raises(MarkschemeError) as refused:
        measured(folder, table, **options)
    return str(refused.value)


def test_the_json_on_the_agreement_in_a_table_of_raters_has_the_documented_keys(tmp_path: Path) -> None:
    report = as_json(tmp_path, SHROUT_FLEISS, scale="interval")
    assert list(report) == ["schema", "units", "raters", "scale", "levels", "statistics", "chance"]
    assert (report["schema"], report["units"], report["scale"]) == (1, 6, "interval")
    assert report["raters"] == ["1", "2", "3", "4"]
    assert report["levels"] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert report["statistics"].keys() >= (FAMILY - {"cohen_kappa", "weighted_kappa", "scott_pi"}) | DEGREES
    assert all(set(estimate) == ESTIMATE for estimate in report["statistics"].values())


def test_published_intraclass_correlations_are_reproduced(tmp_path: Path) -> None:
    statistics = as_json(tmp_path, SHROUT_FLEISS, scale="interval")["statistics"]
    published = {"icc_1_1": 0.17, "icc_2_1": 0.29, "icc_3_1": 0.71, "icc_1_k": 0.44, "icc_2_k": 0.62, "icc_3_k": 0.91}
    assert {name: round(statistics[name]["value"], 2) for name in published} == published


FOREIGN = "ticket,ann,ben,why\n" + "".join(f"T-{n},yes,{'no' if n % 3 else 'yes'},It answers {n}.\n" for n in range(12))


def test_columns_without_any_value_in_common_with_the_annotators_columns_are_refused_as_raters(
    tmp_path: Path,
) -> None:
    fault = "'ticket' and 'why' have no value in common with 'ann' and 'ben'; leave out what isn't a rater"
    assert why_not(tmp_path, FOREIGN).endswith(fault)
    with pytest.raises(MarkschemeError, match="'id_of_ticket' has no value in common"):
        agreement([{"id_of_ticket": f"T-{n}", "ann": "yes", "ben": "no" if n else "yes"} for n in range(12)])
    few = FOREIGN.splitlines(keepends=True)[:5]
    assert as_json(tmp_path, "".join(few))["raters"] == ["ticket", "ann", "ben", "why"]


def test_ratings_in_words_are_treated_as_nominal_by_default(tmp_path: Path) -> None:
    report = as_json(tmp_path, YES_NO)
    assert (report["scale"], report["levels"], report["units"]) == ("nominal", ["no", "yes"], 50)
    assert report["statistics"].keys() >= FAMILY
    assert not report["statistics"].keys() & (DEGREES | PAIRS)
    assert report["statistics"]["cohen_kappa"]["value"] == pytest.approx(0.4)
    assert report["statistics"]["percent_agreement"]["value"] == pytest.approx(0.7)


def test_words_listed_in_order_by_the_levels_argument_make_an_ordinal_scale(tmp_path: Path) -> None:
    table = "a,b\n" + "poor,poor\npoor,fair\nfair,fair\ngood,good\ngood,fair\nfair,good\n" * 4
    report = as_json(tmp_path, table, levels="poor,fair,good", scale="ordinal")
    assert report["levels"] == ["poor", "fair", "good"]
    assert report["statistics"].keys() >= FAMILY | DEGREES | PAIRS
    turned = as_json(tmp_path, table, levels="good,fair,poor", scale="ordinal")
    assert turned["statistics"]["weighted_kappa"]["value"] == pytest.approx(
        report["statistics"]["weighted_kappa"]["value"]
    )


def test_ratings_in_numbers_are_ordinal_unless_the_caller_says_nominal(tmp_path: Path) -> None:
    table = "a,b\n1,2\n2,2\n3,3\n1,1\n3,2\n"
    assert as_json(tmp_path, table)["scale"] == "ordinal"
    nominal = as_json(tmp_path, table, scale="nominal")["statistics"]
    assert nominal["weighted_kappa"]["value"] == nominal["cohen_kappa"]["value"]


def test_the_levels_of_a_table_of_ratings_are_those_that_occur_unless_the_levels_option_names_them(
    tmp_path: Path,
) -> None:
    table = "a,b\n1,2\n2,2\n1,1\n2,1\n"
    assert as_json(tmp_path, table)["levels"] == [1, 2]
    assert as_json(tmp_path, table, levels="1,2,3,4,5")["levels"] == [1, 2, 3, 4, 5]


def test_gwet_s_ac1_of_a_table_is_undefined_if_a_rating_lies_between_two_levels(
    tmp_path: Path,
) -> None:
    report = as_json(tmp_path, "unit,a,b,c\nx,1, ,2\ny,,2,2\nz,3,3,2.5\nw,,,\n", levels="1,2,3")
    assert (report["units"], report["raters"]) == (4, ["a", "b", "c"])
    assert report["statistics"]["krippendorff_alpha"]["n"] < 4
    assert "2.5 lies between levels" in report["statistics"]["gwet_ac1"]["undefined"]


@pytest.mark.parametrize("head", ["unit", "ID", " item "])
def test_a_first_column_with_names_is_not_read_as_ratings(tmp_path: Path, head: str) -> None:
    assert as_json(tmp_path, f"{head},a,b\n100,1,1\n200,2,2\n")["raters"] == ["a", "b"]


def test_a_csv_table_with_a_byte_order_mark_and_with_line_breaks_inside_cells_is_read(tmp_path: Path) -> None:
    table = '\ufeff"unit","a","b"\r\n"x, y","1","2"\r\n\r\n"a\nb","2","2"\r\n'.encode()
    assert as_json(tmp_path, table)["units"] == 2


def test_the_text_report_on_agreement_has_a_line_for_each_coefficient(tmp_path: Path) -> None:
    shown = measured(tmp_path, YES_NO).to_markdown()
    assert "50 units, 2 raters" in shown
    assert "(nominal scale)." in shown
    (kappa,) = {line for line in shown.splitlines() if line.startswith("| cohen kappa")}
    assert "0.40 (" in kappa


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ("", {}, "table.csv: is empty"),
        ("a,b\n", {}, "a row for each unit"),
        ("unit,a\nx,1\n", {}, "two columns of raters or more"),
        ("a;b\n1;2\n", {}, "two columns of raters or more"),
        ("unit,a,b\nx,,\n", {}, "table.csv: contains no rating"),
        ("a,b\n1,2\n\n1,2,3\n", {}, "table.csv:4: has 3 cells, the header 2"),
        (",a,b\n0,1,2\n", {}, "table.csv:1: a rater has no name; a column of names is headed unit, id or item"),
        ("a,b,a\n1,2,1\n", {}, "table.csv:1: 2 raters are named 'a'"),
        ("a,b\n1,2\nn/a,2\n", {}, "table.csv:3: 'n/a' is not a number, and others are; leave missing cells empty"),
        ("a,b\n1,NaN\n2,2\n", {}, "table.csv:2: 'NaN' is not a number"),
        ("a,b\n1,inf\n2,2\n", {}, "table.csv:2: 'inf' is not a number"),
        ("a,b\n1,2\n1,4\n", {"levels": "1,2,3"}, "table.csv:3: '4' is not one of the levels 1, 2, 3"),
        ("a,b\n1,2.5\n", {"levels": "1,2,3", "scale": "nominal"}, "'2.5' is not one of the levels"),
        ("a,b\nyes,no\nmaybe,no\n", {"levels": "no,yes"}, "table.csv:3: 'maybe' is not one of the levels no, yes"),
        ("a,b\n1,2\n", {"levels": "2,1"}, "`levels` must list numbers lowest first"),
        ("a,b\n1,2\n", {"levels": "1,2,2"}, "two or more different levels"),
        ("a,b\n1,2\n", {"levels": "1,,2"}, "two or more different levels"),
        ("a,b\nyes,no\n", {"scale": "ordinal"}, "levels that are words have no order of their own"),
        (
            "a,b\nyes,no\n",
            {"scale": "interval", "levels": "no,yes"},
            "an interval scale must be numbers",
        ),
        ("a,b\n1,2\n", {"scale": "ratio"}, "`scale` must be one of nominal, ordinal, interval, got 'ratio'"),
        (b"a,b\n\xff,2\n", {}, "cannot be read"),
    ],
)
def test_a_file_that_is_not_a_table_of_ratings_is_refused_with_the_line_at_fault(
    tmp_path: Path, table: str | bytes, options: dict[str, str], message: str
) -> None:
    assert message in why_not(tmp_path, table, **options)


def test_a_column_of_ratings_in_place_of_the_scale_is_refused_in_one_short_line() -> None:
    ann = [1, 2, 3] * 100
    for ben in (ann, pd.Series(ann), np.array(ann)):
        with pytest.raises(UsageError, match="`scale` must be one of nominal, ordinal, interval, got ") as refused:
            agreement(ann, ben)  # type: ignore[arg-type]
        assert len(str(refused.value)) < 150
        assert "\n" not in str(refused.value)


def test_a_missing_file_of_ratings_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MarkschemeError, match=r"there is no file .*none.csv; give a CSV table with a header row"):
        agreement(tmp_path / "none.csv")


def test_an_undefined_coefficient_has_a_reason_and_no_number(tmp_path: Path) -> None:
    statistics = as_json(tmp_path, "a,b\n1,1\n1,1\n")["statistics"]
    assert statistics["cohen_kappa"]["value"] is None
    assert statistics["cohen_kappa"]["undefined"] == "the scale has one level only"
    assert statistics["percent_agreement"]["value"] == 1.0


def test_the_reason_why_a_coefficient_or_its_interval_is_missing_names_raters_by_the_table_s_columns(
    tmp_path: Path,
) -> None:
    rows = [f"{1 + n % 3},2,{1 + n % 3}" for n in range(30)]
    three = measured(tmp_path, "\n".join(["ann,bob,cy", *rows])).to_markdown()
    assert "no interval: bob never leaves level 2" in three
    two = measured(tmp_path, "\n".join(["ann,bob", *(row.rpartition(",")[0] for row in rows)])).to_markdown()
    assert "– pearson: bob never leaves level 2." in two
    assert not any(name in three + two for name in ("rater 2", "judge", "gold"))


def test_the_reason_why_a_coefficient_has_no_interval_names_levels_by_the_table_s_words(tmp_path: Path) -> None:
    rows = [f"{('yes', 'partly', 'no')[n % 3]},yes" for n in range(30)]
    assert "no interval: bob never leaves yes" in measured(tmp_path, "\n".join(["ann,bob", *rows])).to_markdown()


THREE = "ann,bob,judge\n" + "yes,yes,yes\nno,partly,no\nyes,yes,n/a\nno,no,yes\npartly,no,no\nyes,no,yes\n" * 6


def test_cells_of_a_table_of_ratings_can_be_recoded_or_merged_or_left_out(tmp_path: Path) -> None:
    report = as_json(tmp_path, THREE, levels="no,partly=no,yes,n/a=")
    merged = THREE.replace("partly", "no").replace("n/a", "")
    assert report == as_json(tmp_path, merged, levels="no,yes")
    assert report["levels"] == ["no", "yes"]
    numbers = as_json(tmp_path, THREE, levels="no=0,partly=0.5,yes=1,n/a=", scale="interval")
    assert (numbers["levels"], numbers["scale"]) == ([0, 0.5, 1], "interval")
    assert "'n/a' is" in why_not(tmp_path, THREE, levels="no,partly=no,yes")


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ((), "Disagreements are weighted by squared distance in conger kappa, fleiss kappa, brennan prediger"),
        (("-o", "agreement_weights=linear"), "Disagreements are weighted by distance in conger kappa, fleiss kappa"),
    ],
)
def test_the_detailed_report_on_annotators_says_which_measures_weigh_large_disagreements_more(
    option: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    rows = [f"{n},{1 + n % 5},{1 + (n + n % 2) % 5},{1 + n % 4}" for n in range(20)]
    (tmp_path / "table.csv").write_text("\n".join(["id,rater_1,rater_2,rater_3", *rows]))
    done = run("calibrate", "table.csv", "--details", *option, cwd=tmp_path)
    assert sentence in " ".join(done.stdout.split())
    done = run("calibrate", "table.csv", "--details", "-o", "metric=nominal", cwd=tmp_path)
    assert "Every measure" in done.stdout
    assert "weighted by" not in done.stdout


def test_linear_weights_of_kappa_are_those_of_the_literature(tmp_path: Path) -> None:
    levels = {"levels": "no,partly,yes", "scale": "ordinal"}
    pair = "ann,bob\n" + "no,no\nno,partly\npartly,yes\nyes,yes\nyes,no\nyes,yes\n" * 5
    # Observed disagreement (0 + .5 + .5 + 0 + 1 + 0)/6; by the margins 2/6, 1/6, 3/6 and 2/6, 1/6, 3/6 it is 17/36.
    report = as_json(tmp_path, pair, **levels, weights="linear")
    assert report["statistics"]["weighted_kappa"]["value"] == pytest.approx(1 - (2 / 6) / (17 / 36), abs=1e-12)
    assert report["chance"]["weighted_kappa"] == {
        "observed": pytest.approx(4 / 6),
        "expected": pytest.approx(19 / 36),
    }
    assert "linear weights need levels with an order" in why_not(tmp_path, pair, weights="linear")


@pytest.mark.parametrize("pooling", ["mean", "pooled"])
def test_cohen_s_kappa_of_three_raters_is_computed_over_pairs_of_raters_only_on_request(
    tmp_path: Path, pooling: str
) -> None:
    levels = {"levels": "no,partly,yes,n/a=", "scale": "ordinal"}
    assert as_json(tmp_path, THREE, **levels)["statistics"]["cohen_kappa"]["value"] is None
    report = as_json(tmp_path, THREE, **levels, pairs=pooling)
    assert [pair["raters"] for pair in report["pairs"]] == [["ann", "bob"], ["ann", "judge"], ["bob", "judge"]]
    kappa = report["statistics"]["cohen_kappa"]
    assert kappa["low"] < kappa["value"] < kappa["high"]
    assert report["statistics"]["spearman"]["value"] is not None
    assert "signed_error" not in report["statistics"]


def test_a_judge_in_a_table_of_raters_is_compared_with_each_annotator(tmp_path: Path) -> None:
    rows = "".join(f"{n % 3},{n % 3},{(n + n // 20) % 3},{n % 3}\n" for n in range(60))
    report = as_json(tmp_path, f"a,b,c,llm\n{rows}", judge="llm", pairs="mean")
    assert [pair["raters"] for pair in report["pairs"]] == [["a", "llm"], ["b", "llm"], ["c", "llm"]]
    assert report["statistics"]["alt_winning_rate"]["value"] == 1
    assert "signed_error" in report["statistics"]
    nominal = as_json(tmp_path, f"a,b,c,llm\n{rows}", judge="llm", pairs="pooled", scale="nominal")
    assert {"macro_precision", "macro_recall", "macro_f1"} <= nominal["statistics"].keys()
    assert not nominal["statistics"].keys() & (DEGREES | PAIRS | {"signed_error", "mae"})
    assert "must be one of the raters a, b" in why_not(tmp_path, "a,b\n1,2\n2,1\n", judge="c")


def test_an_intraclass_correlation_says_how_many_units_it_was_computed_from(tmp_path: Path) -> None:
    table = "a,b,c\n1,2,2\n3,3,2\n" + "1,2,\n" * 50
    icc = as_json(tmp_path, table)["statistics"]["icc_2_1"]
    assert icc["note"].endswith("from 2 of 52 units")
    assert "from 2 of 52 units" in measured(tmp_path, table).to_markdown()


def test_a_report_on_a_table_with_empty_cells_says_that_agreement_is_averaged_over_units(
    tmp_path: Path,
) -> None:
    even = "unit,ana,ben,chris\n1,1,1,2\n2,3,3,3\n3,2,2,2\n4,1,1,1\n"
    ragged = even.replace("3,2,2,2", "3,2,2,")
    for text, says in ((even, "Two raters agree on 83% of units;"), (ragged, "Two raters agree on 83%, averaged over")):
        assert says in " ".join(measured(tmp_path, text).to_markdown().split())


@pytest.mark.parametrize("option", [("--judge", "anthropic"), ("--samples", "3"), ("--accept",)])
def test_options_about_a_judge_are_refused_with_a_file_that_has_only_labels(
    option: tuple[str, ...], tmp_path: Path
) -> None:
    labels = [{"rater": rater, "kind": "human", "criteria": {"polite": "MET"}} for rater in ("ann", "ben")]
    lines = [json.dumps({"id": f"e{number}", "response": "Hello.", "labels": labels}) for number in range(8)]
    (tmp_path / "labelled.jsonl").write_text("\n".join(lines))
    agreed = run("calibrate", "labelled.jsonl", cwd=tmp_path)
    assert (agreed.returncode, "8 rows, 2 raters" in agreed.stdout) == (0, True)
    refused = run("calibrate", "labelled.jsonl", *option, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"{option[0]} needs a rubric; labelled.jsonl fits --examples or --ratings" in refused.stderr


@pytest.mark.parametrize("table", [None, 3, [1, 2]])
def test_the_agreement_function_s_error_on_a_table_of_the_wrong_type_shows_an_example_of_a_row(
    table: Any,
) -> None:
    with pytest.raises(UsageError, match=r"a table is a file or rows such as \{'ann': 1, 'ben': 2\}, got "):
        agreement(table)
