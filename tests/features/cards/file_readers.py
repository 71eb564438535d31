"""The functions that read a judge card, by the ending of what they read."""

from collections.abc import Callable, Mapping
from pathlib import Path

from markscheme.features.cards.card import read_card
from markscheme.features.cards.verification import verify_card

READERS: Mapping[str, Mapping[str, Callable[[Path], object]]] = {
    ".json": {"card": read_card, "verified card": verify_card},
}
