"""Generate what the front end takes from Python: message types, colours of positions, and how words become prose.

python scripts/generate_wire_types.py            write types.ts, palette.ts and prose.ts in frontend/src/wire
python scripts/generate_wire_types.py --check    fail if any of them is not what would be written
"""

from __future__ import annotations

import json
import re
import sys
import types
import typing
from pathlib import Path
from typing import Any, Literal, NotRequired, get_args, get_origin, get_type_hints

from clearhead import messages
from clearhead.lenses import palette
from clearhead.trace.notation import prose

WIRE = Path(__file__).resolve().parent.parent / "frontend" / "src" / "wire"
HEADER = "// Generated from {} by scripts/generate_wire_types.py; change that file and run the script.\n"
PLAIN = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    object: "unknown",
}

MATHML = """
/** A formula as nested arrays: [tag, attributes?, ...children]; text only as a child. */
export type MathML = [string, ...(MathML | string | Record<string, string>)[]];
"""

REPLY = """
export type WireBuffer = Float64Array | Float32Array | Int32Array | Uint8Array;

/** What one message is answered with. */
export interface Reply {
  data: ViewData;
  buffers: WireBuffer[];
}
"""


def type_script(hint: Any, names: dict[int, str]) -> str:
    """A Python type as a TypeScript type; `names` are the named unions, by identity."""
    if hint in PLAIN:
        return PLAIN[hint]
    if id(hint) in names:
        return names[id(hint)]
    if isinstance(hint, type) and typing.is_typeddict(hint):
        return hint.__name__
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " | ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(type_script(argument, names) for argument in arguments)
    if origin is list:
        inner = type_script(arguments[0], names)
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is dict:
        return f"Record<{', '.join(type_script(argument, names) for argument in arguments)}>"
    raise TypeError(f"no TypeScript for {hint!r}")


def documented(text: str | None) -> str:
    """A docstring as a comment, without its line breaks."""
    return f"/** {' '.join((text or '').split())} */\n"


def interface(cls: type, names: dict[int, str]) -> str:
    """A TypedDict as an interface."""
    fields = []
    for name, hint in get_type_hints(cls, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        inner = get_args(hint)[0] if optional else hint
        fields.append(f"  {name}{'?' if optional else ''}: {type_script(inner, names)};")
    return f"{documented(cls.__doc__)}export interface {cls.__name__} {{\n" + "\n".join(fields) + "\n}\n"


def messages_source() -> str:
    """types.ts: every type of clearhead.messages, in its order."""
    members = {name: getattr(messages, name) for name in messages.__all__}
    named = {
        name: value
        for name, value in members.items()
        if get_origin(value) in (Literal, types.UnionType, typing.Union)
    }
    names = {id(value): name for name, value in named.items()} | {id(messages.MathML): "MathML"}
    parts = [HEADER.format("src/clearhead/messages.py"), MATHML]
    for name, value in members.items():
        if name in named:
            alias = type_script(value, {key: text for key, text in names.items() if key != id(value)})
            parts.append(f"\nexport type {name} = {alias};\n")
        elif (
            isinstance(value, type)
            and typing.is_typeddict(value)
            and value.__module__.startswith(messages.__name__)
        ):
            parts.append("\n" + interface(value, names))
    return "".join([*parts, REPLY])


def palette_source() -> str:
    """palette.ts: the colours of positions."""
    ramps = {theme: [*start, *end] for theme, (start, end) in palette.RAMPS.items()}
    rows = [
        HEADER.format("src/clearhead/lenses/palette.py"),
        *(
            f"\nexport const {name}: readonly string[] = {json.dumps(colours)};\n"
            for name, colours in (("LIGHT", palette.LIGHT), ("DARK", palette.DARK))
        ),
        "\n/** For more than twelve positions: lightness and hue from, lightness and hue to, in OKLCH. */\n",
        'export const RAMPS: Readonly<Record<"light" | "dark", readonly [number, number, number, number]>> = '
        f"{{ light: {ramps['light']}, dark: {ramps['dark']} }};\n",
        f"export const RAMP_CHROMA = {palette.RAMP_CHROMA};\n",
    ]
    return "".join(rows)


def prose_source() -> str:
    """prose.ts: what LaTeX and Markdown take for more than a character."""
    signs = ", ".join(f"{ord(sign)}: {json.dumps(text)}" for sign, text in sorted(prose.LATEX.items()))
    escaped = json.dumps("".join(prose.MARKDOWN))
    rows = [
        HEADER.format("src/clearhead/trace/notation/prose.py"),
        "\n/** What LaTeX needs for a character, by its code point. */\n",
        f"export const LATEX: Readonly<Record<number, string>> = {{ {signs} }};\n",
        f"\n/** Signs that Markdown lets be escaped. */\nexport const MARKDOWN = {escaped};\n",
    ]
    return "".join(rows)


SOURCES = {"types.ts": messages_source, "palette.ts": palette_source, "prose.ts": prose_source}


def main() -> int:
    """Write the files, or with --check compare them, white space aside (the formatter has its own)."""
    stale = []
    for name, written in SOURCES.items():
        path, source = WIRE / name, written()
        if "--check" not in sys.argv:
            path.write_text(source, "utf-8")
        elif not path.exists() or essence(path.read_text("utf-8")) != essence(source):
            stale.append(str(path))
    if stale:
        print(
            f"not what would be generated: {', '.join(stale)}; run python scripts/generate_wire_types.py",
            file=sys.stderr,
        )
    return 1 if stale else 0


def essence(source: str) -> str:
    """The source without what a formatter may change: white space, trailing commas and a union's leading bar."""
    squeezed = re.sub(r"\s+", "", source)
    return re.sub(r",(?=[\]}])", "", squeezed).replace("=|", "=")


if __name__ == "__main__":
    sys.exit(main())
