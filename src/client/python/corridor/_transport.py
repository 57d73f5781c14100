"""The path of every request: credential headers, idempotency key, retries, exact decimals."""

from __future__ import annotations

import json
import random
import re
import time
import urllib.error
import urllib.request
import uuid
from decimal import Decimal
from email.message import Message
from http.client import HTTPException, IncompleteRead
from typing import IO, Any, Callable, Dict, Iterator, Mapping, Optional, Tuple, Union
from urllib.parse import quote, urlencode

BACKOFF_SECONDS = 0.2
"""Wait before the first retry; doubled for each further one."""

LONGEST_WAIT_SECONDS = 60
"""A longer Retry-After is not waited for: its answer goes to the caller."""


class CorridorError(Exception):
    """An answer that is not a success, or none."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        body: Optional[Mapping[str, Any]] = None,
        request_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        """HTTP status; 0 without an answer."""
        self.message = message
        self.body: Mapping[str, Any] = body or {}
        """The whole answer; some errors carry a ``payment_id`` or the current ``rate``."""
        self.code: Optional[str] = self.body.get("code")
        """Error code such as ``RATE_MISMATCH``, if the operation has one."""
        named = re.match(r"([\w.\[\]]+): ", message) if status == 400 else None
        self.field: Optional[str] = named.group(1) if named else None
        """The field that a 400 is about, such as ``payer_details.phone``."""
        self.request_id = request_id
        """For questions to support."""
        self.idempotency_key = idempotency_key
        """Key that the call was sent with, if it has one. The same call with it again takes effect at most once."""


def path(template: str, *values: str) -> str:
    for value in values:
        # An empty segment, "." or ".." would lead to another operation.
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise TypeError(f"{value!r} is not an id")
    return template.format(*(quote(value, safe="") for value in values))


def read_json(text: Union[str, bytes]) -> Any:
    return json.loads(text, parse_float=Decimal)


def write_json(value: Any) -> str:
    """JSON with the digits of each Decimal. Floats are refused: their digits are not those of the amount."""
    if value is None or isinstance(value, (bool, int, str)):
        return json.dumps(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise TypeError(f"{value} is not an amount")
        return format(value, "f")
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json.dumps(str(key))}:{write_json(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(write_json(one) for one in value) + "]"
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float: send amounts as Decimal or int")
    raise TypeError(f"{type(value).__name__} cannot be sent")


def query_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A followed redirect would send the API key to another address."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        return None


def is_repeatable(method: str, has_key: bool) -> bool:
    """Whether a request takes effect at most once, however often it is sent."""
    return has_key or method not in ("POST", "PATCH")


def seconds_to_retry(status: int, retry_after: Optional[str], repeatable: bool) -> Optional[int]:
    """Seconds to wait before a retry, at least; None: no retry.

    409 with Retry-After: the first request with this key is still running. Proxies send 503 without
    Retry-After. After 429 nothing was done.
    """
    given = int(retry_after[:9]) if retry_after and re.fullmatch(r"[0-9]+", retry_after) else None
    seconds = (given or 0) if status == 503 else given if status in (409, 429) else None
    if seconds is None or seconds > LONGEST_WAIT_SECONDS:
        return None
    return seconds if repeatable or status == 429 else None


def answer_of(status: int, headers: Message, text: bytes, key: Optional[str]) -> Any:
    """An answer that is not JSON comes from a proxy."""
    is_json, body = True, None
    try:
        body = read_json(text) if text else None
    except (ValueError, RecursionError):
        is_json = False
    if 200 <= status < 300 and is_json:
        return body
    fields: Dict[str, Any] = body if isinstance(body, dict) else {}
    message = fields.get("message")
    location = headers.get("Location")
    if not isinstance(message, str):
        message = f"The service answered with status {status}."
        if 300 <= status < 400 and location:
            message = f"The service redirects to {location}, where the credential is not sent: give its own address."
    request_id = headers.get("X-Request-Id")
    raise CorridorError(status, message, body=fields, request_id=request_id, idempotency_key=key)


def read_until(end: float, answer: Any) -> bytes:
    """The whole body. The timeout of a socket is for each part of it alone."""
    parts = []
    while True:
        part = answer.read1(65536)
        if not part:
            break
        parts.append(part)
        if time.monotonic() > end:
            raise TimeoutError("The service did not answer in time")
    if answer.length:
        raise IncompleteRead(b"".join(parts), answer.length)
    return b"".join(parts)


def check_headers(headers: Mapping[str, str]) -> None:
    """Keeps a value that a header cannot carry out of the message: it may be an API key."""
    for name, value in headers.items():
        if not re.fullmatch(r"[\x20-\x7e]*", value):
            problem = "a header cannot carry this value. It has a line break, or a character that is not ASCII."
            raise CorridorError(0, f"{name}: {problem}")


class Transport:
    def __init__(
        self,
        url: str,
        *,
        api_key: Optional[str],
        token: Union[str, Callable[[], str], None],
        retries: int,
        timeout: float,
    ) -> None:
        self._root = re.sub(r"/v1$", "", url.rstrip("/"))
        self._api_key = api_key
        self._token = token
        self._retries = retries
        self._timeout = timeout
        self._opener = urllib.request.build_opener(NoRedirects)

    def _credential(self) -> Dict[str, str]:
        if self._token is None:
            return {"Authorization": "NONE", "X-Api-Key": self._api_key or ""}
        token = self._token() if callable(self._token) else self._token
        return {"Authorization": f"Bearer {token}", "X-Api-Key": "NONE"}

    def _send(self, request: urllib.request.Request) -> Tuple[int, Message, bytes]:
        end = time.monotonic() + self._timeout
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return answer.status, answer.headers, read_until(end, answer)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.headers, read_until(end, refused)

    def call(
        self,
        method: str,
        target: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        payload: Any = None,
        keyed: bool = False,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Sends until there is an answer that is not retried, always with the same idempotency key."""
        given = {name: query_text(value) for name, value in (query or {}).items() if value is not None}
        url = f"{self._root}{target}" + (f"?{urlencode(given)}" if given else "")
        fixed = dict(headers or {})
        if keyed:
            fixed["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        data = None if payload is None else write_json(payload).encode()
        if data is not None:
            fixed["Content-Type"] = "application/json"
        key = fixed.get("Idempotency-Key")
        repeatable = is_repeatable(method, keyed)
        attempt = 0
        while True:
            sent = {**fixed, **self._credential()}
            check_headers(sent)
            request = urllib.request.Request(url, data, sent, method=method)
            lost: Optional[Exception] = None
            try:
                status, answered, text = self._send(request)
                seconds = seconds_to_retry(status, answered.get("Retry-After"), repeatable)
            except (OSError, HTTPException) as error:  # It is unknown whether the request arrived.
                lost = error
                seconds = 0 if repeatable else None
            if seconds is None or attempt == self._retries:
                if lost is not None:
                    message = f"The service could not be reached: {lost}"
                    raise CorridorError(0, message, idempotency_key=key) from lost
                return answer_of(status, answered, text, key)
            time.sleep(max(float(seconds), BACKOFF_SECONDS * 2**attempt * random.uniform(0.8, 1.2)))
            attempt += 1

    def items(self, method: str, target: str, *, query: Optional[Mapping[str, Any]] = None) -> Iterator[Any]:
        """Every item of a list, page after page."""
        cursor: Optional[Dict[str, Any]] = {}
        while cursor is not None:
            page = self.call(method, target, query={**(query or {}), **cursor})
            yield from page["data"]
            names = [name for name in ("last_evaluated_key", "lastEvaluatedKey") if page.get(name)]
            cursor = {names[0]: page[names[0]]} if names else None
