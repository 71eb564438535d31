"""Whether a judge and the system it judges are models of one family, judging by their names."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from markscheme.errors import RatingWarning
from markscheme.plain_data import shown

MODEL_NAMES: Final[Mapping[str, str]] = {
    "Claude": "claude",
    "GPT": "gpt|chatgpt|davinci|codex|o[134]-(?:mini|pro|preview)",
    "Gemini": "gemini|gemma|palm",
    "Llama": "(?:code|tiny)?llama",
    "Qwen": "qwen|qwq",
    "Mistral": "(?:mis|mix|minis|pix|magis)tral|(?:code|dev)stral",
    "DeepSeek": "deepseek",
    "Phi": "phi",
    "Command": "command-[ra]|aya",
    "Grok": "grok",
    "Nova": "nova-(?:micro|lite|pro|premier)",
    "SmolLM": "smollm",
    "Granite": "granite",
    "OLMo": "olmo",
    "Falcon": "falcon",
    "Yi": "yi-[0-9]",
    "GLM": "glm|chatglm",
    "Kimi": "kimi",
}
"""Names of each family's models as parts of words, with no letter next to them."""

MAKERS: Final[Mapping[str, str]] = {
    "Claude": "anthropic",
    "GPT": "openai",
    "Gemini": "google|vertex",
    "Llama": "meta-llama",
    "Mistral": "mistralai",
    "Grok": "xai",
    "Command": "cohere",
}
"""Makers of the models; used only if no model is named, since many servers are compatible with one maker's API."""


def families(name: str) -> frozenset[str]:
    """The families of a model, provider or system by its name; empty if the name names none.

    Example:
        >>> sorted(families("openrouter:meta-llama/llama-3.1-70b")), sorted(families("openai:chat:o3"))
        (['Llama'], ['GPT'])
        >>> sorted(families("prompt-b")), sorted(families("deepseek-r1-distill-qwen-7b"))
        ([], ['DeepSeek', 'Qwen'])
    """
    return _named(MODEL_NAMES, name) or _named(MAKERS, name)


def _named(words: Mapping[str, str], name: str) -> frozenset[str]:
    spelled = name.casefold()
    return frozenset(
        family for family, pattern in words.items() if re.search(rf"(?<![a-z])(?:{pattern})(?![a-z])", spelled)
    )


def same_family(judge: str, system: str) -> str | None:
    """The family that both belong to by their names; None if the names show none.

    Example:
        >>> same_family("claude-sonnet-5-5", "anthropic:messages:claude-haiku-5-5")
        'Claude'
        >>> same_family("claude-sonnet-5-5", "prompt-b") is None
        True
    """
    return min(families(judge) & families(system), default=None)


def warn_of_kinship(judge: str, systems: Iterable[str]) -> None:
    """Warn if a judge belongs to the same family as systems that it judges."""
    warning = kinship(judge, systems)
    if warning:
        warnings.warn(warning, RatingWarning, stacklevel=2)


def kinship(judge: str, systems: Iterable[str]) -> str | None:
    """A warning if some of the systems that wrote the submissions are of the judge's own family; else None.

    Args:
        judge: The judge's model.
        systems: The system that wrote each submission; "" if unknown.

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
