"""Chooses which pairs of responses to compare: responses to the same inputs, by different systems."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from markscheme.errors import UsageError
from markscheme.ratings.example_rows import Example
from markscheme.ratings.pair_sides import group_of_inputs
from markscheme.ratings.pairing import pair_of


@dataclass(frozen=True)
class PairDesign:
    """Choice of pairs of responses to label or to judge, with how evenly it compares systems.

    Attributes:
        pairs: The pairs, in the order in which they are to be labelled; any beginning of this order is balanced too.
        systems: Number of pairs that each system is in, by the system's name.
        prompts: Number of distinct inputs that two systems or more responded to.
        possible: Number of possible pairs.
    """

    pairs: tuple[Example, ...]
    systems: Mapping[str, int]
    prompts: int
    possible: int


def pair_design(outputs: Iterable[Example], *, most: int | None = None, seed: int = 1) -> PairDesign:
    """Make pairs of responses to the same inputs: all pairs for two systems, else balanced over systems and prompts.

    Prompts come in random order, one pair each before any has a second one. Each pair is of the two systems that have
    been compared least, so that every two systems are compared about equally often.

    Args:
        outputs: Single responses, each with its system.
        most: Largest number of pairs; None for all pairs if there are two systems, and for one pair per prompt if there
            are more.
        seed: Random seed.

    Raises:
        UsageError: No two systems responded to the same inputs.
    """
    by_prompt: dict[str, dict[str, Example]] = defaultdict(dict)
    for example in outputs:
        if example.system and example.submission.response:
            by_prompt[_prompt(example)].setdefault(example.system, example)
    shared = {prompt: responses for prompt, responses in by_prompt.items() if len(responses) > 1}
    if not shared:
        raise UsageError("no two systems responded to the same inputs: each output needs its `system` and its inputs")
    possible = {prompt: list(combinations(sorted(responses), 2)) for prompt, responses in shared.items()}
    n_systems = len({system for responses in shared.values() for system in responses})
    wanted = most if most is not None else sum(map(len, possible.values())) if n_systems == 2 else len(shared)
    chosen = _balanced(possible, wanted, random.Random(seed))  # noqa: S311 - a design, not a secret
    made = (pair_of(shared[prompt][left], shared[prompt][right]) for prompt, (left, right) in chosen)
    pairs = tuple(replace(pair, drawn=pair.drawn or "random") for pair in made)  # prompts and systems come by chance
    times = Counter(system for _, systems in chosen for system in systems)
    return PairDesign(pairs, dict(sorted(times.items())), len(shared), sum(map(len, possible.values())))


def _prompt(example: Example) -> str:
    return example.group or group_of_inputs(example.submission.inputs)


def _balanced(
    possible: Mapping[str, Sequence[tuple[str, str]]], wanted: int, chance: random.Random
) -> list[tuple[str, tuple[str, str]]]:
    """Choose pairs of systems on prompts, one per prompt in each round, until `wanted` are chosen or none remains.

    Args:
        possible: The possible pairs of systems on each prompt.
        wanted: Number of pairs to choose.
        chance: Random generator.
    """
    left = {prompt: list(pairs) for prompt, pairs in possible.items()}
    times: Counter[tuple[str, str]] = Counter()
    chosen: list[tuple[str, tuple[str, str]]] = []
    while len(chosen) < wanted and any(left.values()):
        prompts = [prompt for prompt, pairs in left.items() if pairs]
        chance.shuffle(prompts)
        for prompt in prompts[: wanted - len(chosen)]:
            systems = min(left[prompt], key=lambda pair: (times[pair], chance.random()))
            left[prompt].remove(systems)
            times[systems] += 1
            chosen.append((prompt, systems))
    return chosen
