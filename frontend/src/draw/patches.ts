/** One row of weights where its keys are patches of a picture: laid out as the picture is. */
import { h, replace } from "./dom";
import { pointPicture, themeOf } from "./paint";

export interface PatchesModel {
  name: string;
  rows: number;
  columns: number;
  /** rows · columns numbers, row by row. */
  values: Float64Array;
  largest: number;
  /** What stands under it. */
  says: string;
}

export interface Patches {
  element: HTMLElement;
  update(model: PatchesModel): void;
  redraw(): void;
}

/** Pixels of one patch. */
const PATCH = 18;

export function createPatches(model: PatchesModel): Patches {
  const canvas = h("canvas", { role: "img" });
  const caption = h("figcaption");
  let shown = model;

  function redraw(): void {
    const { rows, columns, values, largest } = shown;
    const picture = pointPicture(values, columns, rows, largest, themeOf(canvas));
    const context = canvas.getContext?.("2d");
    if (!picture || !context) return;
    canvas.width = columns;
    canvas.height = rows;
    context.drawImage(picture, 0, 0);
  }

  function update(next: PatchesModel): void {
    shown = next;
    canvas.setAttribute("aria-label", next.name);
    canvas.style.setProperty("inline-size", `${next.columns * PATCH}px`);
    canvas.style.setProperty("aspect-ratio", `${next.columns} / ${next.rows}`);
    replace(caption, next.says);
    redraw();
  }

  update(model);
  // The theme is known only where the picture stands.
  requestAnimationFrame(redraw);
  return { element: h("figure", { class: "patches" }, canvas, caption), update, redraw };
}
