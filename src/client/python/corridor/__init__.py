"""Client for the Corridor payments API. Needs the standard library only."""

from __future__ import annotations

from typing import Callable, Optional, Union

from . import types
from ._operations import Operations
from ._transport import CorridorError, Transport
from .webhooks import WebhookRefused, verify_webhook

__all__ = ["Corridor", "CorridorError", "WebhookRefused", "types", "verify_webhook"]


class Corridor(Operations):
    """The whole API: ``Corridor(url, api_key=...).payments.by_id(payment_id)``.

    Reads and calls with an idempotency key are retried when the service is unreachable, busy (503)
    or asks to wait (Retry-After).
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: Optional[str] = None,
        token: Union[str, Callable[[], str], None] = None,
        retries: int = 4,
        timeout: float = 35,
    ) -> None:
        if (api_key is None) == (token is None):
            raise TypeError("Give either api_key or token.")
        super().__init__(Transport(url, api_key=api_key, token=token, retries=retries, timeout=timeout))
