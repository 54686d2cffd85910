import { describe, expect, it } from "vitest";
import { binAt, binOf, cellsOf, keyOf, overlap, Recent, SIDE, stepFor, tilesIn } from "./zoomtiles";

const SQUARE = { rows: 32749, columns: 32749 };

describe("the tiles that a part of a map needs", () => {
  it("are none while the overview is fine enough", () => {
    expect(stepFor(0.02, 128)).toBe(0);
    expect(stepFor(4 / 128, 128)).toBe(0);
    expect(stepFor(0.04, 128)).toBe(64);
  });

  it("are as fine as the screen shows, by powers of two, and single cells at the end", () => {
    const sizes = [0.05, 0.1, 0.3, 0.7, 1.4, 1.5, 20, 64];
    const steps = sizes.map((size) => stepFor(size, 128));
    expect(steps).toEqual([32, 16, 8, 4, 2, 1, 1, 1]);
    for (const [i, step] of steps.entries()) if (step > 1) expect(step * (sizes[i] ?? 0)).toBeLessThan(3);
  });

  it("cover it, begin at multiples of their side, and the one in the middle comes first", () => {
    const region = { rows: [1000, 2100], columns: [500, 900] } as {
      rows: [number, number];
      columns: [number, number];
    };
    const tiles = tilesIn(region, 2);
    expect(tiles).toHaveLength(8);
    for (const { row, column } of tiles) expect([row % (SIDE * 2), column % (SIDE * 2)]).toEqual([0, 0]);
    for (const row of [1000, 1500, 2099])
      for (const column of [500, 899])
        expect(
          tiles.filter((tile) => {
            const { rows, columns } = cellsOf(tile, SQUARE);
            return row >= rows[0] && row < rows[1] && column >= columns[0] && column < columns[1];
          }),
        ).toHaveLength(1);
    expect(tiles[0]).toEqual({ step: 2, row: 1536, column: 512 });
    expect(new Set(tiles.map(keyOf)).size).toBe(8);
  });

  it("end where the map ends", () => {
    expect(cellsOf({ step: 64, row: 16384, column: 32512 }, SQUARE)).toEqual({
      rows: [16384, 32749],
      columns: [32512, 32749],
    });
    expect(overlap({ rows: [0, 5], columns: [0, 5] }, { rows: [5, 9], columns: [0, 5] })).toBe(false);
    expect(overlap({ rows: [0, 6], columns: [0, 5] }, { rows: [5, 9], columns: [4, 5] })).toBe(true);
  });

  it("are few even on a large screen", () => {
    for (let size = 0.02; size < 64; size *= 1.17) {
      const step = stepFor(size, 128);
      if (step === 0) continue;
      const span = (pixels: number): [number, number] => [
        8191,
        Math.min(32749, 8191 + Math.ceil(pixels / size)),
      ];
      expect(tilesIn({ rows: span(1400), columns: span(2500) }, step).length).toBeLessThanOrEqual(60);
    }
  });
});

describe("the bins of an overview", () => {
  it("hold every cell once", () => {
    for (const [count, cells] of [
      [256, 1009],
      [256, 32749],
      [7, 7],
    ] as const)
      for (let cell = 0; cell < cells; cell += 13) {
        const [from, to] = binOf(binAt(cell, count, cells), count, cells);
        expect(cell).toBeGreaterThanOrEqual(from);
        expect(cell).toBeLessThan(to);
      }
  });
});

describe("what is kept", () => {
  it("is what was used last, and never more than there is room for", () => {
    const kept = new Recent<number>(3);
    for (const [i, key] of ["a", "b", "c"].entries()) kept.set(key, i);
    expect(kept.get("a")).toBe(0);
    kept.set("d", 3);
    expect([kept.has("a"), kept.has("b"), kept.size]).toEqual([true, false, 3]);
    kept.set("a", 9);
    expect(kept.values()).toEqual([2, 3, 9]);
    kept.clear();
    expect(kept.size).toBe(0);
  });
});
