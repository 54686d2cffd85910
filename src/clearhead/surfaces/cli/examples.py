"""`clearhead examples`: what there is to look at."""

from __future__ import annotations

from rich.text import Text

from clearhead.sources.worked.files import load_example, shipped_names
from clearhead.surfaces.cli.marks import sentence
from clearhead.surfaces.cli.options import Json
from clearhead.surfaces.cli.output import make_console, print_json, print_lines
from clearhead.surfaces.cli.prose import wrapped


def examples(json: Json = False) -> None:
    """List the examples that ship with Clearhead.

    With --json, a list of objects: name, title, look_for, tokens.
    """
    loaded = [load_example(name) for name in shipped_names()]
    if json:
        print_json(
            [
                {"name": one.name, "title": one.title, "look_for": one.look_for, "tokens": one.tokens}
                for one in loaded
            ]
        )
        return
    console, lines = make_console(), []
    for one in loaded:
        lines += [Text(one.name, "bold"), Text("  ") + sentence(one.tokens)]
        lines += [*wrapped(one.look_for, console, indent=2), Text("")]
    print_lines(console, lines[:-1])
