"""Verifies that a delivery comes from the service and is not a replay."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from typing import Iterable, List, Literal, Mapping, Optional, Sequence, Tuple, Union, cast

from ._transport import read_json
from .types import Event

TOLERANCE_SECONDS = 300
PREFIX = "whsec_"


class WebhookRefused(Exception):
    """The delivery is forged, changed, or too far from the current time."""


def _from_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _any_signs(secrets: Iterable[bytes], signatures: Sequence[bytes], message: bytes) -> bool:
    """Compares in constant time."""
    digests = [hmac.new(secret, message, hashlib.sha256).digest() for secret in secrets if secret]
    return any(hmac.compare_digest(digest, one) for digest in digests for one in signatures)


def verify_webhook(
    body: Union[bytes, str],
    headers: Union[Mapping[str, str], Iterable[Tuple[str, str]]],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = TOLERANCE_SECONDS,
    only: Optional[Literal["service"]] = None,
    now: Optional[float] = None,
) -> Event:
    """Returns the verified event. All deliveries of an event have the same ``event_id``.

    :param body: raw bytes of the body, before ``json.loads``
    :param secret: the endpoint's ``secret_key``; both during a rotation
    :param tolerance: maximum distance from the current time, in seconds
    :param only: ``service`` checks ``X-Service-Signature`` alone, for proxies that drop the Standard
        Webhooks headers. That signature has no time: detect replays by ``event_id``.
    :param now: current time in seconds since 1970, for tests of receivers
    """
    pairs = headers.items() if hasattr(headers, "items") else headers
    given = {name.lower(): value or "" for name, value in cast("Iterable[Tuple[str, Optional[str]]]", pairs)}
    secrets = [secret] if isinstance(secret, str) else list(secret)
    raw = body.encode() if isinstance(body, str) else bytes(body)
    standard: List[bytes] = [
        _from_base64(part[3:]) for part in given.get("webhook-signature", "").split(" ") if part.startswith("v1,")
    ]
    if only != "service":
        stamp = given.get("webhook-timestamp", "")
        keys = [_from_base64(one[len(PREFIX) :] if one.startswith(PREFIX) else one) for one in secrets]
        # Some servers decode headers of strangers to text that UTF-8 cannot encode.
        message = f"{given.get('webhook-id', '')}.{stamp}.".encode(errors="replace") + raw
        if not _any_signs(keys, standard, message):
            raise WebhookRefused("webhook-signature does not sign this body.")
        if not re.fullmatch(r"[0-9]{1,12}", stamp):
            raise WebhookRefused("webhook-timestamp is missing or no time.")
        if abs((time.time() if now is None else now) - int(stamp)) > tolerance:
            raise WebhookRefused("The delivery is too old, or from the future: it may be a replay.")
    # Two signatures during a rotation: this header is then still signed with the old secret.
    if only == "service" or len(standard) == 1:
        hexadecimal = given.get("x-service-signature", "")
        signature = bytes.fromhex(hexadecimal) if re.fullmatch(r"([0-9a-fA-F]{2})+", hexadecimal) else b""
        if not _any_signs([one.encode() for one in secrets], [signature], raw):
            raise WebhookRefused("X-Service-Signature does not sign this body.")
    try:
        return cast(Event, read_json(raw))
    except ValueError:
        raise WebhookRefused("The body is no JSON.") from None
