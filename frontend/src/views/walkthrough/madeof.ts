import { layered, layerOf } from "../../draw/layers";
import type { Quantity } from "../../wire/types";

type Lookup = (name: string) => Quantity | undefined;

/** How an operation is written between the names of its inputs; an operation that is not here is told by its caption. */
const WRITTEN: Record<string, (about: Quantity, names: string[], find: Lookup) => string | null> = {
  add: (_, names) => names.join(" + "),
  contract: product,
  copy: (_, names) => names[0] ?? null,
  descend: (_, names) => `${names[0]} − η · ${names[1]}`,
  mean_loss: (_, names) => `mean(${names[0]})`,
  mask: (_, names) => `mask(${names[0]})`,
  softmax: (_, names) => `softmax(${names[0]})`,
};

/** What a matrix was made of, as one reads it: "X · W_Q", "Q · K^T"; null where a short expression does not say it. */
export function madeOf(about: Quantity, find: Lookup): string | null {
  const home = layerOf(about.name);
  const names = about.inputs.map((input) => layered(input, home));
  return WRITTEN[about.operation]?.(about, names, find) ?? null;
}

/**
 * A matrix product: an axis of the left is summed away. It is the left's columns, or its rows where the left is
 * transposed, and it meets the right's rows or, where that is transposed, its columns.
 */
function product({ axes, inputs }: Quantity, names: string[], find: Lookup): string | null {
  const [left, right] = inputs.map(find);
  if (!left || !right) return null;
  const [first = "", second = ""] = names;
  for (const [at, meeting] of [
    [-1, first],
    [-2, transposed(first)],
  ] as const) {
    const summed = left.axes.at(at);
    // What keeps the axis is no matrix product over it: "contribution" sums over the heads alone.
    if (summed === undefined || axes.includes(summed)) continue;
    if (right.axes.at(-2) === summed) return `${meeting} · ${second}`;
    if (right.axes.at(-1) === summed) return `${meeting} · ${transposed(second)}`;
  }
  return null;
}

/** "Q^T", and of another layer "hidden^T (layer 1)". */
function transposed(name: string): string {
  return name.replace(/(?= \(|$)/, "^T");
}
