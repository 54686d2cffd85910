/**
 * Formulas: MathML built from nested arrays, `["mfrac", ["mi", "a"], ["mn", "2"]]`.
 *
 * Only the tags and attributes listed here are built. Anything else throws, so a formula from anywhere can hold text
 * and layout, and never a link, a script or a style.
 */
import type { MathML } from "../wire/types";

const NAMESPACE = "http://www.w3.org/1998/Math/MathML";

const TAGS = new Set(
  (
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot msup msub msubsup munder mover munderover " +
    "mtable mtr mtd mpadded mphantom mstyle menclose"
  ).split(" "),
);

const ATTRIBUTES = new Set(
  (
    "accent accentunder columnalign columnspacing depth display displaystyle fence form height largeop linethickness " +
    "lspace mathvariant maxsize minsize movablelimits notation rowalign rowspacing rspace scriptlevel separator " +
    "stretchy symmetric voffset width"
  ).split(" "),
);

const PLAIN_VALUE = /^[\w .%+-]*$/;

/** Builds the element; a bare array of a tag other than "math" is wrapped in `<math>`. Throws a TypeError on anything not allowed. */
export function mathml(node: MathML): Element {
  const element = build(node);
  if (element.localName === "math") return element;
  const math = document.createElementNS(NAMESPACE, "math");
  math.appendChild(element);
  return math;
}

/** A formula on a line of its own, or on several where it is a sum of more than two parts. */
export function displayFormula(node: MathML): HTMLElement {
  const block = document.createElement("div");
  block.className = "formula";
  for (const line of lines(node)) {
    const math = mathml(line);
    math.setAttribute("display", "block");
    block.appendChild(math);
  }
  return block;
}

/** "a = b + c + d" broken before each plus, as browsers never break a formula, and names are long. */
function lines(node: MathML): MathML[] {
  const row = node[0] === "math" ? node.at(-1) : node;
  const sum = Array.isArray(row) ? row.at(-1) : null;
  if (!Array.isArray(row) || row[0] !== "mrow" || !Array.isArray(sum) || sum[0] !== "mrow") return [node];
  const parts = sum.slice(1);
  const breaks = parts.flatMap((part, at) => (isPlus(part) ? [at] : []));
  if (breaks.length < 2) return [node];
  const first = [...row.slice(0, -1), ...parts.slice(0, breaks[0])] as MathML;
  const indent: MathML = ["mspace", { width: "2em" }];
  return [first, ...breaks.map((at, i): MathML => ["mrow", indent, ...parts.slice(at, breaks[i + 1])])];
}

function isPlus(part: unknown): boolean {
  return Array.isArray(part) && part[0] === "mo" && part.at(-1) === "+";
}

function build(node: unknown): Element {
  if (!Array.isArray(node))
    throw new TypeError(`A formula is a list that starts with a tag, not ${typeof node}.`);
  const [tag, ...rest] = node as unknown[];
  if (typeof tag !== "string" || !TAGS.has(tag))
    throw new TypeError(`MathML tag ${JSON.stringify(tag)} is not allowed.`);
  const element = document.createElementNS(NAMESPACE, tag);
  const [first] = rest;
  if (isAttributes(first)) setAttributes(element, first);
  for (const child of isAttributes(first) ? rest.slice(1) : rest) {
    element.appendChild(typeof child === "string" ? document.createTextNode(child) : build(child));
  }
  return element;
}

function isAttributes(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function setAttributes(element: Element, attributes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (!ATTRIBUTES.has(name))
      throw new TypeError(`MathML attribute ${JSON.stringify(name)} is not allowed.`);
    if (typeof value !== "string" || !PLAIN_VALUE.test(value)) {
      throw new TypeError(`MathML attribute ${name} must be plain text, not ${JSON.stringify(value)}.`);
    }
    element.setAttribute(name, value);
  }
}
