/** What a key does in the deep zoom. */
import type { MapPlace } from "./mapmodel";
import { around, type Plot, revealing, type Sight, type Square, whole, zoomed } from "./zoomview";

/** A step of an arrow key is at least so many pixels, and one cell where cells are larger. */
const STEP = 8;
/** The size of cells that End leads to: their numbers have room. */
export const READABLE = 48;

export interface ZoomKeyed {
  sight: Sight;
  cursor: MapPlace;
}

/** Where the key leads, or null where it means nothing here. Arrows move the cursor, and what is seen follows it. */
export function keyed(
  event: Pick<KeyboardEvent, "key" | "altKey" | "metaKey" | "ctrlKey" | "shiftKey">,
  sight: Sight,
  cursor: MapPlace,
  square: Square,
  plot: Plot,
): ZoomKeyed | null {
  if (event.altKey || event.metaKey || event.ctrlKey) return null;
  const x = (cursor.column + 0.5 - sight.column) * sight.size;
  const y = (cursor.row + 0.5 - sight.row) * sight.size;
  const nearer = (factor: number) => ({ sight: zoomed(sight, factor, x, y, square, plot), cursor });
  switch (event.key) {
    case "+":
    case "=":
      return nearer(2);
    case "-":
    case "_":
    case "−":
      return nearer(0.5);
    case "Home":
      return { sight: whole(square, plot), cursor };
    case "End":
      return { sight: around(cursor, READABLE, square, plot), cursor };
  }
  const to = stepped(event.key, event.shiftKey, cursor, sight, plot);
  if (to === null) return null;
  const inside = (at: number, count: number) => Math.max(0, Math.min(count - 1, at));
  const next = { row: inside(to.row, square.rows), column: inside(to.column, square.columns) };
  return { sight: revealing(sight, next, square, plot), cursor: next };
}

function stepped(
  key: string,
  far: boolean,
  { row, column }: MapPlace,
  { size }: Sight,
  plot: Plot,
): MapPlace | null {
  const cells = Math.max(1, Math.round(STEP / size)) * (far ? 10 : 1);
  const page = Math.max(1, Math.floor((plot.height * 0.8) / size));
  switch (key) {
    case "ArrowUp":
      return { row: row - cells, column };
    case "ArrowDown":
      return { row: row + cells, column };
    case "ArrowLeft":
      return { row, column: column - cells };
    case "ArrowRight":
      return { row, column: column + cells };
    case "PageUp":
      return { row: row - page, column };
    case "PageDown":
      return { row: row + page, column };
    default:
      return null;
  }
}
