"""What is said when something cannot be captured, or what was captured cannot be read."""


class CaptureError(ValueError):
    """A model cannot be captured, or a file is no capture; the message is one sentence that says what and why."""
