/** A picture with what changed since another one. */
import type { Reply, Walkthrough } from "../../wire/types";
import type { Answer, Numbers } from "./content";

export function compared(now: Answer, before: Answer): Reply {
  const [data, old] = [now.data, before.data] as [Walkthrough, Walkthrough];
  const buffers = [...now.buffers];
  const quantities = data.quantities.map((one) => {
    const other = old.quantities.find(({ name }) => name === one.name);
    if (other === undefined || String(other.shape) !== String(one.shape)) return { ...one, reshaped: true };
    const values = now.buffers[one.values] as Numbers;
    const earlier = before.buffers[other.values] as Numbers;
    const change = Float64Array.from(values, (value, at) => less(value, earlier[at] as number));
    if (change.every((value) => value === 0)) return one;
    return { ...one, difference: buffers.push(change) - 1 };
  });
  return { data: { ...data, quantities }, buffers: buffers };
}

/** The difference of two numbers; −∞ in both places is no change. */
function less(now: number, before: number): number {
  return now === before ? 0 : now - before;
}
