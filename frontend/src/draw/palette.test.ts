import { describe, expect, it } from "vitest";
import { contrast } from "./colour";
import { DISTINCT_POSITIONS, PAGE, positionChip, positionColour, positionInk, positionPair } from "./palette";

const THEMES = ["light", "dark"] as const;
const SIZES = [1, 5, 12, 13, 23, 200];

function parts(css: string): [string, string] {
  const [, light, dark] = /^light-dark\((#\w{6}), (#\w{6})\)$/.exec(css) ?? [];
  return [light as string, dark as string];
}

describe.each(SIZES)("the colours of %i positions", (count) => {
  it.each(THEMES)("stand out from the page by 3:1 (%s)", (theme) => {
    for (let i = 0; i < count; i++) {
      expect(contrast(positionPair(i, count)[theme], PAGE[theme])).toBeGreaterThanOrEqual(3);
    }
  });

  it("carry a number that reads at 4.5:1", () => {
    for (let i = 0; i < count; i++) {
      const [colour, ink] = [parts(positionColour(i, count)), parts(positionInk(i, count))];
      expect(contrast(colour[0], ink[0])).toBeGreaterThanOrEqual(4.5);
      expect(contrast(colour[1], ink[1])).toBeGreaterThanOrEqual(4.5);
    }
  });

  it("are all different while there are at most 23", () => {
    const colours = new Set(Array.from({ length: count }, (_, i) => positionColour(i, count)));
    if (count <= 23) expect(colours.size).toBe(count);
    else expect(colours.size).toBeGreaterThan(100);
  });
});

it("a position keeps its colour while the sentence has at most twelve words", () => {
  expect(positionColour(3, 4)).toBe(positionColour(3, DISTINCT_POSITIONS));
});

it("refuses a position that is none", () => {
  expect(() => positionPair(-1, 3)).toThrow("position must be a whole number from 0, not -1.");
});

it("a chip shows number and word, and markup as text", () => {
  const chip = positionChip(2, "<img>", 5);
  expect(chip.textContent).toBe("2 <img>");
  expect(chip.style.getPropertyValue("--position")).toBe(positionColour(2, 5));
});
