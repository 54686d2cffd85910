/** Arithmetic as plain text, as the terminal has it (`clearhead/trace/notation/text.py`). */
import { MINUS } from "../draw/numbers";
import { isShown, type Line, type Written } from "./read";

/** How tightly a node binds; a looser node inside a tighter one needs brackets. */
const [SUM, PRODUCT, POWER, ATOM] = [1, 2, 3, 4] as const;

/** The formula, the arithmetic line by line after the cell's label, and the note if there is one. */
export function workedText(label: string, formula: string, lines: Line[], note: string): string {
  const rows = formula === "" ? [] : [formula];
  lines.forEach((line, number) => {
    const start = number === 0 ? label : " ".repeat(label.length);
    rows.push(`${start} ${line.relation} ${lineText(line.tree)}`);
  });
  if (note !== "") rows.push(`(${note})`);
  return rows.join("\n");
}

/** A tree on one line. */
export function lineText(node: Written): string {
  return write(node, true)[0];
}

/** The text, and how tightly its outermost operation binds; at the `start` of a line a minus needs no brackets. */
function write(node: Written, start: boolean): [text: string, tightness: number] {
  if (isShown(node)) return [node.text, tightness(node.text, start)];
  switch (node.kind) {
    case "sum":
      return [joined(" + ", node.terms, PRODUCT, start) || "0", SUM];
    case "product":
      return product(node.factors, start);
    case "difference":
      return [`${bound(node.left, SUM, start)} ${MINUS} ${bound(node.right, PRODUCT)}`, SUM];
    case "quotient":
      return [`${bound(node.top, PRODUCT, start)} / ${bound(node.bottom, POWER)}`, PRODUCT];
    case "power":
      return [`${bound(node.base, ATOM)}^${bound(node.exponent, ATOM, true)}`, POWER];
    case "root":
      return [`√${bound(node.of, ATOM)}`, POWER];
    case "exp":
      return [`e^${bound(node.of, ATOM, true)}`, POWER];
    case "function":
      return [`${node.name}(${node.arguments.map(lineText).join(", ")})`, ATOM];
  }
}

function product(factors: Written[], start: boolean): [string, number] {
  return [joined("·", factors, POWER, start), PRODUCT];
}

function joined(operator: string, nodes: Written[], tight: number, start: boolean): string {
  return nodes.map((node, at) => bound(node, tight, start && at === 0)).join(operator);
}

/** The text, in brackets where the node binds more loosely. */
function bound(node: Written, tight: number, start = false): string {
  const [text, own] = write(node, start);
  return own >= tight ? text : `(${text})`;
}

/** A minus binds like a difference, except at the start of a line; an exponent binds like a power. */
function tightness(number: string, start: boolean): number {
  if (number.startsWith(MINUS) && !start) return SUM;
  return number.includes("e") ? POWER : ATOM;
}
