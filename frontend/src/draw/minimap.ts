/** The whole map, small, with a frame around what is seen of it; the frame can be dragged. */
import { h } from "./dom";
import { sized, THEME, themeOf } from "./paint";
import type { Plot, Sight, Square } from "./zoomview";

/** Its longer side in pixels. */
const SIDE = 168;

/**
 * `values` (rows, columns) drawn together to at most `most` a side, by the largest or the mean, so that no line of a single
 * point is lost as it would be by leaving points out.
 */
export function smaller(
  values: ArrayLike<number>,
  rows: number,
  columns: number,
  most: number,
  pool: "mean" | "largest",
): { values: Float32Array; rows: number; columns: number } {
  const [high, wide] = [Math.min(rows, most), Math.min(columns, most)];
  const made = new Float32Array(high * wide);
  for (let i = 0; i < high; i++)
    for (let j = 0; j < wide; j++) {
      let [sum, count, largest] = [0, 0, -1];
      for (let r = Math.floor((i * rows) / high); r < Math.floor(((i + 1) * rows) / high); r++)
        for (let c = Math.floor((j * columns) / wide); c < Math.floor(((j + 1) * columns) / wide); c++) {
          const value = values[r * columns + c] as number;
          if (value > largest) largest = value;
          if (value >= 0) {
            sum += value;
            count += 1;
          }
        }
      made[i * wide + j] = pool === "largest" || count === 0 ? largest : sum / count;
    }
  return { values: made, rows: high, columns: wide };
}

export interface Minimap {
  element: HTMLElement;
  /** `picture` has a point for each value that is shown. */
  draw(picture: HTMLCanvasElement | null, square: Square, sight: Sight, plot: Plot): void;
}

/** `go` is called with the cell that is to be in the middle. */
export function createMinimap(go: (row: number, column: number) => void): Minimap {
  const canvas = h("canvas", { "aria-hidden": "true" });
  let shown: { square: Square; scale: number } | null = null;
  const drag = (event: PointerEvent) => {
    if (!shown || event.buttons !== 1) return;
    const box = canvas.getBoundingClientRect();
    const { square, scale } = shown;
    const inside = (at: number, count: number) => Math.max(0, Math.min(count - 1, Math.floor(at / scale)));
    go(inside(event.clientY - box.top, square.rows), inside(event.clientX - box.left, square.columns));
  };
  const element = h(
    "div",
    {
      class: "zoom-minimap",
      title: "the whole map; drag the frame",
      onpointerdown: (event) => {
        element.setPointerCapture?.(event.pointerId);
        drag(event);
      },
      onpointermove: drag,
    },
    canvas,
  );
  return {
    element,
    draw(picture, square, sight, plot) {
      const scale = SIDE / Math.max(1, square.rows, square.columns);
      shown = { square, scale };
      const [width, height] = [Math.max(1, square.columns * scale), Math.max(1, square.rows * scale)];
      const made = sized(canvas, Math.round(width), Math.round(height));
      if (!made) return;
      const { context } = made;
      const { ink, paper } = THEME[themeOf(canvas)];
      context.fillStyle = paper;
      context.fillRect(0, 0, width, height);
      context.imageSmoothingEnabled = false;
      if (picture) context.drawImage(picture, 0, 0, width, height);
      const side = (start: number, room: number, most: number) => {
        const from = start * scale;
        const long = Math.max(6, Math.min(most - from, (room / sight.size) * scale));
        return [Math.max(1, Math.min(most - long - 1, from)), long - 1] as const;
      };
      const [x, wide] = side(sight.column, plot.width, width);
      const [y, high] = side(sight.row, plot.height, height);
      for (const [colour, line] of [[paper, 4] as const, [ink, 1.5] as const]) {
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.strokeRect(x, y, wide, high);
      }
    },
  };
}
