"""Prints what the package and its extras need without upper bounds, for pip: the newest versions, whatever they are."""

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("openai", "parquet")

requirements = [
    *PROJECT["dependencies"],
    *(line for extra in EXTRAS for line in PROJECT["optional-dependencies"][extra]),
]
for requirement in requirements:
    print(re.sub(r",<[\d.]+", "", requirement))
