/**
 * Recipes: how one number came about, as a tree. The same trees as `clearhead/core/expression.py`; here every leaf
 * carries its number, because nothing is looked up any more.
 */

export type Recipe =
  | { kind: "number"; value: number; symbol?: string }
  | { kind: "cell"; value: number; quantity: string; index: number[] }
  | { kind: "sum"; terms: Recipe[]; over?: string }
  | { kind: "product"; factors: Recipe[] }
  | { kind: "difference"; left: Recipe; right: Recipe }
  | { kind: "quotient"; top: Recipe; bottom: Recipe }
  | { kind: "power"; base: Recipe; exponent: Recipe }
  | { kind: "root"; of: Recipe }
  | { kind: "exp"; of: Recipe }
  | { kind: "function"; name: FunctionName; arguments: Recipe[] };

export type FunctionName = "sin" | "cos" | "max" | "abs" | "ln" | "tanh" | "erf";

/** A tree of operations on whatever its leaves are. */
type Branch<Node> =
  | { kind: "sum"; terms: Node[]; over?: string }
  | { kind: "product"; factors: Node[] }
  | { kind: "difference"; left: Node; right: Node }
  | { kind: "quotient"; top: Node; bottom: Node }
  | { kind: "power"; base: Node; exponent: Node }
  | { kind: "root"; of: Node }
  | { kind: "exp"; of: Node }
  | { kind: "function"; name: FunctionName; arguments: Node[] };

export type Operation = Branch<unknown>["kind"];

/** The parts of a node in reading order; a leaf has none. */
export function parts<Node extends { kind: string }>(node: Node): Node[] {
  const branch = node as unknown as Branch<Node>;
  switch (branch.kind) {
    case "sum":
      return branch.terms;
    case "product":
      return branch.factors;
    case "function":
      return branch.arguments;
    case "difference":
      return [branch.left, branch.right];
    case "quotient":
      return [branch.top, branch.bottom];
    case "power":
      return [branch.base, branch.exponent];
    case "root":
    case "exp":
      return [branch.of];
    default:
      return [];
  }
}

/** The same operation on other parts, given in the order of `parts`. */
export function withParts<From extends { kind: string }, To>(node: From, made: To[]): To {
  const branch = node as unknown as Branch<unknown>;
  const [first, second] = made;
  switch (branch.kind) {
    case "sum":
      return { ...branch, terms: made } as To;
    case "product":
      return { ...branch, factors: made } as To;
    case "function":
      return { ...branch, arguments: made } as To;
    case "difference":
      return { ...branch, left: first, right: second } as To;
    case "quotient":
      return { ...branch, top: first, bottom: second } as To;
    case "power":
      return { ...branch, base: first, exponent: second } as To;
    default:
      return { ...branch, of: first } as To;
  }
}

/** The node's own arithmetic on the values of its parts. */
export function compute(node: { kind: string }, values: number[]): number {
  const [first = Number.NaN, second = Number.NaN] = values;
  switch ((node as Branch<unknown>).kind) {
    case "sum":
      return values.reduce((sum, value) => sum + value, 0);
    case "product":
      return values.reduce((product, value) => product * value, 1);
    case "difference":
      return first - second;
    case "quotient":
      return first / second;
    case "power":
      return first ** second;
    case "root":
      return Math.sqrt(first);
    case "exp":
      return Math.exp(first);
    default:
      return FUNCTIONS[(node as unknown as { name: FunctionName }).name](...values);
  }
}

const FUNCTIONS: Record<FunctionName, (...values: number[]) => number> = {
  sin: Math.sin,
  cos: Math.cos,
  max: Math.max,
  abs: Math.abs,
  ln: Math.log,
  tanh: Math.tanh,
  erf,
};

/** What a tree comes to. */
export function evaluate(node: Recipe): number {
  if (node.kind === "number" || node.kind === "cell") return node.value;
  return compute(node, parts<Recipe>(node).map(evaluate));
}

/**
 * The error function: 2/√π e^(−x²) Σ 2^n x^(2n+1) / (1·3·5 … (2n+1)), whose terms are all of one sign (Abramowitz and
 * Stegun, Handbook of Mathematical Functions, 7.1.6). From 6 on it is 1 to the last digit.
 */
export function erf(x: number): number {
  if (Number.isNaN(x) || Math.abs(x) >= 6) return Number.isNaN(x) ? x : Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
