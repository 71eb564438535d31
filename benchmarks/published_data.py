"""Three published sets of people's and judges' ratings, converted and run through `calibrate --ratings`.

    python -m benchmarks.published_data [--data ../shared/data] [--keep FOLDER] [--draws 200] [--write FILE]

hanna: 1,056 stories, three people and twenty judges, six criteria on 1-5. llm_rubric: 223 dialogues, one person each,
four judges, nine questions on 1-4. pandalm: 999 pairs of answers, three people and two judges, which is better.
Each set becomes a rubric, labelled examples and one file of ratings a judge; then the command is run as a user runs it.
Where the sets' authors published figures of a judge and people, the same figures are read from its JSON.

Next to each verdict stands the one that an earlier rule gives: exact bounds by example, which know no groups; the
target lowered to the agreement of an annotator with the median of the others, which is another gold than the judge's;
and no comparison with annotators on the same gold. hanna's stories are eleven to a prompt: whole prompts are drawn,
with replacement, and it is counted how often intervals of such a sample hold the figure of the whole set.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import gzip
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml

from markscheme.calibration.comparison.policy import ENOUGH_SHARED
from markscheme.cli import main as markscheme
from markscheme.stats.agreement_figures import close, pair_agreement
from markscheme.stats.annotators import gold as gold_of
from markscheme.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from markscheme.stats.shares import GroupedShare, grouped_share
from tests.stats.exact_limits import clopper_pearson

DATA = Path(__file__).parents[2] / "shared" / "data"

HANNA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
QUESTIONS = tuple(f"Q{number}" for number in range(9))
TARGET, TOLERANCE = 0.8, 0.1
CONF = 0.90
"""One-sided confidence of the bounds of the earlier rule, and of the false bounds that are counted."""
PROMPTS = (10, 20, 40)
"""Prompts drawn at a time, eleven stories each."""
PREFERENCE = ({"value": 0, "label": "tie"}, {"value": 1, "label": "first"}, {"value": 2, "label": "second"})


@dataclass(frozen=True)
class Inputs:
    """What one set becomes: files that `calibrate` reads."""

    name: str
    rubric: Path
    examples: Path
    judges: Mapping[str, Path]

    def command(self, judge: str) -> list[str]:
        """`calibrate` for one judge."""
        return ["calibrate", str(self.rubric), "--examples", str(self.examples), "--ratings", str(self.judges[judge])]


def items(data: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a set."""
    with gzip.open(data / name / "items.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def hanna(data: Path, folder: Path) -> Inputs:
    """Stories by eleven systems to 96 prompts. Most texts are not in the set, so every story stands as its name."""
    rows = items(data, "hanna")
    prompts = {text: f"prompt-{number}" for number, text in enumerate(dict.fromkeys(row["input"] for row in rows))}
    examples = [
        {
            "id": row["id"],
            "query": row["input"],
            "response": f"story {row['id']:>12}",
            "group": prompts[row["input"]],
            "system": row["system"],
            "drawn": "random",
            "labels": people(row),
        }
        for row in rows
    ]
    criteria = [{"name": name, "description": f"{name} of the story.", "scale": {"min": 1, "max": 5}} for name in HANNA]
    return written(folder, "hanna", criteria, examples, rows)


def llm_rubric(data: Path, folder: Path) -> Inputs:
    """Dialogues that one of thirteen people rated; a question that does not apply has no label."""
    rows = items(data, "llm_rubric")
    examples = [
        {
            "id": row["id"],
            "query": row["input"],
            "response": row["output"],
            "system": row["system"],
            "drawn": "random",
            "labels": people(row),
        }
        for row in rows
    ]
    criteria = [{"name": name, "description": f"Question {name}.", "scale": {"min": 1, "max": 4}} for name in QUESTIONS]
    return written(folder, "llm_rubric", criteria, examples, rows)


def pandalm(data: Path, folder: Path) -> Inputs:
    """Pairs of answers; what the judge said of 25 of them could not be read."""
    rows = items(data, "pandalm")
    examples = [
        {
            "id": row["id"],
            "query": row["input"],
            "response": "\n---\n".join(str(row["output"][side]) for side in ("1", "2")),
            "system": row["system"],
            "drawn": "random",
            "labels": people(row),
        }
        for row in rows
    ]
    levels = {"levels": list(PREFERENCE), "scale_type": "nominal"}
    criteria = [{"name": "preference", "description": "Which of the two answers is better?", **levels}]
    return written(folder, "pandalm", criteria, examples, rows)


def people(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The labels of one row, one a person."""
    given = [
        {
            "rater": rater,
            "kind": "human",
            "criteria": {name: level for name, level in said.items() if level is not None},
        }
        for rater, said in row["labels"].items()
    ]
    return [label for label in given if label["criteria"]]


def written(
    folder: Path, name: str, criteria: Sequence[Any], examples: Sequence[Any], rows: Sequence[Mapping[str, Any]]
) -> Inputs:
    """The files of one set; whatever is off the scale of its criterion was no readable answer."""
    rubric = folder / f"{name}.yaml"
    labelled = folder / f"{name}.jsonl"
    weighted = [{**criterion, "weight": 1} for criterion in criteria]
    rubric.write_text(yaml.safe_dump({"name": name, "criteria": weighted}, sort_keys=False), encoding="utf-8")
    write_lines(labelled, examples)
    lowest, highest = scale_ends(criteria[0])
    judges = {}
    for judge in dict.fromkeys(judge for row in rows for judge in row["judge"]):
        judges[judge] = folder / f"{name}-{judge.replace('/', '-')}.jsonl"
        lines = (
            {
                "id": row["id"],
                "rater": judge,
                "kind": "model",
                "criteria": answers(row["judge"][judge], lowest, highest),
            }
            for row in rows
            if judge in row["judge"]
        )
        write_lines(judges[judge], lines)
    return Inputs(name, rubric, labelled, judges)


def scale_ends(criterion: Mapping[str, Any]) -> tuple[float, float]:
    """Lowest and highest level of a criterion."""
    if "levels" in criterion:
        values = [level["value"] for level in criterion["levels"]]
        return min(values), max(values)
    return criterion["scale"]["min"], criterion["scale"]["max"]


def answers(said: Mapping[str, float | None], lowest: float, highest: float) -> dict[str, Any]:
    """A judge's levels; what has no number, or one off the scale, is unread."""
    return {
        name: {"unread": f"{level} is no level"} if level is None or not lowest <= level <= highest else level
        for name, level in said.items()
    }


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """A JSON object a line."""
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


# --- runs -----------------------------------------------------------------------------------------------------------


def run(inputs: Inputs, judge: str, folder: Path) -> dict[str, Any]:
    """The JSON of a calibration, as the command writes it; each in a folder of its own, as one setting."""
    target = folder / "report.json"
    with (
        tempfile.TemporaryDirectory() as alone,
        chdir(alone),
        redirect_stdout(StringIO()),
        redirect_stderr(StringIO()) as errors,
    ):
        status = markscheme([*inputs.command(judge), "--json", str(target), "--quiet"])
    if status in (2, 3):
        raise RuntimeError(f"{' '.join(inputs.command(judge))} exits {status}: {errors.getvalue()}")
    found: dict[str, Any] = json.loads(target.read_text(encoding="utf-8")) | {"status": status}
    return found


def row_of(judge: str, report: Mapping[str, Any], other: float | None) -> str:
    """One judge as a line of a table."""
    constant = report["agreement_constant"]["value"]
    person = report["agreement_person"]
    counts = report["counts"]
    new = f"{report['verdict']}/{report['use']}" if report["use"] != "none" else report["verdict"]
    return (
        f"| {judge} | {earlier_verdict(report, other)} | {new} | {report['because_code']} | {counts['graded']} | "
        f"{counts['unread']} | {percent(report['agreement']['value'])} | {percent(constant)} | "
        f"{percent(person and person['value'])} | {said_of(report['findings'])} |"
    )


# --- the earlier rule -----------------------------------------------------------------------------------------------


def earlier_verdict(report: Mapping[str, Any], other: float | None) -> str:
    """The verdict by exact bounds by example, with a target that annotators lower.

    Args:
        report: The JSON of a calibration.
        other: Agreement of an annotator with the median of the others; None where there are no two.
    """
    agreement = report["agreement"]
    constant = report["agreement_constant"]
    share = agreement["value"]
    n = agreement["n"]
    target = TARGET if other is None else min(TARGET, other)
    hits = round(share * n)
    lower = clopper_pearson_lower(hits, n, confidence=CONF)
    upper = clopper_pearson_upper(hits, n, confidence=CONF)
    codes = {finding["code"] for finding in report["findings"]}
    no_merit = share <= constant["value"] or codes & {"no-skill", "dead", "stuck-judge"}
    if upper < target or (lower > target and no_merit):
        return "adjust"
    if lower > target and (target == TARGET or report["gain"]["value"] > 0):
        return "ok"
    return "not-enough-labels"


def annotator_with_the_others(people: npt.NDArray[np.float64]) -> float | None:
    """Share of examples on which an annotator agrees with the median of the others, each in turn; None without two.

    Args:
        people: Scores, shape (n, n_people), nan where there is none.
    """
    if people.shape[1] < 2:
        return None
    columns = np.arange(people.shape[1])
    left_out = [close(people[:, h], gold_of(people[:, columns != h]), TOLERANCE) for h in columns]
    every = gold_of(np.column_stack(left_out), by="mean")
    known = every[~np.isnan(every)]
    return float(known.mean()) if len(known) >= ENOUGH_SHARED else None


def people_scores(inputs: Inputs) -> npt.NDArray[np.float64]:
    """Scores of single annotators, shape (n, n_people); nan where one gave none or left a criterion out."""
    criteria = yaml.safe_load(inputs.rubric.read_text(encoding="utf-8"))["criteria"]
    lowest, highest = scale_ends(criteria[0])
    rows = []
    for line in inputs.examples.read_text(encoding="utf-8").splitlines():
        labels = [label["criteria"] for label in json.loads(line)["labels"]]
        whole = [label for label in labels if len(label) == len(criteria)]
        rows.append([float(np.mean([(v - lowest) / (highest - lowest) for v in label.values()])) for label in whole])
    most = max(map(len, rows))
    return np.array([row + [np.nan] * (most - len(row)) for row in rows])


# --- whole prompts --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawn:
    """What came of samples of whole groups, for one figure.

    Attributes:
        covered: Share whose 95 % interval holds the figure of the whole set; the same by example.
        low: Share whose lower 90 % bound lies above that figure; the same by example.
        high: Share whose upper 90 % bound lies below it; the same by example.
    """

    covered: tuple[float, float]
    low: tuple[float, float]
    high: tuple[float, float]


def draw_groups(hits: npt.NDArray[np.float64], groups: Sequence[str], size: int, draws: int, seed: int) -> Drawn:
    """Samples of `size` whole groups, drawn with replacement; each is a group of its own.

    Args:
        hits: Whether each example agrees, shape (n,), or the share of pairs that do; nan where that isn't known.
        groups: The group of each, shape (n,).
        size: Groups in a sample.
        draws: Samples.
        seed: Of the draw.
    """
    generator = np.random.default_rng([seed, size])
    members = [np.flatnonzero(np.array(groups) == name) for name in dict.fromkeys(groups)]
    truth = float(np.nanmean(hits))
    rows = []
    for _ in range(draws):
        taken = [members[g] for g in generator.integers(len(members), size=size)]
        values = hits[np.concatenate(taken)]
        found = grouped_share(values, np.repeat(np.arange(size), [len(places) for places in taken]))
        known = values[~np.isnan(values)]
        rows.append((*_errors(_limits(found), truth), *_errors(_limits_by_example(known), truth)))
    means = np.mean(rows, axis=0).tolist()
    return Drawn(*zip(means[:3], means[3:], strict=True))


def _errors(limits: tuple[float, float, float, float], truth: float) -> tuple[bool, bool, bool]:
    low95, high95, low90, high90 = limits
    return low95 <= truth <= high95, low90 > truth, high90 < truth


def _limits(found: GroupedShare) -> tuple[float, float, float, float]:
    limits = [found.lower(0.975), found.upper(0.975), found.lower(CONF), found.upper(CONF)]
    assert None not in limits
    return tuple(limit for limit in limits if limit is not None)  # type: ignore[return-value]


def _limits_by_example(values: npt.NDArray[np.float64]) -> tuple[float, float, float, float]:
    hits = float(values.sum())
    n = len(values)
    bounds = clopper_pearson_lower(hits, n, confidence=CONF), clopper_pearson_upper(hits, n, confidence=CONF)
    return (*clopper_pearson(hits, n), *bounds)


def whole_prompts(inputs: Inputs, reports: Mapping[str, Mapping[str, Any]], draws: int) -> Iterator[str]:
    """Coverage of judges' agreement, and of annotators', in samples of whole prompts."""
    groups = [json.loads(line)["group"] for line in inputs.examples.read_text(encoding="utf-8").splitlines()]
    shares = {judge: agreement_by_example(report) for judge, report in reports.items()}
    shares["annotators with each other"] = pair_agreement(people_scores(inputs), TOLERANCE)
    one, mean = (2 * (0.95 * 0.05 / n) ** 0.5 for n in (draws, draws * len(reports)))
    yield f"{draws} samples for each of {len(reports)} judges, and for annotators with each other. A coverage of .95 is"
    yield f"known to ±{one:.3f} for one judge and to ±{mean:.3f} for their mean. False: the one-sided 90 % bound is on"
    yield "the wrong side of the figure of the whole set; .10 is allowed."
    yield ""
    yield "| stories | agreement of | covers | least | by example | least | false lower | by example | false upper |"
    yield "|---:|---|---:|---:|---:|---:|---:|---:|---:|"
    for size in PROMPTS:
        found = {name: draw_groups(hits, groups, size, draws, seed) for seed, (name, hits) in enumerate(shares.items())}
        for name, of_kind in {
            "judges, mean": [found[judge] for judge in reports],
            "annotators": [found["annotators with each other"]],
        }.items():
            covered, low, high = (np.array([getattr(d, key) for d in of_kind]) for key in ("covered", "low", "high"))
            yield (
                f"| {11 * size} | {name} | {covered[:, 0].mean():.3f} | {covered[:, 0].min():.3f} | "
                f"{covered[:, 1].mean():.3f} | {covered[:, 1].min():.3f} | {low[:, 0].mean():.3f} | "
                f"{low[:, 1].mean():.3f} | {high[:, 0].mean():.3f} |"
            )


def agreement_by_example(report: Mapping[str, Any]) -> npt.NDArray[np.float64]:
    """Whether the judge agrees on each example, shape (n,); nan where it gave no score."""
    apart = np.array([np.nan if miss is None else abs(miss) for miss in report["drift"]])
    return np.where(np.isnan(apart), np.nan, (np.round(apart, 9) < TOLERANCE).astype(np.float64))


def said_of(findings: Sequence[Mapping[str, Any]]) -> str:
    """Findings by code, worst first, each with the criteria it names."""
    by_code: dict[str, list[str]] = {}
    for finding in findings:
        by_code.setdefault(finding["code"], []).append(finding["criterion"] or "")
    told = []
    for code, criteria in by_code.items():
        named = [name for name in criteria if name]
        whole = len(criteria) - len(named)
        where = f" ({', '.join(named)})" if named else ""
        told.append(f"{code}{where}" + (f" ×{whole}" if whole > 1 else ""))
    return "; ".join(told) or "nothing"


def percent(share: float | None) -> str:
    """A share in whole per cent."""
    return "–" if share is None else f"{100 * share:.0f} %"


def published(
    sets: Mapping[str, Inputs], reports: Mapping[tuple[str, str], Mapping[str, Any]], data: Path
) -> Iterator[str]:
    """Published figures of a judge and people, and what `calibrate` gives for them."""
    said = {name: yaml.safe_load((data / name / "published.yaml").read_text())["published"] for name in sets}
    keys = {"rmse": "rmse", "pearson": "pearson", "spearman": "spearman", "kendall_tau_b": "kendall"}
    for entry in said["llm_rubric"]:
        if entry["statistic"] in keys:
            found = reports["llm_rubric", entry["judge"]]["criteria"]["Q0"][keys[entry["statistic"]]]["value"]
            yield line(f"llm_rubric, {entry['judge']}, Q0", entry, found)
    for entry in said["pandalm"]:
        if entry["statistic"] == "accuracy_pct":
            report = reports["pandalm", entry["judge"]]
            unread = report["counts"]["unread"]
            equal = report["criteria"]["preference"]["exact_agreement"]
            ties = ties_unread(sets["pandalm"], entry["judge"])
            found = 100 * (equal["value"] * equal["n"] + ties) / (equal["n"] + unread)
            yield line(f"pandalm, {entry['judge']}, unread taken for a tie", entry, found)


def ties_unread(inputs: Inputs, judge: str) -> int:
    """Pairs that people call a tie and whose verdict could not be read."""
    unread = {
        line["id"]
        for line in map(json.loads, inputs.judges[judge].read_text(encoding="utf-8").splitlines())
        if isinstance(line["criteria"]["preference"], dict)
    }
    examples = map(json.loads, inputs.examples.read_text(encoding="utf-8").splitlines())
    return sum(
        sum(label["criteria"]["preference"] == 0 for label in example["labels"]) >= 2
        for example in examples
        if example["id"] in unread
    )


def line(what: str, entry: Mapping[str, Any], found: float) -> str:
    """A published figure and ours."""
    digits = entry["decimals"]
    same = "yes" if round(found, digits) == round(entry["value"], digits) else "NO"
    return f"| {what} | {entry['statistic']} | {entry['value']:.{digits}f} | {found:.{digits}f} | {same} |"


def counted(reports: Mapping[str, Mapping[str, Any]]) -> str:
    """How many judges got which verdict."""
    verdicts: dict[str, int] = {}
    for report in reports.values():
        name = f"{report['verdict']}/{report['use']}" if report["use"] != "none" else report["verdict"]
        verdicts[name] = verdicts.get(name, 0) + 1
    return "Verdicts: " + ", ".join(f"{n} {name}" for name, n in sorted(verdicts.items())) + "."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--keep", type=Path, help="where the converted files go, instead of a temporary folder")
    parser.add_argument("--draws", type=int, default=200, help="samples of whole prompts for each judge")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        sets = [make(options.data, folder) for make in (hanna, llm_rubric, pandalm)]
        text = report_on(sets, folder, options.data, options.draws)
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


def report_on(sets: Sequence[Inputs], folder: Path, data: Path, draws: int) -> str:
    """All tables."""
    reports = {(inputs.name, judge): run(inputs, judge, folder) for inputs in sets for judge in inputs.judges}
    lines = []
    for inputs in sets:
        of_set = {judge: reports[inputs.name, judge] for judge in inputs.judges}
        unshown = sum((report["gain"]["low"] or 0) <= 0 for report in of_set.values())
        lines += [f"## {inputs.name}: {unshown} of {len(of_set)} judges are not shown to beat a constant", ""]
        lines += [counted(of_set), ""]
        lines += [
            "| judge | earlier | verdict/use | reason | scored | unread | agreement | constant | annotators | "
            "findings, worst first |"
        ]
        lines += ["|---|---|---|---|---:|---:|---:|---:|---:|---|"]
        other = annotator_with_the_others(people_scores(inputs))
        lines += [row_of(judge, report, other) for judge, report in of_set.items()] + [""]
    (first, *_) = sets
    of_first = {judge: reports[first.name, judge] for judge in first.judges}
    lines += ["## hanna: whole prompts drawn", "", *whole_prompts(first, of_first, draws), ""]
    lines += [
        "## Published figures",
        "",
        "| of | statistic | published | calibrate | equal |",
        "|---|---|---:|---:|---|",
    ]
    lines += published({inputs.name: inputs for inputs in sets}, reports, data)
    return "\n".join(lines)


if __name__ == "__main__":
    main()
