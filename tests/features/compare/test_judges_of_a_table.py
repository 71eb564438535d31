"""A table with the verdicts of several judges."""

from pathlib import Path

from tests.commands.test_tables_as_people_have_them import PASS_FAIL, Table, cycled, is_read_or_refused

TWO_JUDGES = Table(
    "two judges of one human",
    {
        "judge_a": cycled(PASS_FAIL),
        "judge_b": cycled(PASS_FAIL, range(20), "fail"),
        "human": cycled(PASS_FAIL),
    },
    0,
    "judge_a: pass/fail · judge_b: pass/fail · human: pass/fail",
    (1.0, 48 / 60),
)


def test_each_judge_of_a_table_has_its_verdict(tmp_path: Path) -> None:
    is_read_or_refused(TWO_JUDGES, tmp_path)
