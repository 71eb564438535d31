"""Judge card: the figures of an accepted run, short enough for a pull request, and the files behind them.

A card states figures and the digests of all files that they were computed from. The module `verification` computes the
figures again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.file_names import name_of, place_of
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.results import Reported
from markscheme.errors import RatingError
from markscheme.fingerprint import fingerprint
from markscheme.grading.receipt import ACCEPTED, CARD
from markscheme.json_text import no_constant
from markscheme.plain_data import form_of, json_lines, plain_data, read_json, read_text
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.examples_choice import Part
from markscheme.ratings.kinds import KINDS
from markscheme.ratings.row_form import form_of_rows
from markscheme.ratings.wordings import WORDINGS_FILE
from markscheme.stats.annotators import GoldRule
from markscheme.stats.estimate import Estimate

CARD_SCHEMA: Final = 1
"""Version of card.json that is written, and the only one that is read."""
FIGURE_DIGITS: Final = 4
"""Decimals of figures on a card: a hundredth of a per cent, which doesn't depend on the version of numpy."""
LAST_DIGIT: Final = 1.01e-4
"""Largest difference between two rounded figures that count as equal: one unit in the last decimal."""

OPTIONS_OF_ONE_RUN: Final = (
    *("gold", "gold_by", "tolerance", "target", "of", "max_false_pass", "max_false_fail"),
    *("trend_on", "max_false_credit", "max_missed_credit"),
)
"""Options of labels that a card records, besides those that choose examples."""

KEY_OF_LABELLED_TWICE: Final = "labelled_twice"
"""Key of a card's labels with the number of examples with two annotators, where these are too few for all to count as
labelled by two; other cards don't have it."""
FileRole: TypeAlias = Literal["rubric", "examples", "labels", "wordings", "ratings", "replies"]
NAMES_IN_ACCEPTED: Final[Mapping[str, str]] = {
    "agreement": "agreement",
    "baseline": "agreement_constant",
    "annotators": "agreement_person",
}
"""Names in accepted.json of some figures of a card, by their names on the card."""


@dataclass(frozen=True)
class CardFile:
    """A file that a card's figures were computed from.

    Attributes:
        role: The kind of its content.
        name: Its path from the card's folder; for a file that comes with markscheme, its path in the package.
        digest: Digest of its data, which doesn't depend on white space, comments and the order of keys.
    """

    role: FileRole
    name: str
    digest: str

    def to_json(self) -> dict[str, str]:
        """Return the file as an entry of the card."""
        return {"role": self.role, "file": self.name, "digest": self.digest}


@dataclass(frozen=True)
class CardTerms:
    """Settings on which a card's figures depend: the labels that count, and how the judge was asked.

    Attributes:
        options: Which examples and labels count, and how much agreement is enough.
        asking: How the judge was asked, where a run may differ from the rubric's file, as in `Rubric.asking`.
        settings: Number of settings that had been tried on these labels, this one included.
        runs: Number of the accepted runs that were accepted together; the first of them was compared with gold.
        labels_in: The folder of labels, by its name on the card; "" if all labels are in the file of examples.
    """

    options: LabelOptions
    asking: Mapping[str, Any]
    settings: int
    runs: int
    labels_in: str

    def to_json(self) -> dict[str, Any]:
        """Return the terms as the card's entry `terms`."""
        of_run = {name: getattr(self.options, name) for name in OPTIONS_OF_ONE_RUN}
        chosen = {"split": self.options.split, "only": list(self.options.only) or None}
        return {
            "labels": {name: value for name, value in (of_run | chosen).items() if value is not None},
            "asking": dict(self.asking),
            "settings": self.settings,
            "runs": self.runs,
            "labels_in": self.labels_in,
        }

    @classmethod
    def read(cls, terms: Mapping[str, Any]) -> "CardTerms":
        """Read the terms in a card's data; raise KeyError, TypeError or ValueError if they are invalid."""
        labels = dict(terms["labels"])
        named = {"gold": KINDS, "gold_by": get_args(GoldRule), "split": get_args(Part)}
        for name, allowed in named.items():
            if name in labels and labels[name] not in allowed:
                raise ValueError(f"{name} is one of {', '.join(allowed)}, got {labels[name]!r}")
        labels["only"] = tuple(map(str, labels.get("only", ())))
        asking = {key: terms["asking"][key] for key in ("pass_mark", "strategy", "samples")}
        asking |= {key: int(terms["asking"][key]) for key in ("criteria_per_call",) if key in terms["asking"]}
        settings = int(terms["settings"])
        runs = int(terms["runs"])
        return cls(LabelOptions(**labels), asking, settings, runs, str(terms["labels_in"]))


@dataclass(frozen=True, repr=False)
class JudgeCard(Reported):
    """Judge card: figures of an accepted run, with digests of the files that they were computed from.

    Attributes:
        content: The card's data, without its id.
        path: Path of card.json.
    """

    content: Mapping[str, Any]
    path: Path

    def __repr__(self) -> str:
        return f"<JudgeCard {self.id} of {self.content['judge']['name']} on {self.content['rubric']['name']}>"

    @cached_property
    def id(self) -> str:
        """Digest of the card's content; accepted.json and the receipts of grades name it."""
        return fingerprint(dict(self.content))

    @property
    def data(self) -> dict[str, Any]:
        """The data of the card as its card.json has it, with schema and id."""
        return {"schema": CARD_SCHEMA, "id": self.id, **self.content}

    @property
    def text(self) -> str:
        """The card as JSON text, for card.json."""
        return json.dumps(self.data, ensure_ascii=False, indent=2) + "\n"

    @cached_property
    def terms(self) -> CardTerms:
        """Settings on which the card's figures depend, as its data states them.

        Raises:
            RatingError: The card states no terms.
        """
        try:
            return CardTerms.read(self.content["terms"])
        except (KeyError, TypeError, ValueError) as error:
            raise RatingError(f"isn't a judge card: its terms cannot be read: {error!r}", path=self.path) from error

    @cached_property
    def files(self) -> tuple[CardFile, ...]:
        """The files that the card's figures were computed from.

        Raises:
            RatingError: The card doesn't name one rubric, one file of examples and one of ratings, or names several
                files of replies.
        """
        try:
            files = tuple(CardFile(_role(raw), str(raw["file"]), str(raw["digest"])) for raw in self._entries)
        except (KeyError, TypeError, ValueError) as error:
            raise RatingError(f"isn't a judge card: its files cannot be read: {error!r}", path=self.path) from error
        roles = [file.role for file in files]
        if any(roles.count(role) != 1 for role in ("rubric", "examples", "ratings")) or roles.count("replies") > 1:
            problem = "isn't a judge card: it names a rubric, examples and ratings, one file of each"
            raise RatingError(problem, path=self.path)
        return files

    @property
    def _entries(self) -> Sequence[Any]:
        return list(self.content["files"])

    def figure(self, name: str) -> Estimate | None:
        """Return the card's figure of this name; None if the card doesn't have it."""
        figure = self.content["figures"].get(name)
        return None if figure is None else Estimate.from_json(figure)

    def path_of(self, file: CardFile) -> Path:
        """Return the path of a file that the card names.

        Raises:
            RatingError: The file is outside the project, where no file is read for a card.
        """
        return place_of(file.name, self.path)


def card_of(
    accepted: Mapping[str, Any], calibration: Calibration, terms: CardTerms, files: Sequence[CardFile], path: Path
) -> JudgeCard:
    """Make the judge card of an accepted run from its accepted.json and its calibration.

    Args:
        accepted: The data of the run's accepted.json.
        calibration: The calibration of the run.
        terms: Settings on which the card's figures depend.
        files: The files that the figures were computed from.
        path: Path of card.json, which isn't written yet.
    """
    comparison = calibration.comparison
    digests = accepted["fingerprints"]
    measured = accepted["measurements"]
    judge = accepted["judge"]
    answer = calibration.decision.gate_answer
    labelled_twice = comparison.gold.few_labelled_twice
    by_two = {KEY_OF_LABELLED_TWICE: labelled_twice} if labelled_twice else {}  # so that other cards keep their digest
    criteria = {
        name: {"kappa": criterion.headline, "bias": criterion.statistics.get("signed_error")}
        for name, criterion in comparison.criteria.items()
    }
    content = {
        "rubric": accepted["rubric"],
        "judge": {
            **{key: judge[key] for key in ("name", "source", "provenance", "answered_by")},
            "fingerprint": digests["judge"],
        },
        "prompt": {"fingerprint": digests["prompt"], "template": digests["template"]},
        "labels": {**accepted["labels"], **by_two, "digest": digests["labels"]},
        "use": accepted["use"],
        "verdict": accepted["verdict"],
        "because": calibration.decision.because_code,
        "decision": accepted["decision"],
        "except": accepted["except"],
        "measure": {"of": accepted["measure"], "tolerance": measured["tolerance"], "target": measured["target"]},
        "figures": {
            **{name: measured[key] for name, key in NAMES_IN_ACCEPTED.items()},
            "decisions": None if answer is None else answer.figures_json(),
            "false_passes": comparison.false_pass_rate,
            "false_fails": comparison.false_fail_rate,
            "margin": measured["margin"],
            "criteria": criteria,
        },
        "terms": terms.to_json(),
        "files": [file.to_json() for file in files],
        "date": accepted["date"],
        "version": accepted["version"],
    }
    return JudgeCard(json.loads(json.dumps(content, default=Estimate.to_json), parse_float=_short), path)


def terms_of(calibration: Calibration, examples: ExampleSet, options: LabelOptions, runs: int, path: Path) -> CardTerms:
    """Return the settings on which a calibration's figures depend, for its judge card.

    Args:
        calibration: The calibration.
        examples: The labelled examples.
        options: Which examples and labels count.
        runs: Number of runs that are accepted together.
        path: Path of the card.
    """
    rubric = calibration.rubric
    labels = examples.ratings
    return CardTerms(
        options=options,
        asking=rubric.asking,
        settings=calibration.comparison.settings,
        runs=runs,
        labels_in="" if labels is None else name_of(labels, path),
    )


def files_behind(calibration: Calibration, examples: ExampleSet) -> list[tuple[FileRole, Path]] | None:
    """Return the files that a calibration was computed from, with their roles; None if rubric or examples have no file.

    The file of the accepted ratings isn't among them.
    """
    rubric = calibration.rubric.source
    examples_file = examples.path
    if rubric is None or examples_file is None:
        return None
    files: list[tuple[FileRole, Path]] = [("rubric", rubric), ("examples", examples_file)]
    files += [("labels", path) for path in label_files(examples.ratings)]
    wordings = examples_file.parent / WORDINGS_FILE
    files += [("wordings", wordings)] if wordings.is_file() else []
    recording = calibration.rater.recording
    return files if recording is None else [*files, ("replies", recording)]


def read_card(path: Path) -> JudgeCard:
    """Read the judge card in a card.json, without checking that its id fits its content.

    Raises:
        RatingError: The file cannot be read, or isn't a judge card of this version.
    """
    data = read_json(path, RatingError, parse_constant=no_constant)
    if not _is_card(data):
        raise RatingError("isn't a judge card that this version of markscheme can read", path=path)
    content = {key: value for key, value in data.items() if key not in ("schema", "id")}
    return JudgeCard(content, path)


def _is_card(data: object) -> bool:
    """Return True if JSON data has a card's schema, and the keys that `verify` prints before it checks any figure."""
    if not isinstance(data, dict) or data.get("schema") != CARD_SCHEMA or "terms" not in data:
        return False
    rubric = data.get("rubric")
    decision = data.get("decision", {})
    return (
        isinstance(rubric, dict)
        and isinstance(rubric.get("name"), str)
        and isinstance(data.get("use"), str)
        and isinstance(decision, dict)
    )


def stated_id(path: Path) -> str:
    """Return the id written in a card.json; "" if it contains no id.

    If the card was edited by hand, this id isn't the digest of the card's content.

    Raises:
        RatingError: The file cannot be read.
    """
    data = read_json(path, RatingError)
    return str(data.get("id", "")) if isinstance(data, dict) else ""


def label_files(folder: Path | None) -> list[Path]:
    """List the files in a folder of labels, in the order in which they are read; an empty list without a folder."""
    return sorted(folder.glob("*.jsonl")) if folder is not None and folder.is_dir() else []


# --- files by name --------------------------------------------------------------------------------------------------


def card_path(accepted: Path) -> Path:
    """Return the path of an accepted run's card: card.json for accepted.json, NAME.card.json for NAME.json."""
    return accepted.with_name(CARD if accepted.name == ACCEPTED else f"{accepted.stem}.{CARD}")


def text_path(card: Path) -> Path:
    """Return the path of the Markdown file next to a card."""
    return card.with_suffix(".md")


def accepted_path(card: Path) -> Path:
    """Return the path of the accepted run, such as accepted.json, that a card belongs to."""
    return card.with_name(ACCEPTED if card.name == CARD else f"{card.name.removesuffix(f'.{CARD}')}.json")


def named_files(files: Sequence[tuple[FileRole, Path]], card: Path) -> list[CardFile]:
    """Return a card's entries for files: each file's role, its path relative to the card, and a digest of its data."""
    return [CardFile(role, name_of(path, card), content_digest(path)) for role, path in files]


def content_digest(path: Path) -> str:
    """Return a digest of a file's data, which doesn't depend on white space, comments and the order of keys.

    Raises:
        RatingError: The file cannot be read.
    """
    match path.suffix.lower():
        case ".jsonl":
            return fingerprint([value for _, value in json_lines(path, RatingError)])
        case ".json" | ".yaml" | ".yml":
            text = read_text(path, RatingError)
            return fingerprint(plain_data(text, form_of(path), RatingError, path=path)[0])
    if form_of_rows(path) in ("packed", "parquet"):
        return fingerprint(sha256(path.read_bytes()).hexdigest())
    return fingerprint(read_text(path, RatingError).splitlines())


def _role(file: Mapping[str, Any]) -> FileRole:
    role = file["role"]
    if role not in get_args(FileRole):
        raise ValueError(f"a file has one of the roles {', '.join(get_args(FileRole))}, got {role!r}")
    return cast(FileRole, role)


def _short(digits: str) -> float:
    return round(float(digits), FIGURE_DIGITS)
