/** Arithmetic as LaTeX (`clearhead/trace/notation/latex.py`). The name of the cell comes written already. */
import { MINUS } from "../draw/numbers";
import { isShown, type Line, type Written } from "./read";

const SUMS = ["sum", "difference"];
const COMPOUND = ["sum", "difference", "product", "quotient", "power", "root", "exp"];

/** An `aligned` block: the cell, then one simplification a line. */
export function workedLatex(cell: string, lines: Line[]): string {
  const rows = lines.map(
    (line) => `${line.relation === "=" ? "&=" : "&\\approx"} ${expression(line.tree, true)}`,
  );
  return `\\begin{aligned}\n${cell} ${rows.join(" \\\\\n")}\n\\end{aligned}`;
}

/** A tree; at the start of a line or a group a negative number needs no brackets. */
function expression(node: Written, start: boolean): string {
  if (isShown(node)) {
    const text = number(node.text);
    return start || !node.text.startsWith(MINUS) ? text : `\\left(${text}\\right)`;
  }
  switch (node.kind) {
    case "sum":
      return node.terms.map((term, at) => expression(term, start && at === 0)).join(" + ") || "0";
    case "product":
      return node.factors.map((factor, at) => bracketed(factor, SUMS, start && at === 0)).join(" \\cdot ");
    case "difference":
      return `${expression(node.left, start)} - ${bracketed(node.right, SUMS)}`;
    case "quotient":
      return `\\frac{${expression(node.top, true)}}{${expression(node.bottom, true)}}`;
    case "power":
      return `{${base(node.base)}}^{${expression(node.exponent, true)}}`;
    case "root":
      return `\\sqrt{${expression(node.of, true)}}`;
    case "exp":
      return `e^{${expression(node.of, true)}}`;
    case "function": {
      const name = node.name === "erf" ? "\\operatorname{erf}" : `\\${node.name}`;
      return `${name}\\left(${node.arguments.map((one) => expression(one, true)).join(", ")}\\right)`;
    }
  }
}

function base(node: Written): string {
  const scientific = isShown(node) && node.text.includes("e");
  return scientific ? `\\left(${expression(node, true)}\\right)` : bracketed(node, COMPOUND);
}

/** A written number: a true minus and an exponent become LaTeX's. */
export function number(text: string): string {
  const [mantissa, exponent] = text.replaceAll(MINUS, "-").replaceAll("∞", "\\infty").split("e");
  return exponent === undefined ? `${mantissa}` : `${mantissa} \\cdot 10^{${exponent}}`;
}

/** The tree, in brackets where it is of a looser kind. */
function bracketed(node: Written, looser: string[], start = false): string {
  return looser.includes(node.kind) ? `\\left(${expression(node, true)}\\right)` : expression(node, start);
}
