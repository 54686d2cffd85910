import type { Quantity } from "../../wire/types";

type Lookup = (name: string) => Quantity | undefined;

/** How an operation is written between the names of its inputs; an operation that is not here is told by its caption. */
const WRITTEN: Record<string, (about: Quantity, find: Lookup) => string | null> = {
  add: ({ inputs }) => inputs.join(" + "),
  contract: product,
  copy: ({ inputs }) => inputs[0] ?? null,
  mask: ({ inputs }) => `mask(${inputs[0]})`,
  softmax: ({ inputs }) => `softmax(${inputs[0]})`,
};

/** What a matrix was made of, as one reads it: "X · W_Q", "Q · K^T"; null where a short expression does not say it. */
export function madeOf(about: Quantity, find: Lookup): string | null {
  return WRITTEN[about.operation]?.(about, find) ?? null;
}

/** A matrix product: the last axis of the left is summed away. It meets the right's columns or, transposed, its rows. */
function product({ axes, inputs }: Quantity, find: Lookup): string | null {
  const [left, right] = inputs.map(find);
  const summed = left?.axes.at(-1);
  // What keeps the axis is no matrix product: "contribution" sums over the heads alone.
  if (!left || !right || summed === undefined || axes.includes(summed)) return null;
  if (right.axes.at(-2) === summed) return `${left.name} · ${right.name}`;
  return right.axes.at(-1) === summed ? `${left.name} · ${right.name}^T` : null;
}
