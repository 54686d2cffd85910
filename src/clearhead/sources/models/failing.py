"""What is said when a model cannot be captured."""


class CaptureError(ValueError):
    """A model, or what it was given, cannot be captured; the message is one sentence that says what and why."""
