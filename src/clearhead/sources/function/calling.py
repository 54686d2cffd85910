"""Calling what may raise, hang or print: the checker goes on whatever happens."""

from __future__ import annotations

import contextlib
import ctypes
import io
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from clearhead.sources.function.answer import Trouble

HERE = __file__.rpartition("/")[0]


MOST_LETTERS = 300
"""Letters of an error's message that are told."""


class Stopped(BaseException):
    """Raised inside a call that takes too long. No `except Exception` of the function keeps it from ending."""


def called(function: Callable[[], Any], time_limit: float) -> tuple[Any, bool]:
    """What the function returns, and whether it printed.

    The call runs beside the caller, so that one that never returns can be left: code in Python is stopped, code that
    is stuck outside of Python stays behind until the process ends.

    Args:
        function: takes nothing.
        time_limit: seconds.

    Raises:
        Trouble: it raised, with its own message and line; or it did not return in time.
    """
    got: list[Any] = []
    failed: list[BaseException] = []
    out = io.StringIO()

    def work() -> None:
        try:
            got.append(function())
        except BaseException as error:  # whatever a person's function raises is reported, not raised
            failed.append(error)

    thread = threading.Thread(target=work, name="clearhead-check", daemon=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        thread.start()
        thread.join(time_limit)
        if thread.is_alive():
            _stop(thread)
            raise Trouble("hangs", f"it did not return within {time_limit:g} seconds, and was stopped")
    if failed:
        raise Trouble("raises", f"it raises {_told(failed[0])}") from failed[0]
    return got[0], bool(out.getvalue())


def _stop(thread: threading.Thread) -> None:
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))
    thread.join(1.0)


def _told(error: BaseException) -> str:
    """The error in one line, and the line of the person's own file where it came up."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        frame
        for frame in frames
        if not frame.filename.startswith(HERE) and "site-packages" not in frame.filename
    ]
    where = f" (line {own[-1].lineno} of {own[-1].name})" if own else ""
    return f"{type(error).__name__}: {_message(error)}{where}"


def _message(error: BaseException) -> str:
    try:
        text = " ".join(str(error).split())
    except Exception:  # its own message is the person's code, too
        return "without a message that can be read"
    return (text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…") or "without a message"
