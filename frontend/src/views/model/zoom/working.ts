import { h, replace, uniqueId } from "../../../draw/dom";
import {
  createHeadGrid,
  type HeadGrid,
  type HeadGridModel,
  type HeadRow,
  headLegend,
} from "../../../draw/headgrid";
import type { Answer } from "../question";

export interface WorkingView {
  element: HTMLElement;
  /** How far the reading is; null where none is going on. */
  update(answer: Answer<"working"> | null): void;
  redraw(): void;
}

/** The side of a small map in points. */
const THUMBNAIL = 24;

const EMPTY: HeadGridModel = {
  ...{ name: "Heads so far", rows: [], chosen: null, colour: null, long: true },
  off: () => false,
  says: () => "",
};

/** "1 min 5 s" */
export function timeText(seconds: number): string {
  const whole = Math.floor(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** The layers that are finished, as far as they can be drawn. */
export function rowsOf({ data, buffers }: Answer<"working">): HeadRow[] {
  return data.layers.map(({ label, heads, thumbnails }) => {
    const bytes = thumbnails === null ? null : buffers[thumbnails];
    const fits = bytes instanceof Uint8Array && bytes.length === heads * THUMBNAIL * THUMBNAIL;
    return {
      ...{ label, heads, what: "", fails: null },
      thumbnails: fits ? { values: bytes, rows: THUMBNAIL, columns: THUMBNAIL } : null,
    };
  });
}

/** A long text being read: how far it is, and the heads of the layers that are done. */
export function workingView(): WorkingView {
  const id = uniqueId("working");
  const bar = h("progress", { class: "model-progress", "aria-labelledby": id });
  const says = h("p", { id, role: "status" });
  const clock = h("span", { class: "model-clock", "aria-hidden": "true" });
  const heads = h("div", { class: "model-overview", hidden: true });
  const element = h(
    "div",
    { class: "stack model-working", hidden: true },
    says,
    h("p", { class: "model-bar" }, bar, clock),
    heads,
  );
  /** There while a text is read, and only then. */
  let grid: HeadGrid | null = null;
  let shown = -1;
  return {
    element,
    redraw: () => grid?.redraw(),
    update(answer) {
      element.hidden = answer === null;
      if (!answer) {
        shown = -1;
        grid = null;
        replace(heads);
        return;
      }
      const { what, done, total, unit, seconds, layers } = answer.data;
      if (total > 0) {
        bar.max = total;
        bar.value = done;
      } else bar.removeAttribute("value");
      if (says.textContent !== what) says.textContent = what;
      clock.textContent = `${total > 0 ? ` ${done} of ${total} ${unit}, ` : " "}${timeText(seconds)}`;
      heads.hidden = layers.length === 0;
      if (layers.length === shown) return;
      shown = layers.length;
      const rows = rowsOf(answer);
      const name = layers.length === 1 ? "1 layer is finished" : `${layers.length} layers are finished`;
      if (grid === null) {
        grid = createHeadGrid(EMPTY, () => undefined);
        replace(heads, grid.element, headLegend(true, rows));
      }
      grid.update({
        ...EMPTY,
        ...{ name, rows },
        says: (row, head) =>
          `layer ${rows[row]?.label ?? row}, head ${head}: it can be opened when all are finished.`,
      });
    },
  };
}
