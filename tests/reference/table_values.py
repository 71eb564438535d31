"""How the values of two columns of a table are read, or which option a refusal names; a worked case each."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class TableValuesCase:
    """Values of a judge and a person, and how they are read."""

    judge: list[str]
    human: list[str]
    read: str
    ask: str = ""
    ends: tuple[float, float] | None = None
    step: float | None = None
    order: list[str] = field(default_factory=list)
    note: str = ""
    missing: int = 0


TABLE_VALUES = [
    TableValuesCase(["pass", "fail", "pass"], ["1", "0", "0"], "decision"),
    TableValuesCase(["MET", "UNMET"], ["yes", "no"], "decision"),
    TableValuesCase(["A", "B", "A"], ["A", "B", "B"], "refused", ask="--pass A or --pass B"),
    TableValuesCase(["1", "3", "5", "2"], ["1", "4", "5", "2"], "levels", ends=(1, 5), step=1),
    TableValuesCase(["0.1", "0.85", "0.4"], ["0.2", "0.9", "0.4"], "score", ends=(0, 1)),
    TableValuesCase(["10", "85", "40"], ["20", "90", "45"], "score", ends=(0, 100)),
    TableValuesCase(["12", "250", "40"], ["20", "300", "45"], "refused", ask="--levels LOW-HIGH"),
    TableValuesCase(["0.3", "0.9"], ["pass", "fail"], "refused", ask="--pass-mark"),
    TableValuesCase(["0.3", "0.9", "0.6"], ["1", "4", "5"], "refused", ask="different scales"),
    TableValuesCase(["0.3", "0.9", "0.6"], ["1", "1", "0"], "refused", ask="--pass-mark"),
    TableValuesCase(["1", "2", "2"], ["1", "2", "1"], "refused", ask="--pass 1 or --pass 2"),
    TableValuesCase(["-1", "0.4", "1"], ["0", "0.7", "1"], "refused", ask="--levels LOW-HIGH"),
    TableValuesCase(["low", "high", "medium"], ["low", "high", "low"], "levels", order=["low", "medium", "high"]),
    TableValuesCase(["tone", "facts", "style"], ["tone", "style", "style"], "categories"),
    TableValuesCase(["1", "0", "1"], ["", "0", "1"], "decision", missing=1),
    TableValuesCase(
        ["true", "false", "maybe"],
        ["true", "false", "false"],
        "categories",
        note="maybe is no decision: --levels maybe= leaves it out",
    ),
    TableValuesCase(["2.5", "3", "4.5"], ["2", "3", "5"], "levels", ends=(2, 5), step=0.5),
]
