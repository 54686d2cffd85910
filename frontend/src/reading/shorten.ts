/** Sums of many terms, made short: the largest terms first, and what all the others add up to. */
import { evaluate, parts, type Recipe, withParts } from "./recipe";

/** What the terms that are not written come to. */
export interface Rest {
  count: number;
  /** How many of them are exactly 0, as the terms of keys are that a mask hides. */
  zeros: number;
  value: number;
}

/** The places of the values, the largest in size first; equal ones keep their order. */
export function bySize(values: number[]): number[] {
  return values
    .map((_, at) => at)
    .sort((a, b) => Math.abs(values[b] as number) - Math.abs(values[a] as number));
}

/** What comes after the largest `most` terms. */
export function restOf(values: number[], most: number): Rest {
  const left = bySize(values)
    .slice(most)
    .map((at) => values[at] as number);
  const value = left.reduce((sum, one) => sum + one, 0);
  return { count: left.length, zeros: left.filter((one) => one === 0).length, value };
}

/**
 * The recipe with every sum of more than `most` terms cut to its largest ones and the rest as one number, and the
 * symbols of those numbers, each of which says how many terms it stands for. It still adds up.
 */
export function shortened(node: Recipe, most: number): { recipe: Recipe; rests: string[] } {
  const rests: string[] = [];
  return { recipe: short(node, most, rests), rests: [...new Set(rests)] };
}

function short(node: Recipe, most: number, rests: string[]): Recipe {
  if (node.kind === "sum" && node.terms.length > most) {
    const values = node.terms.map(evaluate);
    const rest = restOf(values, most);
    const symbol = `${rest.count} more${ofZero(rest)}`;
    rests.push(symbol);
    const kept = bySize(values).slice(0, most);
    return {
      ...node,
      terms: [...kept.map((at) => node.terms[at] as Recipe), { kind: "number", value: rest.value, symbol }],
    };
  }
  const inside = parts<Recipe>(node);
  if (inside.length === 0) return node;
  return withParts<Recipe, Recipe>(
    node,
    inside.map((part) => short(part, most, rests)),
  );
}

function ofZero({ count, zeros }: Rest): string {
  if (zeros === 0) return "";
  return zeros === count ? " (all are 0)" : ` (${zeros} ${zeros === 1 ? "is" : "are"} 0)`;
}
