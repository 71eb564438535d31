"""Small projects in which the commands that print JSON are run, and the documents that they print."""

import json
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from tests.commands.console import ROOT, run
from tests.commands.judged_project import make_project, write_lines

Document: TypeAlias = dict[str, Any]
CAREFUL, HASTY = "function:scripted_judges:careful", "function:scripted_judges:hasty"
ENDED = (0, 1, 4, 5)
"""Exit statuses after which a document is there: the answer was yes, or no, or not enough was labelled or graded."""
MANNERS = """\
passingThreshold: 0.6
criteria:
- {name: polite, description: The reply is polite, weight: 1}
- {name: short, requirement: The reply is short, weight: 0.5}
"""
READ_BY_WORDS = """
import re

def _level(user_prompt):
    return str(1 + len(re.findall("word", re.search(r"<response-.*?>(.*)</response-", user_prompt, re.S)[1])) % 5)

def judge(system_prompt, user_prompt):
    said = {"quote": "nothing to quote", "reason": "so", "level": _level(user_prompt)}
    return {"verdicts": {"clear": said}}

def longer(system_prompt, user_prompt):
    first, second = re.findall(r"<response-[12]-[0-9a-f]+>\\n(.*?)\\n</response", user_prompt, re.S)
    level = "first" if len(first) > len(second) else "second"
    return {"verdicts": {"helps": {"quote_1": first, "quote_2": second, "reason": "Longer.", "level": level}}}

def towns(system_prompt, user_prompt):
    names = re.findall(r'Criterion "(c[0-9]+)"', system_prompt)
    return {"verdicts": {name: {"quote": "", "reason": "Seen.", "level": "MET"} for name in names}}

judge.environment = longer.environment = towns.environment = ()
"""
HEARS_ENTIRE = """
def judge(system_prompt, user_prompt):
    number = int(user_prompt.split("reply ")[1].split()[0])
    level = 1 + number % 5 if "entire" in system_prompt or number % 3 else 3
    said = {"polite": str(level), "short": "MET" if number % 2 else "UNMET"}
    return {"verdicts": {name: {"quote": "", "reason": "so", "level": of} for name, of in said.items()}}

judge.environment = ()
"""


class Folder:
    """A folder in which commands are run, with a cache of replies of its own."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True)
        self.path = path

    def printed(self, *words: str) -> str:
        """Run a command that comes to an answer, and return its standard output."""
        done = run(*words, cwd=self.path, env={"MARKSCHEME_CACHE": str(self.path / "cache")})
        assert done.returncode in ENDED, f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}{done.stdout}"
        return done.stdout

    def json(self, *words: str) -> Document:
        """Run a command with `--json`, and return the document that it prints."""
        target = ("-",) if words[0] == "calibrate" or words[1] == "experiment" else ()
        printed = self.printed(*words, "--json", *target)
        assert printed, f"{' '.join(words)} prints no JSON"
        document: Document = json.loads(printed)
        return document

    def write(self, name: str, text: str) -> str:
        """Write a file, and return its name."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    def lines(self, name: str, lines: Sequence[Mapping[str, Any]]) -> str:
        """Write a file of JSON lines, and return its name."""
        self.write(name, "")
        write_lines(self.path / name, lines)
        return name


def judged(folder: Folder) -> dict[str, Document]:
    """Documents on a rubric of replies that two people labelled and that scripted judges grade."""
    make_project(folder.path)
    folder.write("rubrics/manners.yaml", MANNERS)
    examples = folder.path / "calibration" / "manners" / "examples.jsonl"
    lines = [json.loads(line) for line in examples.read_text(encoding="utf-8").splitlines()]
    for number, line in enumerate(lines):
        line |= {"metadata": {"language": "de" if number % 10 < 5 else "en"}, "split": "test" if number % 3 else "dev"}
        line["labels"].append({"rater": "sum", "kind": "model", "overall": 0.5})
    folder.lines("calibration/manners/examples.jsonl", lines)
    calibrated = ("calibrate", "manners", "--judge", CAREFUL)
    documents = {
        "calibrate": folder.json(*calibrated, "-o", "max_false_pass=0.2", "--accept", "--force"),
        "calibrate since": folder.json(*calibrated[:-1], HASTY, "-o", "max_false_pass=0.2"),
        "compare": folder.json("markscheme", "compare", "gpt.jsonl", "claude.jsonl", "--rubric", "manners"),
        "compare judges": folder.json(*calibrated, "--judge", HASTY),
        "status": folder.json("markscheme", "status"),
        "label --progress": folder.json("markscheme", "label", "manners", "--progress"),
        "label --plan": folder.json("markscheme", "label", "manners", "--plan"),
        "lint": folder.json("markscheme", "lint", "manners"),
        "improve": folder.json("markscheme", "improve", "manners"),
        "improve --plan": folder.json("markscheme", "improve", "manners", "--plan"),
        "stress": folder.json("markscheme", "stress", "manners", "--judge", CAREFUL),
        "certify": folder.json("markscheme", "certify", "manners", "--judge", CAREFUL),
        "verify": folder.json("markscheme", "verify", "calibration/manners/card.json"),
    }
    graded = folder.printed(
        "markscheme", "grade", "manners", "calibration/manners/examples.jsonl", "--judge", CAREFUL, "--json"
    )
    documents["grade"] = json.loads(graded.splitlines()[0])
    return documents


def of_a_table(folder: Folder) -> dict[str, Document]:
    """Documents on tables: of a judge and annotators, and of annotators alone, each on one criterion and on two."""
    draw = random.Random(1)
    rows = []
    for number in range(40):
        gold = draw.randint(1, 5)
        judge = gold if draw.random() < 0.7 else draw.randint(1, 5)
        rows.append([f"r{number}", gold, min(5, gold + (number % 9 == 0)), judge])
    both = [[f"r{n}", n % 2, n % 2, n % 3 % 2, n % 4 // 2, n % 4 // 2, n % 5 % 2] for n in range(40)]
    raters = ("human1", "human2", "judge")
    tables: dict[str, list[list[Any]]] = {
        "one": [["id", *raters], *rows],
        "two": [["id", *(f"{criterion}__{rater}" for criterion in ("tone", "facts") for rater in raters)], *both],
    }
    documents = {}
    for name, table in tables.items():
        folder.write(f"{name}.csv", "".join(f"{','.join(map(str, row))}\n" for row in table))
        people = [[cell for cell, of in zip(row, table[0], strict=True) if "judge" not in of] for row in table]
        folder.write(f"{name}_people.csv", "".join(f"{','.join(map(str, row))}\n" for row in people))
        documents[f"calibrate TABLE, {name}"] = folder.json("calibrate", f"{name}.csv")
        documents[f"calibrate TABLE of annotators, {name}"] = folder.json("calibrate", f"{name}_people.csv")
    for name, other in (("a", "poor"), ("b", "weak")):
        folder.write(f"{name}.csv", f"id,human,judge\n1,good,{other}\n2,{other},good\n")
    refused = run("calibrate", "a.csv", "b.csv", "--json", "-", cwd=folder.path)
    return {**documents, "error": json.loads(refused.stdout)}


def of_pairs(folder: Folder) -> dict[str, Document]:
    """Documents on pairs of responses of three systems, which two people compared and a judge compares."""
    folder.write("rubrics/better.yaml", "compare: pairs\ncriteria:\n- {name: helps, prefer: The one that helps.}\n")
    folder.write("judges.py", READ_BY_WORDS)
    lengths = {"a": 3, "b": 2, "c": 1}
    lines = []
    for number in range(8):
        for first, second in (("a", "b"), ("b", "c"), ("c", "a")):
            sides = {
                side: {"id": f"{name}-{number}", "system": name, "response": "word " * lengths[name]}
                for side, name in (("first", first), ("second", second))
            }
            level = "first" if lengths[first] > lengths[second] else "second"
            labels = [{"rater": rater, "kind": "human", "criteria": {"helps": level}} for rater in ("ann", "ben")]
            pair = {"id": f"q{number}:{first}~{second}", "query": f"question {number}", **sides}
            lines.append({**pair, "labels": labels})
    folder.lines("calibration/better/examples.jsonl", lines)
    judge = ("--judge", "function:judges:longer")
    graded = folder.printed("markscheme", "grade", "better", "calibration/better/examples.jsonl", *judge, "--json")
    folder.write("judged.jsonl", graded)
    return {
        "calibrate of pairs": folder.json("calibrate", "better", *judge),
        "compare --pairs": folder.json("markscheme", "compare", "--pairs", "judged.jsonl", "--rubric", "better"),
        "grade of pairs": json.loads(graded.splitlines()[0]),
    }


def of_rates(folder: Folder) -> dict[str, Document]:
    """Documents on pass rates: corrected, of runs against a threshold, and of a stream."""
    labels = [{"id": f"l{n}", "gold": n % 3 > 0, "judge": n % 4 > 0, "drawn": "by-verdict"} for n in range(48)]
    folder.lines("labels.jsonl", labels)
    folder.lines("pool.jsonl", [{"id": f"p{n}", "pass": n % 4 > 0, "group": f"g{n % 2}"} for n in range(100)])
    for number in range(3):
        draw = random.Random(number)
        scores = [0.5 + n / 60 + draw.gauss(0, 0.05) for n in range(20)]
        folder.lines(f"run{number}.jsonl", [{"id": f"c{n}", "score": s, "pass": s > 0.6} for n, s in enumerate(scores)])
    folder.write("rubrics/reply.yaml", "criteria:\n- {name: kind, requirement: The reply is kind., weight: 1}\n")
    stream = [
        {
            "id": f"w{week}-{n}",
            "time": f"2025-10-{6 + 7 * week + n % 7:02}T12:00:00Z",
            "language": "de" if n % 3 else "en",
            "response": f"Reply {week} {n}",
            "pass": n % 5 != 0,
        }
        for week in range(3)
        for n in range(30)
    ]
    folder.lines("traces.jsonl", stream)
    rate = ("markscheme", "pass-rate")
    corrected = (*rate, "pool.jsonl", "--calibration", "labels.jsonl")
    runs = tuple(f"run{number}.jsonl" for number in range(3))
    track = ("--rubric", "reply", "--track", "--through", "2025-11-02")
    return {
        "pass-rate": folder.json(*corrected),
        "pass-rate --at-least": folder.json(*corrected, "--at-least", "0.7"),
        "pass-rate of runs": folder.json(*rate, *runs, "--at-least", "0.6"),
        "pass-rate --track": folder.json(*rate, "traces.jsonl", *track),
    }


def of_experiment(folder: Folder) -> dict[str, Document]:
    """Documents on the documentation's experiment, once and after its run was accepted."""
    for path in (ROOT / "docs" / "examples").iterdir():
        if path.is_file():
            shutil.copy(path, folder.path)
    recorded = ("--judge", "function:desk:judge", "--outputs", "support.outputs.jsonl")
    command = ("markscheme", "experiment", "support.experiment.yaml", *recorded)
    return {"experiment": folder.json(*command, "--accept"), "experiment since": folder.json(*command)}


def of_outputs(folder: Folder) -> dict[str, Document]:
    """Documents of reading outputs: figures of the notes, a model's suggestions, and the rubric that was written."""
    folder.lines("outputs.jsonl", [{"id": f"o{n}", "query": "How much?", "response": f"{n} euros."} for n in range(60)])
    notes = []
    for n in range(40):
        note: Document = {"id": f"o{n}", "rater": ("ann", "ben")[n % 2], "kind": "human", "note": ""}
        if n % 3 == 0:
            note |= {"note": "names a price", "quote": "euros"}
            note |= {"mode": "price", "definition": "The reply names a price.", "severity": 2} if n % 2 else {}
        notes.append(note)
    folder.lines("notes.jsonl", notes)
    folder.write(
        "judges.py",
        "import json\n\ndef groups(system_prompt, user_prompt, schema=None):\n"
        "    modes = [{'name': 'cost', 'definition': 'It is dear.', 'notes': [1, 2]}]\n"
        "    return json.dumps({'modes': modes})\n",
    )
    command = ("markscheme", "discover", "reply")
    folder.printed(*command, "--pool", "outputs.jsonl", "--notes", "notes.jsonl", "--random")
    suggest = (*command, "--suggest", "function:judges:groups")
    return {
        "discover": folder.json(*command),
        "discover --suggest --plan": folder.json(*suggest, "--plan"),
        "discover --suggest": folder.json(*suggest),
        "discover --write": folder.json(*command, "--write"),
    }


def of_versions(folder: Folder) -> dict[str, Document]:
    """Documents on two versions of a rubric: by annotators' decisions, and by the words alone."""
    rubric = "passingThreshold: 0.5\ncriteria:\n- {name: clear, description: WORDS, weight: 1}\n"
    folder.write("rubrics/answer.yaml", rubric.replace("WORDS", "Is it clear?"))
    folder.write("old.yaml", "name: answer\n" + rubric.replace("WORDS", "Is it good?"))
    folder.write("judges.py", READ_BY_WORDS)
    lines = []
    for number in range(40):
        label = {"rater": "ann", "kind": "human", "criteria": {"clear": 1 + number % 5}, "pass": number % 5 > 1}
        lines.append({"id": f"e{number}", "response": "word " * (number % 5), "labels": [label]})
    folder.lines("calibration/answer/examples.jsonl", lines)
    versions = ("markscheme", "compare", "old.yaml", "rubrics/answer.yaml")
    documents = {"compare VERSIONS by decisions": folder.json(*versions, "--judge", "function:judges:judge")}
    folder.lines("calibration/answer/examples.jsonl", [{**line, "labels": []} for line in lines])
    return {**documents, "compare VERSIONS": folder.json(*versions)}


def of_counts(folder: Folder) -> dict[str, Document]:
    """Documents on counts of ratings, alone and next to earlier counts."""
    folder.write("rubrics/answer.yaml", "pass_mark: 0.5\ncriteria:\n- {name: clear, description: Is it clear?}\n")
    draw = random.Random(3)
    examples, ratings = [], []
    for number in range(60):
        level = draw.randint(1, 5)
        label = {"rater": "ann", "kind": "human", "criteria": {"clear": level}}
        response = {"id": f"e{number}", "response": f"reply {number}", "system": f"s{number % 2}"}
        examples.append({**response, "labels": [label]})
        ratings += [
            {"id": f"e{number}", "judge": judge, "criteria": {"clear": level if draw.random() < 0.7 else 3}}
            for judge in ("old", "new")
        ]
    folder.lines("examples.jsonl", examples)
    folder.lines("ratings.jsonl", ratings)
    export = ("markscheme", "export", "answer", "--from", "ratings.jsonl", "--examples", "examples.jsonl")
    for name in ("old", "new"):
        folder.printed(*export, "--judge", name, "--counts", f"{name}.csv", "--shown", "2", "--slices", "system")
    calibrated = ("calibrate", "answer", "--counts")
    return {
        "compare counts": folder.json("markscheme", "compare", "old.csv", "new.csv", "--rubric", "answer"),
        "calibrate counts": folder.json(*calibrated, "old.csv", "--accept", "--force"),
        "calibrate counts since": folder.json(*calibrated, "new.csv"),
    }


def of_rows(folder: Folder) -> dict[str, Document]:
    """Documents on rows that bring their criteria."""
    rows = []
    for number in range(24):
        met = {"c1": "MET", "c2": "MET" if number % 2 else "UNMET"}
        labels = [{"rater": rater, "kind": "human", "criteria": met} for rater in ("ann", "ben")]
        labels.append({"rater": "gpt", "kind": "model", "criteria": met | ({"c2": "MET"} if number < 4 else {})})
        criteria = [{"requirement": f"Names town {number * 2 + n}", "weight": n + 1, "tags": ["town"]} for n in (0, 1)]
        rows.append({"id": f"r{number}", "query": "q", "response": f"It is {number}.", "rubric": criteria})
        rows[-1]["labels"] = labels
    folder.lines("rows.jsonl", rows)
    folder.lines("outputs.jsonl", [{**row, "labels": []} for row in rows])
    folder.write("judges.py", READ_BY_WORDS)
    limits = ("-o", "trend_on=criteria", "-o", "max_false_credit=0.4")
    graded = folder.printed("markscheme", "grade", "outputs.jsonl", "--judge", "function:judges:towns", "--json")
    return {
        "calibrate rows": folder.json("calibrate", "rows.jsonl", *limits),
        "grade rows": json.loads(graded.splitlines()[0]),
        "lint rows": folder.json("markscheme", "lint", "rows.jsonl"),
    }


def of_improvements(folder: Folder) -> dict[str, Document]:
    """Documents on other words, and on other weights and pass mark."""
    make_project(folder.path)
    folder.write("rubrics/manners.yaml", MANNERS)
    folder.write("judges.py", HEARS_ENTIRE)
    for name, new in (("better", "The entire reply"), ("same", "The reply")):
        edit = {"criterion": "polite", "field": "description", "old": "The reply", "new": new}
        folder.write(f"{name}.json", json.dumps([edit]))
    candidates = ("--candidates", "better.json", "same.json", "--open")
    names = ("warm", "short", "exact")
    rubric = [f"- {{name: {name}, weight: 1, requirement: The reply is {name}.}}" for name in names]
    folder.write("rubrics/plate.yaml", "passingThreshold: 0.5\ncriteria:\n" + "\n".join(rubric) + "\n")
    draw = random.Random(7)
    decided, scored = [], []
    for number in range(90):
        levels = {name: draw.randint(0, 1) for name in names}
        score = (4 * levels["warm"] + 2 * levels["short"] + levels["exact"]) / 7
        label = {"rater": "ann", "kind": "human", "criteria": levels}
        response = {"id": f"o{number}", "response": f"Reply {number}"}
        decided.append({**response, "labels": [{**label, "pass": score >= 0.5}]})
        scored.append({**response, "labels": [{**label, "overall": round(score, 3)}]})
    folder.lines("calibration/plate/examples.jsonl", decided)
    numbers = ("markscheme", "improve", "plate", "--numbers", "--open")
    documents = {
        "improve --candidates": folder.json(
            "markscheme", "improve", "manners", "--judge", "function:judges:judge", *candidates
        ),
        "improve --numbers": folder.json(*numbers),
    }
    folder.lines("calibration/plate/examples.jsonl", scored)
    return {**documents, "improve --numbers by scores": folder.json(*numbers)}


def of_certainty(folder: Folder) -> dict[str, Document]:
    """Documents on a judge that gives each level a probability, and on outputs drawn to be labelled next."""
    folder.write("rubrics/kind.yaml", "criteria:\n- {name: kind, requirement: It is kind., weight: 1}\n")
    draw = random.Random(5)
    examples, ratings, pool = [], [], []
    for number in range(60):
        chance = round(draw.random(), 3)
        label = {"rater": "ann", "kind": "human", "criteria": {"kind": draw.random() < chance}}
        examples.append({"id": f"e{number}", "response": f"reply {number}", "labels": [label]})
        pool.append({"id": f"p{number}", "response": f"output {number}", "system": f"s{number % 2}"})
        levels = {"kind": {"probabilities": {"MET": chance, "UNMET": round(1 - chance, 3)}}}
        ratings += [{"id": f"{of}{number}", "rater": "sure", "kind": "model", "criteria": levels} for of in "ep"]
    folder.lines("calibration/kind/examples.jsonl", examples)
    folder.lines("judge.jsonl", ratings)
    folder.lines("pool.jsonl", pool)
    drawn = ("--next", "10", "--pool", "pool.jsonl", "--to", "next.jsonl", "--ratings", "judge.jsonl")
    return {
        "calibrate probabilities": folder.json("calibrate", "kind", "--ratings", "judge.jsonl"),
        "label --next": folder.json("markscheme", "label", "kind", *drawn),
    }


SUMMARIZED = """
import json, pathlib
from markscheme.hooks import after_all

after_all(json.loads(pathlib.Path("context.json").read_text()), "session.py")
"""


def of_a_start(folder: Folder) -> dict[str, Document]:
    """Documents on a new project, the demonstrations, and a run of Promptfoo with repeats and a failed output."""
    results = []
    for number in range(144):
        test, provider = number // 2 % 24, ("kind", "curt")[number % 2]
        met = (test + number // 48) % 4 > 0
        judged = {
            "pass": met,
            "score": float(met),
            "reason": "so",
            "assertion": {"type": "llm-rubric", "value": "Kind"},
        }
        judged["metadata"] = {"rubric": "reply", "calibration": "no accepted run"}
        results.append(
            {
                "id": f"r{number}",
                "testIdx": test,
                "vars": {"query": f"question {test}"},
                "provider": {"id": provider, "label": provider},
                "prompt": {"raw": "{{query}}", "label": "plain"},
                "response": {"output": f"reply {number}"},
                "testCase": {"metadata": {"expected_label": "pass" if test % 3 else "fail"}},
                "gradingResult": {**judged, "componentResults": [judged]},
                "success": met,
            }
        )
    results[0] |= {"gradingResult": None, "error": "timeout", "success": False}
    folder.write("context.json", json.dumps({"results": results}))
    run("python", "-c", SUMMARIZED, cwd=folder.path, env={"MARKSCHEME_REPORT": "summary.json"})
    return {
        "init": folder.json("markscheme", "init"),
        "demo": folder.json("markscheme", "demo", "-n", "40"),
        "demo --plant rare-fails": folder.json("markscheme", "demo", "--plant", "rare-fails"),
        "MARKSCHEME_REPORT": json.loads((folder.path / "summary.json").read_text(encoding="utf-8")),
    }


MAKERS: tuple[Callable[[Folder], dict[str, Document]], ...] = (
    *(judged, of_a_table, of_pairs, of_rates, of_experiment, of_outputs),
    *(of_versions, of_counts, of_rows, of_improvements, of_certainty, of_a_start),
)
"""The functions that make documents, each in a folder of its own."""
