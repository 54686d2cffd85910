/**
 * A map of weights, one point for each cell, for matrices that change many times a second. It is one small picture that
 * the browser enlarges without smoothing; frames over it mark the cells that are meant to be dark.
 */
import { h } from "./dom";
import { svg } from "./svg";
import { RAMPS, STEPS } from "./values";

export interface HeatmapModel {
  /** "layer 1, head 0" */
  name: string;
  /** Row-major weights from 0 to 1. */
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
    const colours = ramp(isDark(canvas));
    for (let i = 0; i < weights.length; i++) {
      const step = Math.max(0, Math.min(STEPS, Math.round((weights[i] as number) * STEPS)));
      image.data.set(colours[step] as number[], i * 4);
    }
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

const BYTES = new Map<boolean, number[][]>();

/** The scale of weights as bytes for a picture. */
function ramp(dark: boolean): number[][] {
  let made = BYTES.get(dark);
  if (!made) {
    made = RAMPS.weights.map((pair) => {
      const hex = dark ? pair.dark : pair.light;
      return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).concat(255);
    });
    BYTES.set(dark, made);
  }
  return made;
}

/** A picture knows no `light-dark()`: the theme is read from the ink, which is light in the dark. */
function isDark(element: Element): boolean {
  const [red = 0] = getComputedStyle(element).color.match(/\d+/g)?.map(Number) ?? [];
  return red > 127;
}
