"""The checker in a person's own tests: `assert_attention`, also as a fixture that pytest finds by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def assert_attention(function: Callable[..., Any], **told: Any) -> None:
    """Assert that an attention function agrees with the reference.

    Args:
        function: see `clearhead.check`.
        told: the keywords of `clearhead.check`.

    Raises:
        AssertionError: it does not, or it could not be checked; the message is the report.
    """
    from clearhead.session.checking import check  # only when it is used: every run of pytest loads this file

    report = check(function, **told)
    if not report.agrees:
        raise AssertionError(f"{getattr(function, '__name__', type(function).__name__)} {report}")
