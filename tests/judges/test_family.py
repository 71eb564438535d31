"""Detection, by names, of a judge that may favour its own model family."""

import pytest

from markscheme.judges.family import MODEL_NAMES, families, kinship, same_family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("claude-sonnet-5-5", "Claude"),
        ("bedrock:us.anthropic.claude-haiku-5-5-v1:0", "Claude"),
        ("anthropic", "Claude"),
        ("gpt-5-mini", "GPT"),
        ("gpt4o", "GPT"),
        ("openai:chat:o3", "GPT"),
        ("o4-mini-high", "GPT"),
        ("azure:chat:my-GPT-4-deployment", "GPT"),
        ("google:gemini-flash-latest", "Gemini"),
        ("gemma2:9b", "Gemini"),
        ("vertex:some-endpoint", "Gemini"),
        ("ollama:chat:llama3.1:8b", "Llama"),
        ("CodeLlama-34b", "Llama"),
        ("Qwen2.5-72B-Instruct", "Qwen"),
        ("mistralai/Mixtral-8x7B", "Mistral"),
        ("mistral-large", "Mistral"),
        ("ministral-8b", "Mistral"),
        ("pixtral-12b", "Mistral"),
        ("SmolLM2-135M-Instruct.Q4_1", "SmolLM"),
        ("phi-4", "Phi"),
        ("grok-4", "Grok"),
    ],
)
def test_the_name_of_a_model_gives_its_family(name: str, family: str) -> None:
    assert families(name) == {family}


@pytest.mark.parametrize(
    "name", ["", "prompt-b", "baseline", "v2", "graphite", "philosophy", "file://provider.py", "echo", "novation-pro"]
)
def test_a_judge_s_name_without_a_known_model_in_it_has_no_model_family(name: str) -> None:
    assert families(name) == frozenset()


def test_a_server_with_a_maker_s_compatible_api_does_not_belong_to_the_maker_s_model_family() -> None:
    assert same_family("gpt-5", "openai:chat:llama-3.1-70b") is None
    assert same_family("llama-3.3", "openai:chat:llama-3.1-70b") == "Llama"


def test_every_model_family_is_recognized_by_its_own_name() -> None:
    named = {"Command": "command-r", "Nova": "nova-pro", "Yi": "yi-34b"}
    assert {family: families(named.get(family, family)) for family in MODEL_NAMES} == {
        family: {family} for family in MODEL_NAMES
    }


def test_the_warning_about_a_shared_model_family_names_the_systems_and_their_share_of_responses() -> None:
    warning = kinship("claude-sonnet-5-5", ["claude-haiku-5-5", "claude-haiku-5-5", "gpt-5", "", "anthropic:old"])
    assert warning is not None
    assert warning.startswith(
        "the judge claude-sonnet-5-5 is of the same family (Claude) as 'anthropic:old', 'claude-haiku-5-5', which "
        "wrote 3 of 5 responses"
    )


def test_there_is_no_warning_if_judge_and_responses_share_no_model_family() -> None:
    assert kinship("claude-sonnet-5-5", ["gpt-5", "", "prompt-b"]) is None
    assert kinship("function:mine:ask", ["gpt-5"]) is None
    assert kinship("claude-sonnet-5-5", []) is None
