import { inLayer, layerOf } from "../draw/layers";
import type { CellRef, State } from "../wire/types";
import { untouched } from "./changes";
import { begin, type History, record, redo, undo } from "./history";
import type { ModelLook } from "./model";
import { type Page, same, startingPage } from "./page";
import { type Signal, signal } from "./signal";

/** One person's page: what they look at, how they came there, and how to go back. */
export interface Store {
  readonly page: Signal<Page>;
  /** The state of the picture before the last change, which differences are taken against. */
  readonly before: State | null;
  /** The opened cells, from the first one opened to the one now open. */
  readonly trail: readonly CellRef[];
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** A change of the computation: recorded for undo. */
  change(state: State): void;
  /** One of many small changes in a row, as of a slider: all of them together are one step back. */
  slide(state: State): void;
  /** Another state with the place to look at in it, as one change. */
  visit(state: State, cell: CellRef | null): void;
  undo(): void;
  redo(): void;
  /** Back to the example as it is shipped; this, too, can be undone. */
  reset(): void;
  /** Another example, from its start. */
  chooseExample(name: string): void;
  /** Everything at once, from an address; nothing remains to be undone. */
  load(page: Page): void;
  /** Open a cell: `deeper` continues the trail from the open one, otherwise a new trail begins. */
  open(cell: CellRef, deeper: boolean): void;
  close(): void;
  /** Another layer; an open cell gives way to the same one there. */
  chooseLayer(layer: number): void;
  look(view: Partial<Pick<Page, "digits" | "compare" | "feeds" | "practice">>): void;
  /** Another model, another head of it, or another look at it. */
  lookAtModel(model: ModelLook): void;
  /** The state was drawn: from now on it is the picture that the next change is compared with. */
  drawn(state: State): void;
}

export function createStore(initial: Page): Store {
  const page = signal<Page>(initial);
  let history: History<State> = begin(initial.state);
  let trail: CellRef[] = initial.cell ? [initial.cell] : [];
  let before = initial.before ?? firstBefore(initial.state);
  let lastDrawn: State | null = null;
  /** What the last `slide` led to; while that is the present, another one continues it. */
  let slid: State | null = null;

  function move(next: History<State>, view: Partial<Page> = {}): void {
    if (next === history) return;
    const sameExample = lastDrawn?.example === next.present.example;
    before = sameExample && !same(lastDrawn, next.present) ? lastDrawn : before;
    if (!sameExample) before = firstBefore(next.present);
    const stays = page.value.state.example === next.present.example;
    history = next;
    show({ state: next.present, ...(stays ? {} : { layer: 0 }), ...view });
  }

  function show(part: Partial<Page>): void {
    const next = { ...page.value, ...part };
    page.set({ ...next, before: next.compare ? before : null });
  }

  return {
    page,
    get before() {
      return before;
    },
    get trail() {
      return trail;
    },
    get canUndo() {
      return history.past.length > 0;
    },
    get canRedo() {
      return history.future.length > 0;
    },
    change(state) {
      if (!same(state, history.present)) move(record(history, state));
    },
    slide(state) {
      if (same(state, history.present)) return;
      if (slid === history.present) {
        // What is compared with stays the picture before the first of them.
        history = { ...history, present: state };
        show({ state });
      } else {
        move(record(history, state));
      }
      slid = state;
    },
    visit(state, cell) {
      trail = cell ? [cell] : [];
      const view = { cell, layer: layerOf(cell?.quantity ?? "") ?? 0 };
      if (same(state, history.present)) show(view);
      else move(record(history, state), view);
    },
    undo: () => move(undo(history)),
    redo: () => move(redo(history)),
    reset() {
      const state = untouched(history.present);
      if (!same(state, history.present)) move(record(history, state));
    },
    chooseExample(name) {
      if (name === history.present.example) return;
      trail = [];
      move(record(history, startingPage(name).state), { cell: null });
    },
    load(next) {
      history = begin(next.state);
      trail = next.cell ? [next.cell] : [];
      before = next.before ?? firstBefore(next.state);
      show({ ...next, model: next.model });
    },
    open(cell, deeper) {
      const known = trail.findIndex((ref) => same(ref, cell));
      if (known >= 0) trail = trail.slice(0, known + 1);
      else trail = deeper ? [...trail, cell] : [cell];
      show({ cell, layer: layerOf(cell.quantity) ?? page.value.layer });
    },
    close() {
      trail = [];
      if (page.value.cell !== null) show({ cell: null });
    },
    chooseLayer(layer) {
      const { cell } = page.value;
      const there = cell && { ...cell, quantity: inLayer(cell.quantity, layer) };
      trail = there ? [there] : [];
      show({ layer, cell: there });
    },
    look: (view) => show(view),
    lookAtModel(model) {
      if (!same(model, page.value.model)) show({ model });
    },
    drawn(state) {
      lastDrawn = state;
    },
  };
}

/** A link with edits has no picture before it, so it is compared with the example as it is shipped. */
function firstBefore(state: State): State | null {
  const plain = untouched(state);
  return same(plain, state) ? null : plain;
}
