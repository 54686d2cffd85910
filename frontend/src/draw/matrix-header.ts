/** The words around the numbers: caption, axis names, row and column headers. */
import { h, replace, spoken } from "./dom";
import { inline } from "./inline";
import type { AxisLabels, MatrixModel } from "./matrix-model";
import { positionStyle } from "./palette";
import { visibleToken } from "./token";

/** "scores = Q · K^T  head 0 · 5 × 5" over "how well each query matches each key". */
export function fillCaption(caption: HTMLElement, model: MatrixModel, scrolls: HTMLElement): void {
  replace(
    caption,
    h(
      "div",
      { class: "matrix-caption" },
      h("span", { class: "matrix-name" }, inline(model.name)),
      model.made && [" ", h("span", { class: "matrix-made" }, "= ", inline(model.made))],
      " ",
      h("span", { class: "matrix-shape" }, model.shape, scrolls),
      model.reshaped && [" ", h("span", { class: "tag" }, "new shape")],
      model.says && h("span", { class: "matrix-says" }, inline(model.says)),
    ),
  );
}

/** The corner names both axes, with the direction each runs in. */
function corner(model: MatrixModel): HTMLElement {
  return h(
    "th",
    { scope: "col", class: "corner" },
    model.columns.axis && [h("span", { class: "axis-column" }, `${model.columns.axis} →`), " "],
    model.rows.axis && h("span", { class: "axis-row" }, `${model.rows.axis} ↓`),
    !model.columns.axis && !model.rows.axis && spoken(model.name),
  );
}

export function headerRow(model: MatrixModel): HTMLTableRowElement {
  const cells = model.columns.labels.map((_, column) => axisHeader(model.columns, column, "col"));
  return h("tr", { role: "row" }, corner(model), cells);
}

/** One row's or column's header; a position shows its number, its colour and its word. */
export function axisHeader(axis: AxisLabels, index: number, scope: "row" | "col"): HTMLTableCellElement {
  const label = axis.labels[index] ?? "";
  if (axis.kind === "index")
    return h("th", { scope, class: "index" }, label || spoken(scope === "row" ? "row" : "value"));
  const word = h("bdi", { class: "header-word", title: label }, visibleToken(label));
  if (axis.kind === "word") return h("th", { scope, class: "word" }, word);
  const place = axis.places?.[index] ?? index;
  return h(
    "th",
    { scope, class: "at-position", style: positionStyle(place, axis.count ?? axis.labels.length) },
    h(
      "span",
      { class: "header-position" },
      h("span", { class: "position-number" }, place),
      !axis.wordless && [" ", word],
    ),
  );
}

/** Everything the headers are drawn from, as one string: they are rebuilt only when it changes. */
export function headerSignature(model: MatrixModel): string {
  return JSON.stringify([model.rows, model.columns]);
}

export function captionSignature(model: MatrixModel): string {
  return JSON.stringify([model.name, model.made, model.shape, model.says, model.reshaped ?? false]);
}

/** A column is at most this many characters wide for its word's sake; a longer word is cut short. */
const WORD_CHARACTERS = 8;

/** How many characters the longest column word asks for. All columns are alike, so the longest sets them all. */
export function wordCharacters(model: MatrixModel): number {
  const words = model.columns.kind === "index" ? [] : model.columns.labels;
  const longest = words.reduce((most, word) => Math.max(most, visibleToken(word).length), 0);
  return Math.min(WORD_CHARACTERS, longest);
}
