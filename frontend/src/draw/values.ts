/**
 * Value as colour, for the background of a cell.
 *
 * Signed numbers take a diverging scale (blue below zero, orange above), symmetrical around zero and scaled to the
 * largest magnitude of the matrix. Weights take a sequential scale of one hue from 0 to 1. Both start at the page's own
 * colour, and neither goes so far that the ink on it falls below 4.5:1: `values.test.ts` computes every step.
 */
import { lightDark, oklch, type Pair, toHex } from "./colour";
import { PAGE } from "./palette";

/** Steps from zero to the end of a scale. Finer than the eye, and few enough to be made once. */
export const STEPS = 32;

interface Hue {
  hue: number;
  light: { lightness: number; chroma: number };
  dark: { lightness: number; chroma: number };
}

const ABOVE: Hue = {
  hue: 58,
  light: { lightness: 0.79, chroma: 0.125 },
  dark: { lightness: 0.48, chroma: 0.115 },
};
const BELOW: Hue = {
  hue: 250,
  light: { lightness: 0.77, chroma: 0.105 },
  dark: { lightness: 0.475, chroma: 0.13 },
};
const WEIGHT: Hue = {
  hue: 178,
  light: { lightness: 0.76, chroma: 0.095 },
  dark: { lightness: 0.47, chroma: 0.09 },
};

function ramp(hue: Hue): Pair[] {
  const pageLightness = { light: 1, dark: 0.211 }; // OKLab lightness of PAGE
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    if (step === 0) return PAGE;
    const t = step / STEPS;
    const at = (theme: "light" | "dark") => {
      const end = hue[theme];
      const lightness = pageLightness[theme] + (end.lightness - pageLightness[theme]) * t;
      return toHex(oklch(lightness, end.chroma * t, hue.hue));
    };
    return { light: at("light"), dark: at("dark") };
  });
}

/** For pictures on which nothing is written: from the page's colour to one that stands out from it as ink does. */
export const STRONG = ramp({
  hue: 178,
  light: { lightness: 0.4, chroma: 0.08 },
  dark: { lightness: 0.9, chroma: 0.12 },
});

export const RAMPS = { above: ramp(ABOVE), below: ramp(BELOW), weights: ramp(WEIGHT) } as const;

const CSS = {
  above: RAMPS.above.map(lightDark),
  below: RAMPS.below.map(lightDark),
  weights: RAMPS.weights.map(lightDark),
  strong: STRONG.map(lightDark),
} as const;

export type Scale = "signed" | "weights" | "strong";

/** The largest finite magnitude: what the ends of the signed scale stand for. */
export function extent(values: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i] as number);
    if (size > largest && size !== Infinity) largest = size;
  }
  return largest;
}

/** The CSS colour behind `value`; `largest` is the matrix's `extent` (read for signed values only). */
export function valueColour(value: number, scale: Scale, largest: number): string {
  // A masked −∞ has no place on the scale: it stands on the page's own colour, under its hatching.
  if (!Number.isFinite(value)) return CSS.above[0] as string;
  const t = scale !== "signed" ? value : largest > 0 ? value / largest : 0;
  const step = Math.min(STEPS, Math.round(Math.abs(t) * STEPS));
  if (scale !== "signed" && value >= 0) return CSS[scale][step] as string;
  return (value < 0 ? CSS.below : CSS.above)[step] as string;
}
