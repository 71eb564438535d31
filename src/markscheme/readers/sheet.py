"""Reader of a labelling sheet's answers: one annotator's ratings, for one wording of a rubric and one pool."""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from markscheme.errors import Fault, RatingError, writing
from markscheme.files import refuse_link, write_whole
from markscheme.fingerprint import fingerprint
from markscheme.phrases import few_of
from markscheme.plain_data import plain_data, read_text, shown
from markscheme.ratings.additions import is_before
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import examples_file, load_examples
from markscheme.ratings.rating import Rating, RatingReader
from markscheme.readers.imported import ImportedFile
from markscheme.readers.peek import Peek
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration

VERSION = 1
"""Version of labelling sheets that is written, and the only one that is read."""
KEY = "sheet.key"
"""Name of the file with the project's key, in the rubric's calibration folder; the key is on no sheet."""
KEY_BYTES = 32
"""Number of bytes of the key: as many as a SHA-256 digest has, as RFC 2104 advises for HMAC."""


def wording_of(rubric: Rubric) -> str:
    """Return a fingerprint of what raters see of a rubric, which excludes weights and pass mark."""
    criteria = [[c.name, c.wording, c.weight < 0, list(rubric.shown_to(c))] for c in rubric.criteria]
    return fingerprint(rubric.name, rubric.description, rubric.guidelines, criteria)


def responses_of(examples: Iterable[Example]) -> dict[str, str]:
    """Map the id of each example to a fingerprint of the texts that raters see."""
    return {e.id: fingerprint(*e.submission.responses, sorted(e.submission.inputs.items())) for e in examples}


def pool_of(responses: Mapping[str, str]) -> str:
    """Return a fingerprint of a set of responses to label, which doesn't depend on their order."""
    return fingerprint(sorted(responses.items()))


def is_sheet(peek: Peek) -> bool:
    """Return True if a JSON file holds the answers of a labelling sheet."""
    data = peek.data
    return isinstance(data, Mapping) and "sheet" in data and isinstance(data.get("ratings"), list)


def signed(head: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a labelling sheet's head with a digest that only someone with the project's key can make.

    Args:
        head: The sheet's entries about itself: version, wording, responses, the questions about each, and the rater
            with its kind.
        key: The project's key.
    """
    text = json.dumps({name: value for name, value in head.items() if name != "digest"}, sort_keys=True)
    return {**head, "digest": hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()}


def sheet_key(folder: Path) -> str:
    """Return the key that signs a rubric's labelling sheets; make one if there is none yet.

    Args:
        folder: The rubric's calibration folder, which the caller has locked.

    Raises:
        RatingError: The file with the key isn't text.
        UsageError: The file with the key can't be written.
    """
    path = folder / KEY
    with writing(path):
        refuse_link(path)
        key = read_text(path, RatingError).strip() if path.is_file() else ""
        if not key:
            key = secrets.token_hex(KEY_BYTES)
            path.touch(mode=0o600)
            write_whole(path, f"{key}\n", follow=False)
    return key


def read_sheet(reading: ImportedFile) -> None:
    """Add the answers of a labelling sheet to an ImportedFile; the sheet need not be completed.

    Raises:
        RatingError: The sheet is of a later version of markscheme, or was made for another wording of the rubric or for
            other responses. Or somebody changed it: its head isn't as it was written, or it has answers to questions
            that the sheet doesn't ask. The message names each of these answers.
    """
    data = reading.data
    rubric = reading.rubric
    if data["sheet"] != VERSION:
        raise RatingError("is a labelling sheet of a later version of markscheme", path=reading.path)
    try:
        if data.get("rubric") != wording_of(rubric):
            raise ValueError(_other_words(data, rubric))
        check_head(data, rubric.name)
        _check_pool(data, rubric)
    except ValueError as fault:
        raise RatingError(str(fault), path=reading.path) from fault
    ratings = _answers_of(data, RatingReader(rubric), reading.path)
    for rating in ratings:
        reading.add(rating)


def saved_for(name: str) -> str:
    """Return the name that a file was saved under, without a number such as (1) that a browser added.

    >>> saved_for("ana (1)"), saved_for("ana")
    ('ana', 'ana')
    """
    return re.sub(r" ?\(\d+\)$", "", name)


def check_head(data: Mapping[str, Any], name: str) -> None:
    """Raise ValueError if a labelling sheet's head was changed, as its digest with the project's key shows.

    Args:
        data: The sheet's data: its head with the digest, and ratings.
        name: Name of the rubric, whose calibration folder has the key.
    """
    folder = find_calibration(name, Path.cwd())
    path = folder / KEY if folder else Path("calibration", name, KEY)
    if not path.is_file():
        raise ValueError(f"can't be checked: {path} isn't here; import it where it was written, or copy that file here")
    head = {name: value for name, value in data.items() if name != "ratings"}
    digest = signed(head, read_text(path, RatingError).strip())["digest"]
    if not hmac.compare_digest(digest.encode(), str(data.get("digest")).encode()):
        raise ValueError(
            f"its head isn't the one that was written: the file was changed by hand, or {path} is of another copy"
        )


def _answers_of(data: Mapping[str, Any], reader: RatingReader, path: Path) -> list[Rating]:
    """Return a labelling sheet's answers after checking that the sheet asks for each of them.

    Args:
        data: The content of the sheet's file.
        reader: Reads each answer as a rating by the rubric.
        path: The file, for messages.

    Raises:
        RatingError: Some answers are invalid, or are given twice, or the sheet doesn't ask for them; the message names
            each with its line.
    """
    ratings: dict[tuple[str, int], Rating] = {}
    faults: dict[int, str] = {}
    for index, line in enumerate(data["ratings"]):
        try:
            rating = reader.rating(line)
            _refuse_unasked(rating, line, data, reader.rubric)
            if (rating.id, rating.sample) in ratings:
                raise ValueError("is answered twice")
            ratings[rating.id, rating.sample] = rating
        except ValueError as fault:
            unit = line.get("id") if isinstance(line, Mapping) else index + 1
            faults[index] = f"the answer to {shown(unit)} is refused: {fault}"
    if faults:
        lines = plain_data(read_text(path, RatingError), "json", RatingError, path=path)[1]
        raise RatingError([Fault(text, lines.get(("ratings", place))) for place, text in faults.items()], path=path)
    return list(ratings.values())


def _refuse_unasked(rating: Rating, line: Mapping[str, Any], head: Mapping[str, Any], rubric: Rubric) -> None:
    """Raise ValueError for an answer that a labelling sheet with this head doesn't ask for.

    Raises:
        ValueError: The sheet doesn't ask for the answer; the message says why.
    """
    for name in ("rater", "kind"):
        if getattr(rating, name) != head[name]:
            raise ValueError(f"{name} is {getattr(rating, name)!r}; the sheet is for {head[name]!r}")
    if [rating.id, rating.sample] not in head["steps"]:
        raise ValueError(f"the sheet doesn't ask for it as sample {rating.sample}")
    unasked = [name for name in rating.criteria if name not in head["asks"][rating.id]]
    unasked += [name for name in ("overall", "error", "withdrawn") if line.get(name) not in (None, False)]
    asks_whole = rating.id in head.get("whole", ()) or head.get("overall", False)
    unasked += ["pass"] if rating.answers_whole and not asks_whole else []
    if unasked or not rating.blind:
        raise ValueError(f"the sheet doesn't ask for {', '.join(unasked) or 'answers that are not blind'}")
    if rating.answers_whole and rating.whole_under != head.get("whole_under"):
        raise ValueError("the whole response is decided under another question than the sheet's")
    for name, rated in rating.criteria.items():
        if rated.under != head["criteria"][name] or rating.under != head["under"]:
            raise ValueError(f"{name} is answered under other words than the sheet's")
        if rated.level is not None and rated.level not in rubric.criterion(name).scale.values:
            raise ValueError(f"{name} is {rated.level:g}, which is no level to choose on the sheet")
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    if is_before(tomorrow.isoformat(), rating.at):
        raise ValueError(f"it was given in the future, {rating.at}")


def _other_words(data: Mapping[str, object], rubric: Rubric) -> str:
    """Explain how a rubric's wording differs from the one that a labelling sheet was made for."""
    criteria_then = data.get("criteria")
    name = data.get("name")
    if name != rubric.name:
        return f"was labelled by the rubric {name!r}; this is {rubric.name!r}"
    current = {criterion.name: criterion.wording for criterion in rubric.criteria}
    then = criteria_then if isinstance(criteria_then, Mapping) else {}
    differ = [
        name_of_criterion
        for name_of_criterion in {**then, **current}
        if then.get(name_of_criterion) != current.get(name_of_criterion)
    ]
    difference = f"criteria {', '.join(differ)} differ" if differ else "its description, guidelines or inputs differ"
    way_out = "write new sheets, or import under the old rubric"
    return f"was labelled by other words of {rubric.name!r}: {difference}; {way_out}"


def _check_pool(data: Mapping[str, object], rubric: Rubric) -> None:
    """Raise an error if the responses on a labelling sheet aren't among the rubric's examples, or differ from them."""
    on_sheet = data.get("responses")
    if not isinstance(on_sheet, Mapping) or data.get("pool") != pool_of(on_sheet):
        raise ValueError("its pool isn't the one it names: the file was changed by hand")
    folder = find_calibration(rubric.name, Path.cwd())
    here = responses_of(load_examples(examples_file(folder), rubric).examples) if folder else {}
    for problem, ids in (
        ("are not among the examples here", [id for id in on_sheet if id not in here]),
        ("differ from those here", [id for id in on_sheet if here.get(id, on_sheet[id]) != on_sheet[id]]),
    ):
        if ids:
            raise ValueError(
                f"was labelled on another pool: {len(ids)} of {len(on_sheet)} responses {problem}: {few_of(ids)}"
            )
