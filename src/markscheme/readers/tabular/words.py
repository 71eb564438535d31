"""Vocabulary for reading tables: words in column names and cells, and how names and cells are folded to compare."""

import re
import unicodedata
from collections.abc import Collection, Iterable
from itertools import product
from typing import Final

from markscheme.numerals import number_in

# --- cells -----------------------------------------------------------------------------------------------------------


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_YES: Final = "yes y true t 1 ja oui sí sì si sim tak да はい 是 wahr vrai verdadero vero"
_NO: Final = "no n false f 0 nein non não nao nee nie нет いいえ 否 falsch faux falso"
PASS_WORDS: Final = _words(
    f"{_YES} pass passed met good correct ok accept accepted valid ✓ ✅ 👍 bestanden erfüllt aprobado réussi 合格"
)
FAIL_WORDS: Final = _words(
    f"{_NO} fail failed unmet bad incorrect wrong reject rejected invalid ✗ ❌ 👎 suspenso échoué 不合格"
) | {"not met", "nicht bestanden", "nicht erfüllt"}
FAMILIES: Final = {
    word: words.split()[0] for words in (_YES, _NO, "pass passed", "fail failed") for word in words.split()
}
"""Word that represents all equivalent values of a column, by each of them."""
WITHOUT_DIRECTION: Final = _words(f"{_YES} {_NO}")
"""Words whose meaning, pass or fail, depends on what the column asks: if it asks about a fault, yes is bad."""
FAULT_WORDS: Final = (
    *("error", "fail", "hallucinat", "toxic", "unsafe", "harm", "violat", "bias", "wrong", "incorrect", "refus"),
    *("leak", "issue", "problem", "flag", "offens"),
)
"""Beginnings of words in a column's name by which the column asks about a fault."""
MISSING_WORDS: Final = _words("<na> nan nat undefined (blank) #n/a #ref! #div/0! #value! #name? #null! #num!") | {""}
MISSING_OF_A_JUDGE: Final = frozenset(["error", "timeout", "not parsable"])
MAY_BE_MISSING: Final = _words("na n/a null none - – — n.a k.a") | {"n. a", "k. a", "keine angabe"}
NOT_APPLICABLE: Final = _words("na n/a entfällt") | {"not applicable", "does not apply", "trifft nicht zu", "no aplica"}
"""Words by which a rater says that a criterion doesn't apply."""
ABSTENTIONS: Final = _words("skip skipped abstain abstained unsure unknown unclear unrated pending todo tbd ?") | {
    *("not sure", "don't know", "dont know", "can't tell", "cannot tell", "not rated", "not applicable"),
}
"""Words for no answer, which in a column of categories may also be one of these."""
ORDERS: Final = (
    ("low", "medium", "high"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
)
"""Groups of words with a well-known order, each worst first."""

_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])[_-]+(?=[^\W\d_])")
_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef]"
)
"""Pattern of invisible characters and of emoji's skin tones, which say nothing about a rating."""
_AROUND = "[](){}<>\"'`*«»“”„‘’‚ "


def folded(cell: str) -> str:
    """Fold a cell to compare it: lower case, no invisible characters, no brackets, no final full stop.

    >>> folded("Not_met."), folded("[[A]]"), folded("thumbs-up"), folded("1.0"), folded(" -0.5 ")
    ('not met', 'a', 'thumbs up', '1', '-0.5')
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", cell).casefold())
    plain = " ".join(_BETWEEN_LETTERS.sub(" ", plain).split())
    if plain in MISSING_WORDS:
        return ""
    while (stripped := plain.strip(_AROUND).removesuffix(".")) != plain and stripped:
        plain = stripped
    number = number_in(plain)
    if number is None:
        return plain
    return str(int(number)) if number.is_integer() else str(number)


def family(value: str) -> str:
    """Return the most usual synonym of a value, such as "yes" for y, true, t and 1; the value itself if it has none."""
    return FAMILIES.get(value, value)


def decision_of(value: str) -> bool | None:
    """Return True for a folded value that is a word for pass, False for a word for fail, None for any other value."""
    return True if value in PASS_WORDS else False if value in FAIL_WORDS else None


def alike_values(ours: Collection[str], theirs: Collection[str]) -> dict[str, str]:
    """Map values that only one of two columns has to values of the other column that may mean the same.

    A word for pass or fail with a remark, such as "pass - polite", is mapped to a word of the other column for the same
    decision. If there is no such value, only one pair is mapped: the first two values, one of each column, that state
    the same decision or both state none.

    Args:
        ours: The values of one column.
        theirs: The values of the other column.
    """
    both_ways = (*product(ours, theirs), *product(theirs, ours))
    remarks = {
        v: word
        for v, word in both_ways
        if decision_of(v) is None and _opening_decision(v) is decision_of(word) is not None
    }
    apart = product((v for v in theirs if v not in ours), (v for v in ours if v not in theirs))
    return remarks or dict([(v, word) for v, word in apart if _opening_decision(v) is _opening_decision(word)][:1])


def _opening_decision(value: str) -> bool | None:
    """Return the decision that a value's first word states, if the word is all or punctuation follows it."""
    with_remark = re.match(r"(\S+?)\s*[-–—:,;.(](?!\d)", value)  # not "no" in "no error"
    return decision_of(with_remark[1] if with_remark else value)


def speaks_of_pass(value: str) -> bool:
    """Return True if a folded value has a word for pass in it, such as "pass with remarks" or "not good enough"."""
    return any(map(decision_of, re.findall(r"\w+|[^\w\s]", value)))


def is_decision(values: Iterable[str]) -> bool:
    """Return True if all values are words for pass or fail, with at most one word for each of the two.

    >>> is_decision(["pass", "fail"]), is_decision(["yes", "y", "no"]), is_decision(["yes", "ok"]), is_decision(["?"])
    (True, True, False, False)
    """
    families = {family(value) for value in values}
    passing = families & PASS_WORDS
    failing = families & FAIL_WORDS
    return families == passing | failing and len(passing) <= 1 and len(failing) <= 1


# --- names of columns ------------------------------------------------------------------------------------------------

VALUE_WORDS: Final = _words("label labels verdict score scores rating ratings grade level")
JUDGE_WORDS: Final = _words("judge llm model machine ai auto prediction predicted pred grader")
OF_PREDICTIONS: Final = _words(
    "prediction predictions predicted pred annotation annotations decision judgment judgement assessment"
)
"""Words in a column's name that show that the column has a model's ratings and not its name."""
PEOPLE_WORDS: Final = _words("human annotator reviewer rater expert gold truth expected")
BEFORE_A_RATER: Final = _words("by from of")
"""Words in a column's name that only introduce its rater, such as "by" in "rating_by_human"."""
REASON_WORDS: Final = _words("reason rationale reasoning explanation why comment note notes feedback critique")
RESPONSE_ENDS: Final = _words("response output answer completion reply submission")
QUERY_ENDS: Final = _words("query input question prompt")
EXAMPLE_FIELDS: Final = _words("group system split blind drawn at")
MEASURES: Final = _words("confidence probability cost tokens latency time date version duration seconds minutes ms")
OF_A_RATER: Final = _words("id name email")
ABOUT_A_RATING: Final = _words("source status type method")
DERIVED: Final = _words("agree agreement agrees match matches diff")
ID_NAMES: Final = _words("id index idx item unit key uuid hash")
AGGREGATES: Final = _words("majority mean median consensus final adjudicated gold")
SUM_WORDS: Final = _words(
    "total totals sum average averages avg mean median overall "
    "ø summe gesamt durchschnitt mittelwert moyenne somme promedio media totale"
)
"""Names of rows that sum up the rows above."""
MODEL_FAMILIES: Final = (
    *("gpt", "claude", "gemini", "llama", "mistral", "qwen", "haiku", "sonnet", "opus", "deepseek", "gemma", "phi"),
    *("grok", "command", "o1", "o3", "o4"),
)
RATER_COLUMNS: Final = _words("rater annotator reviewer judge worker")
CRITERION_COLUMNS: Final = _words("criterion aspect dimension metric")

_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATED = re.compile(r"[^\w]+|_+")
_NUMBERED = re.compile(r"([^\W\d]+)(\d+)")


def name_words(name: str) -> tuple[str, ...]:
    """Split a column's name into words; "judge1" and "label2" become two words each.

    >>> name_words("humanLabel2"), name_words("judge_q1"), name_words("LLM-verdict"), name_words("gpt4 tone")
    (('human', 'label', '2'), ('judge', 'q1'), ('llm', 'verdict'), ('gpt4', 'tone'))
    """
    words: list[str] = []
    for written in _SEPARATED.split(_CAMEL.sub(" ", unicodedata.normalize("NFKC", name)).replace("-", " ")):
        for word in written.casefold().split():
            numbered = _NUMBERED.fullmatch(word)
            splits = numbered is not None and numbered[1] in VALUE_WORDS | JUDGE_WORDS | PEOPLE_WORDS
            words += numbered.groups() if numbered is not None and splits else [word]
    return tuple(words)


def says_role(words: Iterable[str]) -> bool:
    """Return True if a column's name says what it holds: ids, ratings, a rater, responses or queries.

    >>> says_role(["judge", "tone"]), says_role(["t1"])
    (True, False)
    """
    of_roles = ID_NAMES | VALUE_WORDS | JUDGE_WORDS | PEOPLE_WORDS | RESPONSE_ENDS | QUERY_ENDS
    return not of_roles.isdisjoint(words)


def speaks_of_fault(name: str) -> bool:
    """Return True if a column's name is about a fault, such as "has_error", so that "yes" may mean fail.

    >>> speaks_of_fault("judge_has_error"), speaks_of_fault("hallucinated"), speaks_of_fault("polite")
    (True, True, False)
    """
    return any(word.startswith(FAULT_WORDS) for word in name_words(name))


def is_model_name(name: str) -> bool:
    """Return True if a name is a judge's or a model's, such as "gpt-4o".

    >>> is_model_name("gpt-4o"), is_model_name("claude"), is_model_name("llm_2"), is_model_name("ann")
    (True, True, True, False)
    """
    words = name_words(name)
    return any(word in JUDGE_WORDS or word.startswith(MODEL_FAMILIES) for word in words)
