"""Kinds of raters, such as person or model, in a small module, so that `--help` can name them without file formats."""

from typing import Literal, get_args

Kind = Literal["adjudicated", "human", "constructed", "model", "code"]
KINDS: tuple[str, ...] = get_args(Kind)
"""Kinds of raters, those with the strongest evidence first."""
PEOPLE = ("adjudicated", "human")
JUDGES = ("model", "code")
CHOSEN_BY = ("system", "group", "split", "stratum", "drawn")
"""Fields of an example by whose values examples can be selected."""
