"""Verification of a judge card: its figures computed again from its files, and what differs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from markscheme.calibration.accepted.acceptance import accepted_document
from markscheme.calibration.accepted.recomputed import FileDifference, Recomputed
from markscheme.calibration.calibration import Calibration, Rater, by_current_words, calibration_of
from markscheme.calibration.carried_labels import carried_labels
from markscheme.calibration.differences import differences_between
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.earlier_runs.run_identity import Accepted
from markscheme.calibration.file_names import name_of, place_of
from markscheme.calibration.judge_runs import rated_by
from markscheme.calibration.recorded_trials import (
    SETTINGS,
    compared_by_people,
    count_settings,
    example_digests,
    setting_digest,
    settings_on_record,
)
from markscheme.errors import MarkschemeError, RatingError
from markscheme.features.cards.card import (
    LAST_DIGIT,
    CardFile,
    JudgeCard,
    accepted_path,
    card_of,
    content_digest,
    label_files,
    read_card,
    stated_id,
    text_path,
)
from markscheme.grading.receipt import CARD, accepted_run_data
from markscheme.judges.options import AskOptions
from markscheme.judges.recorded import RecordedJudge
from markscheme.plain_data import json_lines
from markscheme.ratings.codes import stated_answers
from markscheme.ratings.examples import ExampleSet, load_examples
from markscheme.ratings.examples_choice import chosen_examples
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.estimate import Estimate
from markscheme.text import cut_short

MOST_AT_A_TIME = 5
"""Largest number of differing examples or entries that are listed by name."""
LONGEST_VALUE = 60
"""Largest number of characters of a value that differs, to fit into a line of a table."""
NOT_COMPUTED = ("date", "version", "cost", "ratings", "card")
"""Entries of accepted.json that aren't compared: the date, version and cost of the run, and names of files."""


@dataclass(frozen=True, repr=False)
class Verification(Recomputed):
    """The result of checking a judge card: how today's files differ from what it states.

    Attributes:
        card: The card.
    """

    card: JudgeCard


def verify_card(path: Path) -> Verification:
    """Check a judge card: compare the digests of its files, and compute every figure again. Nothing is asked.

    Args:
        path: A card.json, or the folder that has it.

    Raises:
        RatingError: The file isn't a judge card, or names files outside its project.
    """
    path = path / CARD if path.is_dir() else path
    card = read_card(path)
    paths = {file: card.path_of(file) for file in card.files}
    differences = [*_of_id(card), *_of_files(card, paths)]
    try:
        files = _CardFiles(card, paths)
        differences += files.differences
        return Verification(card, differences=tuple(differences), recomputed=True, unchecked=files.unchecked)
    except (
        MarkschemeError,
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
    ) as error:  # of an edited card, or of other files
        problem = FileDifference("the figures", f"cannot be computed again: {error}")
        return Verification(card, differences=(*differences, problem), recomputed=False)


@dataclass(frozen=True)
class _CardFiles:
    """The files that a judge card names, with their content of today.

    Attributes:
        card: The card.
        paths: The path of each file that the card names.
    """

    card: JudgeCard
    paths: Mapping[CardFile, Path]

    @property
    def differences(self) -> Iterator[FileDifference]:
        """Differences between what the card states and what today's files give."""
        document = json.loads(json.dumps(self.accepted_now, default=Estimate.to_json))
        stated = self.stated
        recomputed = card_of(
            {**document, **_made(stated)}, self.calibration, self.card.terms, self.card.files, self.card.path
        )
        for key, then, today in differences_between(
            dict(self.card.content), dict(recomputed.content), tolerance=LAST_DIGIT
        ):
            yield FileDifference(key, _shown(today), _shown(then))
        yield from self._of_judge(stated)
        yield from self._of_settings()
        yield from self._of_accepted(stated, document)
        yield from _of_text(self.card)
        yield from self._of_replies()

    @cached_property
    def stated(self) -> Mapping[str, Any]:
        """The data of the accepted.json that the card belongs to."""
        return accepted_run_data(accepted_path(self.card.path))

    @cached_property
    def accepted(self) -> Accepted:
        """The accepted run that the card belongs to, with the judge's ratings."""
        ratings = self._path_of("ratings")
        accepted = load_accepted(accepted_path(self.card.path))
        file = str(self.stated["ratings"]["file"])
        if file != ratings.name:
            raise RatingError(f"the accepted run's ratings are {file}, the card's {ratings.name}", path=accepted.path)
        return accepted

    @cached_property
    def examples(self) -> ExampleSet:
        """All examples in the card's files, with their labels."""
        folder = self.card.terms.labels_in
        ratings = place_of(folder, self.card.path) if folder else None
        return load_examples(self._path_of("examples"), self.rubric, ratings=ratings)

    @cached_property
    def rubric(self) -> Rubric:
        """The rubric, with the settings by which the accepted run asked the judge."""
        return replace(load_rubric(self._path_of("rubric")), **self.card.terms.asking)

    @cached_property
    def calibration(self) -> Calibration:
        """The calibration computed again: ratings compared with labels, with the settings that the card states."""
        terms = self.card.terms
        carried = carried_labels(self.examples, self.rubric)
        every = self.examples if carried is None else carried.counting
        examples = chosen_examples(every, terms.options.split, terms.options.only)
        accepted = self.accepted
        first = [rating for rating in accepted.ratings if rating.sample == 0]
        repeats = [rating for rating in accepted.ratings if 0 < rating.sample < terms.runs]
        plain = calibration_of(self.rubric, examples, first, self._rater, options=terms.options, repeats=repeats)
        calibration = plain.after(terms.settings)
        return calibration if carried is None else by_current_words(calibration, carried)

    @cached_property
    def accepted_now(self) -> dict[str, Any]:
        """The data that accepted.json would have if it were computed from today's files."""
        stated = self.stated
        document = accepted_document(self.calibration, stated["ratings"], stated["split"], self.card.terms.runs)
        return {**document, "settings": stated["settings"]} if stated["settings"] is None else document

    @property
    def _rater(self) -> Rater:
        judge = self.stated["judge"]
        identity = self.accepted.setting.identity
        return Rater(
            name=str(judge["name"]),
            fingerprint="" if identity is None else identity.fingerprint,
            source=judge["source"],
            provenance=str(judge["provenance"]),
            identity=identity,
            answered_by=self.accepted.setting.answered_by,
        )

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Names of the card's statements that no file in the project can confirm."""
        of_judge = [] if self.accepted.setting.identity is not None else ["how the judge was asked"]
        of_model = [] if self._models_known or not self.accepted.setting.answered_by else ["the model that answered"]
        of_settings = [] if self._settings_tried is not None else ["the number of settings tried"]
        return (*of_judge, *of_model, *of_settings, "date", "version", "cost")

    def _of_judge(self, stated: Mapping[str, Any]) -> Iterator[FileDifference]:
        """Yield a difference if accepted.json names a judge or model that isn't in the ratings or recorded replies.

        Args:
            stated: The content of accepted.json that the card names.
        """
        name = str(stated["judge"]["name"])
        raters = list(dict.fromkeys(rating.rater for rating in self.accepted.ratings))
        if name not in raters:
            yield FileDifference("judge › name", _listed(raters), name)
        models = self.accepted.setting.answered_by
        known_models = self._models_known
        if known_models and not set(models) <= set(known_models):
            yield FileDifference("judge › answered_by", ", ".join(known_models), ", ".join(models))

    @cached_property
    def _models_known(self) -> tuple[str, ...]:
        """Names of the models that answered, by the recorded replies.

        Without recorded replies, these are the names in accepted.json that begin with the name of the model that was
        asked.
        """
        recordings = [path for file, path in self.paths.items() if file.role == "replies"]
        if recordings:
            lines = (line for _, line in json_lines(recordings[0], RatingError) if isinstance(line, Mapping))
            return tuple(dict.fromkeys(str(line["model"]) for line in lines if line.get("model")))
        identity = self.accepted.setting.identity
        model_asked = None if identity is None else identity.model
        return tuple(
            model for model in self.accepted.setting.answered_by if model_asked and model.startswith(model_asked)
        )

    def _of_settings(self) -> Iterator[FileDifference]:
        tried = self._settings_tried
        if tried is not None and self.card.terms.settings < tried:
            yield FileDifference("terms › settings", f"at least {tried}", str(self.card.terms.settings))

    @cached_property
    def _settings_tried(self) -> int | None:
        """Number of settings (rubrics with judges) tried on the labels, up to and including the accepted one.

        None if the accepted setting isn't on record.
        """
        record = self.card.path.with_name(SETTINGS)
        if not record.is_file():
            return None
        comparison = self.calibration.comparison
        rater = self._rater
        digest = setting_digest(comparison.rubric, comparison.measure, rater.identity or rater.name)
        tried = settings_on_record(record)
        index = next((index for index, setting in enumerate(tried) if setting.setting == digest), None)
        if index is None:
            return None
        return count_settings(example_digests(compared_by_people(comparison)), tried[: index + 1])

    def _path_of(self, role: str) -> Path:
        return next(path for file, path in self.paths.items() if file.role == role)

    def _of_accepted(self, stated: Mapping[str, Any], accepted: Mapping[str, Any]) -> Iterator[FileDifference]:
        """Yield a difference if accepted.json doesn't name this card, or has figures that the files don't give.

        Args:
            stated: The content of accepted.json.
            accepted: The same content, computed again from the files.
        """
        name = self.accepted.path.name
        if stated.get("card") != self.card.id:
            yield FileDifference(name, now=f"names the card {_shown(stated.get('card'))}, and this is {self.card.id}")
        then = {key: value for key, value in stated.items() if key not in NOT_COMPUTED}
        today = {key: value for key, value in accepted.items() if key not in NOT_COMPUTED}
        changed = [path for path, _, _ in differences_between(then, today, tolerance=LAST_DIGIT)]
        if changed:
            yield FileDifference(name, now=f"doesn't follow from the files: {_listed(changed)}")

    def _of_replies(self) -> Iterator[FileDifference]:
        """Yield a difference if reading the recorded replies gives other ratings than the accepted ones."""
        recordings = [path for file, path in self.paths.items() if file.role == "replies"]
        if not recordings:
            return
        judge = RecordedJudge.load(recordings[0])
        gold = self.calibration.comparison.gold.examples
        ratings, _ = rated_by(judge, self.rubric, gold, AskOptions())
        then = {
            (rating.id, rating.shown): stated_answers(rating) for rating in self.accepted.ratings if rating.sample == 0
        }
        replayed = {(rating.id, rating.shown): stated_answers(rating) for rating in ratings}
        changed = dict.fromkeys(
            unit for (unit, shown), levels in replayed.items() if then.get((unit, shown), levels) != levels
        )
        if changed:
            yield FileDifference(
                self._name("replies"), now=f"the replies give other ratings than were accepted: {_listed([*changed])}"
            )

    def _name(self, role: str) -> str:
        return next(file.name for file in self.card.files if file.role == role)


def _made(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the date and markscheme's version that accepted.json states, which no file can confirm."""
    return {key: stated[key] for key in ("date", "version")}


def _of_id(card: JudgeCard) -> Iterator[FileDifference]:
    stated = stated_id(card.path)
    if stated != card.id:
        yield FileDifference("id", f"give {card.id}: the card was edited", stated or "nothing")


def _of_text(card: JudgeCard) -> Iterator[FileDifference]:
    """Yield a difference if the card has a Markdown file that isn't what the card gives today."""
    path = text_path(card.path)
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") != card.to_markdown():
        yield FileDifference(path.name, now="says something else than the card")


def _of_files(card: JudgeCard, paths: Mapping[CardFile, Path]) -> Iterator[FileDifference]:
    """Yield a difference for each file of a card that is missing or has changed since the card was made.

    Also yield one for each file of labels that was added since then.

    Args:
        card: The card.
        paths: The path of each file that the card names.
    """
    for file, location in paths.items():
        if not location.is_file():
            yield FileDifference(file.name, now="is missing")
            continue
        try:
            digest = content_digest(location)
        except RatingError as error:
            yield FileDifference(file.name, now=str(error))
            continue
        if digest != file.digest:
            yield FileDifference(file.name, now="has other data than when the card was made")
    names = {file.name for file in card.files}
    folder = card.terms.labels_in
    for path in label_files(place_of(folder, card.path) if folder else None):
        if name_of(path, card.path) not in names:
            yield FileDifference(name_of(path, card.path), now="wasn't there when the card was made")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_AT_A_TIME]) + (
        f" and {len(names) - MOST_AT_A_TIME} more" if len(names) > MOST_AT_A_TIME else ""
    )


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut_short(text, LONGEST_VALUE) or "nothing"
