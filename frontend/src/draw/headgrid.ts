/**
 * All heads of a model at a glance: layers down, heads across, each a small map or, coloured by a statistic, one field.
 * The ARIA grid pattern: one tab stop, arrow keys inside, Enter opens a head.
 */

import { focused, h, replace, spoken } from "./dom";
import { weightsLegend } from "./legend";
import { mark, noNumberMark } from "./mapwords";
import { moved } from "./matrix-keys";
import { themeOf } from "./paint";
import { bringIntoSight } from "./sight";
import { STRONG, valueColour } from "./values";
import { colourWords, pointsOf, scaleLegend, type ZoomScale } from "./zoomscale";

interface Thumbnails {
  values: Uint8Array;
  rows: number;
  columns: number;
}

export interface HeadRow {
  /** "3", or "encoder 3" */
  label: string;
  /** 0 where the layer is no attention; then `what` says what it is. */
  heads: number;
  what: string;
  /** Its numbers are not the model's own: one sentence. */
  fails: string | null;
  /** One small map for each head, row-major: 0 where it is masked, 255 where there is no number, else 1 + 253 times the weight. */
  thumbnails: Thumbnails | null;
}

export interface HeadGridModel {
  /** "12 layers of 12 heads" */
  name: string;
  rows: readonly HeadRow[];
  chosen: { row: number; head: number } | null;
  /** Heads that are switched off. */
  off(row: number, head: number): boolean;
  /** Instead of the maps: a number for each head, its text, and the largest of them. */
  colour: { name: string; largest: number; of(row: number, head: number): number | null } | null;
  /** The maps are in logarithmic colours that stand out: the weights of a long text are small. */
  long?: boolean;
  /** What is told about a head. */
  says(row: number, head: number): string;
}

export interface HeadGrid {
  element: HTMLElement;
  update(model: HeadGridModel): void;
  redraw(): void;
}

/** The side of one head in pixels: smaller where there are many. */
export function headSize(layers: number, heads: number): number {
  if (layers > 16 || heads > 16) return 26;
  return layers > 8 || heads > 12 ? 40 : 52;
}

export function createHeadGrid(model: HeadGridModel, open: (row: number, head: number) => void): HeadGrid {
  return new Grid(model, open);
}

interface HeadCell {
  row: number;
  head: number;
  element: HTMLElement;
  canvas: HTMLCanvasElement;
  /** What its picture was painted from. */
  painted: unknown[];
}

class Grid implements HeadGrid {
  readonly element: HTMLElement;
  private readonly caption = h("p", { class: "head-grid-name" });
  private readonly head = h("thead");
  private readonly body = h("tbody");
  private readonly table = h(
    "table",
    { class: "head-grid", role: "grid" },
    this.caption,
    this.head,
    this.body,
  );
  private readonly says = h("p", { class: "head-says" });
  private cells: HeadCell[][] = [];
  private current = { row: 0, column: 0 };
  private signature = "";
  private shownAt = "";
  private readonly frame = h("div", { class: "head-grid-frame" }, this.table);

  constructor(
    private model: HeadGridModel,
    private readonly open: (row: number, head: number) => void,
  ) {
    this.table.addEventListener("keydown", (event) => this.onKey(event));
    this.table.addEventListener("click", (event) => {
      const cell = this.cellOf(event);
      if (!cell) return;
      this.setCurrent(cell);
      cell.element.focus();
      this.open(cell.row, cell.head);
    });
    for (const kind of ["pointerover", "focusin"] as const)
      this.table.addEventListener(kind, (event) => this.tell(this.cellOf(event)));
    for (const kind of ["pointerleave", "focusout"] as const)
      this.table.addEventListener(kind, () => this.tell(undefined));
    this.element = h("div", { class: "head-grid-place" }, this.caption, this.frame, this.says);
    this.update(model);
    // The theme is known only where the grid stands.
    requestAnimationFrame(() => this.redraw());
  }

  update(model: HeadGridModel): void {
    this.model = model;
    const signature = JSON.stringify(
      model.rows.map(({ label, heads, what, fails }) => [label, heads, what, fails]),
    );
    if (signature !== this.signature) this.rebuild();
    this.signature = signature;
    this.table.setAttribute("aria-label", model.name);
    replace(this.caption, `${model.name}: layer ↓, head →`);
    const { chosen } = model;
    const first = chosen ?? { row: this.attending()[0] ?? 0, head: 0 };
    const cell = this.cells[first.row]?.[first.head];
    if (cell && !this.table.contains(focused(this.table))) {
      this.setCurrent(cell);
      if (signature !== this.shownAt) requestAnimationFrame(() => this.reveal(cell.element));
      this.shownAt = signature;
    }
    this.redraw();
    this.tell(undefined);
  }

  redraw(): void {
    const theme = themeOf(this.table);
    const { rows, chosen, colour } = this.model;
    const { long } = this.model;
    const words = colourWords(theme, long ? STRONG : undefined);
    for (const line of this.cells)
      for (const cell of line) {
        const { row, head, element, canvas } = cell;
        const off = this.model.off(row, head);
        element.setAttribute("aria-selected", String(chosen?.row === row && chosen.head === head));
        element.setAttribute("aria-label", this.model.says(row, head));
        element.classList.toggle("off", off);
        const number = colour?.of(row, head);
        canvas.hidden = colour !== null;
        const shown = number === null || number === undefined ? 0 : number / (colour?.largest || 1);
        const thumbnails = rows[row]?.thumbnails;
        // Under the small map, which lets it through where it is masked.
        const under = thumbnails ? "var(--masked)" : null;
        element.style.setProperty("--value", colour ? valueColour(Math.max(0, shown), "weights", 1) : under);
        if (colour || !thumbnails) continue;
        const from = [thumbnails.values, theme, long];
        if (from.every((one, at) => one === cell.painted[at])) continue;
        cell.painted = from;
        paint(canvas, thumbnails, head, scaleOf(long), words);
      }
  }

  /** Scrolls the frame, and only the frame, to a head. */
  private reveal(element: HTMLElement): void {
    const { frame } = this;
    const [cell, box] = [element.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (cell.bottom > box.bottom) frame.scrollTop += cell.top - box.top - box.height / 2;
    if (cell.right > box.right) frame.scrollLeft += cell.left - box.left - box.width / 2;
  }

  private attending(): number[] {
    return this.model.rows.flatMap((row, i) => (row.heads > 0 ? [i] : []));
  }

  private rebuild(): void {
    const { rows } = this.model;
    const most = Math.max(1, ...rows.map((row) => row.heads));
    this.table.style.setProperty("--head-size", `${headSize(rows.length, most)}px`);
    this.table.style.setProperty("--heads", String(most));
    replace(
      this.head,
      h(
        "tr",
        { role: "row" },
        h("th", { scope: "col", class: "corner" }, spoken("layer")),
        Array.from({ length: most }, (_, head) => h("th", { scope: "col" }, spoken("head "), head)),
      ),
    );
    this.cells = rows.map((row, at) =>
      Array.from({ length: row.heads }, (_, head) => {
        const canvas = h("canvas", { "aria-hidden": "true" });
        const element = h("td", { class: "head-cell", role: "gridcell", tabindex: "-1" }, canvas);
        return { row: at, head, element, canvas, painted: [] };
      }),
    );
    replace(
      this.body,
      rows.map((row, at) =>
        h(
          "tr",
          { role: "row", class: row.fails ? "fails" : undefined },
          h("th", { scope: "row", title: row.fails ?? row.what }, row.fails && "× ", row.label),
          row.heads > 0
            ? this.cells[at]!.map((cell) => cell.element)
            : h("td", { class: "no-heads", role: "gridcell", colspan: most }, row.what),
        ),
      ),
    );
    this.current = { row: 0, column: 0 };
  }

  private cellOf(event: Event): HeadCell | undefined {
    const td = (event.target as Element).closest("td");
    return this.cells.flat().find((cell) => cell.element === td);
  }

  private setCurrent({ row, head }: { row: number; head: number }): void {
    this.cells[this.current.row]?.[this.current.column]?.element.setAttribute("tabindex", "-1");
    this.current = { row, column: head };
    this.cells[row]?.[head]?.element.setAttribute("tabindex", "0");
  }

  private onKey(event: KeyboardEvent): void {
    const rows = this.attending();
    const from = { row: rows.indexOf(this.current.row), column: this.current.column };
    const most = Math.max(0, ...this.model.rows.map((row) => row.heads));
    const to = moved(event, from, rows.length, most);
    if (to) {
      const row = rows[to.row] ?? 0;
      const head = Math.min(to.column, (this.model.rows[row]?.heads ?? 1) - 1);
      this.setCurrent({ row, head });
      const element = this.cells[row]?.[head]?.element;
      element?.focus();
      if (element) bringIntoSight(element, "nearest");
    } else if (event.key === "Enter" || event.key === " ") {
      this.open(this.current.row, this.current.column);
    } else {
      return;
    }
    event.preventDefault();
  }

  private tell(cell: HeadCell | undefined): void {
    const { chosen } = this.model;
    const at = cell ?? chosen;
    replace(
      this.says,
      at ? this.model.says(at.row, at.head) : "Choose a head: click it, or press Enter on it.",
    );
  }
}

function paint(
  canvas: HTMLCanvasElement,
  { values, rows, columns }: Thumbnails,
  head: number,
  scale: ZoomScale,
  words: Uint32Array,
): void {
  const size = rows * columns;
  const weights = Float32Array.from(values.subarray(head * size, (head + 1) * size), weightOf);
  const context = canvas.getContext?.("2d");
  if (!context) return;
  const picture = pointsOf(weights, rows, columns, scale, words);
  canvas.width = columns;
  canvas.height = rows;
  context.drawImage(picture, 0, 0);
}

/** The weight of a point of a small map; −1 where it is masked, NaN where there is no number. */
const weightOf = (byte: number) => (byte === 255 ? Number.NaN : (byte - 1) / (byte === 0 ? 1 : 253));

/** Of a long text from the least weight that a small map can hold. */
function scaleOf(long?: boolean): ZoomScale {
  return long ? { kind: "log", least: 2 ** -8, most: 1 } : { kind: "linear", least: 0, most: 1 };
}

/** What the small maps show. */
export function headLegend(long: boolean, rows: readonly HeadRow[]): HTMLElement {
  const name = "largest weight";
  const some = (byte: number) => rows.some((row) => row.thumbnails?.values.includes(byte));
  return h(
    "div",
    { class: "map-legend" },
    long ? scaleLegend(scaleOf(long), name, false, "strong") : weightsLegend("1", name),
    some(0) && mark("hatched", "masked, which is not a weight of 0"),
    some(255) && noNumberMark(),
  );
}
