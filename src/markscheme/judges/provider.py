"""Code that adapters to HTTP providers share: addresses, keys, one client per event loop, and the meaning of errors."""

import asyncio
import base64
import gc
import inspect
import math
import os
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from markscheme.errors import JudgeBusy, JudgeError, JudgeSilent, JudgeUnavailable, NoJudge, UnreadableReply, UsageError
from markscheme.judges.external_words import hidden, shown
from markscheme.judges.judge import AskedWithout, Reply
from markscheme.judges.supported_settings import RequestForm, RequestRefusal, TakenSettings, error_details
from markscheme.numerals import count, finite
from markscheme.plain_data import elements, mapping
from markscheme.shipped import install_command

MAX_TOKENS = 4096
"""Default largest number of tokens of an answer."""
STATUSES: Final[Mapping[int, str]] = {
    400: "refused the request",
    401: "refused the key",
    402: "asks for payment",
    403: "does not allow this",
    404: "knows no such model or address",
    408: "gave up waiting for the request",
    409: "found a conflict",
    412: "found a precondition not met",
    413: "finds the prompt too long",
    422: "refused the request",
    429: "asks to wait",
    431: "finds the headers too large",
    499: "reports that the connection was closed",
    500: "failed",
    501: "cannot do this",
    502: "could not be reached behind its gateway",
    503: "asks to wait",
    504: "took too long behind its gateway",
    529: "is overloaded and asks to wait",
}
"""Meaning of the known HTTP statuses; any other is a refusal below 500 and a failure from 500 on."""

UNTRUSTED = "SSLCertVerificationError"
"""Name of the class of certificate errors in the module `ssl`, which is slow to import just for the class."""
_BUSY = {429, 503, 529}
_LASTING_FAILURES = {501, 505}
_PASSING_REFUSALS = {408, 409, 499}
_SPENT = {"billing_error", "contract_spend_limit_reached", "enforced_spend_limit_reached", "insufficient_quota"}
"""Error codes with the HTTP status 429 for which waiting doesn't help."""
ADD_CREDIT: Final = "the account's quota is used up, and waiting doesn't help: check its plan and credit"
_STATUS_OF: Final[Mapping[str, int]] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "insufficient_quota": 429,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "too_many_requests": 429,
    "server_error": 500,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""HTTP status that each type of error means, for errors inside an answer that don't state a status."""
_UNKNOWN_ERROR: Final = 500
"""HTTP status assumed for an error inside an answer that states no known one, so that the request is repeated."""


# --- addresses and keys ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Address:
    """Address of a provider; a login in it is kept separately, so that it isn't shown or logged.

    Attributes:
        url: Scheme, host and path; never with a user or a password.
        login: User and password from the address, as "user:password"; "" if the address contains none.
    """

    url: str
    login: str = field(default="", repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Parts of the address that must never be shown."""
        return tuple(secret for secret in (self.login, self.login.partition(":")[2], *self.headers.values()) if secret)

    @property
    def headers(self) -> dict[str, str]:
        """HTTP header that carries the login, so that it isn't part of any URL."""
        if not self.login:
            return {}
        return {"Authorization": "Basic " + base64.b64encode(self.login.encode()).decode()}


def parse_address(url: str) -> Address:
    """Parse a base URL into an Address.

    Raises:
        UsageError: The URL isn't an http(s) address, or has a query, which would end up in logs.

    Example:
        >>> parse_address("http://me:secret@127.0.0.1:8080/v1/")
        Address(url='http://127.0.0.1:8080/v1')
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise UsageError("the base URL of a judge is invalid; expected one like http://127.0.0.1:8080/v1") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("the base URL of a judge must be an http or https address, like http://127.0.0.1:8080/v1")
    if parts.query or parts.fragment:
        raise UsageError("the base URL of a judge ends with its path; a key goes into the key's own variable")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    address = host if port in (None, {"http": 80, "https": 443}[parts.scheme]) else f"{host}:{port}"
    login = parts.netloc.rpartition("@")[0]
    return Address(f"{parts.scheme}://{address}{parts.path.rstrip('/')}", login)


def usable_key(variable: str, in_code: str | None = None) -> str:
    """Return an API key without surrounding white space, as given in code or from the environment; "" without one.

    Args:
        variable: Name of the environment variable with the key.
        in_code: The key as given in code; None to read the variable.

    Raises:
        NoJudge: The key contains a character that a header can't contain.
    """
    key = (in_code or os.environ.get(variable, "")).strip()
    if not (key.isascii() and key.isprintable()):
        raise NoJudge(f"{variable} contains a character that can't be part of a key; was it pasted with a line break?")
    return key


# --- a judge behind an SDK ------------------------------------------------------------------------------------------


class SdkJudge:
    """Base class of judges that use a provider's SDK: its client, opened on first use per event loop, and its errors.

    Attributes:
        own_address: The provider's own base URL.
        address_variable: Name of the environment variable with another base URL.
        sdk: Name of the SDK's module.
        brand: Name of the provider in the SDK's class names.
        extra: Extra of markscheme that installs the SDK; "" if it is part of another package.
        settings: Record of the judge's settings that the server takes, as far as known.

    Args:
        name: The part of the judge's name before the model.
        model: The model as the provider names it.
        api_key: The key; None for that in the environment, looked up with the first request.
        base_url: The address; None for that in the environment variable, or else the provider's own.
        deadline: Timeout of a request in seconds.
        client: An asynchronous client of the SDK to use; it keeps its own key and address, and the caller closes it.

    Raises:
        UsageError: The base URL is invalid.
    """

    own_address: ClassVar[str]
    address_variable: ClassVar[str]
    sdk: ClassVar[str]
    brand: ClassVar[str]
    extra: ClassVar[str]
    settings: TakenSettings

    def __init__(
        self, name: str, model: str, api_key: str | None, base_url: str | None, deadline: float, client: Any
    ) -> None:
        self.name, self.model, self.deadline, self._given_key = name, model, deadline, api_key
        asked_at = str(client.base_url) if client is not None else base_url or os.environ.get(self.address_variable)
        self._address = parse_address(asked_at or self.own_address)
        self._given_client = client
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._said: set[tuple[AskedWithout, bool]] = set()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r})"

    async def answer(
        self, client: Any, send: Callable[[Any, RequestForm], Awaitable[Any]]
    ) -> tuple[Any, RequestForm, int]:
        """Send a prompt until it is answered; after each refusal, leave out the setting that the server refused.

        Args:
            client: The client that `call` yields.
            send: Function that sends the prompt in a form of request, and returns the SDK's raw response.

        Returns:
            The answer as `body` reads it, the form of the request that was answered, and the number of requests that it
            took.

        Raises:
            JudgeError: The answer is an error.
        """
        sdk = self.module()
        form = self.settings.form
        calls = 0
        while True:
            calls += 1
            try:
                response = await send(client, form)
                break
            except (sdk.BadRequestError, sdk.UnprocessableEntityError) as error:
                refusal = RequestRefusal.of(error.body, message_in(error.body) or str(error))
                self.refuse(refusal)
                narrower = self.settings.narrower(form, refusal)
                if narrower is None:
                    raise
                form = narrower
        body = await self.body(response)
        plain = body.model_dump(warnings="none") if hasattr(body, "model_dump") else body
        fault = error_in_answer(self.who, plain, response.headers, secrets=self.secrets)
        if fault is not None:
            raise fault
        return body, form, calls

    async def body(self, response: Any) -> Any:
        """Return the parsed body of a raw HTTP response."""
        parsed = response.parse()
        return await parsed if inspect.isawaitable(parsed) else parsed

    def refuse(self, refusal: RequestRefusal) -> None:
        """Raise an error if leaving out a setting can't fix a refused request; otherwise do nothing."""

    def noted(self, reply: Reply, form: RequestForm, *, with_format: bool) -> Reply:
        """Record which settings the server accepts, as its answer shows; return the reply with those left out noted.

        Args:
            reply: The reply as read from the answer.
            form: Which settings the answered request left out or lowered.
            with_format: True if the prompt asks for a format.
        """
        self.settings.answered(form, with_format=with_format)
        without = self.settings.without(form)
        if without == reply.without == ():
            return reply
        is_usual = self.settings.without(self.settings.form) == without
        if without and (without, is_usual) not in self._said:
            self._said.add((without, is_usual))
            whom = "is asked" if is_usual else "refused one prompt and answered it when asked"
            warnings.warn(
                f"{self.who} {whom} without {', '.join(without)}, which its server doesn't take"
                + ("" if is_usual else "; the other prompts keep it"),
                RuntimeWarning,
                stacklevel=2,
            )
        return replace(reply, without=without)

    def noted_in_batch(self, reply: Reply, sent: tuple[RequestForm, bool] | None) -> Reply:
        """Return a reply from a batch with a note on the settings that its request left out.

        Args:
            reply: The reply.
            sent: The form in which the batch's requests were sent, and whether with a JSON schema; None if another
                process sent the batch, and then the reply is returned unchanged.
        """
        if sent is None:
            return reply
        form, with_format = sent
        return self.noted(reply, form, with_format=with_format)

    def mend_in_batch(self, sent: tuple[RequestForm, bool] | None, body: object) -> bool:
        """Record that a batch was refused for a setting; return True if a batch without that setting may succeed.

        Args:
            sent: The form in which a prompt of the batch was sent, and True if the prompt has a schema; None if another
                process sent the batch.
            body: The body of the provider's error.
        """
        form = self.settings.form if sent is None else sent[0]
        narrower = self.settings.narrower(form, RequestRefusal.of(body, message_in(body)))
        return narrower is not None and self.settings.refused(narrower)

    async def aclose(self) -> None:
        """Close the client, if this judge opened it in this event loop."""
        client, loop = self._client, self._loop
        self._client = self._loop = None
        if client is not None and self._given_client is None and loop is asyncio.get_running_loop():
            await client.close()

    @property
    def other_address(self) -> str:
        """The address, if it isn't the provider's own; else ""."""
        return "" if self._address.url == self.own_address else self._address.url

    @property
    def who(self) -> str:
        """Name of the judge for messages, with its model and, if it isn't the provider's own, its address."""
        return f"{self.name} ({self.model})" + (f" at {self.other_address}" if self.other_address else "")

    @cached_property
    def credential(self) -> dict[str, str]:
        """API key or token, in the form that the SDK's client takes.

        Raises:
            NoJudge: A key is needed and there is none.
        """
        raise NotImplementedError

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """Texts, such as the key, that must never be shown."""
        client = self._given_client
        if client is not None:
            return tuple(filter(None, (client.api_key, getattr(client, "auth_token", None))))
        return (*self.credential.values(), *self._address.secrets)

    def module(self) -> ModuleType:
        """Import the provider's SDK, and return its module.

        Raises:
            NoJudge: The SDK is not installed.
        """
        collecting = gc.isenabled()
        gc.disable()  # the SDK's thousands of classes stay in memory; collecting takes a quarter of the import time
        try:
            return import_module(self.sdk)
        except ModuleNotFoundError as error:
            install = install_command(self.extra) if self.extra else f"pip install {self.sdk}"
            raise NoJudge(f"{self.who} is asked through the package {self.sdk}: {install}") from error
        finally:
            if collecting:
                gc.enable()

    @asynccontextmanager
    async def call(self, deadline: float | None) -> AsyncIterator[Any]:
        """Yield the SDK's client for a call inside the block; errors of the call become JudgeErrors.

        Args:
            deadline: Timeout of the call in seconds; None for no timeout.

        Raises:
            JudgeError: The call raises an error; this one replaces it.
        """
        hide = self.secrets
        sdk = self.module()
        try:
            async with asyncio.timeout(deadline):
                yield self._opened(sdk)
        except TimeoutError as error:
            raise JudgeSilent(f"{self.who} gave no answer within {deadline:g} s") from error
        except getattr(sdk, f"{self.brand}Error") as error:
            raise self._fault(error, sdk) from _cause(error, hide)
        except (ValueError, RecursionError) as error:
            raise UnreadableReply(f"the answer of {self.who} isn't valid JSON") from _cause(error, hide)
        except Exception as error:  # while an answer is streamed, SDKs don't convert their HTTP library's errors
            if type(error).__module__.partition(".")[0] not in ("httpx", "httpx2"):
                raise
            raise JudgeSilent(f"the connection to {self.who} broke") from _cause(error, hide)

    def _opened(self, sdk: ModuleType) -> Any:
        """Return the client of the running event loop, opened on first use.

        Args:
            sdk: The SDK's module, whose class the client is of.
        """
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._client = self._new_client(sdk)
            self._loop = loop
        return self._client

    def _new_client(self, sdk: ModuleType) -> Any:
        if self._given_client is not None:
            return self._given_client.with_options(max_retries=0)
        options = {"base_url": self._address.url, "default_headers": self._address.headers, "timeout": self.deadline}
        http_client = self.http_client(sdk)
        return getattr(sdk, f"Async{self.brand}")(**self.credential, **options, max_retries=0, http_client=http_client)

    def http_client(self, sdk: ModuleType) -> Any:  # noqa: ARG002 - for the SDKs that need another one
        """Make the HTTP client that the SDK is to use; None for the SDK's own."""
        return None

    def _fault(self, error: Any, sdk: ModuleType) -> JudgeError:
        if isinstance(error, sdk.APIStatusError):
            return status_fault(self.who, error.status_code, error.response.headers, error.body, secrets=self.secrets)
        if isinstance(error, sdk.APITimeoutError):
            return JudgeSilent(f"{self.who} gave no answer in time")
        if isinstance(error, sdk.APIConnectionError):
            return unreached(self.who, error)
        if isinstance(error, sdk.APIResponseValidationError):
            return UnreadableReply(f"the answer of {self.who} has an unexpected form")
        words = shown(str(error), self.secrets)
        return JudgeUnavailable(f"{self.who} could not be asked: {type(error).__name__}: {words}")


def unreached(who: str, error: BaseException) -> JudgeSilent:
    """Make the error for a server that couldn't be reached, with advice if its certificate isn't trusted.

    Args:
        who: Name of the judge for messages.
        error: The error of the HTTP library; its text isn't shown, since it may contain a proxy's password.
    """
    if _is_untrusted(error):
        return JudgeSilent(
            f"{who} could not be reached: its certificate isn't trusted here: name your company's by SSL_CERT_FILE"
        )
    return JudgeSilent(f"{who} could not be reached, or the line broke")


def _is_untrusted(error: BaseException) -> bool:
    """Return True if a connection failed because the server's certificate is signed by an unknown authority."""
    link: BaseException | None = error
    while link is not None and type(link).__name__ != UNTRUSTED:
        link = link.__cause__ or link.__context__
    return link is not None


def _cause(error: BaseException, secrets: tuple[str, ...]) -> BaseException | None:
    """Return an error for a traceback to show as the cause; None if it or one of its causes contains a secret."""
    link: BaseException | None = error
    while link is not None:
        if hidden(f"{link} {link!r}", secrets) != f"{link} {link!r}":
            return None
        link = link.__cause__ or link.__context__
    return error


# --- what errors mean -----------------------------------------------------------------------------------------------


def status_fault(
    who: str,
    status: int,
    headers: Mapping[str, str],
    body: object,
    *,
    secrets: tuple[str, ...] = (),
    within: str | None = None,
) -> JudgeError:
    """Make the error for an HTTP status other than 200.

    Args:
        who: Name of the provider.
        status: The HTTP status.
        headers: Headers of the response; `retry-after` and `x-should-retry: false` are obeyed.
        body: Body of the response, parsed if it is JSON.
        secrets: Texts that must not be shown.
        within: Phrase for the message on where the status is stated, such as ", inside an answer of status 200"; None
            if it is the status of the response itself.

    Returns:
        JudgeBusy if the provider asks to wait, else JudgeUnavailable, transient if waiting may help.
    """
    meaning = STATUSES.get(status, "failed" if status >= 500 else "refused the request")
    words = shown(message_in(body), secrets)
    is_spent = not _SPENT.isdisjoint(_codes(body))
    if is_spent and status in _BUSY:
        meaning = "has nothing left to spend"
    sentence = f"{who} {meaning} ({status}{within or ''})" + (f": {words}" if words else "")
    lasting = headers.get("x-should-retry") == "false" or is_spent
    if is_spent:
        sentence += f"; {ADD_CREDIT}"
    if status in _BUSY and not lasting:
        now = time.time()
        wait = asked_wait(headers, now)
        wait = _wait_in(body, now) if wait is None else wait
        return JudgeBusy(sentence if wait is None else f"{sentence}; for {wait:g} s", retry_after=wait, status=status)
    passing = status in _PASSING_REFUSALS or (status >= 500 and status not in _LASTING_FAILURES)
    return JudgeUnavailable(sentence, transient=passing and not lasting, status=status)


def error_in_answer(
    who: str, body: object, headers: Mapping[str, str], *, secrets: tuple[str, ...] = ()
) -> JudgeError | None:
    """Return the error in a response of status 200, as gateways send when a provider fails; None if there is none.

    Args:
        who: Name of the provider.
        body: The answer as plain data; its error is under `error`, in itself or in its first choice.
        headers: Headers of the response.
        secrets: Texts that must not be shown.
    """
    if not isinstance(body, Mapping):
        return None
    choice = mapping(next(iter(elements(body.get("choices"))), None))
    error = body.get("error") or choice.get("error")
    if not error and choice.get("finish_reason") == "error":
        error = {"message": "it ended with an error, which it doesn't name"}
    if not isinstance(error, Mapping | str):
        return None
    named = {"error": error}
    status = _status_in(error)
    return status_fault(who, status, headers, named, secrets=secrets, within=", inside an answer of status 200")


def _status_in(error: Mapping[str, Any] | str) -> int:
    """Return the HTTP status that an error in a response names or implies; `_UNKNOWN_ERROR` if it does neither."""
    if isinstance(error, str):
        return _UNKNOWN_ERROR
    for name in ("code", "status", "status_code", "type"):
        code = error.get(name)
        if isinstance(code, str) and code in _STATUS_OF:
            return _STATUS_OF[code]
        digits = code if isinstance(code, str) else str(count(code))
        if len(digits) == 3 and digits.isdecimal() and 400 <= int(digits) < 600:
            return int(digits)
    return _UNKNOWN_ERROR


_WAITS: Final = ("retry_after", "retry_after_seconds", "retryAfter")
_RESET: Final = "x-ratelimit-reset"
"""Header with the time from which requests are accepted again, in milliseconds since 1970."""


def _wait_in(body: object, now: float) -> float | None:
    """Return the seconds to wait by an error's body, or by a gateway's headers in it; None if neither states them.

    Args:
        body: The body, as plain data.
        now: The time, in seconds since 1970, from which a stated moment is counted.
    """
    details = error_details(body)
    metadata = details.get("metadata")
    for record in filter(None, (details, metadata)):
        if not isinstance(record, Mapping):
            continue
        waits = [seconds for name in _WAITS if (seconds := finite(record.get(name))) is not None and seconds >= 0]
        if waits:
            return waits[0]
        headers = record.get("headers")
        if isinstance(headers, Mapping):
            passed_on = {str(name).casefold(): str(value) for name, value in headers.items()}
            wait = asked_wait(passed_on, now)
            until = _number(passed_on.get(_RESET))
            if wait is not None or until is not None:
                return wait if wait is not None else max(0.0, (until or 0.0) / 1000 - now)
    return None


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that the headers of a response ask to wait; None if they don't say.

    Args:
        headers: Headers with `retry-after-ms`, or `retry-after` in seconds or as a date.
        now: The present time in seconds since 1970.

    Example:
        >>> asked_wait({"retry-after": "12"}, 0.0)
        12.0
        >>> asked_wait({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 0.0)
        60.0
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or text is None:
        return seconds
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def message_in(body: object) -> str:
    """Return the provider's message in an error's body; "" if it has none, such as an HTML page."""
    if isinstance(body, list) and body:
        body = body[0]
    inner = body.get("error", body.get("detail", body)) if isinstance(body, Mapping) else None
    if isinstance(inner, list) and inner and isinstance(inner[0], Mapping):  # the faults of a request, one by one
        location = ".".join(map(str, inner[0]["loc"])) if isinstance(inner[0].get("loc"), list) else ""
        return f"{location}: {inner[0].get('msg') or 'refused'}".removeprefix(": ")
    words = inner.get("message") if isinstance(inner, Mapping) else inner
    if not isinstance(words, str):
        return ""
    raw = mapping(mapping(inner).get("metadata")).get("raw")
    return f"{words}: {raw}" if isinstance(raw, str) and raw else words


def _codes(body: object) -> set[str]:
    """Return the codes in an error's body that name its cause."""
    inner = error_details(body)
    codes = [inner.get("code"), inner.get("type"), mapping(inner.get("details")).get("error_code")]
    return {code for code in codes if isinstance(code, str)}
