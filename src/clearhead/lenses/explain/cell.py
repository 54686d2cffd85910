"""The view of one cell."""

from __future__ import annotations

from clearhead.core.axes import SENTENCE_AXES, VOCABULARY
from clearhead.core.expression import Sum
from clearhead.core.ops.base import Index
from clearhead.lenses.explain.arithmetic import arithmetic
from clearhead.lenses.explain.place import describe_place
from clearhead.messages import Explanation as View
from clearhead.messages import Feed, Line, Term
from clearhead.messages.values import Digits
from clearhead.trace.explanation import Explanation, cell_label
from clearhead.trace.notation import mathml
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.notation.reading import read
from clearhead.trace.notation.tokens import visible_token
from clearhead.trace.trace import Trace


def explain(trace: Trace, name: str, index: Index, digits: Digits) -> View:
    """Everything a view tells of one cell.

    Raises:
        KeyError: no such quantity.
        IndexError: the index does not fit it.
    """
    quantity = trace[name]
    why = quantity.explain(*index)
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
        "terms": _terms(trace, why, digits),
        "lines": [Line(relation=line.relation, arithmetic=arithmetic(line.tree, why)) for line in lines],
        "sources": [
            {"quantity": source.name, "index": list(place)} for source, place in quantity.sources(why.index)
        ],
        "feeds": feeds(trace, why),
        "spoken": "",
        "text": why.text(digits),
        "latex": why.latex(digits),
    }
    if view["terms"]:
        relation = lines[-1].relation if len(view["terms"]) > 1 else "="  # one term alone is the total
        view["total"] = {"relation": relation, "text": view["value"]}
    if why.note:
        view["note"] = why.note
    view["spoken"] = _spoken(view)
    return view


def _terms(trace: Trace, why: Explanation, digits: Digits) -> list[Term]:
    """The rows of the multiply-then-sum table."""
    if not isinstance(why.expression, Sum):
        return []
    return [_term(trace, why, number, digits) for number in range(len(why.terms))]


def _term(trace: Trace, why: Explanation, number: int, digits: Digits) -> Term:
    term = why.terms[number]
    lines = read(term.expression, why.quantity.value_of, term.value, digits)
    return Term(
        label=_label(trace, why, number),
        arithmetic=arithmetic(lines[0].tree, why),
        relation=lines[-1].relation,
        value=format_number(term.value, digits),
    )


def _label(trace: Trace, why: Explanation, number: int) -> str:
    """What is counted: "feature 0", "key 2 “cat”", or the quantity the term comes from."""
    assert isinstance(why.expression, Sum)
    over, factors = why.expression.over, why.terms[number].factors
    if over is None:
        return factors[0].quantity
    places = {
        axis: at
        for factor in factors
        for axis, at in zip(trace[factor.quantity].axes, factor.index, strict=True)
    }
    return ", ".join(_counted(trace, axis, places.get(axis, number)) for axis in over.split(" and "))


def _counted(trace: Trace, axis: str, number: int) -> str:
    words = trace.tokens if axis in SENTENCE_AXES else trace.vocabulary if axis == VOCABULARY else ()
    return f"{axis} {number}" + (f" “{visible_token(words[number])}”" if number < len(words) else "")


def feeds(trace: Trace, why: Explanation) -> list[Feed]:
    """The cells made directly from this one, quantity by quantity."""
    found = []
    for consumer, slot in trace.consumers(why.quantity.name):
        assert consumer.operation is not None
        patterns = consumer.operation.feeds(slot, why.index, *(given.values for given in consumer.inputs))
        if patterns:
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
