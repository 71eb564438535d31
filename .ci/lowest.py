"""Prints the lowest versions that pyproject.toml allows of what the package and its extras need, for pip -c."""

import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("openai", "parquet")

requirements = [*PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra][0] for extra in EXTRAS)]
for requirement in requirements:
    name, lowest = requirement.partition(",")[0].split(">=")
    print(f"{name}=={lowest}")
