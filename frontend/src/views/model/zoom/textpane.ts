import { button, switches } from "../../../draw/controls";
import { attribute, focused, h, replace } from "../../../draw/dom";
import { labelText, type MapLabel, type MapPlace } from "../../../draw/mapmodel";
import { positionColour } from "../../../draw/palette";
import { visibleToken } from "../../../draw/token";
import type { Square } from "../../../draw/zoomview";
import type { ModelToken } from "../../../wire/types";
import { tokenSearch } from "../search";
import { textFinder } from "./finding";

export type Axis = "row" | "column";

export interface TextPane {
  element: HTMLElement;
  update(
    rows: readonly ModelToken[],
    columns: readonly ModelToken[],
    labels: Record<Axis, readonly MapLabel[]>,
  ): void;
  /** Marks the cursor's tokens, and turns to the page that holds the one that is chosen here. */
  mark(row: number, column: number): void;
}

/** The cell in the row or the column of a token that is as near to the cursor as something is to be seen. */
export function ledTo(
  axis: Axis,
  at: number,
  { row, column }: MapPlace,
  { rows, columns }: Square,
): MapPlace {
  return axis === "row"
    ? { row: Math.min(at, rows - 1), column: Math.min(column, at, columns - 1) }
    : { row: Math.min(Math.max(row, at), rows - 1), column: Math.min(at, columns - 1) };
}

/** So many tokens are on a page: each is an element, and a long text has tens of thousands. */
export const PAGE = 240;

/** The text, a page at a time: a token leads to its row or its column, and the search leads to tokens. */
export function textPane(go: (axis: Axis, at: number) => void): TextPane {
  const tokens: Record<Axis, readonly ModelToken[]> = { row: [], column: [] };
  let labels: Record<Axis, readonly MapLabel[]> = { row: [], column: [] };
  let axis: Axis = "row";
  let page = 0;
  let drawn = "";
  let marks: Record<Axis, number> = { row: 0, column: 0 };
  const find = textFinder();
  const search = tokenSearch(
    (at) => {
      if (at !== null) lead(at);
    },
    (all, wanted) => find(all, wanted),
  );
  const which = switches<Axis>({
    legend: "a token leads to",
    options: [
      { value: "row", label: "its row", hint: "what it looks at, as a query" },
      { value: "column", label: "its column", hint: "what looks at it, as a key" },
    ],
    value: axis,
    onChange: (value) => {
      axis = value;
      search.setTokens(tokens[axis]);
      turn(Math.floor(marks[axis] / PAGE));
    },
  });
  const before = button({ label: "←", title: "the page before", onClick: () => turn(page - 1) });
  const after = button({ label: "→", title: "the next page", onClick: () => turn(page + 1) });
  before.setAttribute("aria-label", "page of the text before");
  after.setAttribute("aria-label", "next page of the text");
  const where = h("span", { class: "zoom-page", role: "status" });
  const text = h("div", {
    class: "zoom-text",
    role: "group",
    "aria-label": "the text, token by token",
    onkeydown: (event) => onKey(event),
    onclick: (event) => {
      const at = (event.target as Element).closest<HTMLElement>("[data-at]")?.dataset.at;
      if (at !== undefined) lead(Number(at));
    },
  });

  function lead(at: number): void {
    turn(Math.floor(at / PAGE));
    go(axis, at);
  }

  function turn(to: number): void {
    const pages = Math.max(1, Math.ceil(tokens[axis].length / PAGE));
    page = Math.max(0, Math.min(pages - 1, to));
    draw();
  }

  function draw(): void {
    const all = tokens[axis];
    const [from, to] = [page * PAGE, Math.min(all.length, (page + 1) * PAGE)];
    const signature = `${axis}/${page}/${all.length}`;
    before.disabled = page === 0;
    after.disabled = to >= all.length;
    if (signature !== drawn) {
      drawn = signature;
      where.textContent = `${from} to ${to - 1} of ${all.length}`;
      replace(
        text,
        all.slice(from, to).map((token, i) => tokenOf(token, from + i, all.length, labels[axis][from + i])),
      );
    }
    paintMarks();
  }

  function paintMarks(): void {
    const here = marks[axis];
    let reached = false;
    for (const one of text.querySelectorAll<HTMLElement>("[data-at]")) {
      const current = Number(one.dataset.at) === here;
      reached ||= current;
      attribute(one, "aria-current", current ? "true" : null);
      attribute(one, "tabindex", current ? "0" : "-1");
    }
    if (!reached) text.querySelector("[data-at]")?.setAttribute("tabindex", "0");
  }

  function onKey(event: KeyboardEvent): void {
    const now = focused(text);
    if (!(now instanceof HTMLElement) || event.ctrlKey || event.altKey || event.metaKey) return;
    const all = [...text.querySelectorAll<HTMLElement>("[data-at]")];
    const at = all.indexOf(now);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = all[Math.max(0, Math.min(all.length - 1, to))];
    now.setAttribute("tabindex", "-1");
    next?.setAttribute("tabindex", "0");
    next?.focus();
  }

  return {
    element: h(
      "div",
      { class: "stack zoom-textpane" },
      which.element,
      search.element,
      h("div", { class: "zoom-pages" }, before, where, after),
      text,
    ),
    update(rows, columns, named) {
      labels = named;
      const same = tokens.row === rows && tokens.column === columns;
      if (same) return;
      tokens.row = rows;
      tokens.column = columns;
      which.element.hidden = rows.length === 0 || columns.length === 0;
      drawn = "";
      search.setTokens(tokens[axis]);
      turn(page);
    },
    mark(row, column) {
      if (marks.row === row && marks.column === column) return;
      marks = { row, column };
      const wanted = Math.floor(marks[axis] / PAGE);
      // Whoever reads or walks through the text is not taken to another page of it.
      if (wanted !== page && !text.contains(focused(text))) turn(wanted);
      else paintMarks();
    },
  };
}

function tokenOf(token: ModelToken, at: number, count: number, label: MapLabel | undefined): Node[] {
  const word = token.text.replace(/^ (?=\S)/, "");
  const made = h(
    "button",
    {
      type: "button",
      class: "zoom-token",
      title: label && labelText(label),
      "aria-label": label && labelText(label, true),
      dataset: { at: String(at) },
      style: { "--position": positionColour(at, count) },
    },
    h("bdi", null, visibleToken(word)),
  );
  const space = word === token.text ? [] : [document.createTextNode(" ")];
  return [...space, made, ...(/[\n⏎]$/.test(token.text) ? [h("br")] : [])];
}
