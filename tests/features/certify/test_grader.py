"""Judges of a certificate grade together: the first that is certain enough decides, else a person should."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import UsageError
from markscheme.features.certify.grader import Certified
from markscheme.features.certify.judges import CertifiedJudges
from markscheme.grading.by_criterion import GradeOptions
from markscheme.grading.grades import ASK_A_PERSON, DecidedBy, grade_json
from markscheme.grading.grading import Grading, grader_for
from markscheme.judges.judge import Judge, JudgeGroup, replying
from markscheme.judges.registry import open_grading_judge, open_judge
from tests.features.certify.certified_stages import certified_compositions
from tests.golden_files import GoldenFiles
from tests.grading.compositions import recorded
from tests.grading.test_compositions import YES_NO, as_lines, by_criterion, function_judge, graded

HERE = Path(__file__).parent / "golden"


def test_grading_with_each_kind_of_certificate_gives_the_grades_in_the_golden_file(golden: GoldenFiles) -> None:
    async def every() -> dict[str, Any]:
        grades = {}
        for composition in certified_compositions():
            judges = CertifiedJudges(composition.file, composition.stages)
            grader = grader_for(composition.rubric, judges, GradeOptions(**composition.options))
            grade = await grader.grade(composition.submission)
            asked = (judge for members in composition.stages for judge in members)
            grades[composition.name] = recorded(grade, composition.rubric, *asked)
        return grades

    golden.check("certified.json", as_lines(asyncio.run(every())), HERE)


def test_a_grade_that_a_certificate_leaves_to_a_person_gives_the_reason() -> None:
    left = Counter[str]()
    for composition in certified_compositions():
        judges = CertifiedJudges(composition.file, composition.stages)
        grade = graded(grader_for(composition.rubric, judges), composition.submission)
        if grade.decision == "ask":
            written = grade_json(grade, composition.rubric)
            assert grade.reason.startswith(f"{ASK_A_PERSON}{written['ask']}; "), composition.name
            left[written["ask"].partition(";")[0]] += 1
    assert left["no judge is certain enough"] > 10
    assert left["the rubric changed since cascade.json was certified"] > 10
    assert "" not in left


def test_the_first_stage_of_a_cascade_that_is_certain_enough_decides() -> None:
    plain, *_ = certified_compositions()
    judges = CertifiedJudges(plain.file, plain.stages)
    stages = [[by_criterion(YES_NO, function_judge(right=right, rude="UNMET"))] for right in ("MET", "UNMET")]
    assert graded(Certified(YES_NO, judges, stages)).decided_by is not None
    trusting = replace(plain.file, stages=tuple(replace(stage, model=()) for stage in plain.file.stages))
    grade = graded(Certified(YES_NO, CertifiedJudges(trusting, plain.stages), stages))
    assert grade.decided_by == DecidedBy(1, "judge 0.0", 0.5)
    assert (grade.decision, grade.passed, grade.certainty, grade.usage.calls) == ("pass", True, 0.5, 1)
    strict = replace(trusting, stages=tuple(replace(stage, passes=0.9, fails=None) for stage in trusting.stages))
    grade = graded(Certified(YES_NO, CertifiedJudges(strict, plain.stages), stages))
    assert grade.decided_by == DecidedBy(None, "judge 1.0", 0.5, "no judge is certain enough")
    assert (grade.decision, grade.passed, grade.usage.calls) == ("ask", False, 2)


def test_a_prompt_cannot_be_sent_to_all_judges_of_a_certificate_together() -> None:
    plain, *_ = certified_compositions()
    judges = CertifiedJudges(plain.file, plain.stages)
    assert isinstance(judges, JudgeGroup)
    assert not isinstance(judges, Judge)
    assert not isinstance(plain.stages[0][0], JudgeGroup)
    assert Grading(YES_NO, judges).fingerprints.judge == judges.identity.fingerprint
    with pytest.raises(UsageError, match="name one of its judges to ask a prompt"):
        replying(judges)


def test_a_certificate_opens_as_a_grader_of_whole_responses_but_not_as_a_judge(tmp_path: Path) -> None:
    stage = {"judge": "anthropic", "model": [], "fingerprint": "f", "certainty": "distance", "certain": 0.2}
    certificate = {"schema": 1, "for": "both", "error": 0.05, "confidence": 0.9, "stages": [stage]}
    path = tmp_path / "cascade.json"
    path.write_text(json.dumps({**certificate, "fingerprints": {"rubric": "r", "prompt": "p"}}))
    opened = open_grading_judge(f"cascade:{path}")
    assert isinstance(opened, JudgeGroup)
    assert opened.grader == "cascade"
    for name in (f"cascade:{path}", f"anthropic+cascade:{path}"):
        with pytest.raises(UsageError, match="a cascade decides on responses"):
            open_judge(name)
