"""Count the examples of a Daft DataFrame by equal ratings, by the expressions of `CountQuery`."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import daft
from daft import DataType, col, lit
from daft.functions import monotonically_increasing_id

from markscheme.features.counts.count_query import COUNTS_FORMAT, SCORE_DECIMALS, CountedPart, CountQuery
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.agreement_figures import best_constant
from markscheme.stats.group_sets import set_numbers


def counted_frame(
    frame: daft.DataFrame, rubric: Rubric, raters: Sequence[str], judge: str, earlier: str | None = None
) -> daft.DataFrame:
    """Count, for each combination of ratings, the examples of a Daft frame that have it, as rows of a counts file.

    Args:
        frame: The frame, with a row for each example and a column `RATER__CRITERION` for each rater and criterion.
        rubric: The rubric.
        raters: Names of the annotators.
        judge: Name of the judge in the columns.
        earlier: Name of an earlier judge in the columns; None without one.
    """
    query = CountQuery(rubric, tuple(raters), judge, earlier=earlier)
    examples, groups = _examples(frame, query)
    values = [f"p{place}" for place in range(1, max(len(query.annotators), 1) + 1)]
    parts = [
        _metadata(query, examples.count_rows(), groups),
        *(_counted(examples, part.name, part.values, _earlier_column(query, part)) for part in query.parts()),
        *_of_annotators(examples, query),
        *(_rate(examples, *rate) for rate in query.rates()),
    ]
    kinds = {
        "set_no": DataType.int64(),
        **dict.fromkeys(["gold", "judge", *values, *([earlier] if earlier else [])], DataType.float64()),
    }
    alike = [_filled(part, kinds) for part in parts]
    whole = alike[0]
    for part in alike[1:]:
        whole = whole.concat(part)
    return whole


def _examples(frame: daft.DataFrame, query: CountQuery) -> tuple[daft.DataFrame, int | None]:
    """Return labelled examples with the columns to count, and the number of groups; None if no column names groups.

    Args:
        frame: The frame, with a column `RATER__CRITERION` for each rater and criterion.
        query: The query, which names the columns and computes further ones.
    """
    levels = (col(column).cast(DataType.float64()).alias(name) for name, column in query.columns.items())
    text = DataType.string()
    labelled = frame.select(col("group_id"), *levels).where(daft.sql_expr(query.is_labelled))
    alone = lit("example ") + monotonically_increasing_id().cast(text)
    grouped = lit("group ") + col("group_id").cast(text)
    named = labelled.with_columns({"alone": alone, "grouped": grouped})
    named = named.with_column("unit", daft.sql_expr("CASE WHEN group_id IS NULL THEN alone ELSE grouped END"))
    named = named.collect()
    units = sorted(named.select("unit").distinct().to_pydict()["unit"])
    has_groups = named.where(col("group_id").not_null()).count_rows() > 0
    numbers = set_numbers(range(1, len(units) + 1), len(units)).tolist() if has_groups else [None] * len(units)
    sets = daft.from_pydict({"unit": units, "set_no": numbers})
    examples = named.join(sets.with_column("set_no", col("set_no").cast(DataType.int64())), on="unit")
    for stage in query.stages():
        examples = examples.with_columns({name: daft.sql_expr(text) for name, text in stage.items()})
    return examples.collect(), len(units) if has_groups else None


def _metadata(query: CountQuery, n: int, groups: int | None) -> daft.DataFrame:
    rows = {f"format:{COUNTS_FORMAT}": 1, f"rubric:{query.rubric.fingerprint}": 1, "examples": n}
    rows |= {} if groups is None else {"groups": groups}
    return daft.from_pydict({"part": [*rows], "n": [*rows.values()]})


def _earlier_column(query: CountQuery, part: CountedPart) -> dict[str, str]:
    """Map the earlier judge's column to the expression for its values in a part; {} if the part has no such values."""
    return {} if query.earlier is None or part.earlier is None else {query.earlier: part.earlier}


def _counted(
    examples: daft.DataFrame, name: str, values: Sequence[str], named: Mapping[str, str] = MappingProxyType({})
) -> daft.DataFrame:
    """Count the examples with equal values in each jackknife set, as the rows of one part of a counts file.

    `values` are the expressions of gold, the judge and each annotator; `named` has the expressions of other columns by
    name.
    """
    columns = ["gold", "judge", *(f"p{place}" for place in range(1, len(values) - 1)), *named]
    cells = (
        daft.sql_expr(text).cast(DataType.float64()).alias(column)
        for text, column in zip((*values, *named.values()), columns, strict=True)
    )
    rows = examples.select(col("set_no"), *cells).groupby("set_no", *columns)
    return rows.agg(col("gold").count("all").alias("n")).with_column("part", lit(name))


def _rate(examples: daft.DataFrame, name: str, hit: str, counted: str) -> daft.DataFrame:
    """Make the rows of a counts file that count groups: one for all groups with equal numbers of examples and of hits.

    Args:
        examples: The examples, with the column `unit` that names each one's group.
        name: Name of the part of the counts file.
        hit: SQL expression that is 1 for an example that is a hit, such as a right decision, and 0 for any other.
        counted: SQL condition that an example meets if it counts.
    """
    rows = examples.where(daft.sql_expr(counted)).select(col("unit"), daft.sql_expr(hit).alias("hit"))
    by_group = rows.groupby("unit").agg(col("hit").sum().alias("gold"), col("hit").count("all").alias("judge"))
    return by_group.groupby("gold", "judge").agg(col("unit").count("all").alias("n")).with_column("part", lit(name))


def _of_annotators(examples: daft.DataFrame, query: CountQuery) -> Iterator[daft.DataFrame]:
    """Yield the parts of the counts that are about annotators.

    The first lists every score that the judge or an annotator gave (or gold, if there are no annotators' scores). The
    others hold the shares of annotators who agree with each other, with the judge and with a constant.
    """
    people = [f"{person}_score" for person in query.annotators]
    judged = _examples_by_values(examples, "judge_score")
    by_person = [_examples_by_values(examples, score) for score in people]
    of_people = by_person if any(by_person) else [_examples_by_values(examples, "gold_score")]
    candidates = sorted({score for times in (judged, *of_people) for (score,) in times})
    listed = sorted({round(score, SCORE_DECIMALS) for score in candidates})
    yield daft.from_pydict({"part": ["given"] * len(listed), "gold": listed, "n": [1] * len(listed)})
    if len(people) < 2:
        return
    shared = examples.where(daft.sql_expr(query.shared))
    spread = [
        (score, times / n)
        for person in people
        for (score, n), times in _examples_by_values(shared, person, "n_people").items()
    ]
    scores, weights = [score for score, _ in spread], [weight for _, weight in spread]
    constant = best_constant(scores, candidates, query.rubric.tolerance, weights)
    if spread:
        yield _counted(shared, "people", query.shares(repr(constant)))
    if query.shared_decision is not None:
        deciding = examples.where(daft.sql_expr(query.shared_decision))
        lead = deciding.agg(daft.sql_expr(query.passing_lead).sum().alias("lead")).to_pydict()["lead"][0]
        if lead is not None:
            best = "1" if round(lead, SCORE_DECIMALS) > 0 else "0"
            yield _counted(deciding, "people:decision", query.decision_shares(best))


def _examples_by_values(examples: daft.DataFrame, *columns: str) -> Mapping[tuple[Any, ...], int]:
    """Count examples by their combination of values in the given columns; skip those without a value in the first."""
    rows = examples.where(col(columns[0]).not_null()).groupby(*columns).agg(col(columns[0]).count("all").alias("n"))
    data = rows.to_pydict()
    return dict(zip(zip(*(data[column] for column in columns), strict=True), data["n"], strict=True))


def _filled(part: daft.DataFrame, kinds: Mapping[str, DataType]) -> daft.DataFrame:
    """Add columns that a part lacks, so that all parts of a counts file have the same columns and types.

    Args:
        part: The part.
        kinds: The type of each column of values, by the column's name.
    """
    cells = (
        (col(name) if name in part.column_names else lit(None)).cast(kind).alias(name) for name, kind in kinds.items()
    )
    return part.select(col("part"), *cells, col("n").cast(DataType.int64()))
