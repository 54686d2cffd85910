import type { CellRef, Quantity, Reply, State, Walkthrough } from "../wire/types";

/** One named array with its numbers at hand. */
export interface Drawable {
  about: Quantity;
  values: Float64Array;
  difference: Float64Array | null;
  forbidden: Uint8Array | null;
}

/** A whole answer: what can be drawn, and the state that it answers. */
export interface Picture {
  state: State;
  data: Walkthrough;
  quantities: ReadonlyMap<string, Drawable>;
  /** The tokens that are attended to, where they are others than those of the sentence. */
  keys?: readonly string[];
}

export function picture(state: State, data: Walkthrough, buffers: Reply["buffers"]): Picture {
  const floats = (at: number | undefined): Float64Array | null => {
    const buffer = at === undefined ? undefined : buffers[at];
    return buffer instanceof Float64Array ? buffer : null;
  };
  const bytes = (at: number | undefined): Uint8Array | null => {
    const buffer = at === undefined ? undefined : buffers[at];
    return buffer instanceof Uint8Array ? buffer : null;
  };
  const quantities = new Map<string, Drawable>();
  for (const about of data.quantities) {
    quantities.set(about.name, {
      about,
      values: floats(about.values) ?? new Float64Array(0),
      difference: floats(about.difference),
      forbidden: bytes(about.forbidden),
    });
  }
  return { state, data, quantities };
}

/** The whole name of a quantity of the layer that is drawn. */
export function nameHere(shown: Picture, name: string): string {
  return shown.quantities.has(name) ? name : `layer${shown.data.layer}.${name}`;
}

/** Whether the cell exists in the picture. */
export function holds(shown: Picture, cell: CellRef): boolean {
  const shape = shown.quantities.get(cell.quantity)?.about.shape;
  return (
    shape !== undefined &&
    shape.length === cell.index.length &&
    cell.index.every((at, axis) => at >= 0 && at < (shape[axis] ?? 0))
  );
}

/** "scores[0,3,1]", and of a single number "loss": how a cell is named everywhere. */
export function cellName(cell: CellRef): string {
  return cell.index.length === 0 ? cell.quantity : `${cell.quantity}[${cell.index.join(",")}]`;
}
