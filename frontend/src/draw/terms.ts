/** Multiply, then sum: one row for each term, its factors as buttons, and the total under the line. */
import type { Explanation, More, Term } from "../wire/types";
import { h, spoken } from "./dom";
import { expression, type OpenCell } from "./expression";
import { layered, layerOf } from "./layers";
import { tailPads } from "./matrix-cell";
import { briefly } from "./token";

export function termsTable(explanation: Explanation, open: OpenCell): HTMLElement {
  const { terms, total, quantity, more } = explanation;
  const home = layerOf(quantity);
  const texts = [...terms.map((term) => term.value), ...(total ? [total.text] : [])];
  const pads = tailPads(texts);
  const rows = terms.map((term, i) =>
    termRow(term, home, pads[i] ?? "", expression(term.arithmetic, open, home), i > 0),
  );
  return h(
    "table",
    { class: "terms" },
    h("caption", { class: "visually-hidden" }, `the terms of ${layered(explanation.label)}`),
    h(
      "thead",
      { class: "visually-hidden" },
      h(
        "tr",
        null,
        ["term", "product", "value"].map((name) => h("th", { scope: "col" }, name)),
      ),
    ),
    h("tbody", null, rows.slice(0, more?.first ?? rows.length)),
    more && restRows(more, rows.slice(more.first)),
    total &&
      h(
        "tfoot",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "row" }, "sum"),
          h("td"),
          valueCell(total.relation, total.text, pads[terms.length] ?? ""),
        ),
      ),
  );
}

/** Of many terms the small ones are one line, which unfolds to them. */
function restRows(more: More, rows: HTMLElement[]): HTMLElement[] {
  const hidden = h("tbody", { hidden: true }, rows);
  const { count, zeros } = more;
  const of0 =
    zeros === 0 ? "" : zeros === count ? " (all are 0)" : ` (${zeros} ${zeros === 1 ? "is" : "are"} 0)`;
  const label = `and ${count} more${of0} that add up to`;
  const fold = h(
    "button",
    {
      type: "button",
      class: "quiet",
      "aria-expanded": "false",
      onclick: () => {
        hidden.hidden = !hidden.hidden;
        fold.setAttribute("aria-expanded", String(!hidden.hidden));
        fold.textContent = hidden.hidden ? label : `the other ${count}, which add up to`;
      },
    },
    label,
  );
  const line = h(
    "tr",
    { class: "terms-rest" },
    h("th", { scope: "row", colspan: 2 }, h("span", { class: "plus", "aria-hidden": "true" }, "+"), fold),
    h("td", { class: "term-value" }, h("span", { class: "number" }, more.text)),
  );
  return [h("tbody", null, line), hidden];
}

function termRow(
  term: Term,
  home: number | null,
  pad: string,
  factors: HTMLElement,
  plus: boolean,
): HTMLElement {
  return h(
    "tr",
    null,
    h("th", { scope: "row" }, h("bdi", { title: term.label }, briefly(layered(term.label, home)))),
    h(
      "td",
      { class: "term-product" },
      h("span", { class: "plus", "aria-hidden": "true" }, plus ? "+" : ""),
      factors,
    ),
    valueCell(term.relation, term.value, pad),
  );
}

function valueCell(relation: string, text: string, pad: string): HTMLElement {
  return h(
    "td",
    { class: "term-value" },
    h("span", { class: "relation" }, relation, relation === "≈" && spoken(" about ")),
    " ",
    h("span", { class: "number", dataset: pad ? { pad } : undefined }, text),
  );
}
