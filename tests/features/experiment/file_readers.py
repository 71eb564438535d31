"""The function that reads an experiment's file, by the endings that such a file may have."""

from collections.abc import Callable, Mapping
from pathlib import Path

from markscheme.features.experiment.file import read_experiment


def read(path: Path) -> object:
    """Read an experiment's file and return the experiment."""
    return read_experiment(path, None, lambda *held: held)


READERS: Mapping[str, Mapping[str, Callable[[Path], object]]] = {
    ".yaml": {"experiment": read},
    ".json": {"experiment": read},
}
