/** What stands inside the arithmetic panel: the formula, the numbers, the result, and the cells that come next. */
import type { CellRef, Explanation, Feed, Line } from "../wire/types";
import { type Child, h } from "./dom";
import { expression, type OpenCell } from "./expression";
import { layered, layerOf } from "./layers";
import { displayFormula } from "./mathml";
import { parseNumber } from "./numbers";
import { termsTable } from "./terms";

/** "scores[0,3,1]", and of a single number "loss" */
export function cellName(cell: CellRef): string {
  return cell.index.length === 0 ? cell.quantity : `${cell.quantity}[${cell.index.join(",")}]`;
}

/** The formula with names, then the same with numbers, then the result. */
export function arithmeticBody(explanation: Explanation, open: OpenCell): Child[] {
  const { formula, terms, lines, note, quantity } = explanation;
  const home = layerOf(quantity);
  const last = lines.at(-1);
  // The last line is the bare result, which the result below says larger; a sum says it under its terms.
  const worked = terms.length > 0 ? [] : last && isResult(last, explanation) ? lines.slice(0, -1) : lines;
  return [
    formula && displayFormula(formula),
    terms.length > 0 && termsTable(explanation, open),
    worked.length > 0 &&
      h(
        "div",
        { class: "lines" },
        worked.map((line) => drawLine(line, open, home)),
      ),
    result(explanation, terms.length > 0 ? null : (last?.relation ?? "=")),
    note && h("p", { class: "arithmetic-note" }, note),
  ];
}

/** "1" is the result "1.00", too: a number that was given needs no line of its own. */
function isResult({ arithmetic }: Line, { value }: Explanation): boolean {
  if (arithmetic.kind !== "number") return false;
  const number = parseNumber(arithmetic.text);
  return arithmetic.text === value || (number !== null && number === parseNumber(value));
}

function drawLine(line: Line, open: OpenCell, home: number | null): HTMLElement {
  const relation = h("span", { class: "relation" }, line.relation);
  return h("p", { class: "line" }, relation, expression(line.arithmetic, open, home));
}

/** The value and, on demand, its shortest exact digits. Under a sum's own total only the digits are left to say. */
function result({ value, full }: Explanation, relation: string | null): HTMLElement {
  const exact =
    full === value
      ? h("span", { class: "result-exact" }, "in full")
      : h(
          "details",
          { class: "full" },
          h("summary", null, "full precision"),
          h("span", { class: "full-value" }, full),
        );
  const shown = relation !== null && [
    h("span", { class: "relation" }, relation),
    h("span", { class: "result-value" }, value),
  ];
  return h("div", { class: "result" }, shown, exact);
}

/** The cells this one goes into; a whole row or column is named with "all" and cannot be opened as one cell. */
export function feedsList(feeds: Feed[], open: OpenCell): Child[] {
  const heading = h("h3", null, "It goes into");
  if (feeds.length === 0) return [heading, h("p", null, "Nothing: this is the end of the computation.")];
  const entries = feeds.flatMap((feed) => feed.cells.map((index) => feedEntry(feed.quantity, index, open)));
  return [heading, h("ul", null, entries)];
}

function feedEntry(quantity: string, index: (number | null)[], open: OpenCell): HTMLElement {
  const place = index.length === 0 ? "" : `[${index.map((at) => at ?? "all").join(",")}]`;
  const name = layered(`${quantity}${place}`);
  const whole = index.filter((at): at is number => at !== null);
  if (whole.length < index.length) return h("li", null, name);
  const onclick = () => open({ quantity, index: whole });
  return h("li", null, h("button", { type: "button", class: "quiet", onclick }, name));
}

/** The opened cells in order; the last is the one shown. A layer is named where the trail comes into it. */
export function crumbs(trail: CellRef[], open: OpenCell): HTMLElement {
  const items = trail.map((cell, i) => {
    const name = layered(cellName(cell), layerOf(trail[i - 1]?.quantity ?? ""));
    if (i === trail.length - 1) return h("li", null, h("span", { "aria-current": "true" }, name));
    return h("li", null, h("button", { type: "button", class: "quiet", onclick: () => open(cell) }, name));
  });
  return h("ol", null, items);
}
