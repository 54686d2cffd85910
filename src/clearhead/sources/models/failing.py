"""What is said when a model cannot be captured."""

from clearhead.trace.capture.failing import CaptureError

__all__ = ["CaptureError"]
