/** A table of numbers that can be sorted by each of its columns. */
import { button } from "./controls";
import { type Child, focused, h, refill, replace } from "./dom";

export interface SortableRow {
  /** Unique among the rows. */
  key: string;
  name: Child;
  /** One for each column; null where it does not apply. */
  values: readonly (number | null)[];
  texts: readonly string[];
  chosen: boolean;
}

export interface SortableModel {
  caption: string;
  /** What a row is: "head". */
  what: string;
  columns: readonly { name: string; title: string }[];
  rows: readonly SortableRow[];
  /** The column it is sorted by, or null for the order in which the rows come. */
  by: number | null;
}

export interface Sortable {
  element: HTMLElement;
  update(model: SortableModel): void;
}

/** So many rows are shown until more are asked for. */
const FIRST = 12;

/** The rows from the largest number in a column to the smallest; what does not apply comes last. */
export function sorted(rows: readonly SortableRow[], by: number | null): SortableRow[] {
  if (by === null) return [...rows];
  const value = (row: SortableRow) => row.values[by] ?? Number.NEGATIVE_INFINITY;
  return [...rows].sort((a, b) => value(b) - value(a) || 0);
}

export function createSortable(model: SortableModel, sort: (by: number | null) => void): Sortable {
  const caption = h("caption");
  const head = h("thead");
  const body = h("tbody");
  const table = h("table", { class: "sortable" }, caption, head, body);
  const more = button({ label: "", kind: "quiet", onClick: () => toggle() });
  let shown = model;
  let all = false;
  let drawnHead = "";

  function toggle(): void {
    all = !all;
    draw();
  }

  function drawHead(): void {
    const signature = JSON.stringify([shown.what, shown.columns, shown.by]);
    if (signature === drawnHead) return;
    const hadFocus = [...head.querySelectorAll("button")].indexOf(focused(head) as HTMLButtonElement);
    drawnHead = signature;
    const heading = (name: string, title: string, at: number | null) =>
      h(
        "th",
        {
          scope: "col",
          "aria-sort": shown.by === at ? (at === null ? "ascending" : "descending") : undefined,
        },
        h(
          "button",
          { type: "button", title, onclick: () => sort(at) },
          name,
          shown.by === at && (at === null ? " ↑" : " ↓"),
        ),
      );
    replace(
      head,
      h(
        "tr",
        null,
        heading(shown.what, "in their order", null),
        shown.columns.map(({ name, title }, at) => heading(name, title, at)),
      ),
    );
    if (hadFocus >= 0) head.querySelectorAll("button")[hadFocus]?.focus();
  }

  function draw(): void {
    caption.textContent = shown.caption;
    drawHead();
    const rows = sorted(shown.rows, shown.by);
    refill(
      body,
      null,
      rows.slice(0, all ? rows.length : FIRST).map(({ name, texts, chosen }) =>
        h(
          "tr",
          { "aria-current": chosen ? "true" : undefined },
          h("th", { scope: "row" }, name),
          texts.map((text) => h("td", null, text)),
        ),
      ),
    );
    more.hidden = rows.length <= FIRST;
    more.textContent = all ? `the first ${FIRST} only` : `all ${rows.length}`;
  }

  draw();
  return {
    element: h("div", { class: "sortable-place" }, h("div", { class: "sortable-frame" }, table), more),
    update(next) {
      shown = next;
      draw();
    },
  };
}
