"""The view of one cell."""

from __future__ import annotations

from clearhead.core.expression import Sum, cells
from clearhead.core.ops.base import Index
from clearhead.lenses.explain.arithmetic import arithmetic
from clearhead.lenses.explain.place import describe_place
from clearhead.messages import CellRef, Feed, Line, More, Term
from clearhead.messages import Explanation as View
from clearhead.messages.values import Digits
from clearhead.trace.explanation import Explanation, cell_label
from clearhead.trace.explanation import Term as Worked
from clearhead.trace.notation import mathml
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.notation.reading import read
from clearhead.trace.notation.tokens import visible_token
from clearhead.trace.shortened import by_size, longest, shortened, values_of
from clearhead.trace.trace import Trace

MOST_LISTED = 1024
"""Terms that a view lists one by one where small ones are folded away."""


def explain(trace: Trace, name: str, index: Index, digits: Digits, most: int | None = None) -> View:
    """Everything a view tells of one cell.

    Args:
        trace: what the cell is of.
        name: the quantity.
        index: the cell's place in it.
        digits: how numbers are written.
        most: sums of more terms are sorted by size, and only so many of their terms written; see `trace.shortened`.
            Of a sum of more than `MOST_LISTED` the others are not listed either, nor the cells they are made of.

    Raises:
        KeyError: no such quantity.
        IndexError: the index does not fit it.
    """
    quantity = trace[name]
    whole = quantity.explain(*index)
    why = whole if most is None else shortened(whole, most)
    formula = quantity.formula()
    lines = why.lines(digits)
    view: View = {
        "kind": "explanation",
        "quantity": name,
        "index": list(why.index),
        "label": why.label,
        "place": describe_place(trace, quantity, why.index),
        "value": format_number(why.value, digits),
        "full": format_number(why.value, "full"),
        "formula": mathml.equation(formula) if formula else None,
        "terms": _terms(trace, whole, digits, most),
        "lines": [Line(relation=line.relation, arithmetic=arithmetic(line.tree, why)) for line in lines],
        "sources": _sources(whole if most is None or longest(whole.expression) <= MOST_LISTED else why),
        "feeds": feeds(trace, why),
        "spoken": "",
        "text": why.text(digits),
        "latex": why.latex(digits),
    }
    if view["terms"]:
        relation = lines[-1].relation if len(view["terms"]) > 1 else "="  # one term alone is the total
        view["total"] = {"relation": relation, "text": view["value"]}
    if most is not None and isinstance(whole.expression, Sum) and len(whole.expression.terms) > most:
        view["more"] = _more(whole, digits, most)
    if why.note:
        view["note"] = why.note
    view["spoken"] = _spoken(view)
    return view


def _terms(trace: Trace, why: Explanation, digits: Digits, most: int | None) -> list[Term]:
    """The rows of the multiply-then-sum table, in the order of the sum or, if there are more than `most`, by size."""
    if not isinstance(why.expression, Sum):
        return []
    terms, over = why.expression.terms, why.expression.over
    order = list(range(len(terms)))
    if most is not None and len(order) > most:
        order = by_size(values_of(terms, why.quantity.value_of))
        order = order if len(order) <= MOST_LISTED else order[:most]
    worked = [(number, why.term(terms[number])) for number in order]
    return [_term(trace, why, term, _label(trace, over, term, number), digits) for number, term in worked]


def _more(why: Explanation, digits: Digits, most: int) -> More:
    """How many terms come after the largest ones, and what they add up to."""
    assert isinstance(why.expression, Sum)  # it has terms
    values = values_of(why.expression.terms, why.quantity.value_of)
    rest = values[by_size(values)[most:]]
    return More(
        first=most,
        count=len(rest),
        zeros=int((rest == 0).sum()),
        text=format_number(float(rest.sum()), digits),
    )


def _sources(why: Explanation) -> list[CellRef]:
    """The cells in the arithmetic, each once."""
    named = (why.quantity.name_of(cell) for cell in dict.fromkeys(cells(why.expression)))
    return [{"quantity": source.name, "index": list(place)} for source, place in named]


def _term(trace: Trace, why: Explanation, term: Worked, label: str, digits: Digits) -> Term:
    lines = read(term.expression, why.quantity.value_of, term.value, digits)
    return Term(
        label=label,
        arithmetic=arithmetic(lines[0].tree, why),
        relation=lines[-1].relation,
        value=format_number(term.value, digits),
    )


def _label(trace: Trace, over: str | None, term: Worked, number: int) -> str:
    """What is counted: "feature 0", "key 2 “cat”", or the quantity the term comes from."""
    if over is None:
        return term.factors[0].quantity
    places = {
        axis: at
        for factor in term.factors
        for axis, at in zip(trace[factor.quantity].axes, factor.index, strict=True)
    }
    return ", ".join(_counted(trace, axis, places.get(axis, number)) for axis in over.split(" and "))


def _counted(trace: Trace, axis: str, number: int) -> str:
    words = trace.words(axis)
    return f"{axis} {number}" + (f" “{visible_token(words[number])}”" if number < len(words) else "")


def feeds(trace: Trace, why: Explanation) -> list[Feed]:
    """The cells made directly from this one, quantity by quantity."""
    found = []
    for consumer, slot in trace.consumers(why.quantity.name):
        if patterns := consumer.fed_by(slot, why.index):
            found.append(Feed(quantity=consumer.name, cells=[list(pattern) for pattern in patterns]))
    return found


def _spoken(view: View) -> str:
    """One sentence that says the cell and its arithmetic."""
    cell = ", ".join(part for part in (view["quantity"], view["place"]) if part)
    if len(view["lines"]) == 1:
        return f"{cell}: {view['value']}, {_origin(view)}."
    rows = view["text"].splitlines()  # the general formula, then the arithmetic
    worked = rows[0 if view["formula"] is None else 1].removeprefix(view["label"])
    return f"{cell}: {worked.strip(' =≈')} {view['lines'][-1]['relation']} {view['value']}."


def _origin(view: View) -> str:
    """Where a number comes from that no arithmetic was done on."""
    if "note" in view:
        return view["note"]
    for source in view["sources"]:
        return f"taken from {cell_label(source['quantity'], tuple(source['index']))}"
    return "as given" if view["formula"] is None else "a constant"
