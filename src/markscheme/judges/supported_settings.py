"""Record of which of a judge's settings a server accepts, from its refusals and answers.

Only the cause that a refusal names counts, by a parameter or a code. If a server names neither, the words of its
message count as long as it has answered no request, and only if the same prompt is answered without the setting. Once a
request with a setting was answered, the setting is kept: one refused prompt never changes how other prompts are sent.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final, Literal

SettingKind = Literal["prompt_cache", "temperature", "seed", "limit", "format"]

_NAMED: Final[Mapping[SettingKind, re.Pattern[str]]] = {
    "prompt_cache": re.compile(r"cache_control"),
    "temperature": re.compile(r"\btemperature\b"),
    "seed": re.compile(r"\bseed\b"),
    "limit": re.compile(r"\bmax_(completion_|output_)?tokens\b"),
    "format": re.compile(
        r"response_format|output_(config|format)|text\.format|json.?(schema|object|mode)|schema|structured output", re.I
    ),
}
"""For each kind of setting, the pattern of its name in refusals, the least ambiguous kind first."""
_UNSUPPORTED: Final = frozenset(
    {
        "unsupported_parameter",
        "unsupported_value",
        "unknown_parameter",
        "invalid_parameter",
        "invalid_value",
        "invalid_type",
        "integer_above_max_value",
        "extra_forbidden",
    }
)
"""Codes by which a server says that it doesn't take a setting or its value."""
_SAYING_NOTHING: Final = frozenset(
    {"invalid_request_error", "invalid_request", "badrequesterror", "bad_request", "error"}
)
"""Error codes that don't name a cause, like the numbers of HTTP statuses."""
_ABOUT_THE_PROMPT: Final = re.compile(
    r"context.?(length|window|size|limit)|(input|prompt) tokens|tokens in the messages|(prompt|input|message)s? "
    r"(is|are) too long|content.?(filter|management|policy)|moderation|flagged|failed_generation|"
    r"does not match the expected schema",
    re.I,
)
"""Pattern of words in errors about one prompt or its answer: too long, filtered, or not fitting the schema."""
_FIRST_WORD: Final = re.compile(r"[`'\"]?([A-Za-z_][\w.\[\]-]*)[`'\"]?: ")
"""Pattern of a setting's path at the beginning of a message, as validators write it: `system.0.cache_control: …`."""
_ALLOWED: Final = re.compile(
    r"(?:> ?|at most |up to |less than or equal to |<= ?|maximum (?:allowed |value )?(?:is |of )?)(\d{1,9})\b", re.I
)
"""Pattern of the largest answer that a model allows, in tokens, in a refusal."""


@dataclass(frozen=True, slots=True)
class RequestRefusal:
    """A server's refusal of a request, with the setting that it names as the cause.

    Attributes:
        path: The setting named as the cause, as a path in the request; None if none is named.
        code: Code of the error; None if there is none, or if it names no cause.
        words: Message of the error.
    """

    path: str | None
    code: str | None
    words: str

    @classmethod
    def of(cls, body: object, words: str) -> "RequestRefusal":
        """Read a server's refusal of a request from the body of its error.

        Args:
            body: The body, parsed if it is JSON.
            words: The provider's message in that body.

        Example:
            >>> RequestRefusal.of({"error": {"param": "seed", "code": "unsupported_parameter"}}, "No seed.")
            RequestRefusal(path='seed', code='unsupported_parameter', words='No seed.')
            >>> RequestRefusal.of({"detail": [{"loc": ["body", "seed"], "msg": "extra"}]}, "body.seed: extra").path
            'body.seed'
        """
        inner = error_details(body)
        code = inner.get("code")
        if not isinstance(code, str) or not code or code.isdecimal() or code.casefold() in _SAYING_NOTHING:
            code = None
        path = inner.get("param")
        if not isinstance(path, str) or not path:
            begins = _FIRST_WORD.match(words)
            path = begins[1] if begins and _kinds_named(begins[1]) else None
        return cls(path, code, words)

    @property
    def is_about_the_prompt(self) -> bool:
        """True if the server refused this prompt, not a setting."""
        return (self.code is not None and self.code not in _UNSUPPORTED) or _ABOUT_THE_PROMPT.search(
            self.words
        ) is not None

    def kinds(self, *, by_words: bool) -> list[SettingKind]:
        """Return the kinds of settings that the refusal may be about, the likeliest first.

        Args:
            by_words: True to use the message if neither a parameter nor a code names the cause.
        """
        if self.is_about_the_prompt:
            return []
        if self.path:
            return _kinds_named(self.path)
        return _kinds_named(self.words) if self.code or by_words else []

    def allowed_limit(self, below: int) -> int | None:
        """Return the largest answer, in tokens, that the refusal allows, if it is lower than `below`; else None."""
        limits = [int(digits) for digits in _ALLOWED.findall(self.words)]
        return min((limit for limit in limits if 0 < limit < below), default=None)


def _kinds_named(text: str) -> list[SettingKind]:
    return [kind for kind, name in _NAMED.items() if name.search(text)]


@dataclass(frozen=True, slots=True)
class RequestForm:
    """How a request differs from the judge's settings: which of them it leaves out, and which limit it lowers.

    Attributes:
        dropped: Parameters or values that are left out, since a server refused them.
        limit: A lower limit on the answer's number of tokens; None for the judge's own limit.
    """

    dropped: frozenset[str] = frozenset()
    limit: int | None = None

    def narrowed(self, second: "RequestForm") -> "RequestForm":
        """Return the form of a request that leaves out every setting that this form or a second one leaves out.

        If both have a limit of their own on the answer's tokens, the lower one applies.
        """
        limits = [limit for limit in (self.limit, second.limit) if limit is not None]
        return RequestForm(self.dropped | second.dropped, min(limits, default=None))


FULL: Final = RequestForm()
"""The form of a request that leaves no setting out."""


@dataclass(eq=False)
class TakenSettings:
    """Record of which settings a server has accepted or refused, by which the next request is formed.

    Attributes:
        steps: For each kind of setting, the parameters or values to try one after another; after the last one, the
            setting is left out.
        limit: The judge's own limit on an answer's number of tokens.
        unlisted: Kinds of settings that affect no reply, so that the judge's identity doesn't mention that they are
            left out.
        needed: Kinds of settings without which a request can't be sent.
    """

    steps: Mapping[SettingKind, tuple[str, ...]]
    limit: int
    unlisted: tuple[SettingKind, ...] = ("prompt_cache",)
    needed: tuple[SettingKind, ...] = ()
    _refused: RequestForm = field(default=FULL, init=False)
    _taken: set[str] = field(default_factory=set, init=False)
    _largest: int = field(default=0, init=False)
    _has_answered: bool = field(default=False, init=False)

    @property
    def form(self) -> RequestForm:
        """Form of the next request: without the settings that the server refused and never accepted."""
        refused = self._refused.dropped - self._taken
        dropped = (step for steps in self.steps.values() for step in takewhile(refused.__contains__, steps))
        lower = self._refused.limit
        return RequestForm(frozenset(dropped), None if lower is not None and lower < self._largest else lower)

    def step(self, kind: SettingKind, form: RequestForm) -> str:
        """Return which parameter or value of a kind of setting to leave out next, after those that a form leaves out.

        Return "" if all of them are left out.
        """
        return next((step for step in self.steps.get(kind, ()) if step not in form.dropped), "")

    def limit_in(self, form: RequestForm) -> int:
        """Return the largest number of tokens of an answer that a request allows.

        Args:
            form: Which settings the request leaves out or lowers, such as this limit.
        """
        return self.limit if form.limit is None else form.limit

    def narrower(self, form: RequestForm, refusal: RequestRefusal) -> RequestForm | None:
        """Return the form to try next after a refusal; None if the refusal names nothing that can be left out.

        Args:
            form: The form of the refused request.
            refusal: The server's refusal.
        """
        kinds = refusal.kinds(by_words=not self._has_answered)
        already_known = form.narrowed(self.form)
        if already_known != form and not refusal.is_about_the_prompt:
            return already_known
        narrower = (self._narrower(form, kind, refusal) for kind in kinds)
        return next((form_left for form_left in narrower if form_left is not None), None)

    def _narrower(self, form: RequestForm, kind: SettingKind, refusal: RequestRefusal) -> RequestForm | None:
        """Return the form of request with a refused setting lowered or left out; None if neither is possible.

        Args:
            form: The form of the refused request.
            kind: Kind of the refused setting, such as "limit".
            refusal: The server's refusal.
        """
        if kind == "limit":
            allowed = refusal.allowed_limit(self.limit_in(form))
            if allowed is not None:
                return RequestForm(form.dropped, allowed)
        step = "" if kind in self.needed else self.step(kind, form)
        return RequestForm(form.dropped | {step}, form.limit) if step else None

    def answered(self, form: RequestForm, *, with_format: bool = True) -> None:
        """Record that the server answered a request of this form, and so accepts the settings in it.

        Args:
            form: Form of the request.
            with_format: True if the prompt asks for a form of the answer, such as a JSON schema.
        """
        kinds = [kind for kind in self.steps if with_format or kind != "format"]
        self._taken |= {step for kind in kinds if (step := self.step(kind, form))}
        if self.step("limit", form):
            self._largest = max(self._largest, self.limit_in(form))
        self._refused = self._refused.narrowed(form)
        self._has_answered = True

    def refused(self, form: RequestForm) -> bool:
        """Record which settings the server refused in a batch; return True if the next requests leave all of them out.

        A setting that the server accepted before is sent again, and then the result is False.

        Args:
            form: Form of a request that leaves out, or lowers, the refused settings.
        """
        self._refused = self._refused.narrowed(form)
        return self.form.narrowed(form) == self.form

    def without(self, form: RequestForm) -> tuple[str, ...]:
        """Return the names of the settings that a request leaves out, for the judge's identity.

        The limit on the answer's tokens doesn't count as left out if it is sent under another name.

        Args:
            form: Which settings the request leaves out or lowers.

        Example:
            >>> settings = TakenSettings({"limit": ("max_tokens", "max_completion_tokens"), "seed": ("seed",)}, 4096)
            >>> settings.without(RequestForm(frozenset({"max_tokens", "seed"})))
            ('seed',)
            >>> settings.without(RequestForm(limit=1000))
            ('max_tokens above 1000',)
        """
        names: list[str] = []
        for kind, steps in self.steps.items():
            dropped = [step for step in steps if step in form.dropped]
            if kind in (*self.unlisted, *self.needed) or (kind == "limit" and len(dropped) < len(steps)):
                continue
            names += dropped[:1] if kind == "limit" else dropped
        if form.limit is not None and form.limit < self.limit:
            names.append(f"max_tokens above {form.limit}")
        return tuple(sorted(names))


def error_details(body: object) -> Mapping[str, Any]:
    """Return the object that describes the error in an HTTP response's body: `error` in it, else the body itself.

    If neither is an object, return {}.
    """
    if isinstance(body, list) and body:
        body = body[0]
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}
