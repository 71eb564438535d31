"""Sentences on the doubts that labels leave."""

from collections.abc import Sequence
from shlex import quote

from markscheme.phrases import counted, few_of, in_words


def without_a_level(criteria: Sequence[str], ids: Sequence[str], labelled: int, command: str) -> str:
    """Say that labelled examples lack a level on criteria, and so a score, and which command asks for the levels."""
    have = "has" if len(ids) == 1 else "have"
    then = f"; {command} asks for what is left out" if command else ""
    return (
        f"{len(ids)} of {labelled} labelled examples {have} no level on {in_words(criteria)} ({few_of(ids)}), and so "
        f"no score and no decision{then}."
    )


def failed_by_others(passing: int, false_fails: int) -> str:
    """Say that the judge passes every criterion of some false fails, and what else may fail them.

    Args:
        passing: Number of those false fails.
        false_fails: Number of all false fails.
    """
    return (
        f"On {passing} of {counted(false_fails, 'false fail')} the judge passes every criterion: the file's own pass "
        "or fail also counts what isn't a criterion, such as `contains` or a choice among outputs."
    )


def annotators_alike(first: str, second: str, examples: int) -> str:
    """Say that two annotators never differ, so that one annotator's labels may be a copy of the other's.

    Args:
        first: Name of one annotator.
        second: Name of the other annotator.
        examples: Number of examples that both labelled.
    """
    return f"Warning: {first} and {second} never differ on {examples} examples; a copy is no second annotator."


def judge_alike(names: Sequence[str], examples: int) -> str:
    """Say that the judge never differs from some annotators, which shows nothing if these took over its verdicts.

    Args:
        names: Names of these annotators.
        examples: Smallest number of examples that the judge shares with any of them.
    """
    return (
        f"Warning: the judge never differs from {in_words(names)} on {examples} examples; labels made from its "
        "verdicts show nothing about it."
    )


def named_as_judge(name: str) -> str:
    """Say that an annotator has the judge's name."""
    return f"Warning: labels of {name} count as an annotator's, but that is the judge's name."


def rows_repeat(role: str, column: str, repeated: int, rows: int) -> str:
    """Say that rows of a table share a text, and which option counts such rows as related.

    Args:
        role: What the column holds, such as "query".
        column: Name of the column.
        repeated: Number of rows whose text an earlier row has too.
        rows: Number of rows.
    """
    return (
        f"Warning: {repeated} of {rows} rows repeat the {role} of an earlier row; `--group {quote(column)}` counts "
        "them as related."
    )
