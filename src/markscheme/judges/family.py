"""Detection of judges that belong to the same model family as the system they judge, by their names."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from markscheme.errors import RatingWarning
from markscheme.plain_data import shown

MODEL_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "Claude": ("claude",),
    "GPT": (
        *("gpt", "chatgpt", "davinci", "codex"),
        *("o1-mini", "o1-pro", "o1-preview", "o3-mini", "o3-pro", "o3-preview", "o4-mini", "o4-pro", "o4-preview"),
    ),
    "Gemini": ("gemini", "gemma", "palm"),
    "Llama": ("llama", "codellama", "tinyllama"),
    "Qwen": ("qwen", "qwq"),
    "Mistral": ("mistral", "mixtral", "ministral", "pixtral", "magistral", "codestral", "devstral"),
    "DeepSeek": ("deepseek",),
    "Phi": ("phi",),
    "Command": ("command-r", "command-a", "aya"),
    "Grok": ("grok",),
    "Nova": ("nova-micro", "nova-lite", "nova-pro", "nova-premier"),
    "SmolLM": ("smollm",),
    "Granite": ("granite",),
    "OLMo": ("olmo",),
    "Falcon": ("falcon",),
    "Yi": tuple(f"yi-{version}" for version in range(10)),
    "GLM": ("glm", "chatglm"),
    "Kimi": ("kimi",),
}
"""Names of each family's models, which are looked for with no letter next to them."""

MAKERS: Final[Mapping[str, tuple[str, ...]]] = {
    "Claude": ("anthropic",),
    "GPT": ("openai",),
    "Gemini": ("google", "vertex"),
    "Llama": ("meta-llama",),
    "Mistral": ("mistralai",),
    "Grok": ("xai",),
    "Command": ("cohere",),
}
"""Makers of the models; used only if no model is named, since many servers are compatible with one maker's API."""


def families(name: str) -> frozenset[str]:
    """Return the model families that the name of a model, provider or system mentions.

    Example:
        >>> sorted(families("openrouter:meta-llama/llama-3.1-70b")), sorted(families("openai:chat:o3"))
        (['Llama'], ['GPT'])
        >>> sorted(families("prompt-b")), sorted(families("deepseek-r1-distill-qwen-7b"))
        ([], ['DeepSeek', 'Qwen'])
    """
    return _named(MODEL_NAMES, name) or _named(MAKERS, name)


def _named(words: Mapping[str, tuple[str, ...]], name: str) -> frozenset[str]:
    spelled = name.casefold()
    return frozenset(family for family, names in words.items() if any(_stands_alone(word, spelled) for word in names))


def _stands_alone(word: str, text: str) -> bool:
    """Return True if a text contains a word that isn't part of a longer word of letters a to z."""
    position = text.find(word)
    while position >= 0:
        neighbours = text[max(position - 1, 0) : position] + text[position + len(word) : position + len(word) + 1]
        if not any("a" <= letter <= "z" for letter in neighbours):
            return True
        position = text.find(word, position + 1)
    return False


def same_family(judge: str, system: str) -> str | None:
    """Return the model family that two names share; None if the names show none.

    Example:
        >>> same_family("claude-sonnet-5-5", "anthropic:messages:claude-haiku-5-5")
        'Claude'
        >>> same_family("claude-sonnet-5-5", "prompt-b") is None
        True
    """
    return min(families(judge) & families(system), default=None)


def warn_of_kinship(judge: str, systems: Iterable[str]) -> None:
    """Warn if a judge belongs to the same model family as systems whose responses it judges."""
    warning = kinship(judge, systems)
    if warning:
        warnings.warn(warning, RatingWarning, stacklevel=2)


def kinship(judge: str, systems: Iterable[str]) -> str | None:
    """Return a warning if the judge's model family also wrote some of the responses; None otherwise.

    Args:
        judge: Name of the judge's model.
        systems: Name of the system that wrote each submission; "" if unknown.

    Source:
        Panickssery, Bowman and Feng (2024), LLM Evaluators Recognize and Favor Their Own Generations,
        NeurIPS 37. arXiv:2404.13076

    Example:
        >>> print(kinship("gpt-5", ["gpt-5-mini", "", "llama3"]))
        the judge gpt-5 is of the same family (GPT) as 'gpt-5-mini', which wrote 1 of 3 responses: judges lean towards
        their own kind, so compare these grades with people's or with those of a judge of another family
    """
    written = Counter(systems)
    kin = {system: shared for system in written if (shared := same_family(judge, system))}
    if not kin:
        return None
    shared = ", ".join(sorted(set(kin.values())))
    named = ", ".join(map(shown, sorted(kin)))
    count = sum(written[system] for system in kin)
    return (
        f"the judge {judge} is of the same family ({shared}) as {named}, which wrote {count} of {written.total()} "
        "responses: judges lean towards their own kind, so compare these grades with people's or with those of a "
        "judge of another family"
    )
