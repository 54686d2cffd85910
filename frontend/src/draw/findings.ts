/** A table of sentences and a few numbers, such as what was claimed and what was found. */
import { type Child, h } from "./dom";

/** A text of at most this many characters stays on one line. */
const BRIEF = 16;

/**
 * The first cell of a row names it. Where the window is too narrow for columns each cell takes a line of its own with its
 * column's name before it (findings.css); the roles are written out, because a cell that is no table cell loses its own.
 */
export function findings(caption: string, columns: string[], rows: Child[][]): HTMLElement {
  const cell = (content: Child, i: number) => {
    const name = h("span", { class: "column-name", "aria-hidden": "true" }, columns[i]);
    const brief = typeof content === "string" && content.length <= BRIEF;
    return i === 0
      ? h("th", { scope: "row", role: "rowheader" }, content)
      : h(
          "td",
          { role: "cell", class: brief ? "brief" : undefined },
          name,
          h("span", { class: "finding" }, content),
        );
  };
  return h(
    "table",
    { class: "findings", role: "table" },
    h("caption", null, caption),
    h(
      "thead",
      { role: "rowgroup" },
      h(
        "tr",
        { role: "row" },
        columns.map((name) => h("th", { scope: "col", role: "columnheader" }, name)),
      ),
    ),
    h(
      "tbody",
      { role: "rowgroup" },
      rows.map((row) => h("tr", { role: "row" }, row.map(cell))),
    ),
  );
}

/** Whether a claim held: a word, and a form that does not need its colour. */
export function verdict(held: boolean): HTMLElement {
  return h("span", { class: held ? "verdict held" : "verdict" }, held ? "held" : "did not hold");
}
