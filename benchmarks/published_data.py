"""Three published sets of people's and judges' ratings, converted and run through `calibrate --ratings`.

    python benchmarks/published_data.py [--data ../shared/data] [--keep FOLDER] [--write FILE]

hanna: 1,056 stories, three people and twenty judges, six criteria on 1-5. llm_rubric: 223 dialogues, one person each,
four judges, nine questions on 1-4. pandalm: 999 pairs of answers, three people and two judges, which is better.
Each set becomes a rubric, labelled examples and one file of ratings a judge; then the command is run as a user runs it.
Where the sets' authors published figures of a judge beside people, the same figures are read from its JSON.
"""

import argparse
import gzip
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import yaml

from markscheme.cli import main as markscheme

DATA = Path(__file__).parents[2] / "shared" / "data"

HANNA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
QUESTIONS = tuple(f"Q{number}" for number in range(9))
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
    rubric, labelled = folder / f"{name}.yaml", folder / f"{name}.jsonl"
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
    """The JSON of a calibration, as the command writes it."""
    target = folder / "report.json"
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as errors:
        status = markscheme([*inputs.command(judge), "--json", str(target), "--quiet"])
    if status in (2, 3):
        raise RuntimeError(f"{' '.join(inputs.command(judge))} exits {status}: {errors.getvalue()}")
    found: dict[str, Any] = json.loads(target.read_text(encoding="utf-8")) | {"status": status}
    return found


def row_of(judge: str, report: Mapping[str, Any]) -> str:
    """One judge as a line of a table."""
    constant, person = report["agreement_constant"]["value"], report["agreement_person"]
    counts = report["counts"]
    return (
        f"| {judge} | {report['verdict']} | {report['use']} | {counts['graded']} | {counts['unread']} | "
        f"{percent(report['agreement']['value'])} | {percent(constant)} | {percent(person and person['value'])} | "
        f"{said_of(report['findings'])} |"
    )


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
    """Published figures of a judge beside people, and what `calibrate` gives for them."""
    said = {name: yaml.safe_load((data / name / "published.yaml").read_text())["published"] for name in sets}
    keys = {"rmse": "rmse", "pearson": "pearson", "spearman": "spearman", "kendall_tau_b": "kendall"}
    for entry in said["llm_rubric"]:
        if entry["statistic"] in keys:
            found = reports["llm_rubric", entry["judge"]]["criteria"]["Q0"][keys[entry["statistic"]]]["value"]
            yield line(f"llm_rubric, {entry['judge']}, Q0", entry, found)
    for entry in said["pandalm"]:
        if entry["statistic"] == "accuracy_pct":
            report = reports["pandalm", entry["judge"]]
            unread, equal = report["counts"]["unread"], report["criteria"]["preference"]["exact_agreement"]
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
    """A published figure beside ours."""
    digits = entry["decimals"]
    same = "yes" if round(found, digits) == round(entry["value"], digits) else "NO"
    return f"| {what} | {entry['statistic']} | {entry['value']:.{digits}f} | {found:.{digits}f} | {same} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--keep", type=Path, help="where the converted files go, instead of a temporary folder")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        text = report_on([make(options.data, folder) for make in (hanna, llm_rubric, pandalm)], folder, options.data)
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


def report_on(sets: Sequence[Inputs], folder: Path, data: Path) -> str:
    """All tables."""
    reports = {(inputs.name, judge): run(inputs, judge, folder) for inputs in sets for judge in inputs.judges}
    lines = []
    for inputs in sets:
        of_set = {judge: reports[inputs.name, judge] for judge in inputs.judges}
        unshown = sum(
            any(finding["code"] == "no-skill" and finding["criterion"] is None for finding in report["findings"])
            for report in of_set.values()
        )
        lines += [f"## {inputs.name}: {unshown} of {len(of_set)} judges are not shown to beat a constant", ""]
        lines += [
            "| judge | verdict | use | scored | unread | agreement | constant | a person | findings, worst first |"
        ]
        lines += ["|---|---|---|---:|---:|---:|---:|---:|---|"]
        lines += [row_of(judge, report) for judge, report in of_set.items()] + [""]
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
