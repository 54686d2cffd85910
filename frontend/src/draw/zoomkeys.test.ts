import { describe, expect, it } from "vitest";
import { keyed, READABLE } from "./zoomkeys";
import { isWhole, seen, whole } from "./zoomview";

const SQUARE = { rows: 4099, columns: 4099 };
const PLOT = { width: 601, height: 503 };
const START = whole(SQUARE, PLOT);
const CURSOR = { row: 1201, column: 307 };

function press(key: string, sight = START, cursor = CURSOR, more = {}) {
  const event = { key, altKey: false, metaKey: false, ctrlKey: false, shiftKey: false, ...more };
  return keyed(event, sight, cursor, SQUARE, PLOT);
}

describe("the keys of the deep zoom", () => {
  it("move by a cell where cells are large, and by what can be seen where they are small", () => {
    const near = press("End")!;
    expect(near.sight.size).toBe(READABLE);
    expect(press("ArrowLeft", near.sight)!.cursor).toEqual({ row: 1201, column: 306 });
    expect(press("ArrowDown", near.sight, CURSOR, { shiftKey: true })!.cursor.row).toBe(1211);
    const far = press("ArrowRight")!.cursor.column - CURSOR.column;
    expect(far * START.size).toBeGreaterThan(6);
    expect(far * START.size).toBeLessThan(10);
  });

  it("take what is seen with the cursor", () => {
    let now = press("End")!;
    for (let i = 0; i < 30; i++) now = press("ArrowDown", now.sight, now.cursor)!;
    const { rows } = seen(now.sight, SQUARE, PLOT);
    expect(now.cursor.row).toBe(1231);
    expect(now.cursor.row).toBeGreaterThanOrEqual(rows[0]);
    expect(now.cursor.row).toBeLessThan(rows[1]);
  });

  it("zoom around the cursor, and back to the whole", () => {
    const near = press("+")!;
    expect(near.sight.size).toBeCloseTo(START.size * 2);
    expect(near.cursor).toEqual(CURSOR);
    expect(press("-", near.sight)!.sight.size).toBeCloseTo(START.size);
    expect(isWhole(press("Home", near.sight)!.sight, SQUARE, PLOT)).toBe(true);
  });

  it("stay in the square", () => {
    expect(press("PageUp", START, { row: 3, column: 0 })!.cursor.row).toBe(0);
    expect(press("ArrowLeft", START, { row: 3, column: 0 })!.cursor.column).toBe(0);
    expect(press("PageDown", START, { row: 4090, column: 0 })!.cursor.row).toBe(4098);
  });

  it("leave to the browser what is the browser's", () => {
    for (const more of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }])
      expect(press("+", START, CURSOR, more)).toBeNull();
    for (const key of ["Tab", "a", "F5"]) expect(press(key)).toBeNull();
  });
});
