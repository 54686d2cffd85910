/** Which pieces of a map are needed to see a part of it, and which of them are kept. */
import type { Region, Square } from "./zoomview";

/** The side of a tile, in values. */
export const SIDE = 256;

/** So many tiles are kept: half a megabyte each, with their pictures. */
export const MOST_TILES = 96;

/** A finer tile is asked for where a value of what is there would be larger than this, in pixels. */
const COARSE = 4;
/** The least side in pixels of one value of a tile that holds several cells. */
const FINE = 1.5;

/** A tile begins at `row` and `column`, multiples of SIDE · step; each of its values stands for step · step cells. */
export interface TilePlace {
  step: number;
  row: number;
  column: number;
}

export function keyOf({ step, row, column }: TilePlace): string {
  return `${step}/${row}/${column}`;
}

/**
 * How many cells one value of the tiles spans that a cell of `size` pixels needs: a power of two, or 0 where the overview,
 * whose values span `bin` cells, is fine enough.
 */
export function stepFor(size: number, bin: number): number {
  if (bin * size <= COARSE) return 0;
  const step = size >= FINE ? 1 : 2 ** Math.ceil(Math.log2(FINE / size));
  return step <= bin ? step : 0;
}

/** The tiles that cover `region`, those in the middle of it first. */
export function tilesIn({ rows, columns }: Region, step: number): TilePlace[] {
  const side = SIDE * step;
  const found: TilePlace[] = [];
  for (let row = Math.floor(rows[0] / side) * side; row < rows[1]; row += side)
    for (let column = Math.floor(columns[0] / side) * side; column < columns[1]; column += side)
      found.push({ step, row, column });
  const far = ({ row, column }: TilePlace) =>
    Math.hypot(row + side / 2 - (rows[0] + rows[1]) / 2, column + side / 2 - (columns[0] + columns[1]) / 2);
  return found.sort((a, b) => far(a) - far(b));
}

/** The cells of a tile, as far as the square goes. */
export function cellsOf({ step, row, column }: TilePlace, square: Square): Region {
  const end = (start: number, count: number) => Math.min(count, start + SIDE * step);
  return { rows: [row, end(row, square.rows)], columns: [column, end(column, square.columns)] };
}

export function overlap(a: Region, b: Region): boolean {
  return (
    a.rows[0] < b.rows[1] &&
    b.rows[0] < a.rows[1] &&
    a.columns[0] < b.columns[1] &&
    b.columns[0] < a.columns[1]
  );
}

/** Keeps the last `most` things that were used. */
export class Recent<T> {
  private readonly kept = new Map<string, T>();

  constructor(private readonly most: number) {}

  get size(): number {
    return this.kept.size;
  }

  has(key: string): boolean {
    return this.kept.has(key);
  }

  get(key: string): T | undefined {
    const found = this.kept.get(key);
    if (found === undefined) return undefined;
    this.kept.delete(key);
    this.kept.set(key, found);
    return found;
  }

  set(key: string, value: T): void {
    this.kept.delete(key);
    this.kept.set(key, value);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.most) break;
      this.kept.delete(oldest);
    }
  }

  values(): T[] {
    return [...this.kept.values()];
  }

  clear(): void {
    this.kept.clear();
  }
}

/** Of a map that is drawn together: which cells row or column `at` of `count` stands for, out of `cells`. */
export function binOf(at: number, count: number, cells: number): [number, number] {
  return [Math.floor((at * cells) / count), Math.floor(((at + 1) * cells) / count)];
}

/** The row or column of `count` that holds cell `at` of `cells`. */
export function binAt(at: number, count: number, cells: number): number {
  const guess = Math.min(count - 1, Math.floor((at * count) / cells));
  return guess + 1 < count && binOf(guess, count, cells)[1] <= at ? guess + 1 : guess;
}
