"""What a source said went wrong, as a mistake in a field of the state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from clearhead.sources.worked import ExampleError

FIELDS = ("text", "decoder", "generate", "changes")
"""What a sentence of a source may begin with, when it is about one of the state's fields."""


@contextmanager
def about_the_state(name: str) -> Iterator[None]:
    """Whatever the model of that name cannot do is one sentence about a field of the state.

    Raises:
        ExampleError: something went wrong in here.
    """
    try:
        yield
    except ExampleError:
        raise
    except ImportError as error:
        raise ExampleError("model", str(error)) from None
    except MemoryError:
        raise ExampleError(
            "text", "there is not enough memory for this model on this text; expected less"
        ) from None
    except OSError as error:
        raise ExampleError("model", f"{name}: {error.strerror or error}") from None
    except (ValueError, LookupError, RuntimeError, NotImplementedError) as error:
        raise _about_a_field(error, name) from None


def _about_a_field(error: Exception, name: str) -> ExampleError:
    """The mistake in the field that the sentence begins with; else in the model."""
    sentence = str(error.args[0]) if isinstance(error, LookupError) and error.args else str(error)
    first = next((line.strip() for line in sentence.splitlines() if line.strip()), type(error).__name__)
    field, _, problem = first.partition(": ")
    if problem and field in FIELDS:
        return ExampleError(field, problem)
    if first.startswith("change"):
        return ExampleError("changes", first)
    return ExampleError(
        "model", f"{name}: {first}" if isinstance(error, ValueError) else f"{name} failed: {first}"
    )
