"""`grade --show-prompt`: the prompts a judge is asked, to read them or to record replies elsewhere."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from json import dumps
from pathlib import Path

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.options import notify
from markscheme.grading import questions
from markscheme.judges.options import AskOptions
from markscheme.judges.recorded import RecordedJudge
from markscheme.phrases import counted
from markscheme.prompts.prompt import Prompt
from markscheme.ratings.examples import load_examples
from markscheme.ratings.examples_choice import examples_of
from markscheme.rubrics.file import from_here
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration


def print_prompts(
    rubric: Rubric, wanted: list[Prompt] | None, ask: AskOptions, rows: Sequence[str], *, missing: bool, has_core: bool
) -> int:
    """Print the prompts that a judge is sent before any retries, each once, as JSON lines; return the exit status.

    Args:
        rubric: The rubric.
        wanted: The prompts; None means those about the rubric's own examples.
        ask: Options on how the judge is asked.
        rows: The file that the prompts are about and the options on how it is read, as words of `grade`.
        missing: True to print only the prompts that no recording answers.
        has_core: True if there is a rubric; False if rows bring all criteria.
    """
    replies = f"calibration/{rubric.name}/replies/JUDGE.jsonl"
    commands = Commands.on(rubric, f"recorded:{replies}").after(None, ask)
    use = (commands if has_core else replace(commands, rubric="")).grade(*map(shlex.quote, rows))
    if wanted is None:
        path, _ = examples_of(rubric, None)
        examples = load_examples(path, rubric)
        wanted = [prompt for example in examples.examples for prompt in questions(rubric, example.submission)]
        use = commands.calibrate() if examples.labels else commands.grade(shlex.quote(str(from_here(path))))
    wanted = list({prompt.fingerprint: prompt for prompt in wanted}.values())  # equal examples are asked about alike
    if missing and (folder := find_calibration(rubric.name, Path.cwd())) is not None:
        for recording in sorted((folder / "replies").glob("*.jsonl")):
            wanted = RecordedJudge.load(recording).lacks(wanted)
    for prompt in wanted:
        line = {"fingerprint": prompt.fingerprint, "system": prompt.system, "user": prompt.user}
        print(dumps({**line, "schema": prompt.schema}, ensure_ascii=False))
    if not wanted:
        none = "No prompts: there are no examples." if has_core else "No prompts."
        notify("No prompt is left: each has a recorded reply." if missing else none)
        return 0
    notify(
        f"{counted(len(wanted), 'prompt')} on standard output, one JSON object per line.\n"
        f"Write the reply to each as a line of\n  {replies}\n"
        "JUDGE is a name that you choose. A line has the prompt's fingerprint and the\nreply's text:\n"
        '  {"fingerprint": "…", "judge": "JUDGE", "model": "…", "text": "…"}\n'
        "Next, once replies are recorded:\n"
        f"  {use}"
    )
    return 0
