/**
 * Reading a recipe: from the numbers to the result, one simplification a line, and never "=" where it is not.
 *
 * Each line is the tree with its innermost arithmetic done. A line says "=" only if the digits shown on the line before,
 * taken as they stand, give exactly the digits shown on this line; otherwise it says "≈". The text surface reads in the
 * same way (`clearhead/trace/notation/reading.py`); both are held to `tests/golden/readings.json`.
 */
import { type Digits, formatNumber, MINUS } from "../draw/numbers";
import { type Exact, equal, exactStep, fraction, nearest } from "./fraction";
import { compute, type FunctionName, parts, type Recipe, withParts } from "./recipe";

export type Relation = "=" | "≈";

/** A number as it is written; a `constant` belongs to the formula, or was worked out from such numbers alone. */
export interface Shown {
  kind: "number" | "cell";
  text: string;
  value: number;
  constant?: boolean;
  symbol?: string;
  quantity?: string;
  index?: number[];
  label?: string;
}

/** A line's tree: operations whose leaves are written numbers. */
export type Written =
  | Shown
  | { kind: "sum"; terms: Written[]; over?: string }
  | { kind: "product"; factors: Written[] }
  | { kind: "difference"; left: Written; right: Written }
  | { kind: "quotient"; top: Written; bottom: Written }
  | { kind: "power"; base: Written; exponent: Written }
  | { kind: "root"; of: Written }
  | { kind: "exp"; of: Written }
  | { kind: "function"; name: FunctionName; arguments: Written[] };

export interface Line {
  /** To the line before; of the first line, to the cell itself. */
  relation: Relation;
  tree: Written;
}

/** Significant digits up to which a constant of a formula is written in full. */
const SHORT = 7;

/** The lines from the recipe's numbers to the `stored` result, which the last line shows. */
export function read(recipe: Recipe, stored: number, digits: Digits): Line[] {
  let tree = written(recipe, digits);
  const lines: Line[] = [{ relation: allExact(tree) ? "=" : "≈", tree }];
  while (!isShown(tree)) {
    let simpler = simplified(tree, digits);
    if (isShown(simpler)) simpler = { kind: "number", value: stored, text: formatNumber(stored, digits) };
    lines.push({ relation: agrees(tree, simpler) ? "=" : "≈", tree: simpler });
    tree = simpler;
  }
  return lines;
}

export function isShown(node: Written): node is Shown {
  return node.kind === "number" || node.kind === "cell";
}

export function cellLabel(quantity: string, index: number[]): string {
  return index.length > 0 ? `${quantity}[${index.join(",")}]` : quantity;
}

/** The recipe with every leaf written out. */
function written(node: Recipe, digits: Digits): Written {
  if (node.kind === "cell") {
    const label = cellLabel(node.quantity, node.index);
    return { ...node, text: formatNumber(node.value, digits), label };
  }
  if (node.kind === "number") return { ...node, text: plain(node.value, digits) };
  const [only, more] = node.kind === "sum" ? node.terms : [];
  if (only !== undefined && more === undefined) return written(only, digits); // the sum over one head, or one feature
  const made = parts<Recipe>(node).map((part) =>
    part.kind === "number" ? constant(part, digits) : written(part, digits),
  );
  return withParts<Recipe, Written>(node, made);
}

/** A number of the formula itself: 0.999 in full rather than as 1.00, π with as many digits as any other. */
function constant(number: Extract<Recipe, { kind: "number" }>, digits: Digits): Shown {
  const short = significant(number.value) <= SHORT;
  return { ...number, text: plain(number.value, short ? "full" : digits), constant: true };
}

/** The digits of a number without zeros at either end: 3 of 0.999, 1 of 10000. */
function significant(value: number): number {
  const [mantissa = ""] = Math.abs(value).toExponential().split("e");
  return mantissa.replace(".", "").length;
}

/** A constant of the formula: whole numbers without decimals, so that it reads 10000 and not 10000.00. */
function plain(value: number, digits: Digits): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return `${value < 0 ? MINUS : ""}${Math.abs(value)}`;
  return formatNumber(value, digits);
}

/** The tree with every node whose parts are all plain numbers replaced by its value. */
function simplified(node: Written, digits: Digits): Written {
  const inside = parts<Written>(node);
  const numbers = inside.filter(isShown);
  if (inside.length === 0) return isShown(node) ? node : worked(node, [], digits);
  if (numbers.length < inside.length)
    return withParts<Written, Written>(
      node,
      inside.map((part) => simplified(part, digits)),
    );
  return worked(node, numbers, digits);
}

function worked(node: Written, numbers: Shown[], digits: Digits): Shown {
  const value = compute(
    node,
    numbers.map((number) => number.value),
  );
  if (numbers.every((number) => number.constant))
    return { kind: "number", value, text: distinct(value, digits), constant: true };
  const whole = numbers.every((number) => number.kind !== "cell" && !number.text.includes("."));
  return { kind: "number", value, text: whole ? plain(value, digits) : formatNumber(value, digits) };
}

/** A constant that was worked out, with as many decimals more as keep 0.998 from being shown as 1.00. */
function distinct(value: number, digits: Digits): string {
  let text = plain(value, digits);
  for (const more of [3, 4, "full"] as const) {
    const decimals = (text.split(".")[1] ?? "").replace(/^0+|0+$/g, "");
    if (Number.isFinite(value) && value !== roundedToEven(value) && decimals === "")
      text = formatNumber(value, more);
  }
  return text;
}

function roundedToEven(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

/** Whether every leaf shows its number exactly. */
function allExact(node: Written): boolean {
  return isShown(node) ? isExact(node) : parts<Written>(node).every(allExact);
}

/** Whether the digits say the number, as far as float64 can hold them (0.1 + 0.2 may be shown as 0.3). */
function isExact(leaf: Shown): boolean {
  if (!Number.isFinite(leaf.value)) return true;
  const says = nearest(fraction(leaf.text));
  return Math.abs(says - leaf.value) <= 1e-14 * Math.max(Math.abs(says), Math.abs(leaf.value));
}

/** Whether the shown digits of `before` give exactly those of `after`, part by part. */
function agrees(before: Written, after: Written): boolean {
  if (isShown(after)) {
    const exact = exactValue(before);
    return exact !== null && equal(exact, digitsValue(after));
  }
  const old = parts<Written>(before);
  return parts<Written>(after).every((part, at) => agrees(old[at] as Written, part));
}

function digitsValue(leaf: Shown): Exact {
  return Number.isFinite(leaf.value) ? fraction(leaf.text) : leaf.value;
}

/** What the shown digits of a tree give in exact arithmetic, or null where that is no fraction (e^0.5, √2). */
function exactValue(node: Written): Exact | null {
  if (isShown(node)) return digitsValue(node);
  const values: Exact[] = [];
  for (const part of parts<Written>(node)) {
    const value = exactValue(part);
    if (value === null) return null;
    values.push(value);
  }
  return exactStep(node, values);
}
