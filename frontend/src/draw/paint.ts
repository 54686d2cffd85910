/**
 * What pictures (canvas) need of the visual language: they know no custom properties and no `light-dark()`, so the colours
 * are looked up for the theme in which the picture stands.
 */
import type { Pair } from "./colour";
import { positionPair } from "./palette";
import { RAMPS, STEPS } from "./values";

/** The colours of theme.css that pictures are drawn with. */
export const THEME = {
  light: {
    paper: "#ffffff",
    ink: "#1b1c1f",
    soft: "#5b5d64",
    line: "#e2e2dd",
    edge: "#868991",
    hatch: "#b9babd",
  },
  dark: {
    paper: "#16181d",
    ink: "#ececee",
    soft: "#a9adb7",
    line: "#31353d",
    edge: "#7a808c",
    hatch: "#585b62",
  },
} as const;

export type Theme = keyof typeof THEME;

/** The theme is read from the ink, which is light in the dark. */
export function themeOf(element: Element): Theme {
  const [red = 0] = getComputedStyle(element).color.match(/\d+/g)?.map(Number) ?? [];
  return red > 127 ? "dark" : "light";
}

const BYTES = new Map<Theme, number[][]>();

/** The scale of weights as bytes: red, green, blue, alpha for each step. */
export function weightBytes(theme: Theme): number[][] {
  let made = BYTES.get(theme);
  if (!made) {
    made = rampBytes(RAMPS.weights, theme);
    BYTES.set(theme, made);
  }
  return made;
}

/** The same of any scale, and after its last step the grey of what is no number. */
export function rampBytes(ramp: readonly Pair[], theme: Theme): number[][] {
  return [...ramp.map((pair) => pair[theme]), THEME[theme].edge].map((colour) =>
    [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)).concat(255),
  );
}

/** The step after the last one of a scale: no number has it. */
export const NO_NUMBER = STEPS + 1;

/** The step of the scale for `value`, where `largest` is the end of it; `NO_NUMBER` of NaN. */
export function weightStep(value: number, largest: number): number {
  if (Number.isNaN(value)) return NO_NUMBER;
  const share = largest > 0 ? value / largest : 0;
  return Number.isFinite(share) ? Math.max(0, Math.min(STEPS, Math.round(share * STEPS))) : 0;
}

/** A picture with one point for each number, to be enlarged without smoothing; null where there are no pictures. */
export function pointPicture(
  values: ArrayLike<number>,
  width: number,
  height: number,
  largest: number,
  theme: Theme,
): HTMLCanvasElement | null {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext?.("2d");
  if (!context || width === 0 || height === 0) return null;
  const image = context.createImageData(width, height);
  const colours = weightBytes(theme);
  for (let i = 0; i < width * height; i++)
    image.data.set(colours[weightStep(values[i] as number, largest)] as number[], i * 4);
  context.putImageData(image, 0, 0);
  return canvas;
}

/** The hatching of what is masked, as a fill. */
export function hatching(
  context: CanvasRenderingContext2D,
  theme: Theme,
  ratio: number,
): CanvasPattern | string {
  const size = Math.round(6 * ratio);
  const tile = document.createElement("canvas");
  tile.width = size;
  tile.height = size;
  const draw = tile.getContext("2d");
  if (!draw) return THEME[theme].hatch;
  draw.strokeStyle = THEME[theme].hatch;
  draw.lineWidth = ratio;
  for (const start of [-size, 0, size]) {
    draw.beginPath();
    draw.moveTo(start, size);
    draw.lineTo(start + size, 0);
    draw.stroke();
  }
  const pattern = context.createPattern(tile, "repeat");
  pattern?.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern ?? THEME[theme].hatch;
}

/** A position's colour, and the ink that reads on it. */
export function positionPaint(position: number, count: number, theme: Theme): { fill: string; ink: string } {
  const fill = positionPair(position, count)[theme];
  const bright = [1, 3, 5].map((at) => Number.parseInt(fill.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = bright.map((v) => v ** 2.2);
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  // Where black and white read equally well on it: (L + 0.05)² = 0.05 · 1.05.
  return { fill, ink: luminance > 0.179 ? "#000000" : "#ffffff" };
}

/** Calls back when the theme of the page or of the system changes, until `stop`. */
export function whenThemeChanges(element: Element, redraw: () => void, stop: AbortSignal): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw, { signal: stop });
  const observer = new MutationObserver(redraw);
  requestAnimationFrame(() => {
    const root = element.closest(".clearhead");
    if (root && !stop.aborted) observer.observe(root, { attributeFilter: ["data-theme"] });
  });
  stop.addEventListener("abort", () => observer.disconnect());
}

/** The letters of the place where a picture stands: its family, and its size in pixels. */
export interface Letters {
  family: string;
  size: number;
}

export function lettersOf(element: Element): Letters {
  const { fontFamily, fontSize } = getComputedStyle(element);
  return { family: fontFamily || "sans-serif", size: Number.parseFloat(fontSize) || 12 };
}

/** Calls back when letters have come that were not there when a picture was drawn. */
export function whenLettersCome(redraw: () => void): void {
  document.fonts?.addEventListener?.("loadingdone", redraw);
}

/** Makes `canvas` as large as `width` by `height` CSS pixels at the screen's own resolution, and clears it. */
export function sized(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): { context: CanvasRenderingContext2D; ratio: number } | null {
  const context = canvas.getContext?.("2d");
  if (!context || width <= 0 || height <= 0) return null;
  const ratio = Math.max(1, globalThis.devicePixelRatio || 1);
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.setProperty("inline-size", `${width}px`);
    canvas.style.setProperty("block-size", `${height}px`);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, ratio };
}
