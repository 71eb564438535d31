"""Every block of the reference numbers is reproduced by a test, or named here with the reason why it isn't built."""

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import ROOT
from tests.stats.shared_numbers import FILES, FOLDER, blocks

TESTS = Path(__file__).parents[1]

REPRODUCED = {
    "reference.yaml": {
        "two_rater_tables": [
            "stats/test_coefficients.py::test_coefficients_of_tables_of_two_raters_equal_those_that_other_libraries_computed",
            "stats/test_severity.py::test_errors_and_accuracy_equal_those_that_other_libraries_computed",
            "stats/test_association.py::test_correlations_equal_those_that_other_libraries_computed",
        ],
        "jackknife_t_intervals": [
            "stats/test_coefficients.py::test_jackknife_standard_errors_of_coefficients_equal_those_computed_with_other_libraries",
            "stats/test_severity.py::test_jackknife_intervals_of_errors_equal_those_computed_with_other_libraries",
            "stats/test_association.py::test_jackknife_intervals_of_correlations_equal_those_computed_with_other_libraries",
        ],
        "krippendorff_2011": [
            "stats/test_coefficients.py::test_krippendorff_s_published_example_with_missing_ratings_is_reproduced_under_every_metric",
        ],
        "fleiss_counts": [
            "stats/test_coefficients.py::test_fleiss_kappa_and_randolph_s_kappa_from_counts_equal_those_in_the_file_of_reference_values"
        ],
        "shrout_fleiss_1979": [
            "stats/test_reliability.py::test_intraclass_correlations_and_limits_of_other_libraries_are_reproduced"
        ],
        "g_study_p_x_r": [
            "stats/test_reliability.py::test_iccs_of_a_mean_over_several_raters_equal_those_in_the_file_of_reference_values"
        ],
        "mcnemar": ["stats/test_change.py::test_mcnemar_s_p_values_equal_those_in_the_file_of_reference_values"],
        "sign_flip": [
            "stats/test_change.py::test_the_sign_flip_test_gives_the_p_values_of_the_file_of_reference_values"
        ],
        "multiple": ["stats/test_change.py::test_p_values_adjusted_for_several_tests_equal_those_of_statsmodels"],
        "proportion_intervals_95": ["stats/test_intervals.py::proportion_cases"],
        "one_sided_cp_upper": [
            "stats/test_intervals.py::test_one_sided_exact_limits_of_shares_equal_those_of_other_libraries"
        ],
        "least_n_for_bound": [
            "features/label/test_statistics.py::test_the_fewest_labels_that_bound_an_error_rate_equal_those_computed_with_scipy"
        ],
        "corrected_pass_rate": [
            "stats/test_prevalence.py::test_pass_rates_equal_those_in_the_file_of_reference_values"
        ],
        "error_split": ["stats/test_severity.py::test_errors_of_scores_equal_those_in_the_file_of_reference_values"],
        "alt_test": [
            "stats/test_annotators.py::test_the_alternative_annotator_test_gives_the_values_of_its_authors_program"
        ],
    },
    "recipes.yaml": {
        "interval_95": [
            "stats/test_coefficients.py::test_intervals_of_coefficients_equal_those_in_the_file_of_reference_values",
            "stats/test_severity.py::test_a_judge_s_mean_errors_and_their_intervals_equal_those_in_the_file_of_reference_values",
            "stats/test_association.py::test_intervals_of_correlations_equal_their_reference_values",
        ],
        "sign_flip_convolution": [
            "stats/test_change.py::test_the_sign_flip_test_gives_the_p_values_of_an_independent_program"
        ],
        "kappa_change": ["stats/test_change.py::test_the_judge_s_shift_in_the_file_of_reference_values_is_reproduced"],
        "no_drift": [
            "stats/test_change.py::test_the_interval_used_to_show_the_absence_of_drift_equals_that_of_an_independent_program"
        ],
        "any_change": [
            "stats/test_change.py::test_the_test_for_any_change_of_a_judge_gives_the_p_values_of_an_independent_program"
        ],
        "pass_rate": ["stats/test_prevalence.py::test_pass_rates_equal_those_of_an_independent_program"],
        "planner": [
            "features/label/test_statistics.py::test_the_number_of_labels_to_plan_equals_that_of_an_independent_program"
        ],
        "weights_40": [
            "features/improve/test_weights.py::test_fitted_weights_equal_the_weights_that_an_independent_program_fits"
        ],
    },
    "verdict.yaml": {
        "constants": [
            "calibration/comparison/test_policy.py::test_the_constants_in_the_rules_for_verdicts_on_judges_equal_those_in_the_file_of_reference_values"
        ],
        "share": ["stats/test_shares.py::test_every_share_in_the_file_of_reference_values_is_reproduced"],
        "mean_difference": [
            "stats/test_shares.py::test_means_and_their_bounds_equal_those_in_the_file_of_reference_values"
        ],
        "pairwise": [
            "stats/test_agreement_figures.py::test_agreement_averaged_over_examples_equals_that_of_the_file_of_reference_values"
        ],
        "real_full_data": [
            "calibration/comparison/test_policy.py::test_agreement_of_judges_on_the_public_hanna_data_and_their_gain_over_the_baseline_equal_reference_values"
        ],
    },
    "gate.yaml": {
        "gate": [
            "calibration/test_two_questions.py::test_calibrate_answers_the_gate_question_on_tables_as_the_reference_cases_expect",
            "calibration/test_two_questions.py::test_calibrate_answers_the_gate_question_on_a_rubric_s_examples_as_the_reference_cases_expect",
        ],
        "labels": [
            "stats/test_gate.py::test_the_probability_that_more_labels_decide_about_a_gate_equals_its_reference_value"
        ],
    },
    "verdict3.yaml": {
        "constants": [
            "calibration/comparison/test_policy.py::test_the_constants_in_the_rules_for_verdicts_on_judges_equal_those_in_the_file_of_reference_values"
        ],
        "confidence": [
            "calibration/comparison/test_policy.py::test_confidence_levels_of_verdicts_on_judges_equal_those_in_the_file_of_reference_values"
        ],
        "share": [
            "calibration/comparison/test_policy.py::test_agreement_is_called_above_the_target_exactly_if_its_displayed_interval_is_above_the_target"
        ],
        "verdict": [
            "calibration/comparison/test_policy.py::test_verdicts_on_judges_equal_those_in_the_file_of_reference_values"
        ],
        "labels": [
            "stats/test_decisive_labels.py::test_every_number_of_labels_needed_in_the_file_of_reference_values_is_reproduced"
        ],
        "labels_for_means": [
            "stats/test_decisive_labels.py::test_every_number_of_labels_needed_in_the_file_of_reference_values_is_reproduced"
        ],
        "labels_for_limits": [
            "stats/test_decisive_labels.py::test_every_number_of_labels_needed_in_the_file_of_reference_values_is_reproduced"
        ],
        "first_labels": [
            "stats/test_decisive_labels.py::test_every_number_of_labels_needed_in_the_file_of_reference_values_is_reproduced"
        ],
        "weighted_share": [
            "stats/test_drawn_weights.py::test_every_weighted_share_in_the_file_of_reference_values_is_reproduced"
        ],
        "weighted_mean": [
            "stats/test_drawn_weights.py::test_weighted_means_equal_those_in_the_file_of_reference_values"
        ],
        "limit": [
            "calibration/comparison/test_limits.py::test_the_hand_calculated_limits_on_false_passes_in_the_tests_equal_those_in_the_file_of_reference_values"
        ],
        "false_passes_by_verdict": [
            "calibration/comparison/test_limits.py::test_the_false_pass_rates_that_these_tests_expect_equal_those_in_the_file_of_reference_values"
        ],
        "unordered": [
            "calibration/comparison/test_categories.py::test_the_hand_calculated_figures_on_categories_in_the_tests_equal_those_in_the_file_of_reference_values"
        ],
        "one_side": [
            "features/certify/test_statistics.py::test_certificates_for_only_passes_or_only_fails_equal_the_reference_cases"
        ],
        "except": [
            "calibration/test_exceptions.py::test_the_figures_on_excepted_slices_that_these_tests_expect_equal_those_in_the_file_of_reference_values"
        ],
        "stale": [
            "stats/test_relabelling.py::test_figures_on_relabelled_examples_copied_into_the_tests_equal_those_in_the_file_of_reference_values"
        ],
    },
    "groups_drift_slices.yaml": {
        "groups": [
            "stats/test_group_rates.py::test_every_pass_rate_of_a_group_in_the_file_of_reference_values_is_reproduced",
            "features/label/test_group_labels.py::test_the_labels_to_add_in_each_group_equal_those_in_the_file_of_reference_values",
        ],
        "drift": [
            "features/drift/test_statistics.py::test_drift_statistics_reproduce_every_case_of_the_file_of_reference_values"
        ],
        "slices": [
            "stats/test_slice_contrast.py::test_every_comparison_of_a_slice_in_the_file_of_reference_values_is_reproduced"
        ],
    },
}

NOT_BUILT = {
    "reference.yaml": {
        "square_table": "Bowker and Stuart-Maxwell find a shift far less often than the exact sign flip does",
        "tost_paired": "a plain t interval affirms 'no drift' too soon; ours holds a pair across the scale as well",
        "isotonic": "no gain over a line or a beta map below 200 examples, and worse than no map below 100",
        "weights": "free and relatively penalised weights do worse than the author's; the ridge of weights_40 is built",
        "two_rater_tables.*.cohen_kappa_asymptotic_se": "the jackknife covers better; no asymptotic errors",
        "proportion_intervals_95.*.jeffreys": "Clopper-Pearson and Wilson serve every use there is",
        "g_study_p_x_r.var_person": "variance components have no use of their own; the six ICCs are made of them",
        "g_study_p_x_r.var_rater": "as var_person",
        "g_study_p_x_r.var_residual": "as var_person",
        "error_split.theil_variance": "signed error, sd ratio and correlation say the same with intervals",
        "error_split.theil_covariance": "as theil_variance",
        "error_split.theil_regression": "as theil_variance",
        "error_split.theil_disturbance": "as theil_variance",
        "multiple.hommel": "Holm needs no assumption about dependence and loses next to nothing",
        "corrected_pass_rate.ppi_tuned": "equals the stratified rate for many labels and covers worse for few",
        "corrected_pass_rate.ppi_tuned_ci": "as ppi_tuned",
        "corrected_pass_rate.ppi_lambda1": "as ppi_tuned",
        "corrected_pass_rate.ppi_lambda1_ci": "as ppi_tuned",
        "corrected_pass_rate.judgy": "a bootstrap that holds the pool fixed; Lang-Reiczigel limits are built instead",
    },
    "recipes.yaml": {
        "weights_relative_penalty_nnls": "a penalty relative to each weight lets large ones run; see weights_40",
        "pass_rate.cases.*.stratified": "its value is; its normal limits gave way to those of rates.yaml",
        "pass_rate.cases.*.ppi_pp": "equals the stratified rate for many labels and covers worse for few",
    },
    "verdict.yaml": {
        "about": "says what the file is",
        "verdict": "one interval of 95 % decides now: verdict3.yaml",
        "labels": "as verdict",
    },
    "verdict3.yaml": {
        "about": "says what the file is",
        "tables": "tables.yaml says it now; readers/tabular/test_worked_cases.py has its cases",
    },
    "gate.yaml": {
        "repairs": "counts of what repairing a criterion would change are another question than whether it can gate",
    },
    "groups_drift_slices.yaml": {
        "about": "says what the file is",
        "tune_rules": "rules of a mark fitted to a judge's scores; `improve --numbers` follows authors.yaml",
    },
}


def parts_at(block: Any, path: list[str]) -> list[Any]:
    """Return the values at a path of keys in a block; `*` stands for every entry."""
    if not path:
        return [block]
    entries = block.values() if isinstance(block, dict) else block
    if path[0] == "*":
        return [part for entry in entries for part in parts_at(entry, path[1:])]
    return parts_at(block[path[0]], path[1:]) if isinstance(block, dict) and path[0] in block else []


@pytest.mark.skipif(not FOLDER.exists(), reason=f"runs where {FOLDER} is there")
@pytest.mark.parametrize("file", FILES)
def test_each_part_of_a_file_of_reference_values_is_compared_by_a_test_or_listed_with_a_reason(file: str) -> None:
    left_out = {name for name in NOT_BUILT[file] if "." not in name}
    assert set(blocks(file)) == set(REPRODUCED[file]) | left_out
    assert not set(REPRODUCED[file]) & left_out


@pytest.mark.skipif(not FOLDER.exists(), reason=f"runs where {FOLDER} is there")
@pytest.mark.parametrize("file", FILES)
def test_each_part_of_a_reference_file_that_is_listed_as_untested_exists_in_the_file(file: str) -> None:
    for name, reason in NOT_BUILT[file].items():
        assert reason
        assert parts_at(blocks(file), name.split(".")), name


def is_here(test: str) -> bool:
    """Return False for a test of a feature that has been deleted."""
    folder, _, name = test.partition("/")
    return folder != "features" or (ROOT / "src/markscheme/features" / name.partition("/")[0]).is_dir()


@pytest.mark.parametrize(
    ("block", "test"),
    [(block, test) for file in FILES for block, tests in REPRODUCED[file].items() for test in tests if is_here(test)],
)
def test_a_test_that_is_listed_as_reading_a_block_of_a_reference_file_exists_and_reads_it(
    block: str, test: str
) -> None:
    file, name = test.split("::")
    defined = {
        node.name: node for node in ast.parse((TESTS / file).read_text()).body if isinstance(node, ast.FunctionDef)
    }
    assert name in defined, f"{file} has no {name}"
    constants = {node.value for node in ast.walk(defined[name]) if isinstance(node, ast.Constant)}
    assert block in constants, f"{test} doesn't read {block}"
