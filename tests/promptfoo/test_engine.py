"""Judges that are opened once and used for many outputs."""

from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.errors import UsageError
from markscheme.judges.limited import Limited
from markscheme.judges.remembering import Remembering
from markscheme.promptfoo.engine import Engine

RUBRIC = Rubric.from_dict([{"weight": 1, "requirement": "Mentions Paris"}])


def opened(engine: Engine, **options: Any) -> Limited:
    """The judge of an assertion with these options, without the cache around it."""
    judge = engine.judge_for(RUBRIC, [], (), engine.options(({"judge": "openai:m", **options}, "config.{}")))
    inner = judge.judge if isinstance(judge, Remembering) else judge
    assert isinstance(inner, Limited)
    return inner


def test_two_assertions_share_one_judge_exactly_if_they_give_the_judge_the_same_parameters() -> None:
    engine = Engine(())
    plain, warm = opened(engine), opened(engine, temperature=0.7)
    assert opened(engine, samples=3, strategy="per_criterion") is plain
    assert (plain.identity.parameters["temperature"], warm.identity.parameters["temperature"]) == (0.0, 0.7)
    assert opened(engine, expected=True).identity.parameters["expected"] is True


def test_a_panel_can_be_opened_if_its_first_member_names_a_provider_without_a_model() -> None:
    engine = Engine(())
    judge = engine.judge_for(RUBRIC, [], (), engine.options(({"judge": "anthropic+openai:m"}, "config.{}")))
    assert judge.identity.name == "anthropic+openai:m"


def test_judges_with_identical_limits_on_calls_share_one_limit() -> None:
    engine = Engine([({"price": "3:15"}, "{}")])
    plain, warm = opened(engine, budget=2), opened(engine, budget=2, temperature=0.7)
    assert plain.limiter is warm.limiter
    assert opened(engine, budget=3).limiter is not plain.limiter
    assert opened(engine).limiter.budget is None


def test_the_grader_for_promptfoo_refuses_an_invalid_value_in_markscheme_toml_as_soon_as_it_is_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "markscheme.toml").write_text("concurrency = 0\n")
    with pytest.raises(UsageError, match=r"markscheme\.toml:1: `concurrency` must be a whole number from 1, got 0"):
        Engine()


def test_environment_variables_take_precedence_over_the_configuration_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MARKSCHEME_CONCURRENCY", "3")
    (tmp_path / "markscheme.toml").write_text("concurrency = 5\nsamples = 2\ntarget = 0.9\n")
    options = Engine().options()
    assert (options.concurrency, options.samples) == (3, 2)
