/**
 * How a number is written.
 *
 * The text surface writes numbers by the same rules (`clearhead/trace/notation/numbers.py`); both are held to
 * `tests/golden/numbers.json`, so the page and the terminal never disagree.
 */

export type Digits = 2 | 3 | 4 | "full";

/** The real minus sign, U+2212: as wide as a digit and as high as a plus. */
export const MINUS = "\u2212";

/**
 * Writes `x` with a fixed number of decimals, or in full.
 *
 * NaN is "NaN", infinities are "∞" and "−∞", an exact zero is "0". Ties round away from zero on the exact binary
 * value. From a million up, and where a nonzero number would print as zeros only, it is written as "3.1e−3" with
 * `digits - 1` decimals. "full" gives the shortest text that reads back as the same float64.
 */
export function formatNumber(x: number, digits: Digits): string {
  if (Number.isNaN(x)) return "NaN";
  if (x === Infinity) return "∞";
  if (x === -Infinity) return `${MINUS}∞`;
  if (x === 0) return "0";
  if (digits === "full") return tidy(fullText(x));
  const fixed = x.toFixed(digits);
  const vanishes = !/[1-9]/.test(fixed);
  return tidy(vanishes || Math.abs(x) >= 1e6 ? x.toExponential(digits - 1) : fixed);
}

/** The same as `formatNumber`, with a plus sign before a positive number: how a difference is written. */
export function formatDifference(x: number, digits: Digits): string {
  return x > 0 ? `+${formatNumber(x, digits)}` : formatNumber(x, digits);
}

/** The full value with an ASCII minus and "-inf", as other programs read it: what copying gives. */
export function plainNumber(x: number): string {
  if (x === Infinity) return "inf";
  if (x === -Infinity) return "-inf";
  return Number.isNaN(x) ? "nan" : x === 0 ? "0" : fullText(x).replace("e+", "e");
}

/**
 * Reads a number a person typed, or `null` where it is not one.
 *
 * Both minus signs are read. A comma is refused, because "1,5" and "1,000" mean different numbers to different
 * readers; so are infinities, NaN, and numbers too large for a float64.
 */
export function parseNumber(text: string): number | null {
  const plain = text.trim().replaceAll(MINUS, "-");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null;
  const value = Number(plain);
  return Number.isFinite(value) ? value : null;
}

/** JavaScript's shortest digits, with plain decimals down to 1e-7 (which it would write as "1e-7"). */
function fullText(x: number): string {
  const text = String(x);
  return /e-7$/.test(text) ? smallDecimals(text) : text;
}

function smallDecimals(text: string): string {
  const sign = text.startsWith("-") ? "-" : "";
  const digits = text.replace(/^-|e-7$|\./g, "");
  return `${sign}0.000000${digits}`;
}

/** ASCII to the page's signs: true minus, no plus in an exponent. */
function tidy(text: string): string {
  return text.replace("e+", "e").replaceAll("-", MINUS);
}
