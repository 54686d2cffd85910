"""Calling what may raise, hang or print: the checker goes on whatever happens."""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import io
import threading
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clearhead.sources.function.answer import Trouble
from clearhead.sources.function.surroundings import Surroundings, put_back

HERE = str(Path(__file__).parents[2])
ASYNC = "it is asynchronous (async def): a call returns a coroutine, which has computed nothing yet"
MOST_LETTERS = 300
"""Letters of an error's message that are told."""


class Stopped(BaseException):
    """Raised inside a call that takes too long. No `except Exception` of the function keeps it from ending."""


@dataclass(frozen=True)
class Called:
    """What came of one call.

    Attributes:
        result: what it returned.
        printed: whether it wrote something to the standard output.
        disturbed: what it left otherwise that is not its own, in words; it was put back.
    """

    result: Any
    printed: bool
    disturbed: tuple[str, ...]


def called(function: Callable[[], Any], time_limit: float) -> Called:
    """What the function returns, and what it does beside that.

    The call runs beside the caller, so that one that never returns can be left: code in Python is stopped, code that
    is stuck outside of Python stays behind until the process ends.

    Args:
        function: takes nothing.
        time_limit: seconds.

    Raises:
        Trouble: it raised, with its own message and line; it did not return in time; or it is asynchronous.
    """
    got: list[Any] = []
    failed: list[BaseException] = []
    disturbed: list[str] = []
    out, before = io.StringIO(), Surroundings()

    def work() -> None:
        try:
            with put_back() as said:  # in the call's own thread, which has settings of its own
                got.append(function())
        except BaseException as error:  # whatever a person's function raises is reported, not raised
            failed.append(error)
        else:
            disturbed.extend(said)

    thread = threading.Thread(target=work, name="clearhead-check", daemon=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        thread.start()
        thread.join(time_limit)
        if thread.is_alive():
            _stop(thread)
            before.put_back()
            raise Trouble("hangs", f"it did not return within {time_limit:g} seconds, and was stopped")
    if failed:
        raise Trouble("raises", f"it raises {raised(failed[0])}", _by_itself(failed[0])) from failed[0]
    if inspect.isawaitable(got[0]):
        if inspect.iscoroutine(got[0]):
            got[0].close()  # nobody is to wait for it
        raise Trouble("kind", f"{ASYNC}; expected a function that computes when it is called")
    return Called(got[0], bool(out.getvalue()), tuple(disturbed))


def _stop(thread: threading.Thread) -> None:
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))
    thread.join(1.0)


def raised(error: BaseException) -> str:
    """The error in one line, and the line of the person's own file where it came up."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own(frame)]
    where = f" (line {own[-1].lineno} of {own[-1].name})" if own else ""
    return f"{type(error).__name__}: {_message(error)}{where}"


def _by_itself(error: BaseException) -> bool:
    """Whether the person's own code says that something is wrong, by `raise` or `assert`."""
    frames = traceback.extract_tb(error.__traceback__)
    return (
        bool(frames) and is_own(frames[-1]) and (frames[-1].line or "").split(" ")[0] in ("raise", "assert")
    )


def is_own(frame: traceback.FrameSummary) -> bool:
    """Whether it is a line of the person's own, and not of this package or of one that is installed."""
    return not frame.filename.startswith(HERE) and "site-packages" not in frame.filename


def _message(error: BaseException) -> str:
    try:
        text = " ".join(str(error).split())
    except Exception:  # its own message is the person's code, too
        return "without a message that can be read"
    return (text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…") or "without a message"
