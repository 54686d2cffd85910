/**
 * Exact arithmetic on written numbers: whether "0.25 · 4.00" is "1.00" is decided on fractions, never on floats.
 * What is no fraction, such as e^0.5, is null.
 */
import { MINUS } from "../draw/numbers";
import type { FunctionName } from "./recipe";

export interface Fraction {
  top: bigint;
  /** Above 0. */
  bottom: bigint;
}

/** A fraction, or ±Infinity or NaN, which no fraction is. */
export type Exact = Fraction | number;

/** The number that written digits say: 0.25, −3, 1.2e−5. */
export function fraction(text: string): Fraction {
  const [mantissa = "", exponent = "0"] = text.replaceAll(MINUS, "-").split("e");
  const [whole = "", decimals = ""] = mantissa.split(".");
  const shift = Number(exponent) - decimals.length;
  const digits = BigInt(whole + decimals || "0");
  const power = 10n ** BigInt(Math.abs(shift));
  return shift >= 0 ? { top: digits * power, bottom: 1n } : reduced(digits, power);
}

/** The float64 nearest to a fraction. */
export function nearest({ top, bottom }: Fraction): number {
  // Both are scaled so that the quotient has some 70 bits: more than a float64 holds, so that it rounds once.
  const size = top < 0n ? -top : top;
  const shift = 70 - size.toString(2).length + bottom.toString(2).length;
  const scaled = shift >= 0 ? (size << BigInt(shift)) / bottom : size / (bottom << BigInt(-shift));
  const value = Number(scaled) * 2 ** -shift;
  return top < 0n ? -value : value;
}

export function equal(left: Exact, right: Exact): boolean {
  if (typeof left === "number" || typeof right === "number") return left === right;
  return left.top * right.bottom === right.top * left.bottom;
}

function reduced(top: bigint, bottom: bigint): Fraction {
  const common = divisor(top < 0n ? -top : top, bottom);
  return bottom < 0n
    ? { top: -top / common, bottom: -bottom / common }
    : { top: top / common, bottom: bottom / common };
}

function divisor(a: bigint, b: bigint): bigint {
  let [left, right] = [a, b < 0n ? -b : b];
  while (right !== 0n) [left, right] = [right, left % right];
  return left === 0n ? 1n : left;
}

const whole = (number: bigint): Fraction => ({ top: number, bottom: 1n });

/** Sums, products, differences and quotients; an infinity among them makes it a matter of floats. */
function combined(
  values: Exact[],
  exact: (a: Fraction, b: Fraction) => Fraction,
  float: (a: number, b: number) => number,
) {
  return values.reduce((left, right) =>
    typeof left === "number" || typeof right === "number"
      ? float(asFloat(left), asFloat(right))
      : exact(left, right),
  );
}

const asFloat = (value: Exact): number => (typeof value === "number" ? value : nearest(value));

const plus = (a: Fraction, b: Fraction) => reduced(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
const minus = (a: Fraction, b: Fraction) => reduced(a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom);
const times = (a: Fraction, b: Fraction) => reduced(a.top * b.top, a.bottom * b.bottom);
const over = (a: Fraction, b: Fraction) => reduced(a.top * b.bottom, a.bottom * b.top);

/** One node's arithmetic on exact values; null where the result is no fraction. */
export function exactStep(node: { kind: string; name?: FunctionName }, values: Exact[]): Exact | null {
  const [first = Number.NaN, second = Number.NaN] = values;
  switch (node.kind) {
    case "sum":
      return values.length === 0 ? whole(0n) : combined(values, plus, (a, b) => a + b);
    case "product":
      return values.length === 0 ? whole(1n) : combined(values, times, (a, b) => a * b);
    case "difference":
      return combined(values, minus, (a, b) => a - b);
    case "quotient":
      return isZero(second) ? null : combined(values, over, (a, b) => a / b);
    case "exp":
      if (isZero(first)) return whole(1n);
      return first === -Infinity ? whole(0n) : null;
    case "root":
      return powered(first, { top: 1n, bottom: 2n });
    case "power":
      return powered(first, second);
    default:
      return ofFunction(node.name as FunctionName, values, first);
  }
}

function ofFunction(name: FunctionName, values: Exact[], first: Exact): Exact | null {
  switch (name) {
    case "sin":
    case "tanh":
    case "erf":
      return isZero(first) ? whole(0n) : null;
    case "cos":
      return isZero(first) ? whole(1n) : null;
    case "ln":
      return equal(first, whole(1n)) ? whole(0n) : null;
    case "max":
      return values.reduce((most, value) => (asFloat(minusOf(value, most)) > 0 ? value : most));
    case "abs":
      if (typeof first === "number") return Math.abs(first);
      return first.top < 0n ? { top: -first.top, bottom: first.bottom } : first;
  }
}

function minusOf(left: Exact, right: Exact): Exact {
  return combined([left, right], minus, (a, b) => a - b);
}

function isZero(value: Exact): boolean {
  return typeof value !== "number" && value.top === 0n;
}

/** Exponents up to here, and roots of this degree, are tried. */
const MOST = 64n;

/** base^exponent, if that is a fraction: 10000^0.5 is 100, 2^0.5 is none. */
function powered(base: Exact, exponent: Exact): Fraction | null {
  if (typeof base === "number" || typeof exponent === "number") return null;
  const size = exponent.top < 0n ? -exponent.top : exponent.top;
  if (size > MOST * exponent.bottom || exponent.bottom > MOST) return null;
  if ((base.top < 0n && exponent.bottom > 1n) || (base.top === 0n && exponent.top <= 0n)) return null;
  const [top, bottom] = [base.top, base.bottom].map((part) => root(part, exponent.bottom));
  if (top === undefined || bottom === undefined || top === null || bottom === null) return null;
  return exponent.top < 0n ? reduced(bottom ** size, top ** size) : reduced(top ** size, bottom ** size);
}

/** The whole number whose power is `number`, or null. */
function root(number: bigint, degree: bigint): bigint | null {
  if (degree === 1n) return number;
  let [low, high] = [0n, 1n];
  while (high ** degree < number) high *= 2n;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (middle ** degree < number) low = middle + 1n;
    else high = middle;
  }
  return low ** degree === number ? low : null;
}
