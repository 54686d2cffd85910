"""What is said when something cannot be captured, or what was captured cannot be read."""


class CaptureError(ValueError):
    """A model cannot be captured, or a file is no capture; the message is one sentence that says what and why."""


def refuse_empty(text: str, name: str = "text") -> None:
    """Refuse a text with nothing in it: a model would be given its marks alone, or nothing.

    Raises:
        CaptureError: there is nothing but spaces, if that; `name` says what of.
    """
    if not text.strip():
        raise CaptureError(f"{name}: is empty; expected something to read")
