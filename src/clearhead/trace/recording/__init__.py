"""A training on the disk: folders of self-contained files, one for each step that was saved."""

from clearhead.trace.recording.checkpoint import Checkpoint
from clearhead.trace.recording.failures import Diverged, RecordingError, SavingError
from clearhead.trace.recording.folder import Recording

__all__ = ["Checkpoint", "Diverged", "Recording", "RecordingError", "SavingError"]
