import { describe, expect, it } from "vitest";
import { contrast, fromHex, type Pair, toHex } from "./colour";
import { INK, PAGE } from "./palette";
import { extent, RAMPS, STEPS, valueColour } from "./values";

const THEMES = ["light", "dark"] as const;

/** The hatching of masked cells in theme.css: ink over the background, with this opacity. */
const HATCH = { light: 0.3, dark: 0.16 };

function mixed(over: string, under: string, opacity: number): string {
  const [a, b] = [fromHex(over), fromHex(under)];
  return toHex([0, 1, 2].map((i) => (a[i] as number) * opacity + (b[i] as number) * (1 - opacity)) as never);
}

describe.each(Object.entries(RAMPS))("the ramp %s", (_name, ramp: readonly Pair[]) => {
  it("starts at the page's colour", () => {
    expect(ramp[0]).toEqual(PAGE);
    expect(ramp.length).toBe(STEPS + 1);
  });

  it.each(THEMES)("keeps the ink readable on every step, hatched or not (%s)", (theme) => {
    for (const step of ramp) {
      expect(contrast(INK[theme], step[theme])).toBeGreaterThanOrEqual(4.5);
      expect(contrast(INK[theme], mixed(INK[theme], step[theme], HATCH[theme]))).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(THEMES)("moves away from the page with every step (%s)", (theme) => {
    const distances = ramp.map((step) => contrast(PAGE[theme], step[theme]));
    for (let i = 1; i < distances.length; i++) {
      expect(distances[i]).toBeGreaterThan(distances[i - 1] as number);
    }
  });
});

describe("valueColour", () => {
  it("is symmetrical: the same magnitude is as far along either side", () => {
    const css = (pair: Pair) => `light-dark(${pair.light}, ${pair.dark})`;
    expect(valueColour(3, "signed", 6)).toBe(css(RAMPS.above[STEPS / 2] as Pair));
    expect(valueColour(-3, "signed", 6)).toBe(css(RAMPS.below[STEPS / 2] as Pair));
    expect(valueColour(1, "weights", 6)).toBe(css(RAMPS.weights[STEPS] as Pair));
  });

  it.each([0, -0, Number.NaN, -Infinity, Infinity])("leaves %s on the page's own colour", (value) => {
    expect(valueColour(value, "signed", 1)).toBe(`light-dark(${PAGE.light}, ${PAGE.dark})`);
  });

  it("colours a matrix of zeros without dividing by zero", () => {
    expect(valueColour(0, "signed", extent([0, 0]))).toBe(`light-dark(${PAGE.light}, ${PAGE.dark})`);
  });
});

it("extent passes over what is not finite", () => {
  expect(extent([-7, 3, -Infinity, Number.NaN])).toBe(7);
});
