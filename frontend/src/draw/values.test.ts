import { describe, expect, it } from "vitest";
import { contrast, type Pair } from "./colour";
import { INK, PAGE } from "./palette";
import css from "./theme.css";
import { extent, RAMPS, STEPS, valueColour } from "./values";

const THEMES = ["light", "dark"] as const;

describe.each(Object.entries(RAMPS))("the ramp %s", (_name, ramp: readonly Pair[]) => {
  it("starts at the page's colour", () => {
    expect(ramp[0]).toEqual(PAGE);
    expect(ramp.length).toBe(STEPS + 1);
  });

  it.each(THEMES)("keeps the ink readable on every step (%s)", (theme) => {
    for (const step of ramp) {
      expect(contrast(INK[theme], step[theme])).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(THEMES)("moves away from the page with every step (%s)", (theme) => {
    const distances = ramp.map((step) => contrast(PAGE[theme], step[theme]));
    for (let i = 1; i < distances.length; i++) {
      expect(distances[i]).toBeGreaterThan(distances[i - 1] as number);
    }
  });
});

it.each([0, 1])(
  "the theme's colours are those that are tested here, and its hatching is as readable (%i)",
  (theme) => {
    const pairOf = (name: string) =>
      new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css)?.slice(1) ?? [];
    const name = THEMES[theme] as "light" | "dark";
    expect([pairOf("paper")[theme], pairOf("ink")[theme]]).toEqual([PAGE[name], INK[name]]);
    expect(contrast(INK[name], pairOf("hatch")[theme] as string)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(pairOf("ink-soft")[theme] as string, PAGE[name])).toBeGreaterThanOrEqual(4.5);
    expect(
      contrast(pairOf("ink-soft")[theme] as string, pairOf("wash")[theme] as string),
    ).toBeGreaterThanOrEqual(4.5);
    expect(contrast(pairOf("edge")[theme] as string, PAGE[name])).toBeGreaterThanOrEqual(3);
  },
);

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
