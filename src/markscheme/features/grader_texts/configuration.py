"""The model-graded texts of a Promptfoo configuration, with weights, thresholds and numbers of tests."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markscheme.errors import RatingError
from markscheme.numerals import finite
from markscheme.plain_data import form_of, json_lines, plain_data, read_text
from markscheme.row_files import table_rows

CONFIGURATION_NAMES = ("promptfooconfig.yaml", "promptfooconfig.yml", "promptfooconfig.json")
"""File names of Promptfoo configurations that are data; one in JavaScript or TypeScript is a program, which isn't
run."""
TEXT_TYPES = ("llm-rubric", "g-eval", "model-graded-closedqa", "search-rubric", "agent-rubric")
"""Assertion types whose value is a text that says what a judge looks for."""
WITHOUT_TEXT = frozenset(
    {
        *("factuality", "model-graded-factuality", "answer-relevance", "context-faithfulness", "context-recall"),
        *("context-relevance", "conversation-relevance", "select-best", "pi", "similar"),
    }
)
"""Assertion types that ask for a model's answer and whose value isn't a requirement."""
NOT_BY_GRADER = frozenset({"select-best", "similar", "answer-relevance"})
"""Assertion types that Promptfoo can't ask of the grader that its option `--grader` names: it ends the run at
`select-best`, and the others need embeddings."""
_EXPECTED = re.compile(rf"(not-)?({'|'.join(TEXT_TYPES)}|grade)(?:\((\d+(?:\.\d+)?)\))?: ?", re.IGNORECASE)
"""Pattern of the beginning of a cell, in a table of tests, that holds a model-graded text: the assertion type and
threshold."""
_MOST_NESTED = 20
"""Largest depth to which test sets within sets, and references to references, are followed; nobody nests them
deeper."""


class GradedText(NamedTuple):
    """A text in a Promptfoo configuration, such as an `llm-rubric`, by which a model grades outputs.

    Attributes:
        text: The text.
        metric: The assertion's metric; None if it has none, or if it is a template.
        threshold: The assertion's threshold; None if it has none.
        weight: The assertion's weight, multiplied by the weights of the sets that it is in.
        is_negated: True if an output passes when the text doesn't hold.
        may_fail_alone: True if failing it alone fails the test.
    """

    text: str
    metric: str | None
    threshold: float | None
    weight: float
    is_negated: bool
    may_fail_alone: bool


class ReadConfiguration:
    """The texts of a Promptfoo configuration by which a model grades, and how many tests the configuration has.

    Attributes:
        path: The configuration's file.
        texts: The texts of the default test, then those of each other test.
        tests: The number of tests that were read, without the default test.
        in_tests: For each text, the number of tests in which it is written; a test that has it only from the default
            test doesn't count.
        for_all: The texts of the default test, which hold for all tests.
        unread: Number of assertions and of other parts that weren't read as a requirement, by description.
        not_by_grader: A dict whose keys are the types of assertion that the grader named by `--grader` can't answer;
            their values are None.
    """

    def __init__(self, path: Path) -> None:
        """Make a configuration from which no text and no test has been read yet."""
        self.path = path
        self.texts: list[GradedText] = []
        self.tests = 0
        self.in_tests: Counter[str] = Counter()
        self.for_all: set[str] = set()
        self.unread: Counter[str] = Counter()
        self.not_by_grader: dict[str, None] = {}


def configuration_in(folder: Path) -> Path | None:
    """Return the path of a folder's Promptfoo configuration; None if there is none in YAML or JSON."""
    return next((folder / name for name in CONFIGURATION_NAMES if (folder / name).is_file()), None)


def read_configuration(path: Path) -> ReadConfiguration:
    """Read a configuration: the texts by which a model grades, and the number of named files that can't be read.

    Raises:
        RatingError: The configuration itself can't be read.
    """
    data, _ = plain_data(read_text(path, RatingError), form_of(path), RatingError, path=path)
    configuration = ReadConfiguration(path)
    if isinstance(data, Mapping):
        _Walk(data, configuration).read_tests()
    return configuration


class _Walk:
    """Reader that collects the model-graded texts of one Promptfoo configuration."""

    def __init__(self, root: Mapping[str, Any], configuration: ReadConfiguration) -> None:
        self.root = root
        self.configuration = configuration

    def read_tests(self) -> None:
        """Collect the model-graded texts of the default test, then those of all tests."""
        for default in filter(_is_mapping, _items(self._resolved(self.root.get("defaultTest")))):
            before = len(self.configuration.texts)
            self._test(default)
            self.configuration.for_all.update(text.text for text in self.configuration.texts[before:])
        scenarios = filter(_is_mapping, _items(self._resolved(self.root.get("scenarios"))))
        written = [self.root.get("tests"), *(scenario.get("tests") for scenario in scenarios)]
        for test in (test for tests in written for test in self._tests(tests)):
            before = len(self.configuration.texts)
            self._test(test)
            self.configuration.tests += 1
            self.configuration.in_tests.update({text.text for text in self.configuration.texts[before:]})

    def _tests(self, written: Any) -> Iterator[Mapping[str, Any]]:
        """Yield the tests in a value of the key `tests`: those written out there, and those in files it names."""
        for test in _items(written):
            data = self._files(test) if isinstance(test, str) else self._resolved(test)
            yield from (line for line in _items(data) if isinstance(line, Mapping))

    def _resolved(self, written: Any) -> Any:
        """Return the data that a value names by a file name or a `$ref`; return any other value unchanged."""
        if isinstance(written, Mapping) and isinstance(written.get("$ref"), str):
            return self._referenced(written["$ref"])
        return self._files(written) if isinstance(written, str) else written

    def _files(self, pattern: str) -> list[Any]:
        """Return the data of all files that match a pattern, joined in one list."""
        path = Path(pattern.removeprefix("file://"))
        files = [path] if path.is_absolute() else sorted(self.configuration.path.parent.glob(str(path)))
        if not files:
            self.configuration.unread[f"{pattern}, which isn't there"] += 1
        return [item for file in files for item in _items(self._file(file))]

    def _referenced(self, name: str, depth: int = 0) -> Any:
        value: Any = self.root if name.startswith("#/") else None
        for key in name.removeprefix("#/").split("/"):
            value = value.get(key) if isinstance(value, Mapping) else None
        if value is None:
            self.configuration.unread[f"{name}, which isn't in the file"] += 1
        again = isinstance(value, Mapping) and isinstance(value.get("$ref"), str) and depth < _MOST_NESTED
        return self._referenced(value["$ref"], depth + 1) if again else value

    def _file(self, path: Path) -> Any:
        """Return the data of a file of tests; a program isn't run."""
        try:
            if path.suffix == ".csv":
                return [{"assert": list(_expected(row))} for _, row in table_rows(path, RatingError) if row is not None]
            if path.suffix == ".jsonl":
                return [line for _, line in json_lines(path, RatingError)]
            if path.suffix in (".yaml", ".yml", ".json"):
                return plain_data(read_text(path, RatingError), form_of(path), RatingError, path=path)[0]
        except RatingError as error:
            self.configuration.unread[str(error)] += 1
            return None
        self.configuration.unread[f"{path.name}, which is a program or a format that isn't read"] += 1
        return None

    def _test(self, test: Mapping[str, Any]) -> None:
        may_fail_alone = test.get("threshold") is None
        self._assertions(self._resolved(test.get("assert")), 1.0, may_fail_alone, 0)

    def _assertions(self, written: Any, weight: float, may_fail_alone: bool, depth: int) -> None:
        for assertion in _items(written):
            resolved = self._resolved(assertion)
            if not isinstance(resolved, Mapping):
                continue
            factor = finite(resolved.get("weight"))
            counts = weight * (1.0 if factor is None else factor)
            kind = str(resolved.get("type") or "")
            if kind == "assert-set" and depth < _MOST_NESTED:
                alone = may_fail_alone and resolved.get("threshold") is None
                self._assertions(self._resolved(resolved.get("assert")), counts, alone, depth + 1)
            elif kind.removeprefix("not-") in TEXT_TYPES:
                for value in _items(resolved.get("value")):
                    self._text(value, resolved, kind, counts, may_fail_alone)
            elif kind.removeprefix("not-") in WITHOUT_TEXT:
                self.configuration.unread[f"{kind}, whose value isn't a requirement"] += 1
                if kind.removeprefix("not-") in NOT_BY_GRADER and resolved.get("provider") is None:
                    self.configuration.not_by_grader[kind.removeprefix("not-")] = None

    def _text(self, value: Any, assertion: Mapping[str, Any], kind: str, weight: float, may_fail_alone: bool) -> None:
        text = self._text_of(value)
        if text is None:
            return
        if weight == 0:
            self.configuration.unread["texts with weight 0, which count for nothing"] += 1
            return
        metric = assertion.get("metric")
        named = metric if isinstance(metric, str) and metric.strip() and "{{" not in metric else None
        threshold = finite(assertion.get("threshold"))
        is_negated = kind.startswith("not-")
        self.configuration.texts.append(GradedText(text, named, threshold, weight, is_negated, may_fail_alone))

    def _text_of(self, value: Any) -> str | None:
        if not isinstance(value, str) or not value.strip():
            self.configuration.unread["values that are data, not text"] += 1
            return None
        if "{%" in value:
            self.configuration.unread["texts that are programs of a template ({% … %})"] += 1
            return None
        if not value.startswith("file://"):
            return value.strip()
        path = self.configuration.path.parent / value.removeprefix("file://")
        if path.suffix not in (".txt", ".md") or not path.is_file():
            self.configuration.unread[f"{value}, which isn't a file of text"] += 1
            return None
        return read_text(path, RatingError).strip() or None


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _items(written: Any) -> Sequence[Any]:
    """Return a list unchanged, nothing for None, and any other value as a list with only this value."""
    if written is None:
        return ()
    return written if isinstance(written, list) else (written,)


def _expected(row: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the assertions in the `__expected` columns of one row of a table of tests."""
    for column, cell in row.items():
        begins = _EXPECTED.match(cell or "") if column.startswith("__expected") else None
        if begins is not None:
            kind = "llm-rubric" if begins[2].lower() == "grade" else begins[2].lower()
            threshold = float(begins[3]) if begins[3] else None
            metric = row.get("__metric")
            negation = begins[1] or ""
            value = cell[begins.end() :]
            yield {"type": f"{negation}{kind}", "value": value, "threshold": threshold, "metric": metric}
