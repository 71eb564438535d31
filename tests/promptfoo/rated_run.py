"""A run of the real Promptfoo over echoed outputs, and what its viewer makes of a rating."""

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.real.promptfoo import run_eval

MANUAL = "Manual result (overrides all other grading results)"
WORDS = ["hello", "world", "ungraded", "broken", "error", "plain"]
CONFIG = """
prompts: ["{{word}} {{n}}"]
providers: ["file://provider.js"]
defaultTest:
  options: {provider: "file://grader.js"}
  assert:
    - {type: python, value: "file://rubric.js"}
    - {type: python, value: "file://polite.py", metric: polite, weight: 2}
    - {type: llm-rubric, value: "is short", metric: short}
    - {type: contains, value: " "}
tests: file://tests.json
"""
FILES = {
    "provider.js": """
module.exports = class {
  id() { return 'words'; }
  async callApi(prompt) {
    return prompt.includes('error') ? { error: 'no answer today' } : { output: prompt };
  }
};
""",
    "rubric.js": """
module.exports = (output) => {
  if (output.includes('ungraded')) {
    return { pass: false, score: 0, reason: 'not graded: nobody to ask', metadata: { notGraded: true } };
  }
  const good = !output.includes('world');
  const parts = [['readability', 0.5, false], ['correctness', Number(good), good]];
  return {
    pass: good, score: good ? 0.75 : 0.25, reason: 'looked at it',
    namedScores: Object.fromEntries(parts.map(([name, score]) => [name, score])),
    componentResults: parts.map(([name, score, pass]) => ({
      pass, score, reason: `said of ${name}`,
      assertion: { type: 'python', metric: name, value: `Is its ${name} good?` },
    })),
  };
};
""",
    "polite.py": """
def get_assert(output, context):
    if "broken" in output:
        raise ValueError("the grader broke")
    return 0.5
""",
    "grader.js": """
module.exports = class {
  id() { return 'grader'; }
  async callApi(prompt, context) {
    const judged = context.vars.output;
    if (judged.includes('ungraded')) {
      return { error: 'API error: 500' };
    }
    const verdict = { pass: !judged.includes('world'), score: 1, reason: 'short enough' };
    return { output: JSON.stringify(verdict), tokenUsage: { total: 10, prompt: 7, completion: 3 } };
  }
};
""",
}


LABELS = {
    "hello": {"expected_label": "pass", "split": "golden"},
    "world": {"expected_label": "fail", "split": "holdout"},
    "plain": {"expected_label": "maybe", "split": "train"},
}
"""The metadata that the tests of a word have in the run."""


def run_promptfoo(folder: Path) -> dict[str, Any]:
    """Results of two tests of every word: some pass, some fail, some cannot be graded, some have no output."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    tests = [
        {"vars": {"word": word, "n": str(n)}, "metadata": LABELS.get(word, {})} for n in range(2) for word in WORDS
    ]
    (folder / "tests.json").write_text(json.dumps(tests), encoding="utf-8")
    (folder / "promptfooconfig.yaml").write_text(CONFIG, encoding="utf-8")
    run = run_eval(folder / "promptfooconfig.yaml", cwd=folder)
    assert run.exit_code == 100, run.stdout + run.stderr
    return run.results


def unlabelled(results: Mapping[str, Any], each: int) -> dict[str, Any]:
    """Return the results that a run of `each` tests per word, without labels, would have written."""
    made: dict[str, Any] = copy.deepcopy(dict(results))
    made["results"]["results"] = [numbered(rows_of(results, word)[0], n) for n in range(each) for word in WORDS]
    for row in made["results"]["results"]:
        row["metadata"] = row["testCase"]["metadata"] = {}
    return made


def numbered(row: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Return the row of a word's first test, changed to be the row of its test `n`."""
    word, place = row["vars"]["word"], n * len(WORDS) + WORDS.index(row["vars"]["word"])
    made: dict[str, Any] = json.loads(json.dumps(row).replace(f"{word} 0", f"{word} {n}"))
    made["vars"]["n"] = made["testCase"]["vars"]["n"] = str(n)
    made["testCase"]["description"] = f"Row #{place + 1}"
    return made | {"testIdx": place, "id": f"{row['id']}-{n}"}


def rows_of(results: Mapping[str, Any], word: str) -> list[dict[str, Any]]:
    """The rows of one word, in the order of the tests."""
    rows = [row for row in results["results"]["results"] if row["vars"]["word"] == word]
    return sorted(rows, key=lambda row: int(row["testIdx"]))


def rate(
    row: dict[str, Any], *, passes: bool | None = None, score: float | None = None, comment: str | None = None
) -> None:
    """Change a row as the viewer and its server do when a user clicks a thumb (`passes`) or types a score.

    A thumb without a score fills in 1 or 0, and is kept as a component that stands last. A score alone overwrites the
    row's and leaves pass and components as they are.
    """
    grading = row["gradingResult"] = copy.deepcopy(row["gradingResult"]) or {}
    kept = grading.get("pass", row["success"])
    given = score if score is not None else float(passes) if passes is not None else grading.get("score", row["score"])
    if passes is not None:
        thumb = {"pass": passes, "score": given, "reason": MANUAL, "assertion": {"type": "human"}}
        others = [c for c in grading.get("componentResults", []) if c.get("assertion", {}).get("type") != "human"]
        grading["componentResults"] = [*others, {**thumb, "comment": comment} if comment else thumb]
        kept = passes
    if passes is not None or score is not None:
        grading |= {"pass": kept, "score": given, "reason": MANUAL}
    if comment:
        grading["comment"] = comment
    row["success"], row["score"] = kept, given


def take_back(row: dict[str, Any]) -> None:
    """Change a row as the viewer does when a thumb is clicked again: the thumb goes, pass and score are made again.

    They are made from all components as they are listed, parts beside their wholes and each of the same weight.
    """
    grading = row["gradingResult"]
    left = [c for c in grading["componentResults"] if c.get("assertion", {}).get("type") != "human"]
    scores = [component["score"] for component in left]
    made = {"pass": all(component["pass"] for component in left), "score": sum(scores) / len(scores)}
    grading |= {"componentResults": left, "reason": left[0]["reason"], **made}
    row["success"], row["score"] = made["pass"], made["score"]


def written(results: Mapping[str, Any], path: Path) -> Path:
    """The results as a file."""
    path.write_text(json.dumps(results), encoding="utf-8")
    return path
