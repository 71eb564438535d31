"""The card of a run that is accepted, written next to its accepted.json."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from markscheme.calibration.accepted.further_files import Kept, RunBasis
from markscheme.calibration.calibration import Calibration
from markscheme.features.cards.card import (
    JudgeCard,
    card_of,
    card_path,
    files_behind,
    named_files,
    terms_of,
    text_path,
)
from markscheme.files import write_whole


def keep_card(calibration: Calibration, document: Mapping[str, Any], basis: "RunBasis | None", path: Path) -> Kept:
    """Make the card of a run that is being accepted; return the card's id, and a function that writes the card.

    A run has no card unless all of its data come from files. Without a card, the id is None, and the function removes
    the card of an earlier run.

    Args:
        calibration: The calibration.
        document: The content of accepted.json.
        basis: The run's examples with their files, and its options; None if the run isn't from files.
        path: The accepted.json.
    """
    card = None if basis is None else _card(calibration, document, basis, path)
    return {"card": None if card is None else card.id}, partial(_write, card, card_path(path))


def _card(calibration: Calibration, document: Mapping[str, Any], basis: "RunBasis", path: Path) -> JudgeCard | None:
    """Make the card of a run; None if some of the run's data comes from no file.

    Args:
        calibration: The calibration.
        document: The content of accepted.json.
        basis: The run's examples with their files, and its options.
        path: The accepted.json.
    """
    examples, options = basis
    files = files_behind(calibration, examples)
    if files is None:
        return None
    file = card_path(path)
    terms = terms_of(calibration, examples, options, document["cost"]["runs"], file)
    named = named_files([*files, ("ratings", path.with_name(document["ratings"]["file"]))], file)
    return card_of(document, calibration, terms, named, file)


def _write(card: JudgeCard | None, path: Path) -> None:
    """Write a judge card and its Markdown file; if the run has no card, remove both files of an earlier run."""
    if card is None:
        path.unlink(missing_ok=True)
        text_path(path).unlink(missing_ok=True)
        return
    write_whole(path, card.text, follow=False)
    write_whole(text_path(path), card.to_markdown(), follow=False)
