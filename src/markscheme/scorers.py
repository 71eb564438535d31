"""Scorers for programs: checks by code, a judge as scorer, and a run over a dataset."""

from markscheme import public_names as _public_names
from markscheme.grading.checks import EXPECTED_INPUT as EXPECTED_INPUT
from markscheme.grading.checks import SCORER_CONTEXT as SCORER_CONTEXT
from markscheme.grading.checks import SHIPPED_CHECKS as SHIPPED_CHECKS
from markscheme.grading.checks import STEPS_KEY as STEPS_KEY
from markscheme.grading.checks import VALUE_KEY as VALUE_KEY
from markscheme.grading.checks import Scored as Scored
from markscheme.grading.checks import Scorer as Scorer
from markscheme.grading.checks import check_of as check_of
from markscheme.grading.checks import exact_match as exact_match
from markscheme.grading.checks import find_check as find_check
from markscheme.grading.checks import json_valid as json_valid
from markscheme.grading.checks import load_scorers as load_scorers
from markscheme.grading.checks import rouge_l as rouge_l
from markscheme.grading.checks import run_check as run_check
from markscheme.grading.checks import scorer as scorer
from markscheme.grading.checks import token_f1 as token_f1

__getattr__, __dir__ = _public_names.functions_of(globals())
