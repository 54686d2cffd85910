/**
 * One colour per position, everywhere that position appears, and always beside the position's number.
 *
 * The twelve pairs keep at least 3:1 against their page and CIEDE2000 >= 12 from each other under simulated protan
 * and deutan vision. More than twelve positions take an ordered ramp: the colour then shows order, the number which.
 */

import { DARK, LIGHT, RAMP_CHROMA, RAMPS } from "../wire/palette";
import { contrast, lightDark, oklch, type Pair, toHex } from "./colour";
import { h } from "./dom";
import { visibleToken } from "./token";

export const PAGE: Pair = { light: "#ffffff", dark: "#16181d" };
export const INK: Pair = { light: "#1b1c1f", dark: "#ececee" };

const TWELVE: Pair[] = LIGHT.map((light, i) => ({ light, dark: DARK[i] as string }));

/** How many positions have a colour of their own. */
export const DISTINCT_POSITIONS = TWELVE.length;

/** The colour pair of `position` (from 0) in a sentence of `count` positions. */
export function positionPair(position: number, count: number): Pair {
  if (!Number.isInteger(position) || position < 0) {
    throw new RangeError(`position must be a whole number from 0, not ${position}.`);
  }
  if (count <= DISTINCT_POSITIONS && position < DISTINCT_POSITIONS) return TWELVE[position] as Pair;
  return rampPair(count > 1 ? Math.min(1, position / (count - 1)) : 0);
}

/** The ordered ramp at `t` in 0..1: lightness rises, hue runs from violet through red to orange or yellow. */
function rampPair(t: number): Pair {
  return { light: onRamp("light", t), dark: onRamp("dark", t) };
}

function onRamp(theme: keyof typeof RAMPS, t: number): string {
  const [lightness0, hue0, lightness1, hue1] = RAMPS[theme];
  const turn = (hue1 - hue0 + 360) % 360;
  return toHex(oklch(lightness0 + t * (lightness1 - lightness0), RAMP_CHROMA, hue0 + t * turn));
}

/** The position's colour as a CSS value that follows the theme. */
export function positionColour(position: number, count: number): string {
  return lightDark(positionPair(position, count));
}

/** Black or white, whichever reads better on the position's colour, as a CSS value that follows the theme. */
export function positionInk(position: number, count: number): string {
  const pair = positionPair(position, count);
  const best = (hex: string) =>
    contrast("#ffffff", hex) >= contrast("#000000", hex) ? "#ffffff" : "#000000";
  return lightDark({ light: best(pair.light), dark: best(pair.dark) });
}

/** The custom properties that components read to draw something in a position's colour. */
export function positionStyle(position: number, count: number): Record<string, string> {
  return { "--position": positionColour(position, count), "--position-ink": positionInk(position, count) };
}

/** A position as it looks everywhere: its number on its colour, and its word over a line of that colour. */
export function positionChip(position: number, word: string, count: number): HTMLElement {
  return h(
    "span",
    { class: "position", style: positionStyle(position, count) },
    h("span", { class: "position-number" }, position),
    " ",
    h("bdi", { class: "position-word", title: word }, visibleToken(word)),
  );
}
