"""A published rubric that `import` converts to a file in markscheme's own format."""

import json
from pathlib import Path

import pytest

from markscheme import Grader, Rubric, RubricError, ScriptedJudge
from tests.commands.console import run


def test_the_error_on_an_unknown_word_for_a_weight_in_a_published_rubric_names_the_weights_option(
    tmp_path: Path,
) -> None:
    data = [{"criterion": "Names the town at once", "weight": "must"}, {"criterion": "Is brief", "weight": "spicy"}]
    (tmp_path / "r.json").write_text(json.dumps(data))
    with pytest.raises(RubricError, match="--weights spicy="):
        Rubric.from_file(tmp_path / "r.json")
    done = run("markscheme", "import", "r.json", "--to", "rubrics/town.yaml", "--weights", "spicy=2", cwd=tmp_path)
    assert (done.returncode, "weight must = 4" in done.stdout) == (0, True)
    assert [c.weight for c in Rubric.from_file(tmp_path / "rubrics/town.yaml").criteria] == [4, 2]
    with Grader(tmp_path / "rubrics/town.yaml", ScriptedJudge([{"c1": "MET", "c2": "UNMET"}])) as grader:
        assert grader.grade_sync("Leeds.").score == pytest.approx(4 / 6)
