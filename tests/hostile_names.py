"""Names that try to act on a terminal, and a project in which everything that can have a name has one of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

NAMES = (
    "\x1b[2J\x1b[Hgate",
    "\x1b[31mred\x1b[0m",
    "\x1b[8mhidden",
    "\x1b]0;new title\x07",
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;cm0gLXJm\x07",
    "\x1bP$q\x1b\\",
    "\x1b(0lqk",
    "\x1bc reset",
    "\x1b[1A\x1b[2Kline above",
    "\x9b31mC1",
    "\x9d0;C1 title\x9c",
    "\x90C1 string\x9c",
    "bell\x07",
    "back\x08\x08\x08\x08gate",
    "return\rGATE",
    "form\x0cfeed\x0bvertical",
    "delete\x7f",
    "\u202egnp.exe",
    "\u2066isolated\u2069",
    "\u061cmark\u200f\u200e",
    "line\u2028paragraph\u2029",
    "new\nline: gate",
    "half \udcff",
)
BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
JUDGE = '''
import json
from pathlib import Path


def judge(system_prompt, user_prompt):
    """Finds every reply good, and says so in a hostile way."""
    names = json.loads(Path("names.json").read_text())
    verdict = {"quote": names[0], "reason": " ".join(names[:22]), "level": "MET"}
    return {"verdicts": {"polite": verdict, names[1]: verdict}}
'''


def make_project(folder: Path) -> None:
    """Write a project in which rubric, examples, raters, tables, results and an experiment have hostile names."""
    names = [name for name in NAMES if "\udcff" not in name] + ["half \ud800"]
    (folder / ".git").mkdir()
    (folder / "rubrics").mkdir()
    (folder / "names.json").write_text(json.dumps(names))
    (folder / "judging.py").write_text(JUDGE)
    criteria = [
        {"name": "polite", "requirement": f"Is it polite? {names[2]}", "weight": 1},
        {"name": names[1], "requirement": " ".join(names), "weight": 1},
    ]
    rubric = {"name": "manners", "description": " ".join(names), "criteria": criteria}
    (folder / "rubrics" / "manners.json").write_text(json.dumps(rubric))
    home = folder / "calibration" / "manners"
    home.mkdir(parents=True)
    examples = [
        {
            "id": f"{name} {place}",
            "query": name,
            "response": f"reply {place} {name}",
            "group": name,
            "system": name,
            "labels": [_label(f"{name}", place, names), _label(f"second {name}", place + 1, names)],
        }
        for place, name in enumerate(names)
    ]
    _lines(home / "examples.jsonl", examples)
    _lines(folder / "in.jsonl", [{"id": e["id"], "query": e["query"], "response": e["response"]} for e in examples])
    new = [{"id": f"new {name}", "response": f"new reply {name}", "group": name, "system": name} for name in names]
    _lines(folder / "pool.jsonl", new)
    for judge, shift in ((names[0], 0), (names[3], 1)):
        ratings = [
            {"id": e["id"], "kind": "model", **_label(judge, place + shift, names)} for place, e in enumerate(examples)
        ]
        _lines(folder / f"judge-{shift}.jsonl", ratings)
    _lines(folder / "bad.jsonl", [{"id": name, "rater": name, "criteria": {name: name}} for name in names])
    head = ",".join(_cell(name) for name in ("unit", *names[:5]))
    rows = [",".join([_cell(name), *(str((place + n) % 3) for n in range(5))]) for place, name in enumerate(names[:20])]
    (folder / "table.csv").write_text("\n".join([head, *rows]), encoding="utf-8", errors="replace")
    _lines(folder / "passes.jsonl", [{"id": e["id"], "pass": True, "group": e["group"]} for e in examples])
    gold = [{"id": e["id"], "gold": place % 2 == 0, "judge": True} for place, e in enumerate(examples)]
    _lines(folder / "gold.jsonl", gold)
    outputs = [
        {"variant": variant, "case": name, "output": f"output {name}", "query": name}
        for variant in names[:2]
        for name in names
    ]
    _lines(folder / "outputs.jsonl", outputs)
    (folder / "experiment.json").write_text(
        json.dumps(
            {
                "rubric": "manners",
                "outputs": "outputs.jsonl",
                "variants": [{"name": name, "prompt": "Answer: {{query}}"} for name in names[:2]],
                "cases": [{"id": name, "inputs": {"query": name}} for name in names],
            }
        )
    )


def acts_on_a_terminal(text: str) -> list[str]:
    """Return the characters of an output on which a terminal would act, except new line and tab."""
    return sorted({c for c in text if (c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f" or c in BIDI})


def _label(rater: str, place: int, names: list[str]) -> dict[str, object]:
    verdict = {"level": place % 2, "reason": names[place % len(names)]}
    return {"rater": rater, "criteria": {"polite": verdict, names[1]: verdict}, "note": names[place % len(names)]}


def _lines(path: Path, lines: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
