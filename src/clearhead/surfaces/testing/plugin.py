"""What pytest loads wherever Clearhead is installed: one fixture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from clearhead.surfaces.testing import assert_attention as asserted


@pytest.fixture
def assert_attention() -> Callable[..., None]:
    """`assert_attention(function, **told)`: see `clearhead.assert_attention`."""

    def assertion(function: Callable[..., Any], **told: Any) -> None:
        __tracebackhide__ = True
        asserted(function, **told)

    return assertion
