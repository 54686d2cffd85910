import { h, uniqueId } from "../../../draw/dom";
import { noNumberMark } from "../../../draw/mapwords";
import { scaleLegend, type ZoomScale } from "../../../draw/zoomscale";
import type { Pool } from "../../../wire/types";

const SAYS =
  "Drag the map, or move it with the arrow keys; the wheel, two fingers, a double click, + and − zoom. Home shows the whole, " +
  "End the cells at the cursor. Enter, or a click on a cell, unfolds its number.";

export interface ZoomPlaces {
  tools: HTMLElement;
  /** The map and what is said of it, from above. */
  main: HTMLElement[];
  /** What stands beside the map. */
  aside: HTMLElement[];
  below: HTMLElement[];
  facts: HTMLElement;
}

/** Where everything about the map of one head stands. */
export function zoomBody({ tools, main, aside, below, facts }: ZoomPlaces): HTMLElement {
  return h(
    "div",
    { class: "stack zoom-body", hidden: true },
    tools,
    h(
      "div",
      { class: "zoom-pair" },
      h("div", { class: "stack zoom-main weight-map" }, main),
      h("div", { class: "stack zoom-aside" }, aside),
    ),
    h("div", { class: "zoom-pair" }, below),
    facts,
  );
}

/** How the map is moved, with an id by which the map is described. */
export function howToMove(): HTMLElement {
  return h("p", { class: "hint", id: uniqueId("says") }, SAYS);
}

/** What the colours stand for, and the hatching. */
export function zoomLegend(scale: ZoomScale, pool: Pool, values: Float32Array): Node[] {
  const value = pool === "mean" ? "mean weight" : "largest weight";
  return [
    scaleLegend(scale, value, scale.most < 1),
    h(
      "span",
      { class: "map-mark" },
      h("span", { class: "map-sample hatched", "aria-hidden": "true" }),
      "hidden by the mask, which is not a weight of 0",
    ),
    ...(values.some(Number.isNaN) ? [noNumberMark()] : []),
  ];
}
