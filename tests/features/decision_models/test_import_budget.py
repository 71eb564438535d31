"""What asking a decision model loads."""

from pathlib import Path

from tests.judges.chat_server import ChatServer
from tests.judges.decision_servers import likely, system_one
from tests.loaded import HEAVY, loaded_by


def test_opening_a_decision_model_imports_no_heavy_module() -> None:
    opening = (
        "from markscheme.judges.registry import open_judge; from markscheme.judges.judge_context import JudgeContext; "
    )
    opening += "open_judge('systemone:jev-1.13.0', context=JudgeContext(list_prices=True))"
    loaded = loaded_by(opening)
    assert "markscheme.features.decision_models.judge" in loaded
    assert not loaded & HEAVY


def test_a_decision_model_is_asked_without_any_provider_s_sdk(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("criteria: [{name: tone, requirement: It is polite.}]\n")
    (tmp_path / "in.jsonl").write_text('{"id": "a", "response": "Thanks."}\n')
    command = [
        "grade",
        str(tmp_path / "r.yaml"),
        str(tmp_path / "in.jsonl"),
        "--judge",
        "systemone:m",
        "-o",
        "cache=off",
    ]
    with ChatServer(system_one(likely(0.1, 0.9))) as server:
        program = f"import os; os.environ['TYPESAFE_BASE_URL'] = {server.url!r}\nfrom markscheme.cli import main"
        loaded = loaded_by(f"{program}; assert main({command!r}) == 0")
    assert loaded & HEAVY == {"httpx2"}
