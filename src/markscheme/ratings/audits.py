"""Audits: responses that `pass-rate --track` drew for labelling, which become examples once labelled."""

from pathlib import Path
from typing import Any

from markscheme.errors import RatingError
from markscheme.files import append_lines, exclusive
from markscheme.plain_data import json_lines
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.examples import AUDITS_FILE, RATES_FOLDER, RATINGS_FOLDER, examples_from, load_responses
from markscheme.ratings.first_splits import keep_parts_by_place, with_parts
from markscheme.ratings.row_form import takes_lines
from markscheme.rubrics.rubric import Rubric


def audits_in(folder: Path) -> list[dict[str, Any]]:
    """Return the responses that `pass-rate --track` drew for labelling, as examples, those of the oldest week first.

    The examples of one week are in the order of the file.
    """
    audits: dict[str, tuple[str, dict[str, Any]]] = {}
    for path in sorted((folder / RATES_FOLDER).glob(f"*/{AUDITS_FILE}")):
        for number, line in json_lines(path, RatingError):
            if not isinstance(line, dict) or "week" not in line or "id" not in line:
                raise RatingError("isn't a response drawn by `pass-rate --track`", path=path, line=number)
            example = {key: value for key, value in line.items() if key not in ("at", "week")}
            audits.setdefault(str(line["id"]), (str(line["week"]), example))
    return [example for _, example in sorted(audits.values(), key=lambda audit: audit[0])]


def keep_labelled_audits(examples: Path, rubric: Rubric) -> None:
    """Add to a rubric's examples the responses that `pass-rate --track` drew and that people have labelled.

    Args:
        examples: The file of examples in the rubric's calibration folder.
        rubric: The rubric.

    Raises:
        RatingError: A file can't be read.
        OSError: The file can't be written.
    """
    folder = examples.parent
    audits = {str(audit["id"]): audit for audit in audits_in(folder)}
    files = sorted((folder / RATINGS_FOLDER).glob("*.jsonl")) if audits and takes_lines(examples) else ()
    rated = {rating.id for file in files for rating in load_ratings(file, rubric, kind="human")}
    if not rated & audits.keys() - {example.id for example in load_responses(examples, rubric).examples}:
        return
    with exclusive(folder / RATINGS_FOLDER, is_folder=True, busy=lambda: None):
        before = keep_parts_by_place(examples, rubric)
        new = rated & audits.keys() - {example.id for example in before}
        added = examples_from([audit for unit, audit in audits.items() if unit in new], rubric).examples
        append_lines(examples, [example.to_json(folder) for example in with_parts(added, before)], follow=False)
