"""A table of outputs with the responses in a column of any name, and a rubric to label and grade them by."""

from pathlib import Path

from tests.readers.tabular.forms import write

OUTPUT_FORMS = ("csv", "jsonl", "json")
OTHER_NAMES = ("Response", "model_output", "LLM Answer")
ROWS = 50
PARTS = (("q", ""), ("What is ", "?"), ("text ", "."))
"""How an id, a question and a response begin and end around the row's number."""
JUDGE = """def meets(system_prompt, user_prompt):
    return {"verdicts": {"good": {"quote": "", "reason": "r", "level": "MET" if "text 7" in user_prompt else "UNMET"}}}
"""
RUBRIC = "criteria:\n  - {name: good, requirement: The reply is right., weight: 1}\n"


def outputs(folder: Path, form: str, name: str) -> None:
    """Write a table of outputs, a rubric and a judge that passes one of the outputs."""
    ids, asked, texts = ([f"{start}{index}{end}" for index in range(ROWS)] for start, end in PARTS)
    write({"ID": ids, "Question": asked, name: texts}, form, folder)
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "r.yaml").write_text(RUBRIC)
    (folder / "j.py").write_text(JUDGE)
