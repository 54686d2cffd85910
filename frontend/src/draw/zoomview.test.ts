import { describe, expect, it } from "vitest";
import {
  around,
  isWhole,
  kept,
  LARGEST_CELL,
  middle,
  panned,
  placeAt,
  revealing,
  type Sight,
  seen,
  whole,
  zoomed,
} from "./zoomview";

const SQUARE = { rows: 8191, columns: 8191 };
const PLOT = { width: 701, height: 503 };

/** Where a cell's corner is in the plot. */
const at = ({ row, column, size }: Sight, cell: { row: number; column: number }) => ({
  x: (cell.column - column) * size,
  y: (cell.row - row) * size,
});

describe("what is seen of a square", () => {
  it("is at first the whole, as large as fits both ways", () => {
    const sight = whole(SQUARE, PLOT);
    expect(sight.size).toBeCloseTo(503 / 8191, 12);
    expect(seen(sight, SQUARE, PLOT)).toEqual({ rows: [0, 8191], columns: [0, 8191] });
    expect(isWhole(sight, SQUARE, PLOT)).toBe(true);
    expect(isWhole(zoomed(sight, 1.1, 0, 0, SQUARE, PLOT), SQUARE, PLOT)).toBe(false);
  });

  it("keeps what is under the pointer while it zooms in and out", () => {
    const start = around({ row: 4000, column: 3000 }, 2, SQUARE, PLOT);
    const cell = placeAt(start, 200, 300, SQUARE)!;
    let sight = start;
    for (const factor of [1.3, 2, 3, 0.5, 1.7]) {
      sight = zoomed(sight, factor, 200, 300, SQUARE, PLOT);
      expect(placeAt(sight, 200, 300, SQUARE)).toEqual(cell);
    }
  });

  it("zooms neither nearer than a cell with room for its number, nor further than the whole", () => {
    const sight = whole(SQUARE, PLOT);
    expect(zoomed(sight, 1e9, 5, 5, SQUARE, PLOT).size).toBe(LARGEST_CELL);
    expect(zoomed({ ...sight, size: 40, row: 5000, column: 5000 }, 1e-9, 5, 5, SQUARE, PLOT)).toEqual(sight);
  });

  it("follows the pointer when it is dragged, and stops at the edges", () => {
    const sight = around({ row: 4000, column: 3000 }, 2, SQUARE, PLOT);
    const moved = panned(sight, 30, -50, SQUARE, PLOT);
    expect(at(moved, { row: 4000, column: 3000 }).x - at(sight, { row: 4000, column: 3000 }).x).toBeCloseTo(
      30,
    );
    expect(at(moved, { row: 4000, column: 3000 }).y - at(sight, { row: 4000, column: 3000 }).y).toBeCloseTo(
      -50,
    );
    expect(panned(sight, 1e6, 1e6, SQUARE, PLOT)).toEqual({ row: 0, column: 0, size: 2 });
    const end = panned(sight, -1e6, -1e6, SQUARE, PLOT);
    expect(seen(end, SQUARE, PLOT).rows[1]).toBe(8191);
    expect(end.row + PLOT.height / 2).toBeCloseTo(8191);
  });

  it("gives back the cell in its middle, which an address holds", () => {
    const place = { row: 4097, column: 2903 };
    for (const size of [0.5, 7, 48])
      expect(middle(around(place, size, SQUARE, PLOT), SQUARE, PLOT)).toEqual(place);
  });

  it("moves as little as it takes to show a cell, and not at all where it is seen", () => {
    const sight = around({ row: 4000, column: 3000 }, 20, SQUARE, PLOT);
    expect(revealing(sight, { row: 4001, column: 3001 }, SQUARE, PLOT)).toEqual(sight);
    const moved = revealing(sight, { row: 4100, column: 3000 }, SQUARE, PLOT);
    expect(moved.column).toBe(sight.column);
    const { rows } = seen(moved, SQUARE, PLOT);
    expect(rows[1]).toBeGreaterThan(4100);
    expect(rows[1]).toBeLessThan(4104);
  });

  it("is no cell outside of the square", () => {
    const sight = whole(SQUARE, PLOT);
    expect(placeAt(sight, 600, 5, SQUARE)).toBeNull();
    expect(placeAt(sight, -1, 5, SQUARE)).toBeNull();
    expect(placeAt(sight, 0, 0, SQUARE)).toEqual({ row: 0, column: 0 });
  });

  it("stands at the top left where there is less than fits, and takes no nonsense from an address", () => {
    expect(whole({ rows: 3, columns: 5 }, PLOT)).toEqual({ row: 0, column: 0, size: LARGEST_CELL });
    expect(kept({ row: Number.NaN, column: 1e12, size: 1 }, SQUARE, PLOT).row).toBe(0);
  });
});
