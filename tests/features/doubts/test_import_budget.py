"""The declaration of doubts loads no rules: these are for reports, and every command reads declarations."""

from tests.loaded import loaded_by


def test_the_help_of_calibrate_loads_only_the_declaration_of_the_feature_on_doubtful_labels() -> None:
    loaded = loaded_by("from markscheme.cli import main; main(['calibrate', '--help'])")
    ours = {name for name in loaded if name.startswith("markscheme.features.doubts")}
    assert ours == {"markscheme.features.doubts"}
