"""Untrusted words as text of LaTeX and of Markdown: every character that either takes for more than itself is escaped.

What nobody can see in a word has been made visible before (see `tokens`), line breaks and tabs among it.
"""

from __future__ import annotations

import string

LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    # set as other characters by the usual fonts, or joined with what stands beside them (-- becomes a dash)
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\char34{}", "`": r"\char96{}", "'": "{'}",
    "-": "{-}", ",": "{,}", "?": "{?}", "!": "{!}",
    # after the end of a row these would begin an argument
    "[": "{[}", "]": "{]}", "*": "{*}",
    # the marks of what cannot be seen
    "␣": r"\textvisiblespace{}", "⍽": r"\textvisiblespace{}", "↵": r"$\hookleftarrow$", "␍": r"$\hookleftarrow$",
    "⇥": r"$\mapsto$", "∅": r"$\emptyset$", "‹": r"$\langle$", "›": r"$\rangle$",
}  # fmt: skip


def latex_prose(text: str) -> str:
    """The text for LaTeX's text mode. Letters of other scripts stay: the engine needs a font that has them."""
    return "".join(LATEX.get(character, character) for character in text)


PLAIN = "\"%',/;?"
"""Punctuation that means nothing in Markdown."""

MARKDOWN = {sign: f"\\{sign}" for sign in string.punctuation if sign not in PLAIN}
"""CommonMark lets every ASCII punctuation be escaped; so no address becomes a link, and no pipe ends a cell."""


def markdown_prose(text: str) -> str:
    """The text for a paragraph or a cell of a pipe table."""
    return "".join(MARKDOWN.get(character, character) for character in text)
