/** Legends: what the colours and the marks of a matrix mean. */
import { h } from "./dom";
import { type Digits, formatNumber } from "./numbers";
import { positionChip } from "./palette";
import { valueColour } from "./values";

const SWATCHES = 8;

function swatch(value: number, scale: "signed" | "weights"): HTMLElement {
  return h("span", { class: "swatch", style: { "--value": valueColour(value, scale, 1) } });
}

function bar(label: string, ends: string[], swatches: HTMLElement[]): HTMLElement {
  return h(
    "div",
    { class: "legend" },
    h("span", { class: "legend-name" }, label),
    h("span", { class: "legend-end" }, ends[0]),
    h("span", { class: "swatches", "aria-hidden": "true" }, swatches),
    h("span", { class: "legend-end" }, ends[1]),
  );
}

/** The diverging scale of a matrix whose largest magnitude is `largest`. */
export function signedLegend(largest: number, digits: Digits = 2): HTMLElement {
  const values = Array.from({ length: 2 * SWATCHES + 1 }, (_, i) => (i - SWATCHES) / SWATCHES);
  const ends = [formatNumber(-largest, digits), `+${formatNumber(largest, digits)}`];
  return bar(
    "value",
    ends,
    values.map((value) => swatch(value, "signed")),
  );
}

/** The sequential scale of weights; `end` is the number that its last colour stands for, `name` what is weighed. */
export function weightsLegend(end = "1", name = "weight"): HTMLElement {
  const values = Array.from({ length: SWATCHES + 1 }, (_, i) => i / SWATCHES);
  return bar(
    name,
    ["0", end],
    values.map((value) => swatch(value, "weights")),
  );
}

const MARKS: [cssClass: string, sample: string, meaning: string][] = [
  ["masked", "−∞", "masked"],
  ["changed", "0.70", "changed"],
  ["opened", "0.70", "open"],
  ["source", "0.70", "it came from"],
  ["feeds", "0.70", "it goes into"],
];

/** The marks a cell can have; each is a shape, so none depends on colour. */
export function marksLegend(): HTMLElement {
  return h(
    "ul",
    { class: "legend marks", "aria-label": "marks of cells" },
    MARKS.map(([cssClass, sample, meaning]) =>
      h(
        "li",
        null,
        h("span", { class: `mark-sample ${cssClass}`, "aria-hidden": "true" }, sample),
        " ",
        meaning,
      ),
    ),
  );
}

/** Every position of the sentence with its colour and number. */
export function positionsLegend(words: string[]): HTMLElement {
  return h(
    "ol",
    { class: "legend positions", "aria-label": "positions" },
    words.map((word, i) => h("li", null, positionChip(i, word, words.length))),
  );
}
