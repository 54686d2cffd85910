/** What part of a square of cells is seen, and how large: the geometry of the deep zoom, without a picture. */
import type { MapPlace } from "./mapmodel";

/** A whole map in cells. */
export interface Square {
  rows: number;
  columns: number;
}

/** The room that cells are drawn in, in CSS pixels. */
export interface Plot {
  width: number;
  height: number;
}

/** The cell at the top left of the plot, with fractions, and the side of a cell in pixels. */
export interface Sight {
  row: number;
  column: number;
  size: number;
}

/** Cells from the first to before the last. */
export interface Region {
  rows: [number, number];
  columns: [number, number];
}

/** The largest side of a cell: its number has room in it. */
export const LARGEST_CELL = 64;

/** The side of a cell where all of the square is seen. */
export function leastSize({ rows, columns }: Square, { width, height }: Plot): number {
  const fits = Math.min(width / Math.max(1, columns), height / Math.max(1, rows));
  return Math.max(1e-6, Math.min(LARGEST_CELL, fits));
}

export function whole(square: Square, plot: Plot): Sight {
  return { row: 0, column: 0, size: leastSize(square, plot) };
}

export function isWhole({ size }: Sight, square: Square, plot: Plot): boolean {
  return size <= leastSize(square, plot) * 1.001;
}

/** The same with a size that there is, and no emptiness beyond the last cell while there are cells before the first. */
export function kept(sight: Sight, square: Square, plot: Plot): Sight {
  const size = Math.max(leastSize(square, plot), Math.min(LARGEST_CELL, sight.size));
  const inside = (at: number, count: number, room: number) =>
    Math.max(0, Math.min(count - room / size, Number.isFinite(at) ? at : 0));
  return {
    row: inside(sight.row, square.rows, plot.height),
    column: inside(sight.column, square.columns, plot.width),
    size,
  };
}

/** Larger by `factor`, with what is at `x`, `y` of the plot staying there. */
export function zoomed(
  sight: Sight,
  factor: number,
  x: number,
  y: number,
  square: Square,
  plot: Plot,
): Sight {
  const size = Math.max(leastSize(square, plot), Math.min(LARGEST_CELL, sight.size * factor));
  const moved = 1 / sight.size - 1 / size;
  return kept({ row: sight.row + y * moved, column: sight.column + x * moved, size }, square, plot);
}

/** Moved with the pointer, by pixels. */
export function panned(sight: Sight, dx: number, dy: number, square: Square, plot: Plot): Sight {
  const { row, column, size } = sight;
  return kept({ row: row - dy / size, column: column - dx / size, size }, square, plot);
}

/** The cell in the middle of what is seen. */
export function middle(sight: Sight, square: Square, plot: Plot): MapPlace {
  const inside = (at: number, count: number) => Math.max(0, Math.min(count - 1, Math.floor(at)));
  const half = (start: number, count: number, room: number) =>
    inside(start + Math.min(count, room / sight.size) / 2, count);
  return {
    row: half(sight.row, square.rows, plot.height),
    column: half(sight.column, square.columns, plot.width),
  };
}

/** The sight with this cell in its middle, as far as the square goes. */
export function around(place: MapPlace, size: number, square: Square, plot: Plot): Sight {
  const real = Math.max(leastSize(square, plot), Math.min(LARGEST_CELL, size));
  const start = (at: number, room: number) => at + 0.5 - room / real / 2;
  return kept(
    { row: start(place.row, plot.height), column: start(place.column, plot.width), size: real },
    square,
    plot,
  );
}

/** The cell at a point of the plot, or null outside the square. */
export function placeAt({ row, column, size }: Sight, x: number, y: number, square: Square): MapPlace | null {
  const place = { row: Math.floor(row + y / size), column: Math.floor(column + x / size) };
  const inside =
    x >= 0 &&
    y >= 0 &&
    place.row >= 0 &&
    place.column >= 0 &&
    place.row < square.rows &&
    place.column < square.columns;
  return inside ? place : null;
}

/** All cells of which something is seen. */
export function seen({ row, column, size }: Sight, square: Square, plot: Plot): Region {
  const range = (start: number, room: number, count: number): [number, number] => [
    Math.max(0, Math.min(count, Math.floor(start))),
    Math.max(0, Math.min(count, Math.ceil(start + room / size))),
  ];
  return {
    rows: range(row, plot.height, square.rows),
    columns: range(column, plot.width, square.columns),
  };
}

/** Moved as little as it takes for a cell to be seen, with a margin around it. */
export function revealing(sight: Sight, place: MapPlace, square: Square, plot: Plot): Sight {
  const { size } = sight;
  const within = (start: number, at: number, room: number) => {
    const margin = Math.min(Math.max(size, 24), room / 3) / size;
    const span = room / size;
    return Math.max(at + 1 + margin - span, Math.min(start, at - margin));
  };
  return kept(
    {
      row: within(sight.row, place.row, plot.height),
      column: within(sight.column, place.column, plot.width),
      size,
    },
    square,
    plot,
  );
}
