/**
 * Words as points in a plane, with the way each has come. The dots and trails are SVG, the words are text of a fixed size
 * beside them; where a word would lie over another, it is put on another side of its dot. In a crowd the words of the
 * sentence are all named, and of the others those for which there is room.
 *
 * Both directions have the same scale, and the scale is that of the whole way, so that distances can be compared.
 */
import { h, replace } from "./dom";
import { type Box, type Dot, overlap, type Placed, place } from "./labelling";
import { svg } from "./svg";
import { cut, visibleToken } from "./token";

export interface ScatterModel {
  /** What a screen reader is told. */
  label: string;
  words: string[];
  /** (x, y) of every word at each of several moments: moment · words · 2 numbers. */
  points: Float64Array;
  /** The moment that is shown; the trails lead there from the first one. */
  at: number;
  /** Words drawn in full ink; the others have a hollow dot. */
  strong: ReadonlySet<string>;
  /** The names of the two directions. */
  axes: [string, string];
}

export interface Scatter {
  element: HTMLElement;
  update(model: ScatterModel): void;
}

/** The plot is this much wider than it is high (see scatter.css). */
const ASPECT = 4 / 3;
/** The share of the plot that stays free on each side, for the words at its edge. */
const AIR = 0.1;
/** Pixels: the plot where it cannot be measured, a letter, a line of text. */
const USUAL_WIDTH = 600;
const LETTER = 7;
const LINE = 17;

export function createScatter(model: ScatterModel): Scatter {
  const drawing = svg("svg", { viewBox: `0 0 ${ASPECT * 100} 100`, "aria-hidden": "true" });
  const labels = h("div", { class: "scatter-labels", "aria-hidden": "true" });
  const plot = h("div", { class: "scatter-plot", role: "img" }, drawing, labels);
  const axes = { x: h("p", { class: "scatter-axis along" }), y: h("p", { class: "scatter-axis" }) };
  const element = h("div", { class: "scatter" }, axes.y, plot, axes.x);
  let sides = new Map<string, number>();
  let shown = model;

  function update(next: ScatterModel): void {
    shown = next;
    plot.setAttribute("aria-label", next.label);
    axes.x.textContent = `${next.axes[0]} →`;
    axes.y.textContent = `${next.axes[1]} ↑`;
    const at = projection(next);
    drawing.replaceChildren(
      ...next.words.map((_, word) => trail(next, word, at)),
      ...next.words.map((word, i) => dot(at(next.at, i), next.strong.has(word))),
    );
    const width = plot.clientWidth || USUAL_WIDTH;
    const dots = next.words.map((word, i) => dotAt(word, at(next.at, i), width));
    const strongFirst = [true, false].flatMap((strong) =>
      dots.filter(({ word }) => next.strong.has(word) === strong),
    );
    const placed = legible(place(strongFirst, { width, height: width / ASPECT }, sides), next.strong);
    sides = new Map(placed.map(({ word, side }) => [word, side]));
    replace(
      labels,
      placed.map(({ word, box }) => label(word, box, width, next.strong.has(word))),
    );
  }

  update(model);
  // The words keep their size where the plot is another, so they find other places.
  if (typeof ResizeObserver !== "undefined") new ResizeObserver(() => update(shown)).observe(plot);
  return { element, update };
}

/** Without the words that would lie over another, unless they are of the sentence. */
function legible(placed: Placed[], strong: ReadonlySet<string>): Placed[] {
  const kept: Placed[] = [];
  for (const one of placed)
    if (strong.has(one.word) || kept.every(({ box }) => overlap(box, one.box) === 0)) kept.push(one);
  return kept;
}

type Project = (moment: number, word: number) => [x: number, y: number];

/** To the drawing's own units: 100 high, ASPECT · 100 wide, y upwards. */
function projection({ points, words }: ScatterModel): Project {
  const [left, right, bottom, top] = bounds(points);
  const size = Math.max((right - left) / ASPECT, top - bottom) || 1;
  const scale = (100 * (1 - 2 * AIR)) / size;
  const [middleX, middleY] = [(left + right) / 2, (bottom + top) / 2];
  return (moment, word) => {
    const start = (moment * words.length + word) * 2;
    const [x = 0, y = 0] = points.subarray(start, start + 2);
    return [50 * ASPECT + (x - middleX) * scale, 50 - (y - middleY) * scale];
  };
}

function bounds(points: Float64Array): [number, number, number, number] {
  const even = points.filter((value, i) => i % 2 === 0 && Number.isFinite(value));
  const odd = points.filter((value, i) => i % 2 === 1 && Number.isFinite(value));
  const least = (values: Float64Array) => values.reduce((a, b) => Math.min(a, b), values[0] ?? 0);
  const most = (values: Float64Array) => values.reduce((a, b) => Math.max(a, b), values[0] ?? 0);
  return [least(even), most(even), least(odd), most(odd)];
}

function trail({ at: moment }: ScatterModel, word: number, at: Project): SVGElement {
  const way = Array.from({ length: moment + 1 }, (_, i) => at(i, word));
  const points = way.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ");
  return svg("polyline", { points, class: "trail" });
}

function dot([cx, cy]: [number, number], strong: boolean): SVGElement {
  return svg("circle", {
    cx: cx.toFixed(2),
    cy: cy.toFixed(2),
    r: 0.9,
    class: strong ? "dot strong" : "dot",
  });
}

function dotAt(word: string, [x, y]: [number, number], width: number): Dot {
  const scale = width / (ASPECT * 100);
  return { word, x: x * scale, y: y * scale, width: shown(word).length * LETTER, height: LINE };
}

/** A word as its point is named: a longer one would leave no room for others. */
const shown = (word: string) => cut(visibleToken(word));

function label(word: string, box: Box, width: number, strong: boolean): HTMLElement {
  const style = {
    "inset-inline-start": `${(box.x / width) * 100}%`,
    "inset-block-start": `${(box.y / (width / ASPECT)) * 100}%`,
  };
  return h("bdi", { class: strong ? "scatter-word strong" : "scatter-word", style }, shown(word));
}
