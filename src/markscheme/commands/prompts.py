"""`markscheme prompts`: the prompts a judge is asked, to record replies elsewhere."""

from json import dumps
from typing import Annotated

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.options import ExamplesFile, RubricName, notify, rubric_named
from markscheme.phrases import counted


def prompts(
    rubric: RubricName,
    /,
    *,
    examples: ExamplesFile = None,
    missing: bool = False,
    json: Annotated[bool, Parameter(help="no effect: every line is JSON already")] = False,  # noqa: ARG001
) -> int:
    """Print the prompts a judge is asked first about each example, one JSON object per line: fingerprint, system,
    user, schema. They contain no labels. To record a reply, write it to calibration/RUBRIC/replies/JUDGE.jsonl under
    its prompt's fingerprint.

    Args:
        missing: only the prompts that no recording answers

    Example:
        markscheme prompts rubrics/code-quality.yaml --missing
    """
    from markscheme.judges.recorded import RecordedJudge
    from markscheme.ratings.examples import load_examples
    from markscheme.ratings.examples_choice import examples_of
    from markscheme.ratings.from_grades import first_prompts

    loaded = rubric_named(rubric)
    file, folder = examples_of(loaded, examples)
    wanted = first_prompts(loaded, load_examples(file, loaded).examples)
    if missing and folder is not None:
        for recording in sorted((folder / "replies").glob("*.jsonl")):
            wanted = RecordedJudge.load(recording).lacks(wanted)
    for prompt in wanted:
        line = {"fingerprint": prompt.fingerprint, "system": prompt.system, "user": prompt.user}
        print(dumps({**line, "schema": prompt.schema}, ensure_ascii=False))
    if not wanted:
        notify("No prompt is left: each has a recorded reply." if missing else "No prompts: there are no examples.")
        return 0
    replies = f"calibration/{loaded.name}/replies/JUDGE.jsonl"
    notify(
        f"{counted(len(wanted), 'prompt')} on standard output, one JSON object per line.\n"
        f"Write the reply to each as a line of\n  {replies}\n"
        "JUDGE is a name that you choose. A line has the prompt's fingerprint and the\nreply's text:\n"
        '  {"fingerprint": "…", "judge": "JUDGE", "model": "…", "text": "…"}\n'
        "Next, once replies are recorded:\n"
        f"  {Commands.on(loaded.name, f'recorded:{replies}').calibrate()}"
    )
    return 0
