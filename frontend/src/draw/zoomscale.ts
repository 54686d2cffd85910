/** From a weight to a colour, linear or logarithmic, and the legend that says which. */
import type { Pair } from "./colour";
import { h } from "./dom";
import { formatNumber } from "./numbers";
import { NO_NUMBER, rampBytes, type Theme } from "./paint";
import { RAMPS, type Scale, STEPS, valueColour } from "./values";

export interface ZoomScale {
  kind: "linear" | "log";
  /** A logarithmic scale begins here: what is smaller, but more than 0, has the weakest colour. */
  least: number;
  /** Where it ends: what is larger has the strongest colour. */
  most: number;
}

/** No logarithmic scale begins below this. */
const LEAST = 2 ** -24;

/** The scale for a map: a logarithmic one from the power of two under the least weight in `values`, up to 1. */
export function scaleFor(kind: "linear" | "log", values: ArrayLike<number>, most: number): ZoomScale {
  if (kind === "linear") return { kind, least: 0, most: most > 0 ? most : 1 };
  let least = 0.5;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value > 0 && value < least) least = value;
  }
  return { kind, least: Math.max(LEAST, 2 ** Math.floor(Math.log2(least))), most: 1 };
}

/** The step of the colours for `value`, from 0 to STEPS, or NO_NUMBER. Only a weight of 0 has the colour of the page. */
export function shade(value: number, { kind, least, most }: ZoomScale): number {
  if (Number.isNaN(value)) return NO_NUMBER;
  if (!(value > 0)) return 0;
  const share = kind === "linear" ? value / most : 1 - Math.log2(value / most) / Math.log2(least / most);
  const lowest = kind === "linear" ? 0 : 1;
  return Math.max(lowest, Math.min(STEPS, Math.round(share * STEPS)));
}

/** One number for each colour, as a picture holds them in memory. */
export function colourWords(theme: Theme, ramp: readonly Pair[] = RAMPS.weights): Uint32Array {
  const bytes = new Uint8Array(rampBytes(ramp, theme).flat());
  return new Uint32Array(bytes.buffer);
}

/**
 * The colours of `values` from one place to before another, into the picture's words. What is hidden (−1) stays
 * transparent; what is no number has a grey of its own.
 */
export function colourInto(
  words: Uint32Array,
  values: ArrayLike<number>,
  scale: ZoomScale,
  colours: Uint32Array,
  from = 0,
  to = values.length,
): void {
  const last = colours.length - 2; // what comes after it is for no number
  const log = scale.kind === "log";
  const factor = log ? -last / Math.log2(scale.least / scale.most) : last / scale.most;
  const lowest = log ? 1 : 0;
  for (let i = from; i < to; i++) {
    const value = values[i] as number;
    if (value < 0) {
      words[i] = 0;
      continue;
    }
    let step = 0;
    if (value > 0) {
      const raw = log ? last + Math.log2(value / scale.most) * factor : value * factor;
      step = Math.max(lowest, Math.min(last, Math.round(raw)));
    } else if (value !== 0) step = last + 1; // NaN: what is below 0 is hidden
    words[i] = colours[step] as number;
  }
}

/** A picture with a point for each of `values` (rows, columns); what is hidden is transparent. */
export function pointsOf(
  values: Float32Array,
  rows: number,
  columns: number,
  scale: ZoomScale,
  colours: Uint32Array,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext?.("2d");
  if (!context || values.length === 0) return canvas;
  const image = context.createImageData(columns, rows);
  colourInto(new Uint32Array(image.data.buffer), values, scale, colours);
  context.putImageData(image, 0, 0);
  return canvas;
}

/** "6.0e−8" as a power of two: 2^−24. */
function power(value: number): string {
  const exponent = Math.round(Math.log2(value));
  const signs: Record<string, string> = { "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴" };
  const more: Record<string, string> = { "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹" };
  return exponent === 0 ? "1" : `2${[...String(exponent)].map((c) => signs[c] ?? more[c]).join("")}`;
}

/** The numbers that the legend names, and how far along they stand, from 0 to 1. */
export function marksOf({ kind, least, most }: ZoomScale): { at: number; text: string }[] {
  if (kind === "linear")
    return [0, 0.25, 0.5, 0.75, 1].map((at) => ({
      at,
      text: formatNumber(at * most, most === 1 || at === 0 ? "full" : 2),
    }));
  const range = -Math.log2(least / most);
  const every = Math.max(1, Math.ceil(range / 4));
  const marks: { at: number; text: string }[] = [];
  for (let down = 0; down < range; down += every)
    if (range - down >= every / 2) marks.unshift({ at: 1 - down / range, text: power(most * 2 ** -down) });
  return [{ at: 0, text: power(least) }, ...marks];
}

/** A bar of colours with its numbers; `over` where larger ones may come nearer. */
export function scaleLegend(
  scale: ZoomScale,
  name: string,
  over: boolean,
  ramp: Scale = "weights",
): HTMLElement {
  const marks = marksOf(scale);
  const bar = Array.from({ length: STEPS / 2 + 1 }, (_, i) =>
    h("span", { class: "swatch", style: { "--value": valueColour((i * 2) / STEPS, ramp, 1) } }),
  );
  const numbers = marks.map(({ at, text }, i) =>
    h(
      "span",
      { style: { "inset-inline-start": `${at * 100}%` } },
      i === marks.length - 1 && over ? `≥ ${text}` : text,
    ),
  );
  const said = scale.kind === "log" ? `${name}, logarithmic` : name;
  return h(
    "div",
    { class: "legend zoom-legend" },
    h("span", { class: "legend-name" }, said),
    h(
      "span",
      { class: "zoom-scale" },
      h("span", { class: "swatches", "aria-hidden": "true" }, bar),
      h("span", { class: "zoom-marks" }, numbers),
    ),
  );
}
