"""Conversion of Promptfoo's results to the files of a project: a rubric of their metrics, and outputs as examples."""

import re
from dataclasses import replace
from pathlib import Path
from shlex import quote

from markscheme.promptfoo.questions import TEXT_READERS
from markscheme.promptfoo.results import Results
from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.ratings.first_splits import with_parts
from markscheme.ratings.kinds import JUDGES
from markscheme.readers.promptfoo import read_by_metrics, results_in, rubric_of
from markscheme.readers.rated import has_results
from markscheme.readers.table_project import TableProject, file_name, json_line, rubric_yaml
from markscheme.rubrics.rubric import Criterion

# A variable of a test, as an assertion's text names it; a judge is shown the input of that name in tags.
_VARIABLE = re.compile(r"\{\{-? ?([A-Za-z_]\w{0,63}) ?-?\}\}")


def project_of_results(path: Path) -> TableProject | None:
    """Convert Promptfoo's results to a project: a rubric of the graded metrics, and outputs as examples.

    For any other file, None is returned. The graders' verdicts stay in the results file, from where `--ratings` takes
    them.

    Raises:
        RatingError: The results can't be read, or none of their assertions is graded by a judge.
        UsageError: The file's name can't be turned into a rubric's name.
    """
    if not has_results(path):
        return None
    results = results_in([path])
    rubric = rubric_of(results)
    reading = read_by_metrics(results[0], rubric)
    variables = {*_VARIABLE.findall("\n".join(criterion.requirement for criterion in rubric.criteria))}
    criteria = tuple(_with_question(criterion, results[0]) for criterion in rubric.criteria)
    rubric = replace(rubric, criteria=criteria, optional_inputs=tuple(sorted(variables - {"output", "query"})))
    name = file_name(path.stem, "the name of the results")
    lines = "".join(json_line(example.to_json()) for example in with_parts(reading.examples))
    folder = Path("calibration") / name
    files = {
        Path("rubrics") / f"{name}.yaml": _head(name, path) + rubric_yaml(rubric, name),
        folder / "examples.jsonl": lines,
    }
    for rating in reading.ratings:
        if rating.kind not in JUDGES and rating.criteria:
            ratings_file = folder / RATINGS_FOLDER / f"{file_name(rating.rater, 'a rater')}.jsonl"
            files[ratings_file] = files.get(ratings_file, "") + json_line(rating.to_json())
    return TableProject(name, files, (path,), has_responses=any(e.submission.response for e in reading.examples))


def _with_question(criterion: Criterion, results: Results) -> Criterion:
    """Return the criterion of a metric, whose requirement becomes the text of the metric's assertion.

    If code makes the assertion, so that it has no text, the requirement is the metric's name.
    A variable such as {{topic}} becomes <topic>, the tag of the input that a judge is shown.
    Of a text that asks for a score, the question is if the response passes, since results have no other verdict.
    The criterion is required if the test has no threshold, since the test then passes only if all assertions pass.
    It may not apply if its metric is graded on some of the outputs only.
    """
    verdict = results.metrics[criterion.name]
    is_code = verdict.kind == "python" and not verdict.is_part
    asks = criterion.name if is_code else _VARIABLE.sub(r"<\1>", criterion.requirement)
    if any(not read(asks)[0].criteria[0].scale.is_yes_no for read in TEXT_READERS):
        asks = f"The response passes by this: {asks}"
    is_of_some = any(row.graded_metrics and criterion.name not in row.graded_metrics for row in results.rows)
    return replace(criterion, requirement=asks, required=results.threshold is None, not_applicable=is_of_some)


def _head(name: str, path: Path) -> str:
    return (
        f"# Made from {path.name}: each criterion is a model-graded metric, and asks what its assertion asks.\n"
        f"# `markscheme lint {quote(name)}` says what a judge might misread.\n"
    )
