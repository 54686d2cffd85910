/**
 * A map of weights, one point for each cell, for matrices that change many times a second. It is one small picture that
 * the browser enlarges without smoothing; frames over it mark the cells that are meant to be dark.
 */
import { h } from "./dom";
import { themeOf, weightBytes, weightStep } from "./paint";
import { svg } from "./svg";

export interface HeatmapModel {
  /** "layer 1, head 0" */
  name: string;
  /** Row-major weights from 0 to 1; −1 where they are masked. */
  weights: Float64Array;
  size: number;
  /** For each row the column that is framed, or −1. */
  targets: readonly number[];
}

export interface Heatmap {
  element: HTMLElement;
  update(model: HeatmapModel): void;
  /** Draws again, for another theme. */
  redraw(): void;
}

/** `read` is called with the cell under the pointer, and with null when it leaves. */
export function createHeatmap(
  model: HeatmapModel,
  read: (cell: { row: number; column: number } | null) => void,
): Heatmap {
  const canvas = h("canvas", { role: "img" });
  const frames = svg("svg", { "aria-hidden": "true" });
  const cellAt = (event: PointerEvent) => {
    const box = canvas.getBoundingClientRect();
    const place = (share: number) => Math.max(0, Math.min(shown.size - 1, Math.floor(share * shown.size)));
    read({
      row: place((event.clientY - box.top) / box.height),
      column: place((event.clientX - box.left) / box.width),
    });
  };
  const element = h(
    "div",
    { class: "heatmap", onpointermove: cellAt, onpointerleave: () => read(null) },
    canvas,
    frames,
  );
  let shown = model;
  let framed = "";

  function drawFrames(): void {
    const signature = `${shown.size} ${shown.targets.join()}`;
    if (signature === framed) return;
    framed = signature;
    frames.setAttribute("viewBox", `0 0 ${shown.size} ${shown.size}`);
    const cells = shown.targets.flatMap((column, row) => (column < 0 ? [] : [{ row, column }]));
    frames.replaceChildren(
      ...cells.map(({ row, column }) =>
        svg("rect", { x: column, y: row, width: 1, height: 1, class: "heatmap-target" }),
      ),
    );
  }

  function redraw(): void {
    const { size, weights } = shown;
    if (canvas.width !== size) {
      canvas.width = size;
      canvas.height = size;
    }
    const context = canvas.getContext?.("2d");
    if (!context) return;
    const image = context.createImageData(size, size);
    const colours = weightBytes(themeOf(canvas));
    for (let i = 0; i < weights.length; i++)
      // What is masked stays transparent: it is hatched by what lies under the picture.
      if ((weights[i] as number) >= 0)
        image.data.set(colours[weightStep(weights[i] as number, 1)] as number[], i * 4);
    context.putImageData(image, 0, 0);
  }

  function update(next: HeatmapModel): void {
    shown = next;
    canvas.setAttribute("aria-label", `weights of ${next.name}`);
    drawFrames();
    redraw();
  }

  update(model);
  // The theme is known only where the map stands.
  requestAnimationFrame(redraw);
  return { element, update, redraw };
}
