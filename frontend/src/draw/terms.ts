/** Multiply, then sum: one row for each term, its factors as buttons, and the total under the line. */
import type { Explanation, Term } from "../wire/types";
import { h, spoken } from "./dom";
import { expression, type OpenCell } from "./expression";
import { layered, layerOf } from "./layers";
import { tailPads } from "./matrix-cell";

export function termsTable(explanation: Explanation, open: OpenCell): HTMLElement {
  const { terms, total, quantity } = explanation;
  const home = layerOf(quantity);
  const texts = [...terms.map((term) => term.value), ...(total ? [total.text] : [])];
  const pads = tailPads(texts);
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
    h(
      "tbody",
      null,
      terms.map((term, i) =>
        termRow(term, home, pads[i] ?? "", expression(term.arithmetic, open, home), i > 0),
      ),
    ),
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
    h("th", { scope: "row" }, h("bdi", null, layered(term.label, home))),
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
