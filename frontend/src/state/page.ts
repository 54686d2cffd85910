import type { CellRef, Digits, State } from "../wire/types";
import type { ModelLook } from "./model";

/** All that an address holds: the state of the computation, and what the person is looking at. */
export interface Page {
  state: State;
  /** The layer whose quantities are drawn. */
  layer: number;
  /** The cell whose arithmetic is open. */
  cell: CellRef | null;
  digits: Digits;
  /** Show differences from the picture before the last change. */
  compare: boolean;
  /** While differences are shown: the state they are taken against, so that a link shows the same ones. */
  before: State | null;
  /** Light the cells that the open one feeds. */
  feeds: boolean;
  /** The stop from which on the numbers are hidden, to be predicted; nothing is practised without it. */
  practice: string | null;
  /** What the Model part shows; nothing until a model was asked for. */
  model?: ModelLook;
}

export function startingPage(example: string): Page {
  return {
    state: { example },
    layer: 0,
    cell: null,
    digits: 2,
    compare: false,
    before: null,
    feeds: false,
    practice: null,
  };
}

/** Equality of plain data; key order is that of construction, which is the same for every state made here. */
export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
