"""Sight test for judges: a judge must read a random word and count squares in a picture or document."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

from markscheme.errors import JudgeError
from markscheme.features.media.drawing import document, picture
from markscheme.features.media.formats import IMAGE_KIND, PDF_KIND
from markscheme.features.media.media import Image, Media, Pdf
from markscheme.json_text import json_amid_prose
from markscheme.judges.external_words import shown
from markscheme.judges.judge import Identity, Judge, Wrapping
from markscheme.judges.sight import Unprobed, innermost, kind_of_judge
from markscheme.numerals import finite
from markscheme.prompts.parts import ShownPart
from markscheme.prompts.prompt import DecisionQuestion, Prompt, closed_object

_CONSONANTS, _VOWELS = "BDFKLMNRT", "AEIOU"
_SYLLABLES: Final = 3
"""Number of syllables in the word to read: 91,125 words are possible, too many to guess one."""
_SQUARES: Final = (3, 6)
"""Smallest and largest number of squares to count; even models that see well miscount larger numbers."""
_TRIES: Final = 2
"""Largest number of times that a judge is tested: a judge that misreads the first picture gets another one."""
_SYSTEM: Final = "You read what is shown to you. Answer with one JSON object and nothing else."
_TASK: Final = (
    "{} shows a word in capital letters and, below it, some red squares. Read the word and count the squares. "
    'Answer in this form: {{"word": "…", "count": 0}}. If you can\'t see it, leave the word empty.'
)
_CHOOSE_WORD: Final = "Which word in capital letters does {} show?"
_CHOOSE_COUNT: Final = "How many red squares does {} show?"
_CHOICES: Final = 100
"""Number of other words offered to a model that can only choose; with the squares, one guess in 400 is right."""
_COUNTS: Final = tuple(str(count) for count in range(_SQUARES[0], _SQUARES[1] + 1))
_SCHEMA: Final = closed_object({"word": {"type": "string"}, "count": {"type": "integer"}})
_LEAVE_OUT: Final = "to leave this test out, set `probe` to off"
KINDS_IN_WORDS: Final = {IMAGE_KIND: "images", PDF_KIND: "PDF documents"}


@dataclass(frozen=True, slots=True)
class SightTest:
    """A picture or document that a judge is asked to read in a sight test.

    Attributes:
        word: The word that the picture or document shows.
        squares: Number of squares that the picture or document shows.
        media: The picture or the document.
        words: Words for a choice, the right one among them; only for models that choose an option and can't write.
    """

    word: str
    squares: int
    media: Media
    words: tuple[str, ...] = ()

    @classmethod
    def drawn(cls, kind: str, seed: str) -> "SightTest":
        """Make a sight test from a seed; an equal seed gives an equal test, so that a cached answer can be reused.

        Args:
            kind: Kind of content that the judge must see: an image or a PDF.
            seed: The seed.
        """
        chance = random.Random(f"{seed} {kind}")  # noqa: S311 - not a secret
        word = _word(chance)
        squares = chance.randint(*_SQUARES)
        media = Image(picture(word, squares)) if kind == IMAGE_KIND else Pdf(document(word, squares))
        return cls(word, squares, media, tuple(sorted({word, *(_word(chance) for _ in range(_CHOICES))})))

    @property
    def prompt(self) -> Prompt:
        """Prompt that asks which word and how many squares the picture or document shows."""
        mark = self.media.mark
        questions = (
            DecisionQuestion("word", "choice", _CHOOSE_WORD.format(mark), tuple((word, "") for word in self.words)),
            DecisionQuestion("count", "choice", _CHOOSE_COUNT.format(mark), tuple((count, "") for count in _COUNTS)),
        )
        material = {"shown": mark}
        task = _TASK.format(mark)
        return Prompt(_SYSTEM, task, _SCHEMA, (), material, questions=questions, parts=(self.media,))

    def is_read(self, answer: str) -> bool:
        """Return True if an answer gives the word and the number of squares in the picture or document."""
        try:
            read = json_amid_prose(answer)
        except ValueError:
            return False
        if not isinstance(read, Mapping):
            return False
        decisions = read.get("decisions")
        if decisions is not None:
            read = {name: _chosen(decisions, name) for name in ("word", "count")}
            return read == {"word": self.word, "count": str(self.squares)}
        return str(read.get("word", "")).strip().upper() == self.word and finite(read.get("count")) == self.squares


def _word(chance: random.Random) -> str:
    return "".join(chance.choice(_CONSONANTS) + chance.choice(_VOWELS) for _ in range(_SYLLABLES))


def _chosen(decisions: Any, name: str) -> Any:
    """Return the option that a decision model finds most probable for a question; None if it gives no probabilities.

    Args:
        decisions: The model's answers: for each question, the probability of each option.
        name: Name of the question.
    """
    options: Any = decisions.get(name) if isinstance(decisions, Mapping) else None
    probable = (
        {option: p for option, p in options.items() if finite(p) is not None} if isinstance(options, Mapping) else {}
    )
    return max(probable, key=lambda option: probable[option], default=None)


_SIGHT: dict[tuple[str, str], str | None] = {}
"""Reason why a judge can't read a kind of part, by judge and kind; None if it can."""
_LOCKS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


async def why_blind(judge: Judge, parts: Sequence[ShownPart]) -> str | None:
    """Return why a judge can't read the given images or PDFs; None if it can.

    Once per process and kind, image or PDF, the judge is asked what a test picture or document shows.

    Raises:
        JudgeError: The judge gave no answer.
    """
    members = getattr(innermost(judge), "judges", (judge,))
    tried = [member for member in members if is_tried(member)]
    for kind in sorted({shown_part.kind for shown_part in parts}):
        for member in tried:
            why = await _why_blind_to(member, kind)
            if why is not None:
                return why
        if len(tried) == len(members):
            _SIGHT[judge.identity.fingerprint, kind] = None
    return None


def is_tried(judge: Judge) -> bool:
    """Return True if a judge has to pass the sight test: it asks a model, and the test isn't switched off."""
    kind = kind_of_judge(judge)
    return _is_probed(judge) and kind is not None and kind.asks


def _is_probed(judge: Judge) -> bool:
    """Return True if a judge is to be tested for sight: neither it nor a judge that it wraps is marked as Unprobed."""
    if isinstance(judge, Unprobed):
        return False
    return not isinstance(judge, Wrapping) or _is_probed(judge.judge)


def sight_of(identity: Identity, kind: str) -> bool | None:
    """Return True if a judge said rightly what a test image or PDF shows, False if it didn't; None if it wasn't tested.

    Args:
        identity: The judge's identity.
        kind: The kind of the test: image or PDF.
    """
    key = (identity.fingerprint, kind)
    return _SIGHT[key] is None if key in _SIGHT else None


async def _why_blind_to(judge: Judge, kind: str) -> str | None:
    key = (judge.identity.fingerprint, kind)
    lock = _LOCKS.setdefault(asyncio.get_running_loop(), asyncio.Lock())
    async with lock:
        if key not in _SIGHT:
            _SIGHT[key] = await _tried(judge, kind, key[0])
    return _SIGHT[key]


async def _tried(judge: Judge, kind: str, seed: str) -> str | None:
    live: Judge = getattr(judge, "live", judge)  # a batch may take a day
    kinds, answer = KINDS_IN_WORDS[kind], ""
    for attempt in range(_TRIES):
        test = SightTest.drawn(kind, f"{seed} {attempt}")
        try:
            reply = await live.reply(test.prompt)
        except JudgeError as error:
            error.args = (f"{error}, when it was tested whether it can read {kinds} ({_LEAVE_OUT})",)
            raise
        answers = [single.text for single in reply.single]
        if all(map(test.is_read, answers)):
            return None
        answer = answers[0]
    return (
        f"{judge.identity.name} can't read {kinds}: shown the word {test.word} above {test.squares} squares, it "
        f"answered {shown(answer) or 'nothing'} ({_LEAVE_OUT})"
    )
