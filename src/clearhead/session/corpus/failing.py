"""What is said when a corpus cannot be read, or the table of one cannot be made or asked."""

from clearhead.trace.installing import install


class CorpusError(ValueError):
    """A corpus cannot be worked through; the message is one sentence that says what and why."""


def lacking(package: str | None, what: str) -> ImportError:
    """The error for an engine that is not installed."""
    return ImportError(
        f"{what} needs {package}, and it is not installed; expected `{install('corpus')}` before"
    )


def reason(error: BaseException) -> str:
    """What an error says, as part of a sentence."""
    said = getattr(error, "strerror", None) or str(error)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    text = (lines[0] if lines else type(error).__name__).rstrip(".:")
    return text.lower() if isinstance(error, OSError) else text
