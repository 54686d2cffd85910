import { describe, expect, it } from "vitest";
import { type Dot, overlap, place } from "./labelling";

const AREA = { width: 600, height: 450 };
const dot = (word: string, x: number, y: number): Dot => ({ word, x, y, width: 40, height: 17 });

function overlaps(dots: Dot[]): number {
  const boxes = place(dots, AREA, new Map()).map(({ box }) => box);
  return boxes.flatMap((a, i) => boxes.slice(i + 1).map((b) => overlap(a, b))).filter((area) => area > 0)
    .length;
}

describe("words beside their dots", () => {
  it("do not lie over each other where there is room", () => {
    expect(overlaps([dot("a", 100, 100), dot("b", 100, 104), dot("c", 103, 98), dot("d", 300, 300)])).toBe(0);
  });

  it("stay inside the plot", () => {
    const [only] = place([dot("edge", 598, 2)], AREA, new Map());
    expect(only!.box.x + only!.box.width).toBeLessThanOrEqual(AREA.width);
    expect(only!.box.y).toBeGreaterThanOrEqual(0);
  });

  it("keep their side while it is free", () => {
    const [first] = place([dot("a", 300, 200)], AREA, new Map([["a", 3]]));
    expect(first?.side).toBe(3);
    const [again] = place([dot("a", 300, 447)], AREA, new Map([["a", 3]]));
    expect(again?.side).not.toBe(3);
  });

  it("are all placed, even where there is no room", () => {
    const crowd = Array.from({ length: 30 }, (_, i) => dot(`w${i}`, 300, 200));
    expect(place(crowd, AREA, new Map()).map(({ word }) => word)).toEqual(crowd.map(({ word }) => word));
  });
});
