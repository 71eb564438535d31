"""Regular expressions that may need more than linear time, found by their structure and not by a clock.

A pattern backtracks without bound where one text can be split between two of its repeats in as many ways as the text
is long: some word leads from one repeat back to itself, from it to the other, and from the other back to itself, and
what follows may fail. A search tries every start, so it counts as a repeat of anything before the pattern. The method
is that of Weber and Seidl's criterion for automata of unbounded ambiguity (1991).
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Char = str | None
"""A character, or None outside of the text."""
Guard = Callable[[Char, Char], bool | None]
"""Whether a place may be passed, by the characters before and after it; None where more than these decide."""
Takes = Callable[[str], bool]

COPIES = 3
"""Copies that stand for a bounded repeat: more add steps by a factor, not with the length of the text."""
SAMPLES = "aZkm09_ \n\t\r.-,:;<>{}[]()|'\"`\\/é\u00a0\u2028\U0001f600"
"""Characters of every kind; those that a pattern names, and their neighbours, are added."""
_CATEGORIES: dict[Any, Takes] = {
    sre.CATEGORY_SPACE: lambda c: re.match(r"\s", c) is not None,
    sre.CATEGORY_NOT_SPACE: lambda c: re.match(r"\S", c) is not None,
    sre.CATEGORY_DIGIT: lambda c: re.match(r"\d", c) is not None,
    sre.CATEGORY_NOT_DIGIT: lambda c: re.match(r"\D", c) is not None,
    sre.CATEGORY_WORD: lambda c: re.match(r"\w", c) is not None,
    sre.CATEGORY_NOT_WORD: lambda c: re.match(r"\W", c) is not None,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Two repeats of a pattern between which one text can be divided in many ways.

    Attributes:
        first: The text at which the first repeat's character is taken, "(any start)" for a search.
        second: The same of the second repeat.
        word: A text that, repeated, makes the pattern slow.
    """

    first: str
    second: str
    word: str


@dataclass
class Automaton:
    """A pattern as an automaton: states with free edges, and with edges that take a character.

    Attributes:
        free: For each state, edges as guard and target.
        takes: For each state that takes a character, which ones; its target is the state after it.
        loop: For each such state, the outermost unbounded repeat that it is in.
    """

    free: list[list[tuple[Guard | None, int]]] = field(default_factory=list)
    takes: dict[int, tuple[Takes, int]] = field(default_factory=dict)
    loop: dict[int, int] = field(default_factory=dict)
    characters: set[str] = field(default_factory=lambda: set(SAMPLES))
    _within: list[int] = field(default_factory=list)

    def state(self) -> int:
        self.free.append([])
        return len(self.free) - 1

    def edge(self, start: int, end: int, guard: Guard | None = None) -> None:
        self.free[start].append((guard, end))

    def taking(self, start: int, takes: Takes) -> int:
        """Add an edge that takes a character, and return the state after it."""
        end, taker = self.state(), self.state()
        self.edge(start, taker)
        self.takes[taker] = (takes, end)
        if self._within:
            self.loop[taker] = self._within[0]
        return end

    def add(self, parsed: Iterable[Any], start: int, flags: int) -> int:
        """Add a parsed sequence after a state, and return the state after it."""
        for operation, operand in parsed:
            start = self._added(operation, operand, start, flags)
        return start

    def _added(self, operation: Any, operand: Any, start: int, flags: int) -> int:
        takes = self._single(operation, operand, flags)
        if takes is not None:
            return self.taking(start, takes)
        if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            low, high, parsed = operand
            return self._repeated(operation is sre.POSSESSIVE_REPEAT, low, high, parsed, start, flags)
        if operation is sre.SUBPATTERN:
            _, added, dropped, parsed = operand
            return self.add(parsed, start, (flags | added) & ~dropped)
        if operation is sre.ATOMIC_GROUP:
            return self.add(operand, start, flags)
        if operation is sre.BRANCH:
            end = self.state()
            for parsed in operand[1]:
                branch = self.state()
                self.edge(start, branch)
                self.edge(self.add(parsed, branch, flags), end)
            return end
        end = self.state()
        if operation is sre.AT:
            self.edge(start, end, _at(operand, flags))
        elif operation in (sre.ASSERT, sre.ASSERT_NOT):
            self.edge(start, end, self._looking(operation is sre.ASSERT, operand[0], operand[1], start, flags))
        else:
            raise NotImplementedError(f"{operation} in a pattern")
        return end

    def _single(self, operation: Any, operand: Any, flags: int) -> Takes | None:
        """Return which characters a part of a pattern takes; None if it isn't one character."""
        if operation in (sre.LITERAL, sre.NOT_LITERAL):
            takes = self._member([(sre.LITERAL, operand)], flags)
            return takes if operation is sre.LITERAL else lambda c: not takes(c)
        if operation is sre.ANY:
            return lambda c: bool(flags & re.DOTALL) or c != "\n"
        if operation is sre.IN:
            negated = operand[0][0] is sre.NEGATE
            member = self._member(operand[negated:], flags)
            return (lambda c: not member(c)) if negated else member
        return None

    def _alone(self, parsed: Any, flags: int) -> Takes | None:
        """Return which characters a sequence of a single character takes; None if it is longer."""
        if len(parsed) != 1:
            return None
        operation, operand = parsed[0]
        return self._single(operation, operand, flags)

    def _member(self, items: Sequence[tuple[Any, Any]], flags: int) -> Takes:
        tests: list[Takes] = []
        for kind, value in items:
            if kind is sre.CATEGORY:
                tests.append(_CATEGORIES[value])
                continue
            low, high = value if kind is sre.RANGE else (value, value)
            self.characters.update(chr(n) for n in (low - 1, low, high, high + 1) if 0 <= n < 0x110000)
            tests.append(lambda c, low=low, high=high: low <= ord(c) <= high)  # type: ignore[misc]
        if flags & re.IGNORECASE:
            return lambda c: any(test(same) for test in tests for same in {c, c.lower()[:1], c.upper()[:1]})
        return lambda c: any(test(c) for test in tests)

    def _repeated(self, is_possessive: bool, low: int, high: Any, parsed: Any, start: int, flags: int) -> int:
        if high is not sre.MAXREPEAT:
            end = self.state()
            for copy in range(min(high, COPIES)):
                if copy >= min(low, COPIES):
                    self.edge(start, end)
                start = self.add(parsed, start, flags)
            self.edge(start, end)
            return end
        self._within.append(len(self.free))
        head, end = self.state(), self.state()
        back = self.add(parsed, head, flags)
        self._within.pop()
        self.edge(start, head)
        self.edge(back, head)
        single = self._alone(parsed, flags)
        leaves: Guard | None = None
        if is_possessive and single is not None:
            leaves = lambda _, after: after is None or not single(after)  # noqa: E731 - named by its place
        self.edge(back, end, leaves)
        if low == 0:
            self.edge(start, end, leaves)
        return end

    def _looking(self, wanted: bool, direction: int, parsed: Any, start: int, flags: int) -> Guard:
        """Return the guard of a lookaround, and add a longer one as a dead end, since its repeats may be slow too."""
        single = self._alone(parsed, flags)
        if single is not None:

            def looks(before: Char, after: Char) -> bool:
                c = after if direction > 0 else before
                return (c is not None and single(c)) == wanted

            return looks
        if direction > 0:
            self.add(parsed, start, flags)
        return lambda before, after: None


def _at(position: Any, flags: int) -> Guard:
    many = bool(flags & re.MULTILINE)
    is_word = _CATEGORIES[sre.CATEGORY_WORD]

    def between(before: Char, after: Char) -> bool:
        return (before is not None and is_word(before)) != (after is not None and is_word(after))

    guards: dict[Any, Guard] = {
        sre.AT_BEGINNING: lambda before, after: before is None or (many and before == "\n"),
        sre.AT_BEGINNING_STRING: lambda before, after: before is None,
        sre.AT_END: lambda before, after: after is None or after == "\n",
        sre.AT_END_STRING: lambda before, after: after is None,
        sre.AT_BOUNDARY: between,
        sre.AT_NON_BOUNDARY: lambda before, after: not between(before, after),
    }
    return guards[position]


class Analysis:
    """Finds the repeats of a pattern between which one text can be divided."""

    def __init__(self, pattern: str, flags: int = 0, *, method: str = "search") -> None:
        parsed = parser.parse(pattern, flags)
        self.automaton = automaton = Automaton()
        self.first = automaton.state()
        self.is_whole = method == "fullmatch"
        begin = self.first
        self.prefix = -1
        if method not in ("match", "fullmatch"):
            automaton._within.append(-1)
            begin = automaton.taking(self.first, lambda c: True)
            automaton._within.pop()
            automaton.edge(begin, self.first)
            automaton.edge(self.first, begin)
            self.prefix = next(iter(automaton.takes))
        self.last = automaton.add(parsed, begin, parsed.state.flags)
        self.alphabet = self._representatives()
        self._next: dict[tuple[int, Char, str], Counter[int]] = {}
        self._may_fail: dict[tuple[int, str], bool] = {}
        self._reached: dict[int, set[int]] = {}

    def _representatives(self) -> list[str]:
        """Return one character of each kind that the pattern distinguishes."""
        tests = [takes for takes, _ in self.automaton.takes.values()]
        tests += [_CATEGORIES[sre.CATEGORY_WORD], lambda c: c == "\n"]
        guards = [guard for edges in self.automaton.free for guard, _ in edges if guard is not None]
        kinds: dict[tuple[object, ...], str] = {}
        for c in sorted(self.automaton.characters):
            looks = [guard(*sides) for guard in guards for sides in ((c, None), (None, c), (c, c))]
            kinds.setdefault((*(test(c) for test in tests), *looks), c)
        return list(kinds.values())

    def reached(self, state: int, before: Char, after: Char) -> Counter[int]:
        """Return the states reached by free edges between two characters, with the number of ways to each."""
        ways: Counter[int] = Counter()

        def follow(at: int, seen: frozenset[int]) -> None:
            ways[at] += 1
            for guard, end in self.automaton.free[at]:
                if end not in seen and (guard is None or guard(before, after) is not False):
                    follow(end, seen | {end})

        follow(state, frozenset((state,)))
        return ways

    def next(self, taker: int, before: str, after: str) -> Counter[int]:
        """Return the states that may take `after` once a state took `before`, with the number of ways to each."""
        key = (taker, before, after)
        if key not in self._next:
            takes = self.automaton.takes
            ways = self.reached(takes[taker][1], before, after)
            self._next[key] = Counter({at: n for at, n in ways.items() if at in takes and takes[at][0](after)})
        return self._next[key]

    def may_fail(self, taker: int, before: str) -> bool:
        """Return True if a match that has reached this repeat may still fail."""
        key = (taker, before)
        if key not in self._may_fail:
            self._may_fail[key] = not all(self._ends_or_goes_on(*key, after) for after in (*self.alphabet, None))
        return self._may_fail[key]

    def _ends_or_goes_on(self, taker: int, before: str, after: Char) -> bool:
        is_end = after is None or not self.is_whole
        if is_end and self.last in self._sure(self.automaton.takes[taker][1], before, after):
            return True
        loop = self.automaton.loop.get(taker)
        if after is None or loop is None:
            return False
        return any(self.automaton.loop.get(at) == loop for at in self.next(taker, before, after))

    def _sure(self, state: int, before: Char, after: Char) -> set[int]:
        sure, waiting = {state}, [state]
        while waiting:
            for guard, end in self.automaton.free[waiting.pop()]:
                if end not in sure and (guard is None or guard(before, after) is True):
                    sure.add(end)
                    waiting.append(end)
        return sure

    def faults(self) -> Iterator[Fault]:
        """Return the pairs of repeats that can divide a text in more ways the longer it is."""
        loops = self.automaton.loop
        for p, q in product(loops, repeat=2):
            if q == self.prefix or q not in self._reachable(p):
                continue
            word = self._many_ways(p) if p == q else self._shared(p, q)
            if word:
                yield Fault(self._name(p), self._name(q), word)

    def _reachable(self, taker: int) -> set[int]:
        """Return the states that may follow a state, whatever the text."""
        if taker not in self._reached:
            reached, waiting = {taker}, [taker]
            while waiting:
                at = waiting.pop()
                ends = [end for _, end in self.automaton.free[at]]
                ends += [self.automaton.takes[at][1]] if at in self.automaton.takes else []
                waiting += set(ends) - reached
                reached.update(ends)
            self._reached[taker] = reached
        return self._reached[taker]

    def _name(self, taker: int) -> str:
        if taker == self.prefix:
            return "(any start)"
        return "".join(c for c in self.alphabet if self.automaton.takes[taker][0](c))[:12]

    def _many_ways(self, p: int) -> str:
        """Return a character that leads from a repeat back to itself in two ways; "" if there is none."""
        if p == self.prefix:
            return ""
        takes = self.automaton.takes[p][0]
        for c in filter(takes, self.alphabet):
            if self.next(p, c, c)[p] > 1 and self.may_fail(p, c):
                return c
        return ""

    def _shared(self, p: int, q: int) -> str:
        """Return a word that leads from p to p, from p to q, and from q to q; "" if there is none."""
        takes, loops = self.automaton.takes, self.automaton.loop
        useful = {taker for taker in takes if q in self._reachable(taker)}
        shared = [c for c in self.alphabet if any(loops[at] == loops[q] and takes[at][0](c) for at in loops)]

        @cache
        def seconds(taker: int, before: str) -> list[tuple[str, list[int]]]:
            moves = [(c, [at for at in self.next(taker, before, c) if at in useful]) for c in shared]
            return [(c, failing) for c, ends in moves if (failing := [at for at in ends if self.may_fail(at, c)])]

        @cache
        def within(taker: int, loop: int, before: str, after: str) -> list[int]:
            ends = self.next(taker, before, after)
            return [at for at in ends if loops.get(at) == loop and (loop == loops[p] or self.may_fail(at, after))]

        for c in filter(takes[p][0], shared):
            if not (takes[q][0](c) and self.may_fail(q, c)):
                continue
            begin, goal = (p, p, q, c), (p, q, q, c)
            words = {begin: ""}
            waiting = deque((begin,))
            while waiting and goal not in words:
                a, b, d, before = node = waiting.popleft()
                for after, ends in seconds(b, before):
                    firsts, thirds = within(a, loops[p], before, after), within(d, loops[q], before, after)
                    for at in product(firsts, ends, thirds):
                        if (*at, after) not in words:
                            words[(*at, after)] = words[node] + after
                            waiting.append((*at, after))
            if goal in words:
                return words[goal]
        return ""


def faults(pattern: str, flags: int = 0, *, method: str = "search") -> list[Fault]:
    """Find the pairs of repeats that make a pattern slow; none if its time is linear in the text.

    >>> [fault.word for fault in faults(r"a+b")]
    ['a']
    >>> faults(r"(?<!a)a+b")
    []
    >>> faults(r"a+b", method="match")
    []
    """
    return list(Analysis(pattern, flags, method=method).faults())
