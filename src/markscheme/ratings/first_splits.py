"""Splits that examples get from a set's first label on: dev, which may be read, and test, held out to test new
wordings.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from markscheme.errors import writing
from markscheme.files import rewrite
from markscheme.fingerprint import fingerprint
from markscheme.json_text import json_or
from markscheme.phrases import counted
from markscheme.ratings.example_rows import Example, Split
from markscheme.ratings.examples import ExampleSet, load_responses, warn
from markscheme.ratings.row_form import takes_lines
from markscheme.ratings.splits import SPLIT_SEED, file_for_parts, write_parts
from markscheme.rubrics.rubric import Rubric

READ_FIRST: Final = 40
"""Number of a set's first tasks that go into the dev split: with fewer tasks, held-out ones couldn't confirm new
words anyway."""
TASKS_IN_TURN: Final = 3
"""After the first `READ_FIRST` tasks, one in this many tasks goes into the dev split."""
_TEST: Final = re.compile(r'("split"\s*:\s*)"test"')


def part_of_task(index: int) -> Split:
    """Return the split, "dev" or "test", of the task at an index of its set; a task is a group of examples.

    Example:
        >>> [index for index in range(READ_FIRST, 70) if part_of_task(index) == "dev"]
        [40, 42, 46, 48, 51, 56, 58, 62, 65, 68, 69]
    """
    if index < READ_FIRST:
        return "dev"
    turn, offset = divmod(index, TASKS_IN_TURN)
    chosen = int(sha256(f"{SPLIT_SEED}:{turn}".encode()).hexdigest(), 16) % TASKS_IN_TURN
    return "dev" if offset == chosen else "test"


def with_parts(new: Iterable[Example], before: Sequence[Example] = ()) -> tuple[Example, ...]:
    """Give new examples a split each: that of their task or, for a new task, by its position among all tasks.

    Examples of one task share a group or their inputs.

    A split that an example brings is kept, unless its task is in dev.

    Args:
        new: Examples to add, in order.
        before: The set's examples so far, in order.
    """
    parts: dict[str, Split] = {}
    for example in before:
        _note(parts, task_when_split(example), example.split or "dev")
    parted = []
    for example in new:
        task = task_when_split(example)
        _note(parts, task, example.split or parts.get(task) or part_of_task(len(parts)))
        parted.append(replace(example, split=parts[task]))
    return tuple(parted)


def parts_by_place(examples: ExampleSet) -> ExampleSet:
    """Give each example of a set a split by its position in the set; a set that has splits is returned unchanged."""
    return examples if examples.has_splits else replace(examples, examples=with_parts(examples.examples))


def keep_parts_by_place(path: Path, rubric: Rubric) -> tuple[Example, ...]:
    """Divide a file's examples into dev and held-out ones, if it has enough and no splits; return them.

    The splits follow the order of the file and are written into it.

    Returns:
        The outputs; () if the file is missing or empty, or has a format without lines to write splits into.

    Raises:
        RatingError: The file can't be read or written.

    Warns:
        RatingWarning: Outputs whose texts may have been read are held out from now on.
    """
    if not takes_lines(path) or not path.is_file() or not path.stat().st_size:
        return ()
    examples = load_responses(path, rubric)
    parted = parts_by_place(examples)
    held_out = len(parted.part("test").examples) if parted.has_splits else 0
    if parted is examples or not held_out:
        return tuple(examples.examples)
    write_parts(parted)
    warn(f"{counted(held_out, 'output')} are held out from now on; their texts may have been read", path)
    return tuple(parted.examples)


def as_read(examples: ExampleSet) -> ExampleSet:
    """Return a set with its held-out examples in the dev split; its file is left as it is.

    Raises:
        RatingError: Examples are held out, and the file isn't a .jsonl file, so that the change can't be written.
    """
    if examples.path is not None and any(example.is_held_out for example in examples.examples):
        file_for_parts(examples)
    as_dev = (replace(e, split="dev") if e.is_held_out else e for e in examples.examples)
    return replace(examples, examples=tuple(as_dev))


def write_as_read(path: Path) -> None:
    """Move the held-out examples of a file to the dev split, if splits can be written into its lines.

    Raises:
        UsageError: The file can't be written.
    """
    if takes_lines(path):
        with writing(path):
            rewrite(path, lambda text: "\n".join(map(_read_line, text.split("\n"))))


def _read_line(line: str) -> str:
    """Return a line of a file of examples with the split "test" changed to "dev"; any other line unchanged."""
    example = json_or(line, None)
    if not isinstance(example, dict) or example.get("split") != "test":
        return line
    moved = {**example, "split": "dev"}
    changed = _TEST.sub(r'\1"dev"', line)
    return changed if json.loads(changed) == moved else json.dumps(moved, ensure_ascii=False)


def _note(parts: dict[str, Split], task: str, split: Split) -> None:
    parts[task] = "dev" if "dev" in (split, parts.get(task)) else "test"


def task_when_split(example: Example) -> str:
    """Return a key that examples of one task share: the example's group, else its inputs, else its id."""
    if example.group:
        return f"group {example.group}"
    inputs = dict(example.submission.inputs)
    return f"inputs {fingerprint(inputs)}" if inputs else f"example {example.id}"
