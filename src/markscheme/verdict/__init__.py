"""Public import path of verdicts and of reading replies; the code is in `grading.verdict`."""

from markscheme.grading.verdict import Abstention as Abstention
from markscheme.grading.verdict import Holistic as Holistic
from markscheme.grading.verdict import NotApplicable as NotApplicable
from markscheme.grading.verdict import Outcome as Outcome
from markscheme.grading.verdict import Unread as Unread
from markscheme.grading.verdict import Verdict as Verdict
from markscheme.grading.verdict import combine as combine
from markscheme.grading.verdict import combine_holistic as combine_holistic
from markscheme.grading.verdict import middle_of as middle_of
from markscheme.grading.verdict import read_holistic as read_holistic
from markscheme.grading.verdict import read_verdicts as read_verdicts
from markscheme.grading.verdict import turned_round as turned_round
from markscheme.grading.verdict import worse as worse
