import { expect, it } from "vitest";
import { contrast } from "./colour";
import { NO_NUMBER, positionPaint, THEME, weightBytes, weightStep } from "./paint";
import css from "./theme.css";
import { STEPS } from "./values";

it.each([
  ["paper", "paper"],
  ["ink", "ink"],
  ["soft", "ink-soft"],
  ["line", "line"],
  ["edge", "edge"],
  ["hatch", "hatch"],
] as const)("draws pictures with the theme's own %s", (name, property) => {
  expect(css).toContain(`--${property}: light-dark(${THEME.light[name]}, ${THEME.dark[name]})`);
});

it("puts weights on the scale from nothing to its end, and what is no number on none of its steps", () => {
  expect([0, 0.5, 1, 2, -1, Number.NaN].map((value) => weightStep(value, 1))).toEqual([
    0,
    STEPS / 2,
    STEPS,
    STEPS,
    0,
    NO_NUMBER,
  ]);
  expect(weightStep(3, 0)).toBe(0);
  expect(weightBytes("light")[0]).toEqual([255, 255, 255, 255]);
  for (const theme of ["light", "dark"] as const) {
    const colours = weightBytes(theme).map(String);
    expect(colours).toHaveLength(NO_NUMBER + 1);
    expect(colours.indexOf(colours[NO_NUMBER] as string)).toBe(NO_NUMBER);
  }
});

it("writes a position's number in the ink that reads on its colour", () => {
  for (const theme of ["light", "dark"] as const)
    for (const [position, count] of [
      [0, 5],
      [4, 12],
      [200, 512],
      [511, 512],
    ] as const) {
      const { fill, ink } = positionPaint(position, count, theme);
      expect(contrast(fill, ink)).toBeGreaterThanOrEqual(4.5);
    }
});
