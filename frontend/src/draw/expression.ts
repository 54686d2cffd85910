/**
 * Arithmetic drawn as text that wraps: fractions, powers and roots in HTML, and every cell a button that opens it.
 *
 * It is not MathML because a formula of twelve numbers has to break over lines at 375 pixels, and its cells have to be
 * reachable with Tab.
 */
import type { Arithmetic, CellRef } from "../wire/types";
import { type Child, h, spoken } from "./dom";
import { inline } from "./inline";
import { layered } from "./layers";

export type OpenCell = (cell: CellRef) => void;

/** What drawing a node needs: how a cell is opened, and the layer in which names need none. */
interface Place {
  open: OpenCell;
  home: number | null;
}

/** How tightly a node binds: a looser one inside a tighter one gets parentheses. */
const LOOSENESS = { sum: 3, difference: 3, product: 2 } as const;

/** From this many cells on, a line shows values alone; each cell's name is its button's title. */
const MANY_CELLS = 4;

export function expression(node: Arithmetic, open: OpenCell, home: number | null = null): HTMLElement {
  const many = countCells(node) >= MANY_CELLS;
  return h("span", { class: many ? "expression many" : "expression" }, draw(node, { open, home }));
}

function countCells(node: Arithmetic): number {
  if (node.kind === "cell") return 1;
  return parts(node).reduce((sum, part) => sum + countCells(part), 0);
}

function parts(node: Arithmetic): Arithmetic[] {
  switch (node.kind) {
    case "number":
    case "cell":
      return [];
    case "sum":
      return node.terms;
    case "product":
      return node.factors;
    case "difference":
      return [node.left, node.right];
    case "quotient":
      return [node.top, node.bottom];
    case "power":
      return [node.base, node.exponent];
    case "root":
    case "exp":
      return [node.of];
    case "function":
      return node.arguments;
  }
}

/** A number that belongs to no cell; one that stands for something, such as d_head, has that name under it. */
function plainNumber(text: string, symbol?: string): Child {
  if (!symbol) return text;
  return h(
    "span",
    { class: "named-number" },
    h("span", null, text),
    spoken(", "),
    h("span", { class: "cell-button-label" }, inline(symbol)),
  );
}

/** The cell as a button: its value over its name. */
function cellButton(node: Extract<Arithmetic, { kind: "cell" }>, { open, home }: Place): HTMLElement {
  const label = layered(node.label, home);
  return h(
    "button",
    {
      type: "button",
      class: "cell-button",
      title: label,
      "aria-label": `${node.text} ${label}, open`,
      onclick: () => open({ quantity: node.quantity, index: node.index }),
    },
    h("span", { class: "cell-button-value" }, node.text),
    " ",
    h("span", { class: "cell-button-label" }, label),
  );
}

function draw(node: Arithmetic, place: Place): Child {
  switch (node.kind) {
    case "number":
      return plainNumber(node.text, node.symbol);
    case "cell":
      return cellButton(node, place);
    case "sum":
      return joined(node.terms, " + ", 3, place);
    case "product":
      return joined(node.factors, " × ", 2, place);
    case "difference":
      return [inside(node.left, 3, place), operator(" − "), inside(node.right, 2, place)];
    case "quotient":
      return fraction(draw(node.top, place), draw(node.bottom, place));
    case "power":
      return power(atom(node.base, place), draw(node.exponent, place));
    case "exp":
      return power(h("i", null, "e"), draw(node.of, place));
    case "root":
      return root(draw(node.of, place));
    case "function":
      return call(node.name, node.arguments, place);
  }
}

function joined(nodes: Arithmetic[], sign: string, looseness: number, place: Place): Child {
  if (nodes.length === 0) return looseness === 3 ? "0" : "1";
  return nodes.map((node, i) => {
    const part = inside(node, i === 0 || looseness === 3 ? looseness : looseness - 1, place, i > 0);
    // The sign travels with the term after it, so a line never ends in an operator that belongs to the next.
    return i === 0 ? part : h("span", { class: "term" }, operator(sign), part);
  });
}

function operator(sign: string): HTMLElement {
  return h("span", { class: "operator" }, sign);
}

/** The node, in parentheses where it binds more loosely than its place allows, or is a negative number after a sign. */
function inside(node: Arithmetic, allowed: number, place: Place, afterSign = true): Child {
  const looseness = node.kind in LOOSENESS ? LOOSENESS[node.kind as keyof typeof LOOSENESS] : 0;
  const negative = afterSign && node.kind === "number" && /^[−-]/.test(node.text);
  return looseness > allowed || negative ? parenthesised([node], place) : draw(node, place);
}

/** A base of a power: anything that is not one plain thing gets parentheses. */
function atom(node: Arithmetic, place: Place): Child {
  const plain =
    (node.kind === "number" && !/^[−-]/.test(node.text)) || node.kind === "cell" || node.kind === "function";
  return plain ? draw(node, place) : parenthesised([node], place);
}

function fraction(top: Child, bottom: Child): HTMLElement {
  return h(
    "span",
    { class: "fraction" },
    h("span", { class: "fraction-top" }, top),
    spoken(" over "),
    h("span", { class: "fraction-bottom" }, bottom),
  );
}

function power(base: Child, exponent: Child): HTMLElement {
  return h(
    "span",
    { class: "power" },
    h("span", null, base),
    spoken(" to the power "),
    h("span", { class: "exponent" }, exponent),
  );
}

function root(of: Child): HTMLElement {
  return h(
    "span",
    { class: "root" },
    spoken("square root of "),
    rootSign(),
    h("span", { class: "root-of" }, of),
  );
}

const SVG = "http://www.w3.org/2000/svg";

/** The radical as a line that grows with what is under it; the bar is the border of `root-of`. */
function rootSign(): Element {
  const svg = document.createElementNS(SVG, "svg");
  const attributes = {
    class: "root-sign",
    viewBox: "0 0 10 20",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", "M0 12 L2.5 11 L5.5 19 L9.6 0.6");
  path.setAttribute("vector-effect", "non-scaling-stroke");
  svg.appendChild(path);
  return svg;
}

function call(name: string, given: Arithmetic[], place: Place): Child {
  if (name === "abs") return [spoken("absolute value of "), "|", listed(given, place), "|"];
  return [h("span", { class: "function-name" }, name), parenthesised(given, place)];
}

function listed(nodes: Arithmetic[], place: Place): Child {
  return nodes.map((node, i) => [i > 0 && ", ", draw(node, place)]);
}

/** Parentheses; around a fraction they are drawn by the style sheet, as high as it is. */
function parenthesised(nodes: Arithmetic[], place: Place): Child {
  if (!nodes.some(isTall)) return ["(", listed(nodes, place), ")"];
  return h("span", { class: "tall" }, spoken("("), h("span", null, listed(nodes, place)), spoken(")"));
}

function isTall(node: Arithmetic): boolean {
  return node.kind === "quotient" || parts(node).some(isTall);
}
