"""What `markscheme` and the paths that programs know export, and the methods of Rubric that users of `rubric` know."""

import pydoc
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import markscheme
from markscheme.rubrics import rubric as engine
from tests.core_alone import core_alone
from tests.house import SOURCE, STUBS, Module, modules_of
from tests.rooms import dotted, feature_of, names_in

PUBLIC = [
    *("calibrate", "agreement", "open_judge", "grade", "Grader"),
    *("Rubric", "Panel", "Identity", "Usage", "Rating", "Example", "Calibration"),
]
FROM_DATA = "Rubric.from_dict([{'weight': 2, 'requirement': 'Mentions Paris'}])"
METHODS = {
    "from_dict": f"{FROM_DATA}.criteria[0].weight == 2",
    "from_json": 'Rubric.from_json(\'[{"requirement": "Mentions Paris", "weight": 2}]\').criteria[0].weight == 2',
    "from_yaml": "Rubric.from_yaml('- {weight: 2, requirement: Mentions Paris}').criteria[0].weight == 2",
    "from_file": "Rubric.from_file('rubric.yaml').criteria[0].weight == 2",
    "rubric": f"[criterion.weight for criterion in {FROM_DATA}.rubric] == [2]",
    "grade": f"asyncio.run({FROM_DATA}.grade('Paris', Grader())) == 'Paris, 1 criterion'",
}


WITH_STUBS = [pytest.param(stub, id=dotted(stub)) for stub in modules_of(SOURCE, STUBS)]
"""The modules to which features may add names, by the stubs that have all of them."""


@pytest.mark.parametrize("name", PUBLIC)
def test_names_that_users_need_to_calibrate_and_grade_can_be_imported_from_the_package(name: str) -> None:
    assert name in markscheme.__all__
    assert getattr(markscheme, name) is not None


def test_type_checkers_know_the_names_that_can_be_imported() -> None:
    declared = re.findall(r" import (\w+) as \1\n", Path(markscheme.__file__).read_text(encoding="utf-8"))
    assert set(markscheme.__all__) <= set(declared)
    assert all(getattr(markscheme, name) is not None for name in declared)


def test_looking_up_an_unknown_name_of_the_package_raises_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'calibrat'"):
        _ = markscheme.calibrat


@pytest.mark.parametrize("stub", WITH_STUBS)
def test_type_checkers_and_programs_find_the_same_names_in_a_module_with_a_type_stub(stub: Module) -> None:
    module = import_module(dotted(stub))
    homes = names_in(stub)
    assert module.__all__ == sorted(homes)
    assert {name for name in dir(module) if not name.startswith("_")} == homes.keys()
    for name, home in homes.items():
        assert getattr(module, name) is getattr(import_module(home), name), name
    handed_on = re.findall(r"\b(\w+) as \1\b", stub.text)
    assert sorted(handed_on) == sorted(homes), "a type checker takes no other import of a stub for a name of its own"


@pytest.mark.parametrize("stub", WITH_STUBS)
def test_without_optional_features_a_module_with_a_type_stub_has_only_the_names_of_the_core(stub: Module) -> None:
    module = import_module(dotted(stub))
    homes = names_in(stub)
    with core_alone():
        assert module.__all__ == sorted(name for name, home in homes.items() if not feature_of(home))
        for name, home in homes.items():
            assert hasattr(module, name) is (not feature_of(home)), name


@pytest.mark.parametrize("stub", WITH_STUBS)
def test_a_module_with_a_type_stub_exports_all_its_names_by_a_star_import_and_lists_them_in_its_help(
    stub: Module,
) -> None:
    program: dict[str, Any] = {}
    exec(f"from {dotted(stub)} import *", program)
    assert program.keys() - {"__builtins__"} == names_in(stub).keys()
    described = pydoc.plain(pydoc.render_doc(dotted(stub)))
    assert all(re.search(rf"\b{name}\b", described) for name in names_in(stub))


@pytest.mark.parametrize("stub", WITH_STUBS)
def test_looking_up_an_unknown_name_of_a_module_with_a_type_stub_raises_python_s_usual_error(stub: Module) -> None:
    module = import_module(dotted(stub))
    with pytest.raises(AttributeError, match=f"^module '{dotted(stub)}' has no attribute 'Criterium'"):
        _ = module.Criterium
    with pytest.raises(ImportError, match=f"^cannot import name 'Criterium' from '{dotted(stub)}'"):
        exec(f"from {dotted(stub)} import Criterium")
    assert not hasattr(module, "__path__"), "a package has it"


def test_every_public_path_to_the_classes_rubric_and_criterion_leads_to_the_same_classes() -> None:
    assert markscheme.Rubric is engine.Rubric
    assert markscheme.Criterion is engine.Criterion


@pytest.mark.parametrize("method", METHODS)
def test_a_rubric_object_has_all_its_methods_even_if_only_its_own_module_is_imported(
    method: str, tmp_path: Path
) -> None:
    (tmp_path / "rubric.yaml").write_text("- {weight: 2, requirement: Mentions Paris}\n")
    code = f"""
import asyncio
from markscheme.rubrics.rubric import Rubric

class Grader:
    async def grade(self, to_grade, rubric, query=None, **options):
        return f"{{to_grade}}, {{len(rubric.criteria)}} criterion"

assert {METHODS[method]}
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def test_a_rubric_is_the_same_whether_read_from_a_dict_or_yaml_or_json_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("- {weight: 2, requirement: Mentions Paris}\n")
    rubric = markscheme.Rubric.from_dict([{"weight": 2, "requirement": "Mentions Paris"}])
    assert markscheme.Rubric.from_yaml(file.read_text()) == rubric
    assert markscheme.Rubric.from_json('[{"weight": 2, "requirement": "Mentions Paris"}]') == rubric
    assert markscheme.Rubric.from_file(file).criteria == rubric.criteria
    assert rubric.rubric == list(rubric.criteria)
