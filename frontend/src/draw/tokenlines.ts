/**
 * Lines from token to token: each query at the left leads to the keys at the right, and the wider and darker a line is,
 * the larger its weight. One token under the pointer or the keyboard shows only its own lines; pinned tokens keep theirs.
 */
import { focused, h, replace, spoken } from "./dom";
import { labelText, type MapLabel } from "./mapmodel";
import { type Digits, formatNumber } from "./numbers";
import { positionPaint, sized, THEME, themeOf } from "./paint";
import { positionChip } from "./palette";

export interface TokenLinesModel {
  /** "weights of L3H1" */
  name: string;
  rows: { name: string; labels: readonly MapLabel[] };
  columns: { name: string; labels: readonly MapLabel[] };
  values: Float64Array;
  /** The number that the widest line stands for. */
  largest: number;
  hidden?: Uint8Array | null;
  pins: readonly number[];
  found?: { positions: readonly number[]; at: number | null };
  digits: Digits;
}

export interface TokenLinesHandlers {
  /** A query was pressed. */
  pin(row: number): void;
}

export interface TokenLines {
  element: HTMLElement;
  update(model: TokenLinesModel): void;
  redraw(): void;
  /** Brings a token into sight and shows its lines. */
  show(row: number): void;
}

/** Lines thinner than this share of the largest are not drawn: they would only be a haze. */
export const THINNEST = 0.02;
const WIDEST = 7;
const PITCH = 26;

export interface LineOfToken {
  row: number;
  column: number;
  /** Of the largest, from 0 to 1. */
  share: number;
}

/** The lines of `rows`, the thin ones left out, the wide ones last so that they lie on top. */
export function linesOf(
  model: TokenLinesModel,
  rows: readonly number[],
  column: number | null,
): LineOfToken[] {
  const count = model.columns.labels.length;
  const lines: LineOfToken[] = [];
  for (const row of rows) {
    for (let at = 0; at < count; at++) {
      if (column !== null && at !== column) continue;
      const share = model.largest > 0 ? (model.values[row * count + at] as number) / model.largest : 0;
      if (share >= THINNEST) lines.push({ row, column: at, share });
    }
  }
  return lines.sort((a, b) => a.share - b.share);
}

export function createTokenLines(model: TokenLinesModel, handlers: TokenLinesHandlers): TokenLines {
  return new Lines(model, handlers);
}

class Lines implements TokenLines {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly queries = h("div", { class: "lines-column queries", role: "toolbar" });
  private readonly keys = h("ul", { class: "lines-column keys" });
  private readonly place = h("div", { class: "lines-place" }, this.canvas);
  private readonly frame: HTMLElement;
  private readonly axes = h("p", { class: "lines-axes" });
  private readonly says = h("p", { class: "lines-says" });
  private readonly status = h("p", { class: "visually-hidden", role: "status" });
  private buttons: HTMLButtonElement[] = [];
  private weights: HTMLElement[] = [];
  private current = 0;
  private shown: { row: number } | { column: number } | null = null;
  private signature = "";
  private waiting = false;

  constructor(
    private model: TokenLinesModel,
    private readonly handlers: TokenLinesHandlers,
  ) {
    this.queries.setAttribute("aria-orientation", "vertical");
    this.frame = h(
      "div",
      { class: "lines-frame", onscroll: () => this.soon(), onpointerleave: () => this.look(null) },
      h("div", { class: "lines-table" }, this.queries, this.place, this.keys),
    );
    this.queries.addEventListener("keydown", (event) => this.onKey(event));
    this.queries.addEventListener("focusout", () => this.look(null));
    this.element = h("figure", { class: "token-lines" }, this.axes, this.frame, this.says, this.status);
    this.update(model);
    if (typeof ResizeObserver !== "undefined") new ResizeObserver(() => this.soon()).observe(this.element);
  }

  update(model: TokenLinesModel): void {
    this.model = model;
    const { rows, columns } = model;
    replace(this.axes, h("span", null, rows.name), h("span", null, columns.name));
    this.queries.setAttribute("aria-label", `${rows.name}: press one to pin its lines`);
    this.keys.setAttribute("aria-label", columns.name);
    this.fill();
    this.mark();
    this.tell();
    this.soon();
  }

  redraw(): void {
    this.soon();
  }

  show(row: number): void {
    this.setCurrent(row);
    this.reveal(row);
    this.look({ row });
  }

  private reveal(row: number): void {
    const top = row * PITCH;
    const { scrollTop, clientHeight } = this.frame;
    if (top < scrollTop || top + PITCH > scrollTop + clientHeight)
      this.frame.scrollTop = top - clientHeight / 2;
  }

  /** New tokens; while they are the same the buttons stay, and with them the focus. */
  private fill(): void {
    const { rows, columns } = this.model;
    const signature = JSON.stringify([rows.labels, columns.labels]);
    if (signature === this.signature) return;
    this.signature = signature;
    this.current = 0;
    // Of a long text the pinned tokens are what is looked at; the frame stands only in the next frame.
    const pin = (this.model.pins ?? []).at(-1);
    if (pin !== undefined) requestAnimationFrame(() => this.reveal(pin));
    this.buttons = rows.labels.map((label, row) =>
      h(
        "button",
        {
          type: "button",
          class: `line-token${label.note ? " faint" : ""}`,
          tabindex: row === 0 ? "0" : "-1",
          title: labelText(label),
          onclick: () => this.handlers.pin(row),
          onfocus: () => this.look({ row }),
          onpointerenter: () => this.look({ row }),
        },
        positionChip(label.position ?? row, label.text, rows.labels.length),
        label.note && spoken(` (${label.note})`),
      ),
    );
    replace(
      this.queries,
      this.buttons.map((button) => h("div", null, button)),
    );
    this.weights = columns.labels.map(() => h("span", { class: "lines-weight", "aria-hidden": "true" }));
    replace(
      this.keys,
      columns.labels.map((label, column) =>
        h(
          "li",
          { onpointerenter: () => this.look({ column }) },
          h(
            "span",
            { class: `line-token${label.note ? " faint" : ""}`, title: labelText(label) },
            positionChip(label.position ?? column, label.text, columns.labels.length),
          ),
          this.weights[column],
        ),
      ),
    );
  }

  private mark(): void {
    const { pins, found } = this.model;
    this.buttons.forEach((button, row) => {
      button.setAttribute("aria-pressed", String(pins.includes(row)));
      button.classList.toggle("found", found?.positions.includes(row) === true);
      button.classList.toggle("here", found?.at === row);
    });
  }

  private look(next: { row: number } | { column: number } | null): void {
    this.shown = next;
    this.tell();
    this.soon();
  }

  private lines(): LineOfToken[] {
    const { shown, model } = this;
    const all = model.rows.labels.map((_, row) => row);
    if (shown && "row" in shown) return linesOf(model, [shown.row], null);
    if (shown) return linesOf(model, all, shown.column);
    return linesOf(model, model.pins.length > 0 ? model.pins : all, null);
  }

  /** The weights beside the keys while one token is looked at, and in words what is drawn. */
  private tell(): void {
    const { shown, model } = this;
    const count = model.columns.labels.length;
    const row = shown && "row" in shown ? shown.row : null;
    this.weights.forEach((element, column) => {
      const at = (row ?? 0) * count + column;
      const text =
        row === null
          ? ""
          : model.hidden?.[at]
            ? "masked"
            : formatNumber(model.values[at] as number, model.digits);
      if (element.textContent !== text) element.textContent = text;
    });
    const drawn = this.lines().length;
    const who = shown
      ? "row" in shown
        ? `Lines from ${labelText(model.rows.labels[shown.row] ?? { text: "" })}`
        : `Lines to ${labelText(model.columns.labels[shown.column] ?? { text: "" })}`
      : model.pins.length > 0
        ? `Lines from the pinned tokens`
        : "Lines from every token";
    replace(
      this.says,
      h("bdi", null, who),
      `: ${drawn}. A line is as wide as its number; what is below ${formatNumber(model.largest * THINNEST, 3)} has none.`,
    );
    if (row !== null && this.buttons[row] === focused(this.element)) this.status.textContent = this.best(row);
  }

  /** The three largest weights of a query, in words. */
  private best(row: number): string {
    const { columns, values, digits } = this.model;
    const count = columns.labels.length;
    const order = columns.labels
      .map((_, at) => at)
      .sort((a, b) => values[row * count + b]! - values[row * count + a]!);
    return order
      .slice(0, 3)
      .map(
        (at) =>
          `${labelText(columns.labels[at]!, true)}: ${formatNumber(values[row * count + at] as number, digits)}`,
      )
      .join(", ");
  }

  private setCurrent(row: number): void {
    this.buttons[this.current]?.setAttribute("tabindex", "-1");
    this.current = Math.max(0, Math.min(this.buttons.length - 1, row));
    this.buttons[this.current]?.setAttribute("tabindex", "0");
  }

  private onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 }[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.setCurrent(this.current + step);
    this.buttons[this.current]?.focus();
  }

  private soon(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  private paint(): void {
    const { place, frame, canvas, model } = this;
    const height = Math.min(
      frame.clientHeight,
      Math.max(model.rows.labels.length, model.columns.labels.length) * PITCH,
    );
    const width = place.clientWidth;
    const made = sized(canvas, width, height);
    if (!made) return;
    const { context } = made;
    const theme = themeOf(canvas);
    const plain = this.shown === null && model.pins.length === 0;
    const y = (at: number) => (at + 0.5) * PITCH - frame.scrollTop;
    for (const { row, column, share } of this.lines()) {
      const [from, to] = [y(row), y(column)];
      if ((from < 0 && to < 0) || (from > height && to > height)) continue;
      const fill = positionPaint(row, model.rows.labels.length, theme).fill;
      context.strokeStyle = plain ? THEME[theme].ink : fill;
      context.globalAlpha = plain ? Math.max(0.06, share) : Math.max(0.25, Math.min(1, share * 1.5));
      context.lineWidth = 0.75 + share * WIDEST;
      context.beginPath();
      context.moveTo(0, from);
      context.bezierCurveTo(width * 0.4, from, width * 0.6, to, width, to);
      context.stroke();
    }
    context.globalAlpha = 1;
  }
}
