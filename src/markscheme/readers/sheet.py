"""Answers saved by a labelling sheet: one annotator's ratings, for one wording of a rubric and one pool."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from markscheme.errors import RatingError
from markscheme.fingerprint import fingerprint
from markscheme.phrases import few_of
from markscheme.ratings.examples import Example, examples_file, load_examples
from markscheme.ratings.rating import RatingReader
from markscheme.readers.imported import Reading
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration


def wording_of(rubric: Rubric) -> str:
    """Fingerprint of what raters see of a rubric; weights and pass mark don't count."""
    criteria = [[c.name, c.fingerprint, c.weight < 0, list(rubric.shown_to(c))] for c in rubric.criteria]
    return fingerprint(rubric.name, rubric.description, rubric.guidelines, criteria)


def responses_of(examples: Iterable[Example]) -> dict[str, str]:
    """Fingerprints of what raters see of examples, by id."""
    return {e.id: fingerprint(e.submission.response, sorted(e.submission.inputs.items())) for e in examples}


def pool_of(responses: Mapping[str, str]) -> str:
    """Fingerprint of a pool: of its responses in any order."""
    return fingerprint(sorted(responses.items()))


def is_sheet(reading: Reading) -> bool:
    """Whether a JSON file holds the answers of a labelling sheet."""
    data = reading.data
    return isinstance(data, Mapping) and "sheet" in data and isinstance(data.get("ratings"), list)


def read_sheet(reading: Reading) -> None:
    """Add the ratings of a sheet, which may be incomplete.

    Raises:
        RatingError: The sheet is of another version, or of other words or responses than those here.
    """
    data, rubric = reading.data, reading.rubric
    if data["sheet"] != 1:
        raise RatingError("is a labelling sheet of a later version of markscheme", path=reading.path)
    reader = RatingReader(rubric)
    try:
        if data.get("rubric") != wording_of(rubric):
            raise ValueError(_other_words(data, rubric))
        ratings = [reader.rating(line) for line in data["ratings"]]
        _check_pool(data, rubric, {rating.id for rating in ratings})
    except ValueError as fault:
        raise RatingError(str(fault), path=reading.path) from fault
    for rating in ratings:
        reading.add(rating)


def _other_words(data: Mapping[str, object], rubric: Rubric) -> str:
    """How the words on a sheet differ from the rubric's."""
    shown, name = data.get("criteria"), data.get("name")
    if name != rubric.name:
        return f"was labelled by the rubric {name!r}; this is {rubric.name!r}"
    now = {criterion.name: criterion.fingerprint for criterion in rubric.criteria}
    then = shown if isinstance(shown, Mapping) else {}
    differ = [one for one in {**then, **now} if then.get(one) != now.get(one)]
    what = f"criteria {', '.join(differ)} differ" if differ else "its description, guidelines or inputs differ"
    return f"was labelled by other words of {rubric.name!r}: {what}; write new sheets, or import under the old rubric"


def _check_pool(data: Mapping[str, object], rubric: Rubric, rated: set[str]) -> None:
    """Refuse answers to responses that differ from the rubric's examples."""
    shown = data.get("responses")
    if not isinstance(shown, Mapping) or data.get("pool") != pool_of(shown) or not rated <= shown.keys():
        raise ValueError("its pool isn't the one it names: the file was changed by hand")
    folder = find_calibration(rubric.name, Path.cwd())
    there = responses_of(load_examples(examples_file(folder), rubric).examples) if folder else {}
    for problem, ids in (
        ("are not among the examples here", [id for id in shown if id not in there]),
        ("differ from those here", [id for id in shown if there.get(id, shown[id]) != shown[id]]),
    ):
        if ids:
            raise ValueError(
                f"was labelled on another pool: {len(ids)} of {len(shown)} responses {problem}: {few_of(ids)}"
            )
