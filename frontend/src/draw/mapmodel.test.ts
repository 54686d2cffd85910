import { describe, expect, it } from "vitest";
import { cellSize, labelRule, labelText, stride, writtenLabels } from "./mapmodel";

describe("the labels of a map", () => {
  it("are all written where there is room", () => {
    expect(stride(15)).toBe(1);
    expect(writtenLabels(0, 5, 1, new Set())).toEqual([0, 1, 2, 3, 4]);
    expect(labelRule(15, [{ name: "key", count: 5 }])).toBe("");
  });

  it("are thinned by a rule that is said, and never silently", () => {
    expect(stride(5)).toBe(3);
    expect(writtenLabels(0, 10, 3, new Set())).toEqual([0, 3, 6, 9]);
    expect(labelRule(5, [{ name: "key", count: 10 }])).toContain("every 3rd place");
    expect(labelRule(15 / 11, [{ name: "key", count: 512 }])).toContain("every 11th place");
    expect(labelRule(15 / 22, [{ name: "key", count: 512 }])).toContain("every 22nd place");
  });

  it("give way to the ones that matter, of which the first keeps its room", () => {
    expect(writtenLabels(0, 10, 3, new Set([4]))).toEqual([0, 4, 9]);
    expect(writtenLabels(0, 10, 3, new Set([7, 8]))).toEqual([0, 3, 7]);
    expect(writtenLabels(5, 10, 3, new Set([2]))).toEqual([6, 9]);
  });

  it("name what a place is, and what cannot be seen of it", () => {
    expect(labelText({ text: " the", position: 3 })).toBe("3 ␣the");
    expect(labelText({ text: " ", position: 3, note: "special" }, true)).toBe("3 a space (special)");
    expect(labelText({ text: "layer 7" })).toBe("layer 7");
  });

  it("are cut where no map has room for more, between letters", () => {
    expect(labelText({ text: "🐕".repeat(10_000), position: 3 })).toBe(`3 ${"🐕".repeat(100)}…`);
    expect(labelText({ text: " ".repeat(10_000), position: 3 }, true)).toBe("3 10000 spaces");
  });
});

it("makes cells as large as fits, within bounds", () => {
  expect(cellSize(10, 200)).toBe(20);
  expect(cellSize(3, 500)).toBe(30);
  expect(cellSize(512, 300)).toBe(3);
  expect(cellSize(3, 500, 16)).toBe(16);
});
