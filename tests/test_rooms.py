"""Figures of the package's structure stay within limits: a core that knows no feature, and deletable features."""

from collections.abc import Mapping

import pytest

from tests.house import MOST_SHOWN, SOURCE, STUBS, TESTS, Figure, Module, modules_of
from tests.rooms import LIMITS, NAMED_BY, dotted, feature_of, figures_of, rings_in

LIST = Module("features/__init__.py", "from markscheme.features import hats, shoes\n")
HATS = Module("features/hats/__init__.py", '"""Hats."""\n')
SHOES = Module("features/shoes/__init__.py", "from markscheme.features.hats import brim\n")
BRIM = Module("features/hats/brim.py", "from markscheme.files import read\n")
FILES = Module("files.py", "import os\n")


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    """Read the modules of the package."""
    return modules_of(SOURCE)


@pytest.fixture(scope="module")
def figures(modules: list[Module]) -> dict[str, Figure]:
    """Measure the figures of the package."""
    return figures_of(modules, modules_of(TESTS), modules_of(SOURCE, STUBS))


@pytest.mark.parametrize("name", LIMITS)
def test_each_figure_on_the_package_s_source_code_such_as_imports_between_features_is_within_its_limit(
    name: str, figures: Mapping[str, Figure]
) -> None:
    places = "\n".join(figures[name].places[:MOST_SHOWN])
    assert figures[name].value <= LIMITS[name].most, f"{name}\n{places}"


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_on_the_structure_of_the_package_must_be_lowered_when_the_measured_figure_falls(
    name: str, figures: Mapping[str, Figure]
) -> None:
    limit = LIMITS[name]
    assert figures[name].value >= limit.most - limit.slack, f"{name}: lower its limit in tests/rooms.py"


def test_every_measured_figure_on_the_package_s_structure_has_a_limit(
    modules: list[Module], figures: Mapping[str, Figure]
) -> None:
    assert set(figures) == set(LIMITS)
    assert set(NAMED_BY) == {feature_of(dotted(module)) for module in modules} - {""}


def measured(*changed: Module) -> dict[str, Figure]:
    """Measure the figures of a small package with two features, with some modules replaced."""
    by_name = {module.name: module for module in (LIST, HATS, SHOES, BRIM, FILES, *changed)}
    return figures_of(by_name.values())


@pytest.mark.parametrize(
    ("text", "manner"),
    [
        ("from markscheme.features.hats import brim\n", "on top"),
        ("def size():\n    import markscheme.features.hats.brim\n", "in a function"),
        ("if TYPE_CHECKING:\n    from markscheme.features.hats.brim import Brim\n", "for types"),
        ("BRIM = import_module('markscheme.features.hats.brim')\n", "by a string"),
        ("def size(name):\n    return call(f'markscheme.features.hats.brim:{name}')\n", "by a string"),
        ("from .features.hats import brim\n", "on top"),
    ],
)
def test_an_import_of_an_optional_feature_by_the_core_is_found_however_the_import_is_written(
    text: str, manner: str
) -> None:
    name = "imports from the core to features"
    line = text.partition("features")[0].count("\n") + 1
    assert measured()[name] == Figure(0)
    assert measured(Module("files.py", text))[name].places == (
        f"markscheme.files:{line} markscheme.features.hats.brim ({manner})",
    )


def test_only_the_package_s_init_module_may_import_the_list_of_features() -> None:
    listed = "from markscheme import features\n"
    assert measured(Module("__init__.py", listed))["imports from the core to features"] == Figure(0)
    assert measured(Module("cli.py", listed))["imports from the core to features"].value == 1


def test_modules_that_need_a_feature_indirectly_are_found() -> None:
    needs = measured(
        Module("files.py", "from markscheme.features.hats import brim\n"), Module("cli.py", "import markscheme.files\n")
    )["modules that need a feature to be imported"]
    assert needs.places == (
        "markscheme.cli needs hats",
        "markscheme.features needs hats",
        "markscheme.features.shoes needs hats",
        "markscheme.files needs hats",
    )
    assert measured()["imports from one feature to another"].places == (
        "markscheme.features.shoes:1 markscheme.features.hats.brim (on top)",
    )


def test_the_measure_of_files_that_name_another_package_s_feature_counts_code_and_ignores_docstrings() -> None:
    name = "files outside that name a feature, of the one named most"
    assert figures_of([HATS, Module("files.py", '"""Writes hats."""\n')])[name] == Figure(0)
    assert figures_of([HATS, Module("files.py", 'NAMES = ("hats",)\n')])[name].places == ("hats: files.py",)


def test_the_features_that_a_test_file_needs_are_found_through_imports_of_helpers_and_through_commands() -> None:
    tests = [
        Module("helper.py", "from markscheme.features.hats import brim\n"),
        Module("test_brim.py", "from tests.helper import brim\n"),
        Module("test_run.py", 'run("markscheme", "shoes", "--json")\n'),
        Module("features/hats/test_hats.py", "from tests.helper import brim\n"),
        Module("features/hats/test_both.py", 'from tests.helper import brim\nrun("markscheme", "shoes")\n'),
        Module("features/hats_and_shoes/test_both.py", 'run("markscheme", "hats")\nrun("markscheme", "shoes")\n'),
        Module("features/hats_and_shoes/test_inside.py", 'from tests.helper import brim\nrun("markscheme", "shoes")\n'),
        Module("test_files.py", "from markscheme.files import read\n"),
    ]
    figures = figures_of([LIST, HATS, SHOES, BRIM, FILES], tests)
    assert figures["test files outside its folder that need a feature"].places == (
        "features/hats/test_both.py: shoes",
        "features/hats_and_shoes/test_inside.py: hats",
        "test_brim.py: hats",
        "test_run.py: shoes",
    )


def test_a_module_with_a_type_stub_counts_as_part_of_the_feature_from_which_the_stub_imports() -> None:
    shop = Module("shop.pyi", "from markscheme.features.hats.brim import width as width\n")
    both = Module(
        "wear.pyi",
        "from markscheme.features.shoes import lace as lace\nfrom markscheme.files import read as read\n",
    )
    paths = [Module("shop.py", '"""Hats."""\n'), Module("wear.py", "from markscheme.files import read as read\n")]
    tests = [
        Module("test_shop.py", "import markscheme.shop\n"),
        Module("test_lace.py", "from markscheme.wear import lace, read\n"),
        Module("test_read.py", "from markscheme.wear import read\n"),
    ]
    user = Module("cli.py", "import markscheme.shop\n")
    figures = figures_of([LIST, HATS, SHOES, BRIM, FILES, *paths, user], tests, [shop, both])
    assert figures["test files outside its folder that need a feature"].places == (
        "test_lace.py: shoes",
        "test_shop.py: hats",
    )
    assert figures["imports from the core to features"].places == ("markscheme.cli:1 markscheme.shop (on top)",)


def test_cycles_of_imports_are_found_however_the_imports_are_written() -> None:
    assert rings_in({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d", "a"}}) == [{"b", "c"}, {"d"}]
    ring = [Module("a.py", "import markscheme.b\n"), Module("b.py", "def f():\n    import_module('markscheme.a')\n")]
    assert figures_of(ring)["modules in rings of imports"].places == ("markscheme.a", "markscheme.b")


def test_each_measure_of_the_package_s_structure_has_the_expected_value_on_a_small_sample_package() -> None:
    text = '''
@dataclass
class WashOptions:
    """Options."""
    heat: int = 1
    soap: str = ""

class _Hidden: ...

def wash(*, heat=1, dry=False, word=""):
    """What is washed."""
    import os
    place = number = 1
    return place

def dry():
    """Return it."""
'''
    figures = measured(Module("commands/wash.py", text))
    assert figures["public classes"].places == ("commands/wash.py:3 WashOptions",)
    assert figures["dataclasses"].value == 1
    assert figures["options declared in two places"].places == (
        "heat: markscheme.commands.wash.WashOptions, markscheme.commands.wash.wash",
    )
    assert set(figures['defaults that are ""'].places) == {"commands/wash.py:6 soap", "commands/wash.py:10 word"}
    assert figures["imports inside functions"].places == ("commands/wash.py:12 import os",)
    assert figures["names that could hold anything, % of bound names"].places == (
        "commands/wash.py 2, first commands/wash.py:13 place",
    )
    assert figures["docstrings of functions that begin with no verb, %"].value == 50
    assert figures["docstrings of functions that begin in mid-thought, %"].value == 50
