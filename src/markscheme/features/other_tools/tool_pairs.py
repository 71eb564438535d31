"""Pairs in the exports of tools that compare two responses: Label Studio's pairwise tasks, LangSmith's comparisons."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markscheme.errors import RatingError
from markscheme.features.other_tools.langsmith import FEEDBACK, KIND_BY_SOURCE, RUN
from markscheme.features.other_tools.tool_content import decoded
from markscheme.plain_data import elements, id_of, mapping
from markscheme.ratings.kinds import Kind
from markscheme.readers.imported import Columns, ImportedFile, number
from markscheme.readers.pair_rows import (
    QUERIES,
    PairAnswer,
    PairRow,
    pair_rubric,
    reading_of_rows,
    refuse_singles,
)
from markscheme.readers.peek import Peek
from markscheme.rubrics.rubric import Rubric

TEXTS_OF_TASK = (
    ("answer1", "answer2"),
    ("answer_one", "answer_two"),
    ("response1", "response2"),
    ("first", "second"),
    ("text1", "text2"),
)
"""Keys under which a pairwise task of Label Studio's templates has its two texts, the left one first."""
COMPARISON = "comparative_experiment_id"
"""The field of LangSmith's feedback that says that it compares runs."""

# --- Label Studio ---------------------------------------------------------------------------------------------------


def is_pairwise_task(peek: Peek) -> bool:
    """Return True if a file has Label Studio's tasks whose annotations choose between two texts."""
    return any(_choices(task) for _, record in peek.first for task in [mapping(record)])


def read_pairwise_tasks(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
    """Read each task as a pair of responses, and which of the two each annotator chose.

    Raises:
        RatingError: A task's data don't show which two texts were compared.
        UsageError: The rubric judges single responses.
    """
    by = rubric or pair_rubric()
    refuse_singles(by)
    return [reading_of_rows(peek, by, columns, list(_rows_of_tasks(peek))) for peek in files]


def _rows_of_tasks(peek: Peek) -> Iterator[PairRow]:
    for ordinal, (_, record) in enumerate(peek.parts(), start=1):
        task = mapping(record)
        data = mapping(task.get("data"))
        names = next((pair for pair in TEXTS_OF_TASK if all(name in data for name in pair)), None)
        if names is None:
            listed = ", ".join(" and ".join(pair) for pair in TEXTS_OF_TASK)
            raise RatingError(f"task {ordinal} has no two texts under {listed}", path=peek.path)
        query = next((data[name] for name in QUERIES if data.get(name)), None)
        yield PairRow(
            id_of(data.get("id"), task.get("id"), f"pair-{ordinal}"),
            (data[names[0]], data[names[1]]),
            (str(data.get("model_a") or ""), str(data.get("model_b") or "")),
            {} if query is None else {"query": query},
            tuple(_choices(task)),
            lost=("cancelled annotations",) * sum(map(_is_cancelled, elements(task.get("annotations")))),
        )


def _choices(task: Mapping[str, Any]) -> list[PairAnswer]:
    """Return which of a task's two texts each annotator chose, and which the judge predicted."""
    parts: list[tuple[Any, Kind]] = [(annotation, "human") for annotation in elements(task.get("annotations"))]
    parts += [(prediction, "model") for prediction in elements(task.get("predictions"))]
    choices = []
    for text, kind in parts:
        fields = mapping(text)
        by = fields.get("completed_by")
        rater = str(mapping(by).get("email") or by or fields.get("model_version") or "judge")
        for region in elements(fields.get("result")) if not _is_cancelled(text) else ():
            of_region = mapping(region)
            if of_region.get("type") == "pairwise":
                selected = mapping(of_region.get("value")).get("selected")
                choices.append(PairAnswer(rater, kind, "tie" if selected is None else selected))
    return choices


def _is_cancelled(annotation: Any) -> bool:
    return bool(mapping(annotation).get("was_cancelled"))


# --- LangSmith ------------------------------------------------------------------------------------------------------


def is_comparative_feedback(peek: Peek) -> bool:
    """Return True if a file has LangSmith's feedback on runs that were compared with each other."""
    return peek.has(*FEEDBACK) and any(mapping(record).get(COMPARISON) for _, record in peek.first)


def read_comparative_feedback(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
    """Read compared runs as pairs of responses, of which the run with the higher score is preferred.

    Raises:
        RatingError: The runs, which have the responses, are missing.
        UsageError: The rubric judges single responses.
    """
    by = rubric or pair_rubric()
    refuse_singles(by)
    runs = {
        str(mapping(record).get("id")): mapping(record)
        for peek in files
        if peek.has(*RUN)
        for _, record in peek.parts()
    }
    feedback = [peek for peek in files if peek.has(*FEEDBACK)]
    if not runs:
        raise RatingError("has feedback alone; name the file of runs too, which has the responses", path=files[0].path)
    lost = Counter[str]()
    rows = [row for peek in feedback for row in _rows_of_feedback(peek, runs, lost)]
    reading = reading_of_rows(feedback[0], by, columns, rows)
    reading.lost.update(lost)
    return [reading]


def _rows_of_feedback(peek: Peek, runs: Mapping[str, Mapping[str, Any]], lost: Counter[str]) -> Iterator[PairRow]:
    """Yield the pairs of responses that raters compared, with their preferences.

    Args:
        peek: The file of feedback.
        runs: The runs of the export, each with a response, by id.
        lost: Counts of feedback that implies no preference, by description, to which more are added.
    """
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for _, record in peek.parts():
        fields = mapping(record)
        if fields.get(COMPARISON) and fields.get("feedback_group_id"):
            groups[str(fields["feedback_group_id"])].append(fields)
        else:
            lost["feedback on a run that is compared with no other"] += 1
    pairs: dict[tuple[str, str], list[PairAnswer]] = defaultdict(list)
    for scores in groups.values():
        if len(scores) != 2 or None in map(_score, scores):
            lost["comparisons without the scores of two runs"] += 1
            continue
        first, second = sorted(scores, key=lambda fields: str(fields.get("run_id")))
        pairs[str(first.get("run_id")), str(second.get("run_id"))].append(_answer(first, second))
    for (first_id, second_id), answers in pairs.items():
        if first_id not in runs or second_id not in runs:
            lost["comparisons of runs that aren't in the files"] += len(answers)
        else:
            texts = [_output(runs[run]) for run in (first_id, second_id)]
            inputs = mapping(decoded(runs[first_id].get("inputs")))
            query = next((inputs[name] for name in QUERIES if inputs.get(name)), None)
            systems = [str(runs[run].get("session_id") or "") for run in (first_id, second_id)]
            yield PairRow(
                f"{first_id}~{second_id}",
                (texts[0], texts[1]),
                (systems[0], systems[1]),
                {} if query is None else {"query": query},
                tuple(answers),
                ids=(first_id, second_id),
            )


def _answer(first: Mapping[str, Any], second: Mapping[str, Any]) -> PairAnswer:
    source = mapping(first.get("feedback_source"))
    kind = KIND_BY_SOURCE.get(str(source.get("type")))
    rater = str(source.get("user_name") or source.get("user_id") or source.get("type") or "judge")
    lead = (_score(first) or 0.0) - (_score(second) or 0.0)
    better = "tie" if not lead else "first" if lead > 0 else "second"
    return PairAnswer(rater, kind, better, str(first.get("comment") or second.get("comment") or ""))


def _score(feedback: Mapping[str, Any]) -> float | None:
    score = feedback.get("score")
    return float(score) if isinstance(score, bool) else number(score)


def _output(run: Mapping[str, Any]) -> Any:
    outputs = decoded(run.get("outputs"))
    if isinstance(outputs, Mapping) and len(outputs) == 1:
        return next(iter(outputs.values()))
    return outputs
