"""Verifies webhook deliveries with Python's standard library."""

import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def is_genuine(body, header, secret, live=False):
    """
    body: the exact bytes, before anything parsed them.
    header: the value of Payrex-Signature.
    secret: the whole secret, with its prefix whsk_.
    live: True in live mode, whose signature is in `li`; that of test mode is in `te`.
    """
    parts = dict(part.strip().partition('=')[::2] for part in (header or '').split(','))
    t, signature = parts.get('t', ''), parts.get('li' if live else 'te', '')
    if not (t.isascii() and t.isdigit() and len(t) <= 10) or abs(time.time() - int(t)) > TOLERANCE_SECONDS:
        return False
    expected = hmac.new(secret.encode(), t.encode() + b'.' + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())
