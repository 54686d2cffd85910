/**
 * A map of weights with both axes named and every number within reach: under the pointer, or under the cursor that the
 * arrow keys move. It is one picture as large as its frame, painted anew while the frame scrolls, so a text of hundreds of
 * tokens is no more work than a short one. To a screen reader it is a grid of which the current cell is there.
 */
import { h, replace, uniqueId } from "./dom";
import { labelRoom, overhang } from "./maplabels";
import { cellSize, labelRule, type MapPlace, sideWidth, type WeightMapModel } from "./mapmodel";
import { type MapSight, paintMap } from "./mappaint";
import { legendOf, sentence } from "./mapwords";
import { moved } from "./matrix-keys";
import { lettersOf, pointPicture, sized, themeOf, whenLettersCome } from "./paint";

export type { MapAxis, MapLabel, MapPlace, WeightMapModel } from "./mapmodel";

export interface MapHandlers {
  /** A row was chosen: a cell of it was clicked, or Enter pressed. */
  choose(row: number, column: number): void;
}

export interface WeightMap {
  element: HTMLElement;
  update(model: WeightMapModel): void;
  /** Draws again, for another theme. */
  redraw(): void;
  /** Moves the cursor to a cell and brings it into sight. */
  show(row: number, column: number): void;
}

export function createWeightMap(model: WeightMapModel, handlers: MapHandlers): WeightMap {
  return new CanvasMap(model, handlers);
}

const LEAST_LABEL = 40;
const MOST_LABEL = 150;

class CanvasMap implements WeightMap {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly space = h("div", { class: "map-space" });
  private readonly axes = h("p", { class: "map-axes" });
  private readonly readout = h("p", { class: "map-readout" });
  private readonly rule = h("p", { class: "map-rule" });
  private readonly legend = h("div", { class: "map-legend" });
  /** Two cells that take turns, because a cell that only changes its name is not read out again. */
  private readonly spoken = [0, 1].map(() => h("div", { role: "gridcell", id: uniqueId("cell") }));
  private readonly line = h("div", { role: "row" }, this.spoken);
  private readonly frame: HTMLElement;
  private turn = 0;
  private cursor: MapPlace = { row: 0, column: 0 };
  private pointed: MapPlace | null = null;
  private hasFocus = false;
  private cell = 8;
  private left = LEAST_LABEL;
  private top = LEAST_LABEL;
  private pictures: { cells: HTMLCanvasElement | null; side: HTMLCanvasElement | null } = {
    cells: null,
    side: null,
  };
  private painted = "";
  private waiting = false;
  /** The chosen row that is to be brought into sight when there is something to see. */
  private wanted: number | null = null;

  constructor(
    private model: WeightMapModel,
    private readonly handlers: MapHandlers,
  ) {
    this.frame = h(
      "div",
      {
        class: "map-frame",
        role: "grid",
        tabindex: "0",
        onscroll: () => this.soon(),
        onkeydown: (event) => this.onKey(event),
        onfocus: () => this.focus(true),
        onblur: () => this.focus(false),
        onpointermove: (event) => this.point(this.placeAt(event)),
        onpointerleave: () => this.point(null),
        onclick: (event) => this.onClick(event),
      },
      h("div", { class: "visually-hidden", role: "rowgroup" }, this.line),
      this.space,
    );
    this.space.append(this.canvas);
    this.element = h(
      "figure",
      { class: "weight-map" },
      this.axes,
      this.frame,
      this.readout,
      this.rule,
      this.legend,
    );
    this.wanted = model.row ?? null;
    this.cursor = { row: model.row ?? 0, column: 0 };
    this.update(model);
    if (typeof ResizeObserver !== "undefined") new ResizeObserver(() => this.fit()).observe(this.element);
    whenLettersCome(() => this.fit());
  }

  update(model: WeightMapModel): void {
    const [rows, columns] = [model.rows.labels.length, model.columns.labels.length];
    if (model.values.length !== rows * columns)
      throw new RangeError(`${model.name} has ${model.values.length} values for ${rows * columns} cells.`);
    const before = this.model;
    this.model = model;
    let { row } = this.cursor;
    if (model.row !== before.row) {
      this.wanted = model.row ?? null;
      row = model.row ?? row;
    }
    if (before.values !== model.values || before.largest !== model.largest || before.side !== model.side)
      this.painted = "";
    this.cursor = {
      row: Math.max(0, Math.min(rows - 1, row)),
      column: Math.max(0, Math.min(columns - 1, this.cursor.column)),
    };
    replace(this.axes, h("span", null, `${model.rows.name} ↓`), h("span", null, `${model.columns.name} →`));
    this.frame.setAttribute(
      "aria-label",
      `${model.name}: ${model.rows.name} down, ${model.columns.name} across`,
    );
    this.frame.setAttribute("aria-rowcount", String(rows));
    this.frame.setAttribute("aria-colcount", String(columns));
    replace(this.legend, legendOf(model));
    this.fit();
    this.read();
  }

  redraw(): void {
    this.painted = "";
    this.soon();
  }

  show(row: number, column: number): void {
    this.cursor = { row, column };
    this.pointed = null;
    this.reveal();
    this.read();
    this.soon();
  }

  /** The size of cells and labels for the room there is. */
  private fit(): void {
    const { model } = this;
    const context = this.canvas.getContext?.("2d") ?? null;
    const room = this.element.clientWidth || 640;
    const most = Math.min(MOST_LABEL, room / 3.5);
    const letters = lettersOf(this.canvas);
    this.left = labelRoom(context, letters, model.rows.labels, LEAST_LABEL, most);
    this.top = labelRoom(context, letters, model.columns.labels, LEAST_LABEL, Math.min(MOST_LABEL, 110));
    const columns = model.columns.labels.length;
    this.cell = cellSize(columns, room - this.left - sideWidth(model, 14) - 8, model.cell);
    const axes = [model.rows, model.columns].map(({ name, labels }) => ({ name, count: labels.length }));
    this.rule.textContent = labelRule(this.cell, axes, letters.size);
    const [more, rows] = [2 + overhang(this.cell, letters.size), model.rows.labels.length];
    const side = sideWidth(model, this.cell);
    this.space.style.setProperty("inline-size", `${this.left + side + columns * this.cell + more}px`);
    this.space.style.setProperty("block-size", `${this.top + rows * this.cell + more}px`);
    this.soon();
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
    const { model, frame } = this;
    const [width, height] = [frame.clientWidth, frame.clientHeight];
    if (this.wanted !== null && height > 0) {
      frame.scrollTop = this.within(this.wanted * this.cell, height - this.top, frame.scrollTop);
      this.wanted = null;
    }
    const made = sized(this.canvas, width, height);
    if (!made) return;
    const theme = themeOf(this.canvas);
    const [rows, columns] = [model.rows.labels.length, model.columns.labels.length];
    if (this.painted !== theme) {
      this.painted = theme;
      this.pictures = {
        cells: pointPicture(model.values, columns, rows, model.largest, theme),
        side: model.side ? pointPicture(model.side.values, 1, rows, 1, theme) : null,
      };
    }
    const sight: MapSight = {
      ...{ cell: this.cell, left: this.left, top: this.top, width, height },
      ...{ x: frame.scrollLeft, y: frame.scrollTop, cursor: this.current() },
    };
    paintMap({ ...made, theme, letters: lettersOf(this.canvas) }, model, sight, this.pictures);
  }

  private current(): MapPlace | null {
    return this.pointed ?? (this.hasFocus ? this.cursor : null);
  }

  private placeAt(event: MouseEvent): MapPlace | null {
    const box = this.frame.getBoundingClientRect();
    const x = event.clientX - box.left - this.frame.clientLeft;
    const y = event.clientY - box.top - this.frame.clientTop;
    const start = this.left + sideWidth(this.model, this.cell);
    // A label stands for its whole row, and shows its strongest cell.
    const row = Math.floor((y - this.top + this.frame.scrollTop) / this.cell);
    const column = Math.floor((x - start + this.frame.scrollLeft) / this.cell);
    const [rows, columns] = [this.model.rows.labels.length, this.model.columns.labels.length];
    if (y < this.top || row < 0 || row >= rows || column >= columns) return null;
    return { row, column: x < this.left || column < 0 ? this.strongest(row) : column };
  }

  private strongest(row: number): number {
    const columns = this.model.columns.labels.length;
    const values = this.model.values.subarray(row * columns, (row + 1) * columns);
    return values.reduce((best, value, at) => (value > (values[best] as number) ? at : best), 0);
  }

  private point(place: MapPlace | null): void {
    if (place?.row === this.pointed?.row && place?.column === this.pointed?.column) return;
    this.pointed = place;
    this.read();
    this.soon();
  }

  private focus(on: boolean): void {
    this.hasFocus = on;
    if (on) this.speak();
    this.read();
    this.soon();
  }

  private onClick(event: MouseEvent): void {
    const place = this.placeAt(event);
    if (!place) return;
    this.cursor = place;
    this.handlers.choose(place.row, place.column);
  }

  private onKey(event: KeyboardEvent): void {
    const { rows, columns } = this.model;
    const to = moved(event, this.cursor, rows.labels.length, columns.labels.length);
    if (to) {
      this.cursor = to;
      this.pointed = null;
      this.reveal();
      this.speak();
      this.read();
      this.soon();
    } else if (event.key === "Enter" || event.key === " ") {
      this.handlers.choose(this.cursor.row, this.cursor.column);
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Scrolls the frame, and only the frame, until the cursor is in it. */
  private reveal(): void {
    const { frame, cell } = this;
    const side = sideWidth(this.model, cell);
    frame.scrollTop = this.within(this.cursor.row * cell, frame.clientHeight - this.top, frame.scrollTop);
    frame.scrollLeft = this.within(
      this.cursor.column * cell + side,
      frame.clientWidth - this.left,
      frame.scrollLeft,
    );
  }

  /** The scroll nearest to `scroll` that shows the cell at `start`, and a cell on either side of it. */
  private within(start: number, size: number, scroll: number): number {
    return Math.max(start + this.cell * 2 - size, Math.min(scroll, start - this.cell));
  }

  /** Names the current cell to a screen reader. */
  private speak(): void {
    this.turn = 1 - this.turn;
    const cell = this.spoken[this.turn] as HTMLElement;
    cell.textContent = sentence(this.model, this.cursor, true);
    cell.setAttribute("aria-colindex", String(this.cursor.column + 1));
    this.line.setAttribute("aria-rowindex", String(this.cursor.row + 1));
    this.frame.setAttribute("aria-activedescendant", cell.id);
  }

  private read(): void {
    const place = this.current();
    if (!place) {
      replace(
        this.readout,
        "Point at a cell, or move to the map with Tab and use the arrow keys, to read its number.",
      );
      return;
    }
    replace(this.readout, h("bdi", null, sentence(this.model, place, false)));
  }
}
